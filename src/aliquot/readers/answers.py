"""Answers to be labelled: of any log, and of tables that nobody has scored yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from aliquot.evidence.merging import merge
from aliquot.evidence.tables import Evidence, Source
from aliquot.files.tables import read_table
from aliquot.readers.columns import map_columns
from aliquot.readers.options import ReadOptions
from aliquot.readers.outcomes import evidence_of
from aliquot.readers.registry import TABLE, find_reader, read_evidence

UNSCORED: Final = "unscored"
"""The metric of a table without values: it has none."""


def read_answers(paths: Sequence[Path], options: ReadOptions | None = None) -> Evidence:
    """Read answers; a table needs a column of them, and none of values.

    Args:
        paths: logs, tables, runs.
        options: what the columns of a table mean.

    Raises:
        UsageError: the options do not fit.
        InputError: a path that cannot be used as it stands.
        MachineError: the machine refuses to read it.
    """
    options = options or ReadOptions()
    parts = [_unscored(path, options) for path in paths]
    if any(part is None for part in parts):
        return read_evidence(paths, options)
    return merge(*(part for part in parts if part is not None))


def _unscored(path: Path, options: ReadOptions) -> Evidence | None:
    """Return a table of answers without values as evidence; None when it is anything else."""
    if options.wide or options.value is not None or find_reader(path, name=options.reader) is not TABLE:
        return None
    table = read_table(path, delimiter=options.delimiter, encoding=options.encoding)
    columns = map_columns(list(table.columns), options, file=str(path)).columns
    if "value" in columns or "response" not in columns or not table.height:
        return None
    empty = replace(table, columns={**table.columns, UNSCORED: [None] * table.height})
    source = Source(path=str(path), format=table.stored)
    told = replace(options, value=UNSCORED)
    return evidence_of(empty, told, file=str(path), name=options.name or path.stem, source=source)
