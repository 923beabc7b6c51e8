"""Tables of RAGAS: what ``to_pandas()`` was saved as, an experiment's rows, a list of scores, annotations."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from aliquot.errors import InputError, UsageError
from aliquot.evidence.tables import Evidence, Note, Source
from aliquot.files.ends import file_ends
from aliquot.files.json_documents import JsonReading
from aliquot.files.rows import Rows
from aliquot.files.tables import Table, read_table
from aliquot.files.text import decode, read_bounded
from aliquot.readers.options import ReadOptions
from aliquot.readers.ragas_annotations import evidence_of_annotations
from aliquot.readers.ragas_columns import KNOWN_METRICS, base_of, is_table
from aliquot.readers.ragas_evidence import Log, evidence_of

EXPERIMENTS: Final = "experiments"
DATASETS: Final = "datasets"
MAX_BYTES: Final = 1 << 30
MAX_FILES: Final = 1000
_TABLES: Final = (".csv", ".jsonl")


class RagasReader:
    """Reads what RAGAS's results are saved as; RAGAS has no file format of its own."""

    name = "ragas"
    reads = "RAGAS's tables (CSV, JSON, JSON lines), experiments and annotations"

    def sniff(self, path: Path) -> bool | str:
        """Tell a table by its columns, annotations by their keys, an experiments folder by its name and its tables."""
        if path.is_dir():
            return bool(_experiments(path)) and EXPERIMENTS
        ending = path.suffix.lower()
        if ending not in {".csv", ".json", ".jsonl"} or not path.is_file():
            return False
        first, _ = file_ends(path, tail=0)
        head = first.decode("utf-8", errors="replace").removeprefix("\ufeff").lstrip()
        if (
            ending == ".json"
            and '"metric_input"' in head
            and '"metric_output"' in head
            and '"is_accepted"' in head
        ):
            return "annotations"
        columns = _columns_of(head, ending)
        if is_table(columns):
            return "table"
        return "scores" if ending == ".json" and _are_scores(columns) else False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read one table, or every experiment of a folder.

        Raises:
            UsageError: a column the user named is not there, or one name for several systems.
            InputError: a file that cannot be used as it stands.
            MachineError: the machine refuses to read it.
        """
        if not path.is_dir():
            return _read_file(path, options)
        files = _experiments(path)
        if not files:
            remedy = f"An experiments folder holds {EXPERIMENTS}/*.csv or .jsonl"
            raise InputError("holds no experiment of RAGAS", file=str(path), remedy=remedy)
        if options.name is not None and len(files) > 1:
            names = ", ".join(file.stem for file in files)
            raise UsageError(f"{path} holds {len(files)} systems ({names}); one name cannot name them.")
        return evidence_of([_log(file, options) for file in files], options)


def _read_file(path: Path, options: ReadOptions) -> Evidence:
    if path.suffix.lower() != ".json":
        return evidence_of([_log(path, options)], options)
    file, reading = str(path), JsonReading()
    data = read_bounded(path, limit=MAX_BYTES)
    document = reading.parse(decode(data, file=file, encoding=options.encoding), file=file)
    system, digest = options.name or _stem(path), hashlib.sha256(data).hexdigest()
    if _is_annotated(document):
        source = Source(file, "ragas", "annotations", digest)
        return evidence_of_annotations(document, system=system, source=source, notes=reading.notes())
    table = _table_of(document, reading.notes(), file=file)
    return evidence_of(
        [Log(system, file, table, _dataset(path), Source(file, "ragas", "json", digest))], options
    )


def _log(path: Path, options: ReadOptions) -> Log:
    table = read_table(path, delimiter=options.delimiter, encoding=options.encoding)
    if not table.height:
        raise InputError("holds no row", file=str(path))
    source = Source(str(path), "ragas", table.stored)
    return Log(options.name or _stem(path), str(path), table, _dataset(path), source)


def _stem(path: Path) -> str:
    return path.stem.removesuffix(".scores") or path.stem


def _is_annotated(document: Any) -> bool:
    if not isinstance(document, Mapping) or not document:
        return False
    return all(
        isinstance(own, list) and all(isinstance(one, dict) and "metric_input" in one for one in own[:1])
        for own in document.values()
    )


def _table_of(document: Any, notes: tuple[Note, ...], *, file: str) -> Table:
    """Return the rows of a JSON document: a list of them, or a column an object as pandas writes by itself."""
    rows = Rows(file=file)
    if isinstance(document, list) and document and all(isinstance(one, dict) for one in document):
        for row, record in enumerate(document, start=1):
            rows.add({name: _flat(value) for name, value in record.items() if name}, line=row)
    elif (
        isinstance(document, Mapping)
        and document
        and all(isinstance(one, Mapping) for one in document.values())
    ):
        places = list(dict.fromkeys(place for cells in document.values() for place in cells))
        for row, place in enumerate(places, start=1):
            rows.add({name: _flat(cells.get(place)) for name, cells in document.items() if name}, line=row)
    if not rows.columns:
        raise InputError(
            "holds no rows of RAGAS", file=file, remedy="Save its to_pandas() as CSV or JSON lines"
        )
    return Table(columns=rows.columns, stored="json", notes=notes)


def _flat(value: Any) -> Any:
    """Return a value as a cell; what is no single value becomes JSON text."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _columns_of(head: str, ending: str) -> list[str]:
    """Return the columns that the first bytes of a file name."""
    if ending == ".csv":
        try:
            return next(csv.reader(io.StringIO(head.split("\n", 1)[0])), [])
        except csv.Error:
            return []
    start = head.removeprefix("[").lstrip() if ending == ".json" else head.split("\n", 1)[0]
    try:
        record, _ = json.JSONDecoder().raw_decode(start)
    except (ValueError, RecursionError):
        return _keys_by_column(head) if ending == ".json" else []
    return list(map(str, record)) if isinstance(record, dict) else []


def _keys_by_column(head: str) -> list[str]:
    """Return the first column of a table that pandas wrote a column an object, when it is a question."""
    return [
        name for name in ("user_input", "question") if head.startswith((f'{{"{name}":{{', f'{{"{name}": {{'))
    ]


def _are_scores(columns: list[str]) -> bool:
    """Tell a list of scores, as ``EvaluationResult.scores`` is, by the metrics' names."""
    return bool(columns) and any(base_of(name) in KNOWN_METRICS for name in columns) and not any(
        name in {"input", "output", "target", "doc_id", "model"} for name in columns
    )  # fmt: skip


def _experiments(folder: Path) -> list[Path]:
    """Return the experiments in a folder, or in the one of that name inside it."""
    place = folder if folder.name == EXPERIMENTS else folder / EXPERIMENTS
    try:
        entries = list(islice(place.iterdir(), MAX_FILES)) if place.is_dir() else []
    except OSError:
        return []
    return sorted(entry for entry in entries if entry.suffix.lower() in _TABLES and entry.is_file())


def _dataset(path: Path) -> tuple[str, ...]:
    """Return the columns that the data sets beside an experiment share with it; none for any other file."""
    place = path.absolute().parent
    if place.name != EXPERIMENTS or not (place.parent / DATASETS).is_dir():
        return ()
    files = sorted(islice((place.parent / DATASETS).iterdir(), MAX_FILES))
    columns = [
        read_table(file).columns for file in files if file.suffix.lower() in _TABLES and file.is_file()
    ]
    own = set(read_table(path).columns)
    return max(
        (tuple(name for name in one if name in own) for one in columns if set(one) <= own),
        key=len,
        default=(),
    )
