"""Tables of a judge's verdicts on pairs of answers: a row a verdict, or a row a pair with a verdict in each order."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from aliquot.errors import InputError, excerpt
from aliquot.evidence.identity import text_of
from aliquot.evidence.tables import Evidence, Note, Source
from aliquot.files.compressed import read_head
from aliquot.files.ends import file_ends
from aliquot.files.tables import read_frame, read_table
from aliquot.readers.json_records import HEAD_BYTES, MAX_BYTES
from aliquot.readers.options import ReadOptions
from aliquot.readers.verdict_words import SIDES, verdict_of
from aliquot.readers.votes_evidence import VoteRows

ITEMS: Final = ("item", "item_id", "instruction_sha", "question_id", "id")
SYSTEMS: Final = (("system_a", "system_b"), ("generator_1", "generator_2"))
RATERS: Final = ("rater", "judge", "annotator")
SECTIONS: Final = ("group", "subset")
"""Columns within whose values items are numbered."""

ORDERS: Final = ("verdict_order1", "verdict_order2")
"""A pair's verdict with the first answer shown first, and with the second; both name the answer, not the slot."""

SWITCHED: Final = ("is_switched", "is_switched_recovered")
"""1 when the second answer was shown first."""

WORDS: Final[Mapping[str, str]] = {
    **SIDES,
    "1": "a",
    "2": "b",
    "first": "a",
    "second": "b",
    "0": "tie",
    "both": "tie",
}
SLOTS: Final[Mapping[str, str]] = {"a": "a", "b": "b", "first": "a", "second": "b", "1": "a", "2": "b"}

_PARQUET: Final = (".parquet", ".pq")
_TABLES: Final = (".csv", ".tsv", ".tab", *_PARQUET)


