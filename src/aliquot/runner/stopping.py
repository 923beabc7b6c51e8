"""When a run may stop early: as soon as what it asks is settled, by a sequence that allows for looking all the time.

Units are items, or clusters, in an order that was fixed before the run; each is asked of both systems before the next.
What is looked at is the capital of a bet against each threshold of the rule, over the units that have a value on both
sides.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import numpy as np

from aliquot.analysis.margins import check_level, margin_on
from aliquot.errors import UsageError
from aliquot.findings.comparison import Scale
from aliquot.findings.numbers import difference_unit, write_count, write_difference
from aliquot.item_sets.items import Item
from aliquot.runner.plan import Plan, unit_of
from aliquot.stats.bets import Units, as_units
from aliquot.stats.e_processes import log_capital
from aliquot.stats.sequences import sequence_of

FORMS: Final = "decided; better by 2pt; not worse by 2pt; equivalent within 2pt; each may end in: at 99%"
"""What a rule can say."""

_RULE: Final = re.compile(
    r"(?P<what>decided|better by|not worse by|equivalent within)(?: (?P<margin>[^ ]+))?(?: at (?P<level>[\d.]+)%)?"
)

ORDER: Final = (
    "numpy default_rng([seed, 1]) permutation of the ids in byte order; a conversation or cluster stands whole where "
    "its first item falls, and each is asked of every system before the next, as the run may stop after any of them"
)
"""How the order of such a run comes about; recorded with it."""


@dataclass(frozen=True, slots=True)
class StopRule:
    """What has to be settled.

    Attributes:
        text: the rule as it was given.
        thresholds: differences that have to be left out by the interval, in the metric's units, candidate minus
            baseline.
        level: confidence level of the sequence.
        scale: the metric's scale.
    """

    text: str
    thresholds: tuple[float, ...]
    level: float
    scale: Scale


def read_rule(text: str, plan: Plan) -> StopRule:
    """Return what a rule means for an evaluation.

    Raises:
        UsageError: not a rule, not two systems, or a metric without limits.
    """
    found = _RULE.fullmatch(" ".join(text.split()).lower())
    if found is None or (found["what"] == "decided") != (found["margin"] is None):
        raise UsageError(f"{text!r} is no rule to stop at. Write one of: {FORMS}")
    if len(plan.evaluation.systems) != 2:
        raise UsageError(
            f"a run stops when a comparison is settled, so it needs two systems, the baseline first; "
            f"{plan.evaluation.name!r} has {len(plan.evaluation.systems)}"
        )
    rule = next(iter(plan.rules.values()))
    scale = Scale(rule.kind, rule.low, rule.high, rule.better)
    if rule.kind == "real":
        raise UsageError(
            f"{rule.metric!r} has no limits, and only a metric with limits can be watched while it runs"
        )
    try:
        level = 0.95 if found["level"] is None else float(found["level"]) / 100
    except ValueError:
        raise UsageError(f"{text!r} is no rule to stop at. Write one of: {FORMS}") from None
    check_level(level)
    margin = 0.0 if found["margin"] is None else margin_on(scale, found["margin"]) or 0.0
    sign = -1.0 if scale.better == "lower" else 1.0
    thresholds = {
        "decided": (0.0,),
        "better by": (sign * margin,),
        "not worse by": (-sign * margin,),
        "equivalent within": (-margin, margin),
    }[found["what"]]
    return StopRule(found[0], thresholds, level, scale)


class Stopper:
    """Watches a run and says when it may stop.

    Args:
        plan: what is asked, its items in the order in which units stand whole.
        rule: what has to be settled; None to go on to the end, looking at nothing.
        before: what an earlier session recorded of its stop.
    """

    def __init__(self, plan: Plan, rule: StopRule | None, before: Mapping[str, Any]) -> None:
        self._plan, self.rule = plan, rule
        cluster = plan.evaluation.cluster
        self.units = [tuple(unit) for _, unit in groupby(plan.items, key=lambda item: unit_of(item, cluster))]
        self._clustered = len(self.units) < len(plan.items)
        self.largest = max(map(len, self.units))
        self._text = str(before.get("rule", "")) if rule is None else rule.text
        held = int(before.get("units", 0))
        self.held = (
            held if rule is not None and before.get("settled") and self._text == before.get("rule") else 0
        )
        self.seen = 0
        self.settled = False
        self._said = ""
        self._values: list[tuple[float, int]] = []

    @property
    def prefix(self) -> frozenset[str]:
        """The items that an earlier session had asked when it stopped by this rule; empty when none did."""
        return frozenset(item.id for unit in self.units[: self.held] for item in unit)

    @property
    def record(self) -> dict[str, Any]:
        """What the manifest keeps of it."""
        return {
            "rule": self._text,
            "level": 0.95 if self.rule is None else self.rule.level,
            "unit": "cluster" if self._clustered else "item",
            "units": self.seen,
            "items": sum(map(len, self.units[: self.seen])),
            "of": len(self._plan.items),
            "largest": self.largest,
            "settled": self.settled,
            "said": self._said,
        }

    def batches(self, size: int) -> Iterator[Sequence[Item]]:
        """Yield the items of the next units, so many units at a time, until the rule is settled."""
        while self.seen < len(self.units) and not self.settled:
            upto = max(self.held if self.seen == 0 else 0, self.seen + max(1, size))
            yield [item for unit in self.units[self.seen : upto] for item in unit]

    def look(self, items: Sequence[Item], value: Callable[[str, Item], float | None]) -> None:
        """Take the values of the next items, and see whether the rule is settled.

        Args:
            items: those that the last batch held, all asked.
            value: a system's mean over its attempts at an item; None where the measurement lost it.
        """
        baseline, candidate = self._plan.evaluation.systems
        cluster = self._plan.evaluation.cluster
        for _, unit in groupby(items, key=lambda item: unit_of(item, cluster)):
            for item in unit:
                a, b = value(baseline, item), value(candidate, item)
                if a is not None and b is not None:
                    self._values.append((b - a, self.seen))
            self.seen += 1
        if self.rule is not None and self._values:
            self._decide(self.rule)

    def _decide(self, rule: StopRule) -> None:
        span = rule.scale.span() or 1.0
        units = self._betted(span)
        needed = math.log(1 / (1 - rule.level))
        self.settled = all(
            float(log_capital(units, (m + span) / (2 * span), bets="mixture", level=rule.level).max())
            >= needed
            for m in rule.thresholds
        )
        if self.settled or self.seen == len(self.units):
            self._said = self._words(rule, units, span)

    def _betted(self, span: float) -> Units:
        d, unit = np.array(self._values).T
        clusters = unit if self._clustered else None
        return as_units(
            d, low=-span, high=span, clusters=clusters, largest=self.largest if self._clustered else None
        )

    def _words(self, rule: StopRule, units: Units, span: float) -> str:
        found = sequence_of(units, low=-span, high=span, bets="mixture", level=rule.level).last
        point, low, high = (
            write_difference(value, rule.scale, width=found.width)
            for value in (found.point, found.low, found.high)
        )
        seen = f"{self.record['items']:,} of {write_count(len(self._plan.items), 'item')}"
        between = f"({100 * rule.level:g}% at every look: {low} to {high})"
        if self.settled:
            return f"stopped by its rule ({rule.text}) after {seen}: {point}{difference_unit(rule.scale)} {between}"
        return f"not settled ({rule.text}) by all {seen}: {point}{difference_unit(rule.scale)} {between}"
