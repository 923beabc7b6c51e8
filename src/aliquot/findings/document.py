"""The machine-readable form of a finding: plain JSON values by the contract ``aliquot.<kind>/1``; never NaN."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aliquot.findings.comparison import Comparison, SystemSummary
from aliquot.findings.field_order import fields_in_order
from aliquot.findings.finding import Finding
from aliquot.findings.plain_values import plain_value

SHAPED: Final = frozenset({"baseline", "candidate", "attempts"})
"""Fields of a comparison that JSON holds in another shape."""


def finding_document(finding: Finding) -> Mapping[str, Any]:
    """Return any finding as JSON values: its schema, then its fields."""
    if isinstance(finding, Comparison):
        return comparison_document(finding)
    return {"schema": f"aliquot.{finding.kind}/1", **plain_value(finding)}


def comparison_document(comparison: Comparison) -> Mapping[str, Any]:
    """Return a comparison as JSON values by the contract ``aliquot.comparison/1``.

    Undefined values are ``{"undefined": reason}``; shares are between 0 and 1 and differences are candidate minus
    baseline in the metric's own units.
    """
    a, b = comparison.baseline, comparison.candidate
    shaped: dict[str, Any] = {
        "systems": {"baseline": a.system, "candidate": b.system},
        "estimates": {"baseline": _system(a), "candidate": _system(b)},
        "attempts": dict(zip(("baseline", "candidate"), comparison.attempts, strict=True)),
    }
    names = (name for name in fields_in_order(Comparison) if name not in SHAPED)
    plain = {name: plain_value(getattr(comparison, name)) for name in names}
    return {"schema": f"aliquot.{comparison.kind}/1", **shaped, **plain}


def _system(summary: SystemSummary) -> dict[str, Any]:
    return {
        **plain_value(summary.estimate),
        "total": summary.total,
        "rows": summary.rows,
        "answered": summary.answered,
        "status": dict(summary.statuses),
        "latency": plain_value(summary.latency),
    }
