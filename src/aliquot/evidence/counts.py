"""Counts that were printed somewhere, as evidence: items without identity, so that they pair with nothing."""

from __future__ import annotations

import re
from typing import Final

import polars as pl

from aliquot.errors import UsageError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.tables import Evidence, Note, Source

MAX_ITEMS: Final = 1_000_000
"""Items a printed figure may rest on."""

_FIGURE: Final = re.compile(r"\s*(?P<figure>\d+(?:\.\d+)?|\.\d+)(?P<percent>\s*%)?\s*/\s*(?P<items>\d+)\s*")


def read_figure(text: str) -> tuple[int, int]:
    """Return passes and items of a printed figure: ``17/20``, ``0.82/500``, ``82%/500``.

    A share must be one that some count out of that many items rounds to, at the digits it was printed with.

    Raises:
        UsageError: not such a figure, or a share no count gives.

    Examples:
        >>> read_figure("17/20"), read_figure("0.82/500"), read_figure("22.6%/124")
        ((17, 20), (410, 500), (28, 124))
    """
    match = _FIGURE.fullmatch(text)
    if match is None:
        raise UsageError(
            f"{text!r} is no figure; write passes of items (17/20) or a share of items (0.82/500)"
        )
    written, items = match["figure"], int(match["items"])
    if not 1 <= items <= MAX_ITEMS:
        raise UsageError(f"{text!r} rests on {items} items; 1 to {MAX_ITEMS:,} can be used")
    if match["percent"] is None and "." not in written:
        passed = int(written)
        if passed > items:
            raise UsageError(f"{text!r} has more passes than items")
        return passed, items
    scale = 100 if match["percent"] else 1
    share, digits = float(written) / scale, len(written.partition(".")[2])
    if share > 1:
        raise UsageError(f"{text!r} is more than all of its items")
    passed = round(share * items)
    if abs(scale * passed / items - float(written)) > 0.5 * 10.0**-digits + 1e-9:
        around = " or ".join(
            f"{count} ({scale * count / items:.{digits}f})" for count in _around(share * items, items)
        )
        raise UsageError(f"{text!r}: no count out of {items} gives {written}; the nearest are {around}")
    return passed, items


def _around(count: float, items: int) -> list[int]:
    below = int(count)
    return [one for one in (below, below + 1) if 0 <= one <= items]


def evidence_of_counts(
    text: str, *, system: str, task: str, metric: str, described: pl.DataFrame | None = None
) -> Evidence:
    """Return a printed figure as evidence: as many items as it rests on, of which that many passed.

    Nothing is known of these items but whether they passed, so they are never paired.

    Args:
        text: the figure, as ``read_figure`` takes it.
        system: the system's name.
        task: the task it is compared on.
        metric: the metric.
        described: the row of ``metrics`` that says how its numbers are read; by default 1 is right.

    Raises:
        UsageError: not such a figure.

    Examples:
        >>> evidence_of_counts("17/20", system="paper", task="t", metric="passed").items.height
        20
    """
    passed, items = read_figure(text)
    rows = pl.DataFrame(
        {
            "system": system,
            "task": task,
            "item": [f"{system}: item {place}" for place in range(1, items + 1)],
            "metric": metric,
            "value": [1.0] * passed + [0.0] * (items - passed),
        }
    )
    note = Note(
        "printed_figure", f"{system} is a printed figure: its items, prompts and settings are not known"
    )
    return assemble(
        rows, metrics=described, sources=(Source(path=text, format="printed figure"),), notes=(note,)
    )
