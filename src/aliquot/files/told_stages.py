"""The stages that a journal tells of the answers that count, as rows of a table."""

from __future__ import annotations

import mmap
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import polars as pl

from aliquot.evidence.stages import Stage
from aliquot.evidence.tables import STAGES
from aliquot.files.journal import JournalContents
from aliquot.files.records import Response, settle
from aliquot.files.writing import machine_errors

_MARK: Final = b'"stages":['
"""What stands in a line that tells of stages; within a text its quotes are escaped."""


class _Told(msgspec.Struct):
    stages: tuple[Stage, ...] = ()


_DECODER: Final = msgspec.json.Decoder(_Told)


def told_stages(journal: Path, contents: JournalContents) -> pl.DataFrame:
    """Return the table of stages of the answers that count.

    Only lines that tell of stages are looked at again, so that a run without any costs one search.

    Args:
        journal: the journal's file.
        contents: what was read of it.

    Raises:
        MachineError: the file cannot be read.
    """
    counting = {id(record) for record in settle(contents.records)}
    rows = [
        {**_key(record), "place": place, **_row(stage)}
        for record, line in _lines(journal, contents)
        if id(record) in counting
        for place, stage in enumerate(_DECODER.decode(line).stages, start=1)
    ]
    return pl.DataFrame(rows, schema=dict(STAGES))


def _lines(journal: Path, contents: JournalContents) -> Iterator[tuple[Response, bytes]]:
    """Yield the records that may tell of stages, each with its line."""
    if not contents.spans:
        return
    starts = [start for start, _ in contents.spans]
    with (
        machine_errors(journal),
        journal.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        at = data.find(_MARK)
        while at >= 0:
            place = bisect_right(starts, at) - 1
            start, length = contents.spans[place] if place >= 0 else (0, 0)
            if at < start + length:  # else it stands in a line that is no record
                yield contents.records[place], data[start : start + length]
            at = data.find(_MARK, max(at + 1, start + length))


def _key(record: Response) -> dict[str, Any]:
    return {name: getattr(record, name) for name in ("system", "task", "item", "attempt")}


def _row(stage: Stage) -> dict[str, Any]:
    return {
        "stage": stage.name,
        "status": stage.status,
        "reason": stage.reason,
        "latency_s": stage.latency_s,
        "values": msgspec.json.encode(stage.values).decode() if stage.values else None,
    }
