"""Each probe of a judge as one line: what was counted, how sure that is, and how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from aliquot.analysis.probe_items import ProbedItem, counts_against, probed_items
from aliquot.analysis.probe_kinds import PROBES, RULED_OUT, TOLERATED, ProbeKind
from aliquot.files.probe_records import ProbeRecord, probes_of
from aliquot.findings.probe import Expected, Passing, ProbeLine
from aliquot.stats.inputs import Floats
from aliquot.stats.means import mean_bounded
from aliquot.stats.rates import rate
from aliquot.stats.results import Estimate, Undefined
from aliquot.stats.shown_share import smallest_shown_share

MOST_NAMED = 20
"""Items named a probe."""


def probe_lines(record: ProbeRecord, *, level: float) -> Iterator[ProbeLine]:
    """Yield the probes that were asked or could not be, in their order.

    Args:
        record: the judge's verdicts.
        level: confidence level.
    """
    asked = probes_of(record.verdicts)
    for probe, kind in PROBES.items():
        declined = record.declined.get(probe, {})
        found, lost = probed_items(asked.get(probe, ()), kind.expected)
        if found or lost or declined:
            yield _line(probe, found, lost, declined, level=level)


def _line(
    probe: str, found: Sequence[ProbedItem], lost: int, declined: Mapping[str, int], *, level: float
) -> ProbeLine:
    kind = PROBES[probe]
    share = _share(found, kind.expected, level=level)
    against = [one.item for one in found if counts_against(one, kind.expected)]
    outcomes = [one.outcome for one in found]
    limit = 0.5 if kind.expected in {"win", "even"} else TOLERATED
    return ProbeLine(
        probe=probe,
        says=kind.says,
        counts=kind.counts,
        expected=kind.expected,
        items=len(found),
        unanswered=lost,
        declined=dict(declined),
        changed=outcomes.count("changed"),
        plain=outcomes.count("plain"),
        neither=outcomes.count("neither"),
        split=outcomes.count("split"),
        share=share,
        word=ending(kind, share),
        shows=smallest_shown_share(len(found), limit, level=level)
        if found
        else Undefined("no item has all its verdicts"),
        named=tuple(against[:MOST_NAMED]),
    )


def clusters_of(found: Sequence[ProbedItem]) -> list[str] | None:
    """Return what each item shares with others; None when nothing names anything.

    Args:
        found: the items.
    """
    if all(one.cluster is None for one in found):
        return None
    return [f"cluster {one.cluster}" if one.cluster is not None else f"item {one.item}" for one in found]


def _share(found: Sequence[ProbedItem], expected: Expected, *, level: float) -> Estimate | Undefined:
    if not found:
        return Undefined("no item has all its verdicts")
    if expected in {"win", "even"}:
        told = np.array([one.credit if expected == "win" else 1 - one.credit for one in found])
    else:
        told = np.array([float(counts_against(one, expected)) for one in found])
    return credit_share(told, clusters_of(found), level=level)


def credit_share(told: Floats, clusters: Sequence[str] | None, *, level: float) -> Estimate | Undefined:
    """Return the mean of what items are worth, from 0 to 1, with the interval of rates where it is one.

    Args:
        told: a number an item.
        clusters: one label an item; None when items are independent.
        level: confidence level.
    """
    if np.isin(told, (0, 1)).all():
        return rate(told, clusters=clusters, level=level)
    return mean_bounded(told, clusters=clusters, level=level)


def ending(kind: ProbeKind, share: Estimate | Undefined) -> Passing:
    """Return how a probe ended, read from the one printed interval.

    Args:
        kind: the probe.
        share: of what is counted.
    """
    if isinstance(share, Undefined):
        return "undecided"
    if kind.expected == "win":
        return "pass" if share.low > 0.5 else "fail" if share.high < 0.5 else "undecided"
    if kind.expected == "even":
        return "fail" if share.low > 0.5 else "pass" if share.high < 0.5 + TOLERATED else "undecided"
    if share.low > TOLERATED:
        return "fail"
    clean = share.point == 0 if kind.strict else True
    return "pass" if share.high < RULED_OUT and clean else "undecided"
