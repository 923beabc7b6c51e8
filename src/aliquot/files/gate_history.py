"""What a gate decided, merge by merge: one line each, appended on purpose, kept in the repository."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from aliquot.errors import InputError, MachineError
from aliquot.files.locks import held_alone
from aliquot.files.writing import machine_errors, write_whole

MOST: Final = 100_000
"""Merges read; the shares of the error are scaled for as many."""


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One merge.

    Attributes:
        digest: of what was judged: the candidate's answers and values, and the conditions.
        candidate: its name.
        at: when, in ISO 8601.
        p: smallest p of its blocking losses by Holm; 1 where nothing is worse.
        alpha: the error it was given.
        decision: what came of it.
    """

    digest: str
    candidate: str
    at: str
    p: float
    alpha: float
    decision: str


_DECODER: Final = msgspec.json.Decoder(Judged)


def parse_history(data: bytes, *, file: str) -> tuple[Judged, ...]:
    """Return the merges of a history, the oldest first.

    Raises:
        InputError: a line that is none, a p that is none, or too many lines.
    """
    lines = [line for line in data.splitlines() if line.strip()]
    if len(lines) > MOST:
        raise InputError(f"holds more than {MOST:,} merges", file=file, remedy="Begin a new one for the year")
    found: list[Judged] = []
    for place, line in enumerate(lines, start=1):
        try:
            one = _DECODER.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"is no line of a gate's history: {error}", file=file, row=place) from error
        if not 0 < one.p <= 1:
            raise InputError(f"its p is {one.p:g}, and one lies above 0 and up to 1", file=file, row=place)
        found.append(one)
    return tuple(found)


def read_history(path: Path) -> tuple[Judged, ...]:
    """Read a history; empty when there is none yet.

    Raises:
        InputError: it is damaged.
        MachineError: the machine refuses.
    """
    try:
        return parse_history(path.read_bytes(), file=str(path))
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise MachineError(f"{path} cannot be read ({error.strerror})") from error


def add_to_history(path: Path, merge: Judged) -> None:
    """Add a merge to a history, which is written whole; one that was judged before, byte for byte, adds no row.

    Two gates at once take turns, on the folder, so that neither writes what the other has not read.

    Raises:
        InputError: the history is damaged.
        MachineError: the machine refuses, or another process holds the history for too long.
    """
    with machine_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with held_alone(path.parent, what=path):
        merges = read_history(path)
        if merge.digest not in {one.digest for one in merges}:
            write_whole(path, b"".join(msgspec.json.encode(one) + b"\n" for one in (*merges, merge)))
