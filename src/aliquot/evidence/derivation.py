"""Metrics made of metrics, within each attempt and before anything is paired: "passed every grader"."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

from aliquot.errors import UsageError, nearest
from aliquot.evidence.evaluation import Described, bounds_of, column_of, direction_of, evaluate, is_truth
from aliquot.evidence.expressions import (
    TRUTH_FUNCTIONS,
    Call,
    Expression,
    Metric,
    metrics_in,
    parse_expression,
)
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.status import FALLIBLE, SYSTEM_SIDE, resolve
from aliquot.evidence.tables import METRICS, OUTCOMES, Evidence, Note

SCORER: Final = "derived"
_ATTEMPT: Final = ("system", "task", "item", "attempt")


def derive(evidence: Evidence, expression: str, *, name: str | None = None) -> Evidence:
    """Return the evidence with one more metric, made of others within each attempt.

    Values count by the status rule (a refused answer counts as a failure where the metric says so), repeats of a scorer
    are averaged first. ``all`` is 0 as soon as one part is 0, ``any`` is 1 as soon as one is 1, whatever else is
    missing; everything else is missing when a part is, and so is a number that is not finite. What is missing, and for
    want of which part, is said in a note. Rows that are elsewhere (lazy) are brought here.

    Args:
        evidence: the tables.
        expression: see ``parse_expression``.
        name: the new metric's name; by default the expression itself.

    Raises:
        UsageError: not an expression, an unknown metric, a metric of several scorers, a part of all, any or not that is
            neither true nor false, or a name that is taken.

    Examples:
        >>> from aliquot.evidence.assembly import assemble
        >>> rows = {"system": ["a"] * 4, "item": ["1", "1", "2", "2"], "metric": ["g1", "g2"] * 2}
        >>> evidence = assemble(pl.DataFrame(rows | {"value": [1.0, 1.0, None, 0.0]}))
        >>> both = derive(evidence, "all(g1, g2)", name="both")
        >>> both.outcomes.filter(pl.col("metric") == "both")["value"].to_list()
        [1.0, 0.0]
    """
    tree, name = parse_expression(expression), name or expression
    parts = _check(evidence, tree, name)
    values = _values(evidence, parts)
    found = values.with_columns(value=evaluate(tree))
    outcomes = _outcomes(found, evidence, name, parts)
    row = _describe(evidence, tree, name, found["value"])
    return evidence.revise(
        responses=evidence.responses,
        outcomes=pl.concat([evidence.outcomes, outcomes], how="diagonal"),
        metrics=pl.concat([evidence.metrics, pl.DataFrame([row], schema=dict(METRICS))]),
        notes=(*evidence.notes, *_notes(found, name, parts)),
    )


def with_metric(evidence: Evidence, metric: str | None) -> Evidence:
    """Return evidence that has the metric: as it is when it is known or no expression, else with it derived.

    Raises:
        UsageError: an expression that cannot be derived.
    """
    if metric is None or metric in evidence.metrics["metric"]:
        return evidence
    try:
        tree = parse_expression(metric)
    except UsageError:
        if not any(mark in metric for mark in "(<>=+*"):
            return evidence  # a name that nobody knows; who asks for it says which names there are
        raise
    return derive(evidence, metric) if isinstance(tree, Call) else evidence


def _check(evidence: Evidence, tree: Expression, name: str) -> tuple[str, ...]:
    """Return the metrics of an expression, which must all be there and fit."""
    known = evidence.metrics["metric"].to_list()
    parts = metrics_in(tree)
    for part in parts:
        if part not in known:
            raise UsageError(f"there is no metric {part!r}. {nearest(part, known)}")
        scorers = (
            evidence.rows("outcomes", metric=part).group_by("system", "task").agg(pl.col("scorer").n_unique())
        )
        if scorers["scorer"].max() not in {None, 0, 1}:
            raise UsageError(
                f"metric {part!r} has several scorers; an expression needs metrics of one scorer each."
            )
    if not parts:
        raise UsageError("an expression names at least one metric.")
    if name in known:
        raise UsageError(f"there is a metric {name!r} already. Choose another name.")
    _check_truth(tree, _described(evidence))
    return parts


def _check_truth(tree: Expression, known: Described) -> None:
    if not isinstance(tree, Call):
        return
    for part in tree.parts:
        _check_truth(part, known)
        if tree.function in TRUTH_FUNCTIONS and not is_truth(part, known):
            what = f"metric {part.name!r}" if isinstance(part, Metric) else "a part"
            remedy = f"Compare it, for example {part.name if isinstance(part, Metric) else 'x'} >= 0.5."
            raise UsageError(
                f"{tree.function}() takes what is passed or failed; {what} is a number. {remedy}"
            )


def _values(evidence: Evidence, parts: tuple[str, ...]) -> pl.DataFrame:
    """Return a row for each attempt that any part scored, with a column ``part.<i>`` for each part."""
    mine = evidence.outcomes.filter(pl.col("metric").is_in(parts))
    resolved = resolve(mine, evidence.responses, evidence.metrics)
    attempts = resolved.select(_ATTEMPT).unique(maintain_order=True)
    statuses = evidence.responses.select(*_ATTEMPT, pl.col("status").alias("response_status"))
    attempts = attempts.join(statuses, on=_ATTEMPT, how="left", maintain_order="left")
    failed = pl.col("response_status").is_in(SYSTEM_SIDE)
    for place, part in enumerate(parts):
        failure = evidence.metrics.filter(pl.col("metric") == part)["on_failure"].to_list()[0]
        own = resolved.filter(pl.col("metric") == part).group_by(_ATTEMPT, maintain_order=True)
        scored = own.agg(pl.col("value").mean().alias(f"part.{place}"), pl.lit(value=True).alias("scored"))
        attempts = attempts.join(scored, on=_ATTEMPT, how="left", maintain_order="left")
        unasked = pl.when(pl.col("scored").is_null() & failed).then(pl.lit(failure, dtype=pl.Float64))
        attempts = attempts.with_columns(pl.coalesce(f"part.{place}", unasked)).drop("scored")
    return attempts.rename({f"part.{place}": column_of(part) for place, part in enumerate(parts)})


def _outcomes(found: pl.DataFrame, evidence: Evidence, name: str, parts: tuple[str, ...]) -> pl.DataFrame:
    """Return the rows of the new metric; where a part is wanting that is the measurement's doing."""
    scored = set(evidence.outcomes.filter(pl.col("metric").is_in(parts))["by"])
    by = next((word for word in FALLIBLE if word in scored), "rule")
    status = pl.when(pl.col("value").is_null()).then(pl.lit("error")).otherwise(pl.lit("ok"))
    rows = found.select(*_ATTEMPT, "value", status.alias("status")).with_columns(
        metric=pl.lit(name), scorer=pl.lit(SCORER), repeat=pl.lit(1, dtype=pl.Int64), by=pl.lit(by)
    )
    return rows.select(column for column in OUTCOMES if column in rows.columns)