class JudgedPairsReader:
    """Reads tables with a row a verdict, or a row a pair and a verdict in each order."""

    name = "judged-pairs"
    reads = "tables of a judge's verdicts on pairs: item, two systems, verdict or preference, what was shown first"

    def sniff(self, path: Path) -> bool | str:
        """Tell them by the names of their columns."""
        if not path.is_file() or path.suffix.lower() not in _TABLES:
            return False
        there = _names(path)
        if set(ORDERS) <= there and there & set(ITEMS):
            return "both orders"
        named = any(set(pair) <= there for pair in SYSTEMS)
        return "verdicts" if named and there & {"verdict", "preference"} and there & set(ITEMS) else False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read verdicts; nothing in them is a score of one system.

        Raises:
            InputError: a row names no item or no systems, or its verdict is a word in no table.
            MachineError: the machine refuses to read it.
        """
        records, digest, notes = _records(path, options)
        rows = _Pairs(file=str(path))
        for place, record in records:
            rows.add(record, place=place)
        if not rows.votes.votes:
            raise InputError("holds no verdict", file=str(path))
        return rows.votes.evidence(
            source=Source(str(path), "judged pairs", "", digest),
            notes=(Note("item_key", ", ".join(rows.keys)), *notes),
        )


@dataclass(slots=True)
class _Pairs:
    """Verdicts as they are read."""

    file: str
    votes: VoteRows = field(default_factory=lambda: VoteRows("judged pairs"))
    keys: tuple[str, ...] = ()
    _said: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])

    def add(self, row: Mapping[str, Any], *, place: str) -> None:
        """Add a row's verdicts, and what people said of the pair when the row holds it.

        Raises:
            InputError: as in ``read``.
        """
        item = self._item(row, place)
        systems = self._systems(row, place)
        pair = {"item": item, "system_a": systems[0], "system_b": systems[1], "session": None, "at": None}
        rater = " ".join(told for name in (*RATERS, "strategy") if (told := _text(row, name))) or "judge"
        cluster = _text(row, "cluster")
        if set(ORDERS) <= set(row):
            for name, first in zip(ORDERS, ("a", "b"), strict=True):
                self.votes.add(
                    {
                        **pair,
                        "rater": rater,
                        "by": "judge",
                        "shown_first": first,
                        **self._verdict(row, name, place),
                    },
                    cluster=cluster,
                )
        else:
            name = "preference" if "preference" in row else "verdict"
            told = self._verdict(row, name, place)
            by = "person" if _text(row, "by") == "person" else "judge"
            self.votes.add(
                {**pair, "rater": rater, "by": by, "shown_first": self._first(row, systems, place), **told},
                cluster=cluster,
            )
        if _text(row, "gold") and (item, *systems) not in self._said:
            self._said.add((item, *systems))
            told = self._verdict(row, "gold", place)
            self.votes.add({**pair, "rater": "people", "by": "person", "shown_first": None, **told})

    def _item(self, row: Mapping[str, Any], place: str) -> str:
        name = next((name for name in ITEMS if _text(row, name)), None)
        if name is None:
            raise InputError(
                f"names no item ({place})", file=self.file, remedy=f"Columns: {', '.join(ITEMS)}"
            )
        sections = [name for name in SECTIONS if _text(row, name)]
        self.keys = (*sections, name)
        return " ".join(_text(row, part) or "" for part in self.keys)

    def _systems(self, row: Mapping[str, Any], place: str) -> tuple[str, str]:
        pair = next((pair for pair in SYSTEMS if set(pair) <= set(row)), None)
        if pair is None:
            return "first answer", "second answer"
        a, b = (_text(row, name) for name in pair)
        if a is None or b is None:
            raise InputError(f"names no two systems ({place})", file=self.file, field=pair[a is not None])
        return a, b

    def _verdict(self, row: Mapping[str, Any], name: str, place: str) -> dict[str, str | None]:
        told = _text(row, name)
        if name == "preference" and told is not None:
            return {**self._preference(told, place), "label": told}
        verdict, status = verdict_of(told, WORDS, place=place, file=self.file, field=name)
        return {"verdict": verdict, "status": status, "label": told}

    def _preference(self, told: str, place: str) -> dict[str, str | None]:
        try:
            value = float(told)
        except ValueError:
            value = math.nan
        if value != 0 and not 1 <= value <= 2:
            raise InputError(
                f"{excerpt(told)} is no preference ({place})", file=self.file, field="preference",
                remedy="It is 1 (the first) to 2 (the second), 1.5 for a draw, empty when it was not read",
            )  # fmt: skip
        return {"verdict": "tie" if value in {0, 1.5} else "a" if value < 1.5 else "b", "status": "ok"}

    def _first(self, row: Mapping[str, Any], systems: tuple[str, str], place: str) -> str | None:
        for name in SWITCHED:
            if (told := _text(row, name)) is not None:
                return verdict_of(
                    told,
                    {"0": "a", "1": "b", "true": "b", "false": "a"},
                    place=place,
                    file=self.file,
                    field=name,
                )[0]
        told = _text(row, "shown_first")
        if told is None:
            return None
        named = {
            system: slot for system, slot in zip(systems, ("a", "b"), strict=True) if systems[0] != systems[1]
        }
        if told in named:
            return named[told]
        return verdict_of(told, SLOTS, place=place, file=self.file, field="shown_first")[0]


def _text(row: Mapping[str, Any], name: str) -> str | None:
    """Return a cell as text, None when it is empty; whole numbers carry no point, which pandas gives them."""
    value = row.get(name)
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = text_of(value)
    if text is not None and text.endswith(".0") and text[:-2].isdecimal():
        return text[:-2]
    return text


def _names(path: Path) -> set[str]:
    """Return the columns of a delimited table, or which known ones the end of a Parquet file mentions."""
    if path.suffix.lower() not in _PARQUET:
        line = read_head(path, size=HEAD_BYTES).split(b"\n", maxsplit=1)[0].decode("utf-8", errors="replace")
        return {name.strip('"\r\ufeff ') for name in line.replace(";", ",").replace("\t", ",").split(",")}
    _, tail = file_ends(path, head=0)
    known = {*ITEMS, *ORDERS, "verdict", "preference", *(name for pair in SYSTEMS for name in pair)}
    return {name for name in known if name.encode() in tail}


def _records(
    path: Path, options: ReadOptions
) -> tuple[Iterator[tuple[str, Mapping[str, Any]]], str, tuple[Note, ...]]:
    """Return the rows with their places, the digest of the file where it is cheap, and what reading had to say."""
    if path.suffix.lower() in _PARQUET:
        frame = read_frame(path)
        rows = ((f"row {index}", row) for index, row in enumerate(frame.iter_rows(named=True), start=1))
        return rows, "", ()
    table = read_table(path, delimiter=options.delimiter, encoding=options.encoding)
    cells = (
        (table.place(index), {name: column[index] for name, column in table.columns.items()})
        for index in range(table.height)
    )
    digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.stat().st_size < MAX_BYTES else ""
    return cells, digest, table.notes
