"""The machine-readable form of a finding: plain JSON values by the contract ``aliquot.<kind>/1``; never NaN."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from aliquot.evidence.tables import Note
from aliquot.findings.comparison import Comparison, Reading, SystemSummary
from aliquot.stats.results import Estimate, Undefined

_UNBOUNDED = "the interval is unbounded on this side"


def _number(value: float | None) -> Any:
    if value is not None and math.isinf(value):
        return {"undefined": _UNBOUNDED}
    return value


def _estimate(estimate: Estimate | Undefined) -> dict[str, Any]:
    if isinstance(estimate, Undefined):
        return {"undefined": estimate.reason}
    return {
        "point": estimate.point,
        "low": _number(estimate.low),
        "high": _number(estimate.high),
        "level": estimate.level,
        "method": estimate.method,
        "n": estimate.n,
        "se": _number(estimate.se),
        "df": _number(estimate.df),
        "clusters": estimate.clusters,
        "n_eff": _number(estimate.n_eff),
        "why": estimate.why,
    }


def _system(summary: SystemSummary) -> dict[str, Any]:
    latency = summary.latency
    return _estimate(summary.estimate) | {
        "total": summary.total,
        "rows": summary.rows,
        "answered": summary.answered,
        "status": dict(summary.statuses),
        "latency": None
        if latency is None
        else {"median": latency.median, "p95": latency.p95, "n": latency.n, "unit": latency.unit},
    }


def _reading(reading: Reading) -> dict[str, Any]:
    return {"difference": _estimate(reading.difference), "word": reading.word}


def _notes(notes: Iterable[Note]) -> list[dict[str, str]]:
    return [{"code": note.code, "text": note.text} for note in notes]


def _matching(comparison: Comparison) -> dict[str, Any]:
    matching = comparison.matching
    return {
        "shared": matching.shared,
        "only_a": matching.only_a,
        "only_b": matching.only_b,
        "duplicates": matching.duplicates,
        "content_differs": matching.content_differs,
        "missing_a": matching.missing_a,
        "missing_b": matching.missing_b,
        "examples": {name: list(ids) for name, ids in matching.examples.items()},
    }


def _settles(comparison: Comparison) -> dict[str, Any]:
    detectable, settle = comparison.detectable, comparison.to_settle
    return {
        "detectable": {"undefined": detectable.reason}
        if isinstance(detectable, Undefined)
        else {
            "low": detectable.low,
            "high": detectable.high,
            "power": detectable.power,
            "method": detectable.method,
        },
        "to_settle": {"undefined": settle.reason}
        if isinstance(settle, Undefined)
        else {
            "items": settle.items,
            "power": settle.power,
            "seconds": settle.seconds,
            "cost": settle.cost,
            "currency": settle.currency,
            "method": settle.method,
        },
    }


def _tests(comparison: Comparison) -> list[dict[str, Any]]:
    return [
        {
            "name": named.test.name,
            "statistic": _number(named.test.statistic),
            "p": named.test.p,
            "alternative": named.test.alternative,
            "floor": named.test.floor,
            "n_resamples": named.test.n_resamples,
            "decides": named.decides,
        }
        for named in comparison.tests
    ]


def _if_missing(comparison: Comparison) -> dict[str, Any] | None:
    missing = comparison.if_missing
    if missing is None:
        return None
    readings = {
        name: _reading(getattr(missing, name)) for name in ("all_failed", "all_passed", "least", "most")
    }
    return readings | {"rows": missing.rows, "changes_verdict": missing.changes_verdict}


def comparison_document(comparison: Comparison) -> Mapping[str, Any]:
    """Return a comparison as JSON values by the contract ``aliquot.comparison/1``.

    Undefined values are ``{"undefined": reason}``; shares are between 0 and 1 and differences are candidate minus
    baseline in the metric's own units.
    """
    a, b, table = comparison.baseline, comparison.candidate, comparison.table
    return {
        "schema": f"aliquot.{comparison.kind}/1",
        "systems": {"baseline": a.system, "candidate": b.system},
        "task": comparison.task,
        "metric": comparison.metric,
        "scale": {
            "kind": comparison.scale.kind,
            "low": comparison.scale.low,
            "high": comparison.scale.high,
            "better": comparison.scale.better,
        },
        "level": comparison.level,
        "margin": comparison.margin,
        "n_items": comparison.n_items,
        "n_clusters": comparison.n_clusters,
        "attempts": {"baseline": comparison.attempts[0], "candidate": comparison.attempts[1]},
        "paired": comparison.paired,
        "verdict": {
            "word": comparison.verdict.word,
            "within_margin": comparison.verdict.within_margin,
            "text": comparison.verdict.text,
        },
        "estimates": {"baseline": _system(a), "candidate": _system(b)},
        "table": None
        if table is None
        else {"both": table.both, "broke": table.broke, "fixed": table.fixed, "neither": table.neither},
        "fixed": list(comparison.fixed),
        "broke": list(comparison.broke),
        "difference": _estimate(comparison.difference),
        "tests": _tests(comparison),
        **_settles(comparison),
        "matching": _matching(comparison),
        "if_missing": _if_missing(comparison),
        "same": list(comparison.same),
        "differs": list(comparison.differs),
        "reconciliation": list(comparison.reconciliation),
        "comparisons": comparison.comparisons,
        "warnings": _notes(comparison.warnings),
        "not_checked": _notes(comparison.not_checked),
        "checklist": [{"name": point.name, "value": point.value} for point in comparison.checklist],
        "why": comparison.why,
        "estimand": comparison.estimand,
        "seed": comparison.seed,
        "versions": dict(comparison.versions),
        "command": comparison.command,
    }
