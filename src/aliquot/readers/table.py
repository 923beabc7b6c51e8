"""Plain tables of outcomes: CSV, TSV, JSON lines, JSON lists of objects, and Parquet."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from aliquot.errors import NoRowsError
from aliquot.evidence.tables import Evidence, Source
from aliquot.files.tables import SUFFIXES, read_table
from aliquot.readers.options import ReadOptions
from aliquot.readers.outcomes import evidence_of

MAX_HASHED_BYTES: Final = 64 << 20
"""Larger files are read without the SHA-256 of their bytes."""


class TableReader:
    """Reads a table with a row an outcome (long) or a column a system (wide)."""

    name = "table"
    reads = "CSV, TSV, JSON lines, JSON and Parquet with a row an outcome"

    def sniff(self, path: Path) -> bool | str:
        """Tell a table by the end of its name."""
        return path.is_file() and SUFFIXES.get(path.suffix.lower(), False)

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read a table of outcomes.

        Raises:
            UsageError: the columns cannot be told, or the format.
            InputError: a row or cell cannot be used as it stands.
            MachineError: the machine refuses to read it.
        """
        table = read_table(path, delimiter=options.delimiter, encoding=options.encoding)
        if table.height == 0:
            raise NoRowsError("has no rows", file=str(path))
        source = Source(path=str(path), format=table.stored, sha256=_digest(path))
        return evidence_of(table, options, file=str(path), name=options.name or path.stem, source=source)


def _digest(path: Path) -> str:
    if path.stat().st_size > MAX_HASHED_BYTES:
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
