"""What a log's own tool printed, recomputed from its rows; what cannot be is listed with the reason."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aliquot.analysis.arrays import system_sample
from aliquot.analysis.reconcile import find_reconciliation
from aliquot.analysis.scales import scale_of
from aliquot.analysis.verify_errors import check_bootstrap, check_error_of, readings
from aliquot.analysis.verify_groups import ERRORS, check_group
from aliquot.analysis.verify_length import check_length_controlled
from aliquot.analysis.verify_parts import check_parts, remark_deviations
from aliquot.evidence.contents import metrics, systems, tasks
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units
from aliquot.findings.reconcile import write_reconciliation
from aliquot.findings.verification import Check

BOOTSTRAPPED = ("bootstrap_stderr",)
"""Names of an error that was resampled."""

RESOLVED_OF_TOTAL = ("resolved", "total")
"""Two counts that are held against the rows as their ratio."""


def verify_rows(evidence: Evidence) -> Iterator[Check]:
    """Return a check of each number the log's tool printed; those that nothing here tells are not checked, and say why.

    Args:
        evidence: the tables with what was printed.
    """
    known = _known(evidence)
    for (system, task, metric), printed in _printed(evidence).items():
        name = f"{system}, {task}, {metric}"
        if (system, task, metric) in known:
            side = units(evidence, system, task=task, metric=metric)
            found = dict(_of_rows(evidence, side, printed, name=name))
            why = "this statistic is not recomputed"
        else:
            found = dict(check_group(evidence, system, metric, printed, name=name))
            why = "the log holds no rows under this name"
        yield from dict.fromkeys(found.values())
        for statistic in printed:
            if statistic not in found:
                text = f"{printed[statistic]:.6g}"
                yield Check(f"{name}, {statistic}", text, "", "not_checked", why)


def remark_on_deviations(evidence: Evidence) -> tuple[str, ...]:
    """Return one sentence where a log prints a deviation over trials that is easily taken for an error.

    Args:
        evidence: the tables with what was printed.
    """
    known = _known(evidence)
    for (system, task, metric), printed in _printed(evidence).items():
        if (system, task, metric) in known:
            side = units(evidence, system, task=task, metric=metric)
            for text in remark_deviations(side, printed):
                return (text,)
    return ()


def _known(evidence: Evidence) -> set[tuple[str, str, str]]:
    return {
        (system, task, metric)
        for system in systems(evidence)
        for task in tasks(evidence, system=system)
        for metric in metrics(evidence, task, system=system)
    }


def _printed(evidence: Evidence) -> dict[tuple[str, str, str], dict[str, float]]:
    found: dict[tuple[str, str, str], dict[str, float]] = {}
    for row in evidence.reported.drop_nulls("value").iter_rows(named=True):
        found.setdefault((row["system"], row["task"], row["metric"]), {})[row["statistic"]] = row["value"]
    return found


def _of_rows(
    evidence: Evidence, side: Units, printed: Mapping[str, float], *, name: str
) -> Iterator[tuple[str, Check]]:
    """Yield the statistics that were recomputed, each with its check; two that stand in one check share it."""
    scale, sample = scale_of(evidence, side.metric), system_sample(side)
    reconciled = find_reconciliation(evidence, side, sample, scale)
    if reconciled is not None:
        text = "" if reconciled.same else write_reconciliation([reconciled], scale)[0].partition(": ")[2]
        outcome = "fits" if reconciled.same else "explained" if reconciled.explained else "differs"
        check = Check(name, f"{reconciled.printed:.6g}", f"{reconciled.ours:.6g}", outcome, text)
        covered = (reconciled.statistic,) if reconciled.statistic in printed else RESOLVED_OF_TOTAL
        yield from ((statistic, check) for statistic in covered)
    yield from check_length_controlled(printed, name=name)
    yield from check_parts(evidence, side, printed, name=name)
    if sample.n < 2:
        return
    ways = readings(evidence, side, sample)
    for statistic, value in printed.items():
        if statistic in ERRORS:
            yield statistic, check_error_of(f"{name}, {statistic}", value, ways)
        elif statistic in BOOTSTRAPPED:
            yield statistic, check_bootstrap(f"{name}, {statistic}", value, ways)
