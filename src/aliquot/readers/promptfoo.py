"""Logs of promptfoo: JSON, YAML, JSON lines and CSV exports, and its SQLite database."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any, Final

from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import rename
from aliquot.evidence.contents import systems
from aliquot.evidence.tables import Evidence, Source
from aliquot.files.ends import file_ends
from aliquot.files.json_documents import JsonReading
from aliquot.files.text import MAX_LINE_BYTES, decode, read_bounded
from aliquot.files.writing import machine_errors
from aliquot.files.yaml_documents import parse_yaml
from aliquot.readers.options import ReadOptions
from aliquot.readers.promptfoo_csv import is_promptfoo_csv, log_of_csv
from aliquot.readers.promptfoo_database import MAGIC, log_of_database
from aliquot.readers.promptfoo_evidence import evidence_of_log
from aliquot.readers.promptfoo_records import Log
from aliquot.readers.promptfoo_shapes import log_of, log_of_lines

MAX_JSON_BYTES: Final = 1 << 30
MAX_YAML_BYTES: Final = 64 << 20
"""YAML is parsed some fifty times slower than JSON."""

_JSON: Final = re.compile(rb'"(?:evalId|shareableUrl|_resultsLoaded)"\s*:')
_YAML: Final = re.compile(rb"(?m)^(?:evalId|shareableUrl):")
_SUFFIXES: Final = {
    ".json": "json", ".yaml": "yaml", ".yml": "yaml", ".txt": "yaml", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".csv": "csv", ".db": "database", ".sqlite": "database", ".sqlite3": "database",
}  # fmt: skip


class PromptfooReader:
    """Reads what promptfoo writes."""

    name = "promptfoo"
    reads = "promptfoo's JSON, YAML, JSON lines, CSV and database"

    def sniff(self, path: Path) -> bool | str:
        """Tell promptfoo's files by the end of their name and the words they begin or end with."""
        stored = _SUFFIXES.get(path.suffix.lower())
        if stored is None or not path.is_file():
            return False
        return stored if _is_promptfoo(stored, *file_ends(path)) else False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read one evaluation.

        Raises:
            UsageError: a name was given and the log holds several systems, or a field is in no test.
            InputError: it is not promptfoo's, holds no results, or is not as promptfoo writes it.
            MachineError: the machine refuses to read it.
        """
        reading = JsonReading()
        log, digest = _read_log(path, reading, options)
        log.notes += reading.notes()
        source = Source(
            path=str(path),
            format="promptfoo",
            version=" ".join(filter(None, (log.shape, log.version))),
            sha256=digest,
        )
        evidence = evidence_of_log(log, options, file=str(path), source=source)
        if options.name is None:
            return evidence
        names = systems(evidence)
        if len(names) != 1:
            listed = ", ".join(names)
            raise UsageError(f"{path} holds {len(names)} systems ({listed}); one name cannot name them.")
        return rename(evidence, {names[0]: options.name})


def _read_log(path: Path, reading: JsonReading, options: ReadOptions) -> tuple[Log, str]:
    """Return the evaluation in a file and the digest of its bytes."""
    file, stored = str(path), _SUFFIXES.get(path.suffix.lower(), "json")
    if stored == "database":
        if not path.is_file():
            raise InputError("there is no such file", file=file)
        with machine_errors(path):
            return log_of_database(path, reading=reading), ""
    data = read_bounded(path, limit=MAX_YAML_BYTES if stored == "yaml" else MAX_JSON_BYTES)
    text = decode(data, file=file, encoding=options.encoding)
    return _log_of_text(text, stored, reading, file=file), hashlib.sha256(data).hexdigest()


def _log_of_text(text: str, stored: str, reading: JsonReading, *, file: str) -> Log:
    if stored == "csv":
        return log_of_csv(text, file=file)
    if stored == "yaml":
        return log_of(parse_yaml(text, file=file), file=file)
    if stored == "jsonl":
        return log_of_lines(_lines(text, reading, file=file), file=file)
    return log_of(reading.parse(text, file=file), file=file)


def _lines(text: str, reading: JsonReading, *, file: str) -> list[Any]:
    """Return the rows of JSON lines; a last one cut off in the middle is left out and noted."""
    rows: list[Any] = []
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if len(line) > MAX_LINE_BYTES:
            raise InputError(f"line {number} has more than {MAX_LINE_BYTES:,} characters", file=file)
        if not line.strip():
            continue
        try:
            rows.append(reading.parse(line, file=file))
        except InputError as error:
            if number == len(lines) and rows:
                reading.torn_line = number
                break
            raise InputError(f"line {number} {error.problem}", file=file) from error
    return rows


def _is_promptfoo(stored: str, head: bytes, tail: bytes) -> bool:
    if stored == "database":
        return head.startswith(MAGIC) and b"eval_results" in head
    if stored == "json":
        return b'"results"' in head + tail and bool(_JSON.search(head) or _JSON.search(tail))
    if stored == "yaml":
        return b"results:" in head and bool(_YAML.search(head) or _YAML.search(tail))
    if stored == "jsonl":
        first = head.split(b"\n", 1)[0]
        return b'"promptIdx"' in first and b'"testCase"' in first
    return is_promptfoo_csv(head.decode("utf-8", errors="replace").removeprefix("\ufeff"))
