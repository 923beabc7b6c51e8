"""What is known of each attempt beside its answer: its value under every metric, and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

import polars as pl

from aliquot.evidence.tables import Evidence
from aliquot.findings.redaction import REASON

Attempt: TypeAlias = tuple[str, int]
"""An item and an attempt at it."""

_FACTS: Final = {
    "reason": REASON,
    "stage": "stage",
    "latency_s": "latency, s",
    "tokens_in": "tokens in",
    "tokens_out": "tokens out",
    "tokens_reasoning": "reasoning tokens",
    "cost": "cost",
    "steps": "steps",
    "tool_calls": "tool calls",
    "tool_errors": "tool errors",
    "log_probability": "log-probability",
    "log_probability_tokens": "tokens it is of",
    "cached": "cached",
}
"""Columns of responses that a reader of a row wants, and their words."""


def scores_of(evidence: Evidence, system: str, *, task: str) -> Mapping[Attempt, dict[str, float]]:
    """Return the value of each attempt under every metric that has one; repeats of a scorer are averaged."""
    rows = evidence.rows("outcomes", system=system, task=task).drop_nulls("value")
    means = rows.group_by("item", "attempt", "metric", maintain_order=True).agg(pl.col("value").mean())
    found: dict[Attempt, dict[str, float]] = {}
    for item, attempt, metric, value in means.iter_rows():
        found.setdefault((item, attempt), {})[metric] = value
    return found


def facts_of(evidence: Evidence, system: str, *, task: str) -> Mapping[Attempt, dict[str, str]]:
    """Return what each attempt took, and why it has no answer, in words."""
    rows = evidence.rows("responses", system=system, task=task)
    known = [name for name in _FACTS if name in rows.columns and rows[name].null_count() < rows.height]
    return {
        (row["item"], row["attempt"]): {
            _FACTS[name]: _written(name, row)
            for name in known
            if row[name] is not None and row[name] is not False
        }
        for row in rows.select("item", "attempt", "currency", *known).iter_rows(named=True)
    }


def _written(name: str, row: Mapping[str, object]) -> str:
    value = row[name]
    if value is True:
        return "yes"
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return f"{text} {row['currency']}" if name == "cost" and row["currency"] else text
