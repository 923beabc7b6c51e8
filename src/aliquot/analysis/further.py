"""What else the rows of a comparison say: each part is looked for only where the evidence holds what it needs.

The parts are imported when they are needed, as a comparison of two small tables must not pay for any of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.claims import Claim
from aliquot.evidence.contents import metrics
from aliquot.evidence.matching import MatchOn
from aliquot.evidence.tables import Evidence, Note
from aliquot.findings.beside import Beside
from aliquot.findings.scale import Scale
from aliquot.stats.results import Undefined

if TYPE_CHECKING:
    from aliquot.findings.answered import Answered
    from aliquot.findings.cluster_search import ClusterSearch
    from aliquot.findings.composite import Composite
    from aliquot.findings.contrast import MethodContrast
    from aliquot.findings.item_tests import ItemTests
    from aliquot.findings.majority import Majority
    from aliquot.findings.power_seen import PowerAt, PowerSeen, RepeatsWorth
    from aliquot.findings.scoring_rule import ScoringRules
    from aliquot.findings.segments import SegmentScan
    from aliquot.findings.sequence import SequenceSeen
    from aliquot.findings.shares import Reweighted
    from aliquot.findings.side_metrics import SideMetrics


MOST_SCANNED: Final = 20_000
"""Items up to which segments are scanned: the scan flips a matrix of items × segments, and takes seconds beyond."""


SharesOf: TypeAlias = tuple[str, Mapping[str, float]]
"""A field and the share of each of its levels."""

MOST_WEIGHED: Final = 5
"""Metrics weighed against each other."""


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms the comparison is made.

    Attributes:
        level: confidence level.
        margin: margin of the verdict, in the metric's units.
        cluster: field that names the cluster; None for the evidence's own.
        match_on: whether items of one id must have the same content.
        seed: seed of everything random.
        shares: a field and the share of each of its levels, to which the difference is reweighted.
    """

    level: float
    margin: float | None
    cluster: str | None
    match_on: MatchOn
    seed: int
    shares: SharesOf | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Further(Beside):
    """What was found beside the difference, and what must be said of it.

    Attributes:
        reconciliation: a sentence for each number the harness printed.
        notes: guards on the rows, and whether the result is a borderline one.
    """

    reconciliation: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def comparisons(self) -> int:
        """Comparisons made here."""
        segments = self.segments.scanned if self.segments else 0
        made = [part.comparisons for part in (self.scoring, self.side_metrics) if part is not None]
        return segments + sum(made)


def look_further(evidence: Evidence, claim: Claim, scale: Scale, *, terms: Terms) -> Further:
    """Return what the rows say beside the difference.

    Args:
        evidence: the tables.
        claim: the difference, and the items it rests on.
        scale: the metric's scale.
        terms: on what terms it is made.
    """
    reconciliation = _reconciliation(evidence, claim, scale)
    if claim.verdict.word == "nothing_to_judge":
        return Further(reconciliation=reconciliation, notes=_guards(evidence, claim, scale))
    if claim.paired is None:
        return Further(
            answered=_answered(evidence, claim, scale, terms),
            reconciliation=reconciliation,
            notes=(*_borderline(claim, terms), *_guards(evidence, claim, scale)),
        )
    if claim.paired.places is not None:  # the rest is of a fixed number of items, which this run did not have
        return Further(
            answered=_answered(evidence, claim, scale, terms),
            sequence=_sequence(evidence, claim, claim.paired, scale, terms),
            majority=_majority(evidence, claim, scale),
            reconciliation=reconciliation,
            notes=_guards(evidence, claim, scale),
        )
    side = _side_metrics(evidence, claim, terms)
    return Further(
        answered=_answered(evidence, claim, scale, terms),
        item_tests=_item_tests(evidence, claim, scale, terms),
        clusters_tried=_clusters_tried(claim, scale, terms),
        scoring=_scoring(evidence, claim, terms),
        segments=_segments(claim, scale, terms),
        reweighted=_reweighted(claim, claim.paired, scale, terms),
        contrast=_contrast(claim.paired, scale, terms),
        power_seen=_power_seen(claim, claim.paired, scale, terms),
        power_curve=_power_curve(claim, claim.paired, scale, terms),
        repeats_worth=_repeats_worth(evidence, claim, claim.paired, scale, terms),
        side_metrics=side,
        majority=_majority(evidence, claim, scale),
        composite=_composite(evidence, claim, scale, side, terms),
        reconciliation=reconciliation,
        notes=(*_borderline(claim, terms), *_guards(evidence, claim, scale)),
    )


