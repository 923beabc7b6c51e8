"""The same answers under two rules: which count otherwise, and by how much the rate moves."""

from __future__ import annotations

import polars as pl

from aliquot.analysis.arrays import paired_sample, system_sample
from aliquot.analysis.attempts_seen import attempt_values
from aliquot.analysis.corpus_values import value_of_all
from aliquot.analysis.method import analyse_pairs, analyse_system
from aliquot.analysis.scales import scale_of
from aliquot.evidence.matching import Attrition
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Pairs, Units
from aliquot.findings.rescoring import RescoredSystem
from aliquot.findings.verdict import read_verdict
from aliquot.stats.results import Undefined

_ATTEMPT = ("item", "attempt")


def compare_rules(
    evidence: Evidence, system: str, *, task: str, before: str | None, after: str, level: float, seed: int
) -> RescoredSystem:
    """Return one system's answers under two metrics.

    The difference is the new rate minus the old, on the items that have both, as of two systems that share items; it
    exists when both are pass or fail.

    Args:
        evidence: the tables.
        system: the system.
        task: the task.
        before: the metric it was scored under; None where it has votes and no score of its own.
        after: the metric of the new rule.
        level: confidence level.
        seed: seed of the Monte-Carlo tests.
    """
    scale = scale_of(evidence, after)
    new = units(evidence, system, task=task, metric=after)
    sample = system_sample(new)
    whole = value_of_all(evidence, new, level=level, seed=seed) if sample.n == 0 else None
    rate = whole[0] if whole else analyse_system(sample, scale, level=level)
    graded = [name for name in (before, after) if name and scale_of(evidence, name).kind != "binary"]
    if graded or before is None:
        why = Undefined(f"{graded[0]} is not pass or fail" if graded else "there is no score before")
        return RescoredSystem(
            system, task, before or after, 0, why, rate, why, "estimated", (), (), 0, _statuses(evidence, new)
        )
    old = units(evidence, system, task=task, metric=before)
    changed = _joined(evidence, old, new)
    both = changed.drop_nulls(["old", "new"])
    difference = analyse_pairs(paired_sample(_pairs(old, new)), scale, level=level, seed=seed).difference
    return RescoredSystem(
        system=system,
        task=task,
        metric=before,
        answers=both.height,
        before=analyse_system(system_sample(old), scale, level=level),
        after=rate,
        difference=difference,
        word=read_verdict(difference, better="none")[0],
        to_right=_names(both, pl.col("new") > pl.col("old")),
        to_wrong=_names(both, pl.col("new") < pl.col("old")),
        one_sided=changed.filter(pl.col("old").is_null() != pl.col("new").is_null()).height,
        statuses=_statuses(evidence, new),
    )


def _joined(evidence: Evidence, old: Units, new: Units) -> pl.DataFrame:
    """Return a row for each attempt with the value it counts with under both metrics."""
    a, b = (
        attempt_values(evidence, side).rename({"value": name}) for side, name in ((old, "old"), (new, "new"))
    )
    return a.join(b, on=_ATTEMPT, how="full", coalesce=True).sort(_ATTEMPT)


def _pairs(old: Units, new: Units) -> Pairs:
    """Return the items of one system under two metrics, in the form in which two systems are paired."""
    a = old.frame.rename({"mean": "a", "k": "k_a", "missing": "missing_a"})
    b = new.frame.select("item", b="mean", k_b="k", missing_b="missing")
    frame = a.join(b, on="item").sort("item")
    return Pairs(old, new, frame, Attrition(frame.height, 0, 0, 0, 0, 0, 0, {}))


def _names(rows: pl.DataFrame, chosen: pl.Expr) -> tuple[str, ...]:
    several = rows["attempt"].n_unique() > 1
    return tuple(
        f"{item} (attempt {attempt})" if several else item
        for item, attempt in rows.filter(chosen).select(_ATTEMPT).iter_rows()
    )


def _statuses(evidence: Evidence, new: Units) -> dict[str, int]:
    rows = evidence.rows("outcomes", system=new.system, task=new.task, metric=new.metric)
    return dict(rows["status"].value_counts().sort("status").iter_rows())
