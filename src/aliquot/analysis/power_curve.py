"""The chance that this design shows a difference, for differences from none to one it shows almost surely."""

from __future__ import annotations

from typing import Final

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.method import effective_items
from aliquot.analysis.power_seen import t_errors
from aliquot.analysis.settle import disagreement
from aliquot.findings.comparison import Detectable
from aliquot.findings.power_seen import PowerAt
from aliquot.findings.scale import Scale
from aliquot.stats.power import mcnemar_power
from aliquot.stats.results import Estimate, Undefined

STEPS: Final = 12
"""Differences beside none at which the power is computed."""

REACH: Final = 1.8
"""Times the detectable difference up to which the curve goes; its power there is near 1."""


def find_power_curve(
    sample: PairedSample,
    difference: Estimate | Undefined,
    detectable: Detectable | Undefined,
    scale: Scale,
    *,
    level: float,
) -> tuple[PowerAt, ...] | None:
    """Return the power of the deciding test over true differences; None where no difference could be shown.

    Exact McNemar on the effective items for pass or fail, at the share of differing items that was seen or, where the
    difference needs more, at the difference itself; else the t form.

    Args:
        sample: items with a value on both sides.
        difference: the observed difference.
        detectable: the smallest difference shown with 80% power.
        scale: the metric's scale.
        level: confidence level; the test rejects at 1 − level.
    """
    if isinstance(difference, Undefined) or isinstance(detectable, Undefined):
        return None
    reach = REACH * detectable.low
    if scale.kind == "binary":
        reach = min(1.0, reach)
        worth, seen = max(1.0, effective_items(sample, difference)), disagreement(sample)
        return tuple(
            PowerAt(size, mcnemar_power(worth, psi=max(seen, size), difference=size, level=level))
            for size in (reach * step / STEPS for step in range(STEPS + 1))
        )
    se, df = difference.se, difference.df
    if not se or df is None:
        return None
    return tuple(
        PowerAt(size, t_errors(size, se, df=df, level=level)[0] if size else 1 - level)
        for size in (reach * step / STEPS for step in range(STEPS + 1))
    )