def _reconciliation(evidence: Evidence, claim: Claim, scale: Scale) -> tuple[str, ...]:
    if evidence.reported.is_empty():
        return ()
    from aliquot.analysis.reconcile import find_reconciliation
    from aliquot.findings.reconcile import write_reconciliation

    sides = zip((claim.pairs.baseline, claim.pairs.candidate), claim.sides, strict=True)
    found = [find_reconciliation(evidence, units, side, scale) for units, side in sides]
    return write_reconciliation([one for one in found if one is not None], scale)


def _sequence(
    evidence: Evidence, claim: Claim, sample: PairedSample, scale: Scale, terms: Terms
) -> SequenceSeen | None:
    from aliquot.analysis.sequence import STOPPING, seen_sequence
    from aliquot.analysis.settings import settings_of

    baseline = claim.pairs.baseline
    known = settings_of(evidence.settings, baseline.system, task=baseline.task, tasks=[baseline.task])
    return seen_sequence(sample, scale, level=terms.level, rule=known.get(STOPPING, ""))


def _answered(evidence: Evidence, claim: Claim, scale: Scale, terms: Terms) -> Answered | None:
    if all(side.answered == 1 for side in (claim.pairs.baseline, claim.pairs.candidate)):
        return None
    from aliquot.analysis.answered import find_answered

    return find_answered(evidence, claim.pairs, claim.sides, scale, level=terms.level)


def _item_tests(evidence: Evidence, claim: Claim, scale: Scale, terms: Terms) -> ItemTests | None:
    if claim.paired is None or not claim.paired.repeated:
        return None
    from aliquot.analysis.item_tests import find_item_tests

    return _defined(find_item_tests(evidence, claim.pairs, claim.paired, scale, level=terms.level))


def _clusters_tried(claim: Claim, scale: Scale, terms: Terms) -> ClusterSearch | None:
    if claim.paired is None or not _has_segments(claim) or claim.n_clusters is not None:
        return None
    from aliquot.analysis.cluster_search import find_clusters

    return find_clusters(
        claim.pairs,
        scale,
        headline=claim.analysed.difference,
        cluster=terms.cluster,
        level=terms.level,
        seed=terms.seed,
    )


def _scoring(evidence: Evidence, claim: Claim, terms: Terms) -> ScoringRules | None:
    task = claim.pairs.baseline.task
    if claim.paired is None or (len(metrics(evidence, task)) < 2 and _all_parsed(claim)):
        return None
    from aliquot.analysis.scoring_rule import find_scoring_rules

    return find_scoring_rules(
        evidence,
        claim.pairs,
        level=terms.level,
        margin=terms.margin,
        seed=terms.seed,
        cluster=terms.cluster,
        match_on=terms.match_on,
    )


def _segments(claim: Claim, scale: Scale, terms: Terms) -> SegmentScan | None:
    if claim.paired is None or not _has_segments(claim) or claim.paired.n > MOST_SCANNED:
        return None
    from aliquot.analysis.segments import find_segments

    return find_segments(claim.pairs, claim.paired, scale, level=terms.level, seed=terms.seed)


def _contrast(sample: PairedSample, scale: Scale, terms: Terms) -> MethodContrast | None:
    from aliquot.analysis.contrast import find_contrast

    return _defined(find_contrast(sample, scale, level=terms.level, margin=terms.margin, seed=terms.seed))


def _power_seen(claim: Claim, sample: PairedSample, scale: Scale, terms: Terms) -> PowerSeen | None:
    from aliquot.analysis.power_seen import find_power_seen

    return _defined(find_power_seen(sample, claim.analysed.difference, scale, level=terms.level))


def _power_curve(
    claim: Claim, sample: PairedSample, scale: Scale, terms: Terms
) -> tuple[PowerAt, ...] | None:
    from aliquot.analysis.power_curve import find_power_curve

    return find_power_curve(sample, claim.analysed.difference, claim.detectable, scale, level=terms.level)


