"""Whether answers are right more often than the evidence that reached the model allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from aliquot.evidence.contents import metrics, systems
from aliquot.evidence.reduction import units
from aliquot.evidence.stages import layer_of
from aliquot.evidence.tables import Evidence
from aliquot.findings.numbers import write_count, write_percent
from aliquot.runner.plan import Plan
from aliquot.scorers.retrieval import SUFFICIENT, Ranked, golden_is
from aliquot.scorers.rule import Rule


def ungrounded_words(plan: Plan, evidence: Evidence) -> Iterator[str]:
    """Yield which systems are right more often than their context holds the evidence, as sentences.

    Recall of all that the model saw bounds the share of answers that can be grounded in it, where the golden ids are
    sufficient: items of which nothing is said are left out, as other passages may answer them. Without a run's recall
    of the context that of everything retrieved is taken, which is no smaller.

    Args:
        plan: what was asked, and by which rules it is scored.
        evidence: the tables of the run.
    """
    ways = {plan.metric: plan.rules}
    ways |= {one.metric: rules for one, rules in zip(plan.rescored(), plan.alternatives, strict=True)}
    right = next((name for name, rules in ways.items() if all(map(_finds_right, rules.values()))), None)
    recalls = [name for name, rules in ways.items() if all(map(_of_all, rules.values()))]
    recalls.sort(key=lambda name: not _of_context(ways[name]))  # stable: as named within both kinds
    items = [item.id for item in plan.items if golden_is(item) == SUFFICIENT] if recalls else []
    if right is None or not items:
        return
    for system in systems(evidence):
        if {right, recalls[0]} <= set(metrics(evidence, plan.task, system=system)):
            yield from _ungrounded(
                _means(evidence, system, plan.task, (right, recalls[0]), items),
                system,
                what="its context" if _of_context(ways[recalls[0]]) else "all it retrieved",
            )


def _ungrounded(means: pl.DataFrame, system: str, *, what: str) -> Iterator[str]:
    rate, bound = means["right"].mean(), means["recall"].mean()
    if isinstance(rate, float) and isinstance(bound, float) and rate > bound:
        above = means.filter(pl.col("right") > pl.col("recall")).height
        items = write_count(means.height, "item")
        yield (
            f"{system!r} is right on {write_percent(rate)}% of {items} whose golden ids are "
            f"sufficient, and {what} held {write_percent(bound)}% of their evidence: {write_count(above, 'item')} "
            f"{'is' if above == 1 else 'are'} answered right without the evidence, from memory or by luck."
        )


def _means(
    evidence: Evidence, system: str, task: str, named: tuple[str, str], items: list[str]
) -> pl.DataFrame:
    """Return items with what the system reaches under both metrics, over its attempts."""
    right, recall = (
        units(evidence, system, task=task, metric=metric)
        .frame.select("item", pl.col("mean").alias(name))
        .drop_nulls()
        for metric, name in zip(named, ("right", "recall"), strict=True)
    )
    return right.join(recall, on="item").filter(pl.col("item").is_in(items))


def _finds_right(rule: Rule) -> bool:
    """Tell whether a rule finds answers right or wrong by what they say."""
    return rule.kind == "binary" and not rule.reads_whole and not rule.whole_only


def _of_all(rule: Rule) -> bool:
    """Tell whether a rule is the recall of a whole list."""
    return rule.family == "recall" and isinstance(rule.given, Ranked) and rule.given.k is None


def _of_context(rules: Mapping[str, Rule]) -> bool:
    return all(
        isinstance(rule.given, Ranked) and layer_of(rule.given.stage) == "context" for rule in rules.values()
    )
