"""Where the whole says one thing and most of its parts the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.parts import SEGMENT
from aliquot.evidence.units import Pairs, Units
from aliquot.findings.segments import Reversal, Rows, SegmentLevel
from aliquot.stats.results import Estimate

_ZERO = 1e-12


def find_reversals(
    pairs: Pairs, sample: PairedSample, field: str, levels: Sequence[SegmentLevel]
) -> tuple[Reversal, ...]:
    """Return the aggregates whose sign most levels of a field contradict.

    Over shared items the whole is a mixture of its parts, and only a few large parts can outvote many. Over each
    system's own rows (other items, other numbers of attempts) all parts may contradict it: Simpson's paradox.

    Args:
        pairs: the shared items and both systems' own.
        sample: the shared items with a value on both sides.
        field: the field.
        levels: its segments.
    """
    paired = {part.level: part.difference.point for part in levels if isinstance(part.difference, Estimate)}
    sides = [_rates(side, field, levels) for side in (pairs.baseline, pairs.candidate)]
    own = {name: sides[1][name] - sides[0][name] for name in sides[0].keys() & sides[1].keys()}
    whole = float(np.average(sample.d, weights=sample.weights))
    found = [
        _reversal("shared_items", whole, paired, levels),
        _reversal("own_rows", _rate(pairs.candidate.frame) - _rate(pairs.baseline.frame), own, levels),
    ]
    return tuple(one for one in found if one is not None)


def _reversal(
    over: Rows, whole: float, parts: Mapping[str, float], levels: Sequence[SegmentLevel]
) -> Reversal | None:
    if abs(whole) <= _ZERO or len(parts) < 2:
        return None
    against = tuple(
        part.level for part in levels if part.level in parts and parts[part.level] * np.sign(whole) < -_ZERO
    )
    if 2 * len(against) <= len(parts):
        return None
    established = tuple(
        part.level
        for part in levels
        if part.level in against
        and isinstance(part.difference, Estimate)
        and (part.difference.high < 0 if whole > 0 else part.difference.low > 0)
    )
    return Reversal(over, whole, against, established, len(parts))


def _rates(side: Units, field: str, levels: Sequence[SegmentLevel]) -> dict[str, float]:
    """Return a system's rate over its own rows in each level it has rows of."""
    found: dict[str, float] = {}
    for part in levels:
        mine = side.frame.filter(pl.col(SEGMENT + field).is_in(part.pooled or (part.level,)), pl.col("k") > 0)
        if mine.height:
            found[part.level] = _rate(mine)
    return found


def _rate(frame: pl.DataFrame) -> float:
    """Return the mean over attempts with a value, every attempt weighing the same."""
    known = frame.drop_nulls("mean")
    return float((known["mean"] * known["k"]).sum()) / float(known["k"].sum())
