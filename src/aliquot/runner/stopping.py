"""When a run may stop early: as soon as what it asks is settled, by a sequence that allows for looking all the time.

Units are items, or clusters, in an order that was fixed before the run; each is asked of both systems before the next.
What is looked at is the capital of a bet against each threshold of the rule, over the units that have a value on both
sides.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Any, Final

import numpy as np

from aliquot.analysis.margins import check_level, margin_on
from aliquot.errors import UsageError
from aliquot.files.records import Response
from aliquot.findings.numbers import difference_unit, write_count, write_difference
from aliquot.findings.scale import Scale
from aliquot.item_sets.items import Item
from aliquot.runner.order import unit_of
from aliquot.runner.plan import Plan, Thread
from aliquot.runner.scoring import counted_value
from aliquot.runner.standing import Key
from aliquot.scorers.scores import Score
from aliquot.stats.bets import Units, as_units
from aliquot.stats.e_processes import log_capital
from aliquot.stats.sequences import sequence_of

FORMS: Final = "decided; better by 2pt; not worse by 2pt; equivalent within 2pt; each may end in: at 99%"
"""What a rule can say."""

_RULE: Final = re.compile(
    r"(?P<what>decided|better by|not worse by|equivalent within)(?: (?P<margin>[^ ]+))?(?: at (?P<level>[\d.]+)%)?"
)


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

    def rounds(
        self, owed: Mapping[str, Sequence[Thread]], *, workers: int
    ) -> Iterator[tuple[list[Item], list[Thread]]]:
        """Yield the items of the next units with what is still to be asked about them, until the rule is settled.

        A round keeps every worker busy about twice; the first one holds all that an earlier session counted.

        Args:
            owed: what each system is still to be asked.
            workers: requests in flight.
        """
        waiting: dict[str, list[Thread]] = defaultdict(list)
        for thread in (thread for beside in zip_longest(*owed.values()) for thread in beside if thread):
            waiting[thread[0].item.id].append(thread)
        each = len(self._plan.items) / len(self.units) * len(owed) * self._plan.evaluation.attempts
        size = max(1, math.ceil(2 * workers / each))
        while self.seen < len(self.units) and not self.settled:
            upto = max(self.held if self.seen == 0 else 0, self.seen + size)
            items = [item for unit in self.units[self.seen : upto] for item in unit]
            yield items, [thread for item in items for thread in waiting.pop(item.id, ())]

    @property
    def words(self) -> str:
        """What there is to say at the end of the run; nothing while it goes on."""
        if not self._said:
            return ""
        left = len(self._plan.items) - self.record["items"]
        answers = left * len(self._plan.evaluation.systems) * self._plan.evaluation.attempts
        return f"{self._said}. {write_count(answers, 'answer was', plural='answers were')} not asked for"

    def look(self, items: Sequence[Item], scored: Mapping[Key, tuple[Response, Score]]) -> None:
        """Take the values of the next items, and see whether the rule is settled.

        Args:
            items: those that the last batch held, all asked.
            scored: the answers with their scores.
        """
        baseline, candidate = self._plan.evaluation.systems
        cluster = self._plan.evaluation.cluster
        for _, unit in groupby(items, key=lambda item: unit_of(item, cluster)):
            for item in unit:
                a, b = (self._value(system, item, scored) for system in (baseline, candidate))
                if a is not None and b is not None:
                    self._values.append((b - a, self.seen))
            self.seen += 1
        if self.rule is not None and self._values:
            self._decide(self.rule)

    def _value(self, system: str, item: Item, scored: Mapping[Key, tuple[Response, Score]]) -> float | None:
        """Return a system's mean over its attempts at an item, as evidence counts it; None where all were lost."""
        rule = self._plan.rules[item.id]
        given = (
            scored.get((system, self._plan.task, item.id, attempt))
            for attempt in range(1, self._plan.evaluation.attempts + 1)
        )
        values = [counted_value(rule, score, response) for response, score in filter(None, given)]
        found = [value for value in values if value is not None]
        return sum(found) / len(found) if found else None

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
