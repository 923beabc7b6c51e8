"""What is remembered of a suite's own noise, so that later differences can be shown beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from aliquot.files.locks import held_alone
from aliquot.files.text import read_bounded
from aliquot.files.typed_json import decode_document
from aliquot.files.writing import machine_errors, write_whole

NOISE_FILE: Final = Path(".aliquot") / "noise.json"
"""Where noise is remembered, in the folder in which the command runs."""

KEPT: Final = 200
"""Measurements kept, the newest."""


class Measurement(msgspec.Struct, frozen=True):
    """One measurement of a suite's noise.

    Attributes:
        suite: fingerprint of the items, the task and the metric.
        measured: when, in ISO 8601.
        runs: what was run twice: paths as given.
        wobble: half the range between two single runs, in the metric's units.
        n_items: items measured.
        flipped: items that flipped.
    """

    suite: str
    measured: str
    runs: list[str]
    wobble: float
    n_items: int
    flipped: list[str]


class _Memory(msgspec.Struct):
    measurements: list[Measurement] = []
    schema: str = "aliquot.noise_memory/1"


_DECODER: Final = msgspec.json.Decoder(_Memory)


def recall(path: Path, *, suite: str) -> list[Measurement]:
    """Return the measurements of a suite, oldest first; none when there is no such file.

    Raises:
        InputError: the file is damaged.
        MachineError: the machine refuses to read it.
    """
    return [one for one in _read(path).measurements if one.suite == suite]


def remember(path: Path, measurement: Measurement) -> None:
    """Add a measurement; one of the same runs takes the place of the earlier.

    Raises:
        InputError: the file is damaged.
        MachineError: the machine refuses.
    """
    with machine_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with held_alone(path.parent, what=path):
        others: Sequence[Measurement] = [
            one
            for one in _read(path).measurements
            if (one.suite, one.runs) != (measurement.suite, measurement.runs)
        ]
        memory = _Memory([*others, measurement][-KEPT:])
        write_whole(path, msgspec.json.format(msgspec.json.encode(memory), indent=1))


def _read(path: Path) -> _Memory:
    if not path.exists():
        return _Memory()
    return decode_document(read_bounded(path), _DECODER, file=str(path))
