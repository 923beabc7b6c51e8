"""What answering may take more: each cost on the statistic that fits it, by the same rule as a metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import narwhals as nw
import polars as pl

from aliquot.analysis.compare import compare_systems
from aliquot.analysis.margins import HIGHEST_LEVEL, margin_on
from aliquot.analysis.spent import COUNTS, TIMES
from aliquot.errors import UsageError
from aliquot.findings.comparison import Comparison
from aliquot.findings.side_metrics import SideMetric
from aliquot.gates.decision import Shown
from aliquot.gates.held import RATIO, Held, Sides
from aliquot.gates.policy import QUANTILES, CostRule, Policy
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

_COLUMNS: Final = {
    "cost": "cost",
    **{name: column for column, name in TIMES.items()},
    **{name: column for column, (name, _) in COUNTS.items()},
}


def hold_costs(sides: Sides, policy: Policy, found: Sequence[Held], *, alpha: float) -> Iterator[Held]:
    """Yield what the policy asks of time, tokens, steps and money.

    A mean that may rise by a share of the baseline's is read from the ratio of the means (Fieller), a quantile and an
    amount from the difference; a share of a quantile is taken of the baseline's own number.

    Args:
        sides: who is held against whom.
        policy: with its costs.
        found: the conditions before these, whose comparison holds the numbers.
        alpha: level of all blocking tests together.
    """
    if not policy.costs:
        return
    comparison = next((one.comparison for one in found if one.comparison is not None), None)
    comparison = comparison or _compared(sides, policy, level=sides.choices.level)
    blocking = sum(one.shown.blocks for one in found)
    blocking += sum(rule.effect == "blocks" for rule in policy.costs.values())
    joint = min(HIGHEST_LEVEL, 1 - alpha / max(1, blocking))
    for name, rule in policy.costs.items():
        held = _cost(comparison, name, rule)
        if isinstance(held.shown.estimate, Undefined):
            seen = held.n > 0
            yield replace(
                held, shown=replace(held.shown, seen=seen, lossless=seen and _lossless(sides, name))
            )
        else:
            yield _tested(sides, policy, held, name, joint=joint)


def _compared(sides: Sides, policy: Policy, *, level: float) -> Comparison:
    metric = policy.metrics[0].metric if policy.metrics else ""
    choices = replace(sides.choices, metric=metric or None, level=level)
    return compare_systems(sides.evidence, sides.baseline, sides.candidate, task=sides.task, choices=choices)


def _cost(comparison: Comparison, name: str, rule: CostRule) -> Held:
    side, blocks = _named(comparison, name), rule.effect == "blocks"
    if side is None:
        shown = Shown(Undefined("it is not recorded on both sides"), 0.0, None, "lower", None, blocks=blocks)
        return Held(name, "difference", shown, RATIO, "", 0, (None, None), None, None)
    estimate, scale, unit = side.difference, side.scale, side.unit
    if not str(rule.no_worse_than).strip().endswith("%"):
        margin = margin_on(side.scale, rule.no_worse_than) or 0.0
    elif isinstance(side.ratio, Estimate):
        ratio, scale, unit = side.ratio, RATIO, "%"
        estimate = replace(ratio, point=ratio.point - 1, low=ratio.low - 1, high=ratio.high - 1)
        margin = _share(rule.no_worse_than, name)
    else:
        margin = _share(rule.no_worse_than, name) * (side.points[0] or 0.0)
    shown = Shown(estimate, margin, None, "lower", side.test, blocks=blocks)
    return Held(name, "difference", shown, scale, unit, side.n, (side.a, side.b), None, None)


def _share(text: float | str, name: str) -> float:
    try:
        share = float(str(text).strip().removesuffix("%")) / 100
    except ValueError:
        share = 0.0
    if not 0 < share < float("inf"):
        raise UsageError(
            f"{name}: {text!r} is no margin; write 20% of the baseline's, or an amount in its unit"
        )
    return share


def _named(comparison: Comparison, name: str) -> SideMetric | None:
    """Return what answering took under the name a policy gives it; None where that was not recorded."""
    known = comparison.side_metrics.costs if comparison.side_metrics is not None else ()
    for side in known:
        own = f"{side.name} {side.statistic}" if side.statistic in QUANTILES else side.name
        if own == name:
            return side
    return None


def _lossless(sides: Sides, name: str) -> bool:
    """Tell whether no item took more, as when nothing was asked anew or all got faster by the same."""
    column = _COLUMNS[next(known for known in _COLUMNS if name == known or name.startswith(f"{known} "))]
    means: list[pl.DataFrame] = []
    for system in (sides.baseline, sides.candidate):
        rows = sides.evidence.scan("responses", system=system, task=sides.task).select("item", nw.col(column))
        frame: pl.DataFrame = rows.collect(backend="polars").to_native()
        means.append(frame.group_by("item").agg(pl.col(column).cast(pl.Float64).mean()).drop_nulls())
    both = means[0].join(means[1], on="item", suffix=".after")
    return both.height > 0 and bool((both[f"{column}.after"] <= both[column] + 1e-12).all())


def _tested(sides: Sides, policy: Policy, held: Held, name: str, *, joint: float) -> Held:
    """Give a quantile, which has no test of its own, the p that its interval at the joint level bounds.

    Where that interval too lies on the side of a loss, p is at most 1 − level; it is made where the first one does.
    """
    found = held.shown.estimate
    if held.shown.test is not None or isinstance(found, Undefined) or found.low <= 0:
        return held
    side = _named(_compared(sides, policy, level=joint), name)
    if side is None or isinstance(side.difference, Undefined) or side.difference.low <= 0:
        return held
    test = HypothesisTest(side.difference.method, 1 - joint, null="no difference")
    return replace(held, shown=replace(held.shown, test=test))