def _repeats_worth(
    evidence: Evidence, claim: Claim, sample: PairedSample, scale: Scale, terms: Terms
) -> RepeatsWorth | None:
    if not sample.repeated:
        return None
    from aliquot.analysis.repeats_worth import find_repeats_worth

    difference = claim.analysed.difference
    return _defined(find_repeats_worth(evidence, claim.pairs, sample, difference, scale, level=terms.level))


Found = TypeVar("Found")


def _defined(found: Found | Undefined) -> Found | None:
    return None if isinstance(found, Undefined) else found


def _side_metrics(evidence: Evidence, claim: Claim, terms: Terms) -> SideMetrics:
    from aliquot.analysis.side_metrics import find_side_metrics

    return find_side_metrics(
        evidence,
        claim.pairs,
        claim.analysed.difference,
        level=terms.level,
        seed=terms.seed,
        cluster=terms.cluster,
        match_on=terms.match_on,
        texts=True,
    )


def _composite(
    evidence: Evidence, claim: Claim, scale: Scale, side: SideMetrics, terms: Terms
) -> Composite | None:
    """Return what weighing the metrics would do: the parts beside the headline, or it and the one part there is."""
    parts = [
        one.name
        for one in side.metrics
        if one.statistic == "mean" and one.scale.span() is not None and one.scale.better != "none"
    ]
    base = claim.pairs.baseline
    parts = [name for name in parts if not _is_variant(name, base.metric)]
    names = parts[:MOST_WEIGHED] if len(parts) > 1 else [base.metric, *parts]
    if len(names) < 2 or scale.span() is None or scale.better == "none":
        return None
    from aliquot.analysis.arrays import paired_sample
    from aliquot.analysis.composite import find_composite
    from aliquot.analysis.scales import scale_of
    from aliquot.evidence.matching import pair

    samples = {
        name: paired_sample(
            pair(
                evidence,
                base.system,
                claim.pairs.candidate.system,
                task=base.task,
                metric=name,
                cluster=terms.cluster,
                match_on=terms.match_on,
            )
        )
        for name in names
    }
    scales = {name: scale_of(evidence, name) for name in names}
    return _defined(find_composite(samples, scales, level=terms.level, seed=terms.seed))


def _is_variant(name: str, metric: str) -> bool:
    """Tell whether two names are one metric under two filters or normalisations."""
    one, other = (text.partition(",")[0] for text in (name, metric))
    return one.startswith(other) or other.startswith(one)


def _borderline(claim: Claim, terms: Terms) -> tuple[Note, ...]:
    from aliquot.analysis.borderline import find_borderline

    found = find_borderline(claim.analysed.tests, claim.analysed.difference, level=terms.level)
    return () if found is None else (found,)


def _guards(evidence: Evidence, claim: Claim, scale: Scale) -> tuple[Note, ...]:
    from aliquot.analysis.guards import find_guards

    return find_guards(evidence, (claim.pairs.baseline, claim.pairs.candidate), scale, texts=True)


def _majority(evidence: Evidence, claim: Claim, scale: Scale) -> Majority | None:
    """Return the majority baseline of the shared items."""
    from aliquot.analysis.majority import find_majority

    shared = claim.pairs.frame.drop_nulls(["a", "b"]).select("item", mean="a")
    return find_majority(evidence, replace(claim.pairs.baseline, frame=shared), scale)


def _reweighted(claim: Claim, sample: PairedSample, scale: Scale, terms: Terms) -> Reweighted | None:
    if terms.shares is None:
        return None
    from aliquot.analysis.shares import reweigh

    field_, shares = terms.shares
    return reweigh(
        claim.pairs, sample, scale, field=field_, shares=shares, level=terms.level, seed=terms.seed
    )


def _has_segments(claim: Claim) -> bool:
    return any(name.startswith("segment.") for name in claim.pairs.frame.columns)


def _all_parsed(claim: Claim) -> bool:
    return all(set(side.statuses) <= {"ok"} for side in (claim.pairs.baseline, claim.pairs.candidate))
