"""What a policy asks for becomes what the data show: comparisons, floors and costs, each read by the one rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from aliquot.analysis.compare import compare_systems
from aliquot.analysis.summarize import floor_of
from aliquot.errors import UsageError, nearest
from aliquot.evidence.contents import headline_metric, metrics, require
from aliquot.evidence.tables import Better
from aliquot.findings.comparison import Comparison
from aliquot.findings.gate import Condition, Decision
from aliquot.findings.gate_words import write_condition
from aliquot.findings.summary import Floor
from aliquot.gates.costs import hold_costs
from aliquot.gates.decision import Shown, passes, read_conditions
from aliquot.gates.held import RATE, Held, Sides
from aliquot.gates.policy import Effect, MetricRule, Policy
from aliquot.gates.subsets import levels_of, with_items
from aliquot.stats.proportions import clopper_pearson
from aliquot.stats.results import HypothesisTest, Undefined
from aliquot.stats.roots import bisect

MOST_LEVELS: Final = 50
"""Levels of one field that are held to a margin, each by a comparison of its own."""


def hold(sides: Sides, policy: Policy, *, alpha: float) -> tuple[Held, ...]:
    """Return everything the policy asks of the candidate, the blocking conditions first.

    Args:
        sides: who is held against whom.
        policy: what is asked.
        alpha: level of all blocking tests together, for what has no test but an interval.

    Raises:
        UsageError: a metric, field, cost or margin that there is not, or different judges that were not allowed.
        InputError: items of the same id whose content differs.
    """
    found = [one for rule in _named_once(sides, policy) for one in _of_metric(sides, rule)]
    found += list(hold_costs(sides, policy, found, alpha=alpha))
    return tuple(sorted(found, key=lambda one: not one.shown.blocks))


def read_held(held: Sequence[Held], *, alpha: float, names: tuple[str, str]) -> tuple[Condition, ...]:
    """Return the conditions with what they come to.

    Args:
        held: from ``hold``.
        alpha: level of all blocking tests together.
        names: of baseline and candidate.
    """
    reads = read_conditions([one.shown for one in held], alpha=alpha)
    found: list[Condition] = []
    for one, read in zip(held, reads, strict=True):
        if_failed: Decision | None = None
        if one.if_failed is not None:
            if_failed = "pass" if one.if_failed else "undecided"
        condition = Condition(
            name=one.name,
            of=one.of,
            blocks=one.shown.blocks,
            decision=read.decision,
            within_margin=read.within_margin,
            n=one.n,
            n_clusters=None if one.comparison is None else one.comparison.n_clusters,
            scale=one.scale,
            unit=one.unit,
            margin=one.shown.margin,
            asked=one.shown.asked,
            baseline=one.sides[0],
            candidate=one.sides[1],
            estimate=one.shown.estimate,
            test=one.shown.test,
            p_holm=read.p_holm,
            if_failed=if_failed,
            text="",
        )
        found.append(replace(condition, text=write_condition(condition, *names)))
    return tuple(found)


def _named_once(sides: Sides, policy: Policy) -> tuple[MetricRule, ...]:
    """Return the rules, the headline by its own name; under both a metric would count twice in Holm and the rule."""
    bare = any(not rule.metric for rule in policy.metrics)
    headline = headline_metric(sides.evidence, sides.task) if bare else ""
    rules = tuple(replace(rule, metric=rule.metric or headline) for rule in policy.metrics)
    names = [rule.metric for rule in rules]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        named = "as 'headline' and by its name" if twice == headline else "by its name"
        raise UsageError(
            f"{policy.source or 'the policy'} names the metric {twice!r} twice ({named}), which is one condition and "
            "would count as two. Write all that it is held to under one of them"
        )
    return rules


def _of_metric(sides: Sides, rule: MetricRule) -> Iterator[Held]:
    metric = rule.metric
    require(metric, metrics(sides.evidence, sides.task, system=sides.candidate), what="metric")
    if rule.no_worse_than is not None:
        yield _difference(sides, metric, rule.no_worse_than, rule.effect)
    if rule.at_least is not None:
        yield _floor(sides, metric, rule.at_least, rule.effect)
    for field, segment in rule.segments.items():
        levels = levels_of(sides.evidence, field, task=sides.task)
        if not levels:
            known = [name.removeprefix("segment.") for name in sides.evidence.items.columns if "." in name]
            raise UsageError(
                f"the items have no field {field!r} to take apart (in a table, name its column segment.{field}). "
                f"{nearest(field, known)}"
            )
        if len(levels) > MOST_LEVELS:
            raise UsageError(
                f"the field {field!r} has {len(levels)} levels, and a gate takes apart up to {MOST_LEVELS}; choose a "
                "coarser one"
            )
        for level, items in levels.items():
            part = replace(sides, evidence=with_items(sides.evidence, items))
            found = _difference(part, metric, segment.no_worse_than, segment.effect)
            yield replace(found, name=f"{metric}, {field}={level}")


def _difference(sides: Sides, metric: str, margin: float | str, effect: Effect) -> Held:
    found = compare_systems(
        sides.evidence,
        sides.baseline,
        sides.candidate,
        task=sides.task,
        choices=replace(sides.choices, metric=metric, margin=margin),
    )
    missing = found.if_missing
    own = found.margin or 0.0
    return Held(
        name=metric,
        of="difference",
        shown=Shown(
            found.difference, own, None, _direction(found), found.deciding, blocks=effect == "blocks"
        ),
        scale=found.scale,
        unit="",
        n=found.n_items,
        sides=(found.baseline.estimate, found.candidate.estimate),
        if_failed=None
        if missing is None
        else passes(missing.all_failed.difference, margin=own, better=found.scale.better),
        comparison=found,
    )


def _direction(found: Comparison) -> Better:
    if found.scale.better == "none":
        raise UsageError(
            f"neither direction of {found.metric!r} is better, so it cannot be worse; say which with --better"
        )
    return found.scale.better


def _floor(sides: Sides, metric: str, asked: float, effect: Effect) -> Held:
    floor = floor_of(
        sides.evidence,
        sides.candidate,
        task=sides.task,
        metric=metric,
        cluster=sides.choices.cluster,
        asked=asked,
        level=sides.choices.level,
    )
    if floor is None:  # it is asked for, so there is one
        raise UsageError(f"{metric!r} has no floor")
    found = floor.estimate
    return Held(
        name=metric,
        of="floor",
        shown=Shown(found, None, asked, "higher", _floor_test(floor), blocks=effect == "blocks"),
        scale=RATE,
        unit="",
        n=_valued(sides, metric),
        sides=(None, found),
        if_failed=False if floor.hangs_on_missing else None,
        comparison=None,
    )


def _valued(sides: Sides, metric: str) -> int:
    """Return the items on which the candidate has a value."""
    rows = sides.evidence.rows("outcomes", system=sides.candidate, task=sides.task, metric=metric)
    return rows.drop_nulls("value")["item"].n_unique()


def _floor_test(floor: Floor) -> HypothesisTest | None:
    """Return the test whose interval the floor is read from: p is the level at which Clopper–Pearson leaves it out.

    On whole counts this is the exact binomial test with twice the smaller tail.
    """
    found = floor.estimate
    if isinstance(found, Undefined):
        return None
    n = float(str(found.settings.get("n_star", found.n)))
    x = found.point * n

    def gap(p: float) -> float:
        limits = clopper_pearson(x, n, level=1 - p)
        return limits.low - floor.asked if found.point > floor.asked else floor.asked - limits.high

    ends = 1e-9, 1 - 1e-9
    p = 1.0 if gap(ends[1]) <= 0 else ends[0] if gap(ends[0]) >= 0 else bisect(gap, *ends)
    return HypothesisTest("binomial_exact", max(p, ends[0]), null=f"p = {floor.asked:g}")
