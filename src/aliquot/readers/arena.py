"""Votes of people between two systems: Chatbot Arena in its releases, FastChat's clean battles, tables like them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from aliquot.errors import InputError
from aliquot.evidence.tables import Evidence, Note, Source
from aliquot.files.compressed import read_head
from aliquot.files.ends import file_ends
from aliquot.files.tables import read_frame, read_table
from aliquot.readers.arena_rows import ArenaRows
from aliquot.readers.json_records import HEAD_BYTES, MAX_BYTES, holds_records, read_json_records
from aliquot.readers.options import ReadOptions

PAIRS: Final = (("model_a", "model_b"), ("left", "right"))
"""The columns of the two systems, the one shown first (on the left) first."""

WINNERS: Final = ("winner", "winner_model_a")
_DELIMITED: Final = (".csv", ".tsv", ".tab")
_PARQUET: Final = (".parquet", ".pq")


class ArenaReader:
    """Reads files with a row a vote: two systems and the winner."""

    name = "arena"
    reads = "votes between two systems: Chatbot Arena, FastChat battles, MT-bench people"

    def sniff(self, path: Path) -> bool | str:
        """Tell votes by the names of the two systems and the winner."""
        if any(holds_records(path, *pair, "winner") for pair in PAIRS):
            return "battles"
        suffix = path.suffix.lower()
        if not path.is_file() or suffix not in (*_DELIMITED, *_PARQUET):
            return False
        names = _names(path) if suffix in _PARQUET else _header(path)
        there = any(set(pair) <= names for pair in PAIRS) and any(name in names for name in WINNERS)
        return "votes" if there else False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read votes; nothing in them is a score of one system.

        Raises:
            InputError: a row names no two systems, or its winner is a word in no table.
            MachineError: the machine refuses to read it.
        """
        records, digest, notes = _records(path, options)
        rows = ArenaRows(file=str(path))
        for place, record in records:
            rows.add(record, place=place)
        source = Source(str(path), "votes", rows.release, digest)
        return rows.evidence(source=source, notes=notes)


def _header(path: Path) -> set[str]:
    line = read_head(path, size=HEAD_BYTES).split(b"\n", maxsplit=1)[0].decode("utf-8", errors="replace")
    return {name.strip('"\r\ufeff ') for name in line.replace(";", ",").replace("\t", ",").split(",")}


def _names(path: Path) -> set[str]:
    """Return which known columns the end of a Parquet file, where they are named, mentions."""
    _, tail = file_ends(path, head=0)
    known = {name for pair in PAIRS for name in pair} | set(WINNERS)
    return {name for name in known if name.encode() in tail}


def _records(
    path: Path, options: ReadOptions
) -> tuple[Iterator[tuple[str, Mapping[str, Any]]], str, tuple[Note, ...]]:
    """Return the rows with their places, the digest of the file where it is cheap, and what reading had to say."""
    suffix = path.suffix.lower()
    if suffix in _PARQUET:
        frame = read_frame(path)
        rows = ((f"row {index}", row) for index, row in enumerate(frame.iter_rows(named=True), start=1))
        return rows, "", ()
    if suffix in _DELIMITED:
        table = read_table(path, delimiter=options.delimiter, encoding=options.encoding)
        if not table.height:
            raise InputError("holds no vote", file=str(path))
        cells = (
            (table.place(index), {name: column[index] for name, column in table.columns.items()})
            for index in range(table.height)
        )
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.stat().st_size < MAX_BYTES else ""
        return cells, digest, table.notes
    found = read_json_records(path, encoding=options.encoding)
    rows = ((found.place(index), record) for index, record in enumerate(found.records))
    return rows, found.sha256, found.notes
