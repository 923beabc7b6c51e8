"""Which items there were to solve, where a result list names only those that were solved."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from aliquot.errors import InputError
from aliquot.files.json_documents import JsonReading
from aliquot.files.tables import SUFFIXES, read_table
from aliquot.files.text import decode, read_bounded

COLUMNS: Final = ("instance_id", "item", "id")
"""Columns that may hold the ids, the first one found."""

PREDICTIONS: Final = ("all_preds.jsonl", "preds.json")
"""What a submission to SWE-bench keeps its patches in, beside its results or one folder above."""


def submitted_instances(path: Path) -> tuple[str, ...]:
    """Return the ids for which the submission a ``results.json`` belongs to has a patch; none when it is not there.

    Raises:
        InputError: the file of patches cannot be read.
        MachineError: the machine refuses to read it.
    """
    folder = path.absolute().parent
    folders = (folder, folder.parent) if folder.name == "results" else (folder,)
    found = next(
        (place / name for place in folders for name in PREDICTIONS if (place / name).is_file()), None
    )
    return () if found is None else listed_instances(found)


def listed_instances(path: Path) -> tuple[str, ...]:
    """Return the ids a file lists: one a line, a JSON object whose keys they are, or a table with a column of them.

    Raises:
        InputError: there is no such file, it lists none, or has no such column.
        MachineError: the machine refuses to read it.
    """
    file, ending = str(path), path.suffix.lower()
    if ending not in SUFFIXES:
        found = [line.strip() for line in decode(read_bounded(path), file=file).splitlines()]
    elif ending == ".json" and isinstance(
        document := JsonReading().parse(decode(read_bounded(path), file=file), file=file), dict
    ):
        found = [str(key) for key in document]
    else:
        columns = read_table(path).columns
        column = next((name for name in COLUMNS if name in columns), None)
        if column is None:
            raise InputError(f"has no column of ids; it may be called {', '.join(COLUMNS)}", file=file)
        found = [str(cell) for cell in columns[column] if cell is not None]
    ids = tuple(dict.fromkeys(filter(None, found)))
    if not ids:
        raise InputError("lists no instance at all", file=file)
    return ids