def _described(evidence: Evidence) -> Described:
    return {row["metric"]: row for row in evidence.metrics.iter_rows(named=True)}


def _describe(evidence: Evidence, tree: Expression, name: str, values: pl.Series) -> dict[str, Any]:
    """Return the new metric's row."""
    known = _described(evidence)
    parts = [known[part] for part in metrics_in(tree)]
    failures = [pl.lit(row["on_failure"], dtype=pl.Float64).alias(column_of(row["metric"])) for row in parts]
    truth = is_truth(tree, known)
    low, high = bounds_of(tree, known)
    better = direction_of(tree, known)
    binary = truth and values.drop_nulls().is_in([0.0, 1.0]).all()
    kind = "binary" if binary else "bounded" if low is not None and high is not None else "real"
    row = metric_row(name, values, kind=kind, low=low, high=high, better=better)
    judges = dict.fromkeys(part["judge"] for part in parts if part["judge"])
    return row | {
        "on_failure": pl.select(failures).select(evaluate(tree)).item(),
        "judge": ", ".join(judges) or None,
        "headline": False,
    }


def _notes(found: pl.DataFrame, name: str, parts: tuple[str, ...]) -> tuple[Note, ...]:
    missing = found.filter(pl.col("value").is_null())
    if not missing.height:
        return ()
    wanting = {part: missing[column_of(part)].null_count() for part in parts}
    said = (
        ", ".join(f"{part} ({count})" for part, count in wanting.items() if count)
        or "none; not a finite number"
    )
    text = f"{name}: {missing.height} of {found.height} attempts have no value; parts without one: {said}"
    return (Note("derived_missing", text),)
