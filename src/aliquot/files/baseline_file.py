"""A blessed baseline: a small file that a repository keeps, a line an outcome, so that changes show in a diff."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from aliquot.errors import InputError, UsageError
from aliquot.files.writing import write_whole

SCHEMA: Final = "aliquot.baseline/1"

FOLDER: Final = Path("baselines")
"""Where baselines are kept, in the folder in which the command runs."""

MOST_BYTES: Final = 200_000_000

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Baseline(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a baseline's file.

    Attributes:
        name: its name.
        blessed: when, in ISO 8601.
        commit: of the repository it was blessed in; empty when unknown.
        system: the system's name.
        task: the task.
        sources: what it was read from, as given.
        attempts: attempts an item, the most.
        rows: outcomes that follow.
        settings: of the system, by name.
        schema: name and version of this layout.
    """

    name: str
    blessed: str
    commit: str = ""
    system: str
    task: str
    sources: tuple[str, ...] = ()
    attempts: int = 1
    rows: int = 0
    settings: dict[str, str] = msgspec.field(default_factory=dict)
    schema: str = SCHEMA


_HEAD: Final = msgspec.json.Decoder(Baseline)


def baseline_path(name: str, *, folder: Path = FOLDER) -> Path:
    """Return where a baseline is kept.

    Raises:
        UsageError: a name that could be a path, or that no file can have.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"a baseline's name has letters, digits, dots and dashes, a letter or digit first; got {name!r}"
        )
    return folder / f"{name}.jsonl"


def write_baseline(path: Path, head: Baseline, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a baseline whole; what a row does not say is left out of its line.

    Raises:
        MachineError: the machine refuses.
    """
    lines = [msgspec.json.encode(head)]
    lines += [
        msgspec.json.encode({name: value for name, value in row.items() if value is not None}) for row in rows
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, b"\n".join(lines) + b"\n")


def parse_baseline(data: bytes, *, file: str) -> tuple[Baseline, list[dict[str, Any]]]:
    """Return a baseline's first line and its rows.

    Raises:
        InputError: it is none, or was cut or changed by hand so that rows are missing.
    """
    if len(data) > MOST_BYTES:
        raise InputError(f"is larger than {MOST_BYTES:,} bytes", file=file)
    first, _, rest = data.partition(b"\n")
    try:
        head = _HEAD.decode(first)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(
            f"is no baseline: {error}", file=file, remedy="Bless one: aliquot gate run.json --bless NAME"
        ) from error
    if head.schema != SCHEMA:
        raise InputError(f"its schema is {head.schema!r}", file=file, remedy=f"This version reads {SCHEMA}")
    rows: list[dict[str, Any]] = []
    for place, line in enumerate(rest.splitlines(), start=1):
        try:
            rows.append(msgspec.json.decode(line, type=dict[str, Any]))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"is damaged: {error}", file=file, row=place) from error
    if len(rows) != head.rows:
        raise InputError(
            f"has {len(rows)} rows and its first line says {head.rows}",
            file=file,
            remedy="Take it from the repository again, or bless it anew",
        )
    return head, rows
