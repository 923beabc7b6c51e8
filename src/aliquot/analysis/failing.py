"""Which answers failed, attempt by attempt."""

from __future__ import annotations

from collections.abc import Mapping

from aliquot.analysis.attempts_seen import attempt_values
from aliquot.analysis.scales import scale_of
from aliquot.errors import UsageError
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units


def failing(
    evidence: Evidence, units: Units
) -> tuple[Mapping[tuple[str, int], bool], Mapping[tuple[str, int], str]]:
    """Return of each answer whether it failed, and the status of the outcome of each that did.

    An answer without a value failed when that is the system's doing; one that the measurement lost is left out. Of
    several words of a scorer on one answer most decide; a tie is a failure.

    Args:
        evidence: the tables.
        units: one system under a metric of right and wrong.

    Raises:
        UsageError: the metric has other numbers than right and wrong.
    """
    scale = scale_of(evidence, units.metric)
    if scale.kind != "binary":
        raise UsageError(
            f"{units.metric!r} tells no right from wrong, so what failed is not known. Name a metric that does: "
            f"--metric, or an expression such as '{units.metric} >= 0.5'"
        )
    right = 0.0 if scale.better == "lower" else 1.0
    rows = evidence.rows(
        "outcomes", system=units.system, task=units.task, metric=units.metric, scorer=units.scorer
    )
    told = {
        (item, attempt): status for item, attempt, status in rows["item", "attempt", "status"].iter_rows()
    }
    failed = {
        (item, attempt): abs(value - right) >= 0.5
        for item, attempt, value in attempt_values(evidence, units).iter_rows()
    }
    return failed, {key: told[key] for key, wrong in failed.items() if wrong}
