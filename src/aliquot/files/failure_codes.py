"""What people wrote down about answers that went wrong: codes, one or several an answer, of a file or of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from aliquot.errors import InputError
from aliquot.evidence.identity import text_of
from aliquot.files.locks import held_alone
from aliquot.files.tables import SUFFIXES, Table, read_table
from aliquot.files.text import read_bounded
from aliquot.files.writing import write_whole

CODES: Final = "codes.jsonl"
"""The file of a run that holds what was coded."""

NAMES: Final = ("codes", "code", "failures", "failure")
"""Columns that may hold codes, the first one there is taken."""

MOST_LETTERS: Final = 60
"""Letters of a code, at most: it is a name, and not what happened."""

MOST_CODES: Final = 20
"""Codes of one answer, at most."""

_TAG: Final = re.compile(r"(?:^|(?<=[\s(]))#(\w[\w-]*)")
_CUT: Final = re.compile(r"[,;|\n]")


class Coded(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer that somebody read, and what went wrong with it.

    Attributes:
        item: the item's id.
        system: whose answer; None where the file does not say.
        task: of which task; None likewise.
        attempt: which of the repeated answers, from 1.
        codes: what went wrong; empty when nothing did, or nothing that has a name.
        rater: who read it; "" where that is not said.
        note: in the reader's own words.
    """

    item: str
    system: str | None = None
    task: str | None = None
    attempt: int = 1
    codes: tuple[str, ...] = ()
    rater: str = ""
    note: str = ""

    @property
    def key(self) -> tuple[str | None, str | None, str, int, str]:
        """Whose word on which answer: a later one takes the place of an earlier one."""
        return (self.system, self.task, self.item, self.attempt, self.rater)


def holds_codes(path: Path) -> bool:
    """Tell whether a file is a table with a column of codes."""
    return path.is_file() and path.suffix.lower() in SUFFIXES and _column(read_table(path)) is not None


def read_codes(path: Path) -> tuple[Coded, ...]:
    """Read codes from a table: a column ``item``, one of ``codes`` (or ``code``, ``failures``) or of notes with tags.

    Several codes stand in one cell behind commas or semicolons, or in several rows. In a column ``note``, as the page
    of a report exports it, words behind ``#`` are codes. ``system``, ``task``, ``attempt`` and ``rater`` are read
    where they are there.

    Raises:
        InputError: the table has no item, no codes, or a code that is no name.
        MachineError: the file cannot be read.
    """
    table = read_table(path)
    column = _column(table)
    missing = [name for name in ("item", "note" if column is None else column) if name not in table.columns]
    if missing:
        known = "a column item and one of codes (several behind commas), or of note with #codes"
        raise InputError(
            f"this table has no column {missing[0]!r}", file=str(path), remedy=f"Give it {known}"
        )
    cells = {name: [text_of(cell) or "" for cell in values] for name, values in table.columns.items()}
    found: dict[object, Coded] = {}
    for place in range(table.height):
        row = {name: texts[place].strip() for name, texts in cells.items()}
        one = _coded(row, column, file=str(path), where=place + 1)
        before = found.get(one.key)
        if before is not None:
            codes = tuple(dict.fromkeys((*before.codes, *one.codes)))
            one = msgspec.structs.replace(one, codes=codes, note=one.note or before.note)
        found[one.key] = one
    return tuple(found.values())


def kept_codes(run: Path) -> tuple[Coded, ...]:
    """Return what was coded of a run's answers; empty when nothing was.

    Raises:
        InputError: the file cannot be read.
    """
    path = run / CODES
    if not path.exists():
        return ()
    try:
        return tuple(msgspec.json.Decoder(Coded).decode_lines(read_bounded(path)))
    except msgspec.MsgspecError as error:
        raise InputError(f"these are no codes of a run: {error}", file=str(path)) from error


def keep_codes(run: Path, codes: Iterable[Coded]) -> tuple[Coded, ...]:
    """Keep codes with a run and return all of them; of a reader's words on one answer the last one stands.

    Raises:
        InputError: what is kept already cannot be read.
        MachineError: the machine refuses; what was kept is as it was.
    """
    path = run / CODES
    with held_alone(run, what=path):
        held = {one.key: one for one in kept_codes(run)} | {one.key: one for one in codes}
        write_whole(path, b"".join(msgspec.json.encode(one) + b"\n" for one in held.values()))
    return tuple(held.values())


def _column(table: Table) -> str | None:
    return next((name for name in NAMES if name in table.columns), None)


def _coded(row: Mapping[str, str], column: str | None, *, file: str, where: int) -> Coded:
    if not row["item"]:
        raise InputError("this row names no item", file=file, row=where, field="item")
    note = row.get("note", "")
    told = _TAG.findall(note) if column is None else _split(row[column])
    attempt = row.get("attempt") or "1"
    if not attempt.isdecimal() or not 0 < int(attempt) < 10**9:
        raise InputError(f"{attempt[:20]!r} is no attempt", file=file, row=where, field="attempt")
    return Coded(
        item=row["item"],
        system=row.get("system") or None,
        task=row.get("task") or None,
        attempt=int(attempt),
        codes=_names(told, column=column or "note", file=file, where=where),
        rater=row.get("rater", ""),
        note=note,
    )


def _split(cell: str) -> list[str]:
    """Return the codes of a cell: a JSON list, or names behind commas or semicolons."""
    try:
        listed: Any = msgspec.json.decode(cell, type=list[str])
    except msgspec.MsgspecError:
        listed = _CUT.split(cell)
    return listed


def _names(told: Sequence[str], *, column: str, file: str, where: int) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name for one in told if (name := " ".join(one.split()))))
    long = next((name for name in names if len(name) > MOST_LETTERS), None)
    if long is not None or len(names) > MOST_CODES:
        problem = (
            f"{len(names)} codes of one answer; {MOST_CODES} are read at most"
            if long is None
            else f"{long[:MOST_LETTERS]!r}… is longer than a code may be ({MOST_LETTERS} letters)"
        )
        raise InputError(
            problem,
            file=file,
            row=where,
            field=column,
            remedy="Give it a name of a few words; put more into note",
        )
    return names
