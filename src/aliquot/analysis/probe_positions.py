"""Whether the slot decides who wins: over all pairs of a judge, and by what was compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from aliquot.analysis.probe_items import side_of
from aliquot.files.probe_records import ProbeRecord, ProbeVerdict
from aliquot.findings.probe import PositionLine
from aliquot.stats.inputs import Floats
from aliquot.stats.position import position_bias
from aliquot.stats.results import Undefined

MOST_PAIRS = 40
"""Pairs of systems with a line of their own."""

RESAMPLES = 1999


def position_lines(record: ProbeRecord, *, level: float, seed: int) -> Iterator[PositionLine]:
    """Yield the effect of the slot over all pairs whose order was varied, then by what was compared if that differs.

    Args:
        record: the judge's verdicts.
        level: confidence level.
        seed: of permutations.
    """
    rows = _shown(record)
    if not rows:
        return
    yield _line("all pairs", rows, level=level, seed=seed)
    pairs = list(dict.fromkeys(one.changed for one in rows))
    if 1 < len(pairs) <= MOST_PAIRS and all(one.probe == "order" for one in rows) and all(pairs):
        for pair in pairs:
            yield _line(pair, [one for one in rows if one.changed == pair], level=level, seed=seed)


def _shown(record: ProbeRecord) -> list[ProbeVerdict]:
    """Return the verdicts on pairs of different answers: those of the order probe, else of answers and cut ones."""
    for probe in ("order", "weak"):
        rows = [
            one
            for one in record.verdicts
            if one.probe == probe and one.verdict is not None and one.order and one.repeat == 1
        ]
        if rows:
            return rows
    return []


def _line(what: str, rows: Sequence[ProbeVerdict], *, level: float, seed: int) -> PositionLine:
    items = [one.item for one in rows]
    wins, first = _wins(rows), np.array([float(one.order == 1) for one in rows])
    clusters = [one.cluster or one.item for one in rows]
    found = position_bias(
        wins,
        first,
        items=items,
        clusters=None if all(one.cluster is None for one in rows) or clusters == items else clusters,
        level=level,
        n_resamples=RESAMPLES,
        rng=seed,
    )
    return PositionLine(what, len(set(items)), found.both_orders, found.effect, found.test, found.first_slot)


def _wins(rows: Sequence[ProbeVerdict]) -> Floats:
    worth = {"plain": 1.0, "changed": 0.0, "neither": 0.5}
    return np.array(
        [1 - one.worth if one.worth is not None else worth[side_of(one.verdict or "tie")] for one in rows]
    )


def moved(line: PositionLine) -> bool:
    """Tell whether a slot is shown to be preferred.

    Args:
        line: over some pairs.
    """
    return not isinstance(line.effect, Undefined) and (line.effect.low > 0 or line.effect.high < 0)
