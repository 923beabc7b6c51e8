"""Warnings from what was found beside the difference, the gravest first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from aliquot.analysis.further import Further
from aliquot.evidence.tables import Note
from aliquot.findings.numbers import difference_unit, write_difference, write_p, write_value
from aliquot.findings.scale import Scale
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

if TYPE_CHECKING:
    from aliquot.findings.answered import Answered
    from aliquot.findings.cluster_search import ClusterSearch
    from aliquot.findings.item_tests import ItemTests
    from aliquot.findings.scoring_rule import RuleReading, ScoringRules
    from aliquot.findings.segments import SegmentScan
    from aliquot.findings.side_metrics import SideMetric

DESCRIPTIVE = frozenset({"not_all_answered", "brier_parts", "not_a_number", "copies", "cached"})
"""Codes of notes that describe the rows and question nothing."""

_NAMED = 3
"""Names given in a warning."""


def warn_further(further: Further, scale: Scale) -> tuple[Note, ...]:
    """Return the warnings, in the order in which they should be read.

    Args:
        further: what was found.
        scale: the metric's scale.
    """
    return (
        *scoring_notes(further.scoring, scale),
        *cluster_notes(further.clusters_tried, scale),
        *_item_tests(further.item_tests),
        *_answered(further.answered, scale),
        *further.notes,
        *_other_metrics(further),
        *_varying(further.segments, scale),
        *_reversals(further.segments),
        *(further.side_metrics.notes if further.side_metrics is not None else ()),
    )


def in_order(*notes: Note) -> tuple[Note, ...]:
    """Return notes with those that only describe the rows behind those that question the finding."""
    return tuple(sorted(dict.fromkeys(notes), key=lambda note: note.code in DESCRIPTIVE))


def unsettled_clusters(further: Further) -> tuple[Note, ...]:
    """Return the fields that may be clusters and are too few to tell, as checks that were not made."""
    search = further.clusters_tried
    if search is None or search.found or not search.unsettled:
        return ()
    tried = search.unsettled[0]
    text = (
        f"whether items of one {tried.field} are alike: design effect {tried.design_effect:.1f} over "
        f"{tried.n_clusters} groups, too few to tell from chance. If they share a source pass --cluster {tried.field}"
    )
    return (Note("unsettled_clusters", text),)


def write_interval(estimate: Estimate | Undefined, scale: Scale) -> str:
    """Write a difference with its interval: "+3.8 [-0.5 to +8.3] points"."""
    if isinstance(estimate, Undefined):
        return f"not available ({estimate.reason})"
    point, low, high = (
        write_difference(value, scale, width=estimate.width)
        for value in (estimate.point, estimate.low, estimate.high)
    )
    return f"{point} [{low} to {high}]{difference_unit(scale)}"


def scoring_notes(scoring: ScoringRules | None, scale: Scale) -> Iterator[Note]:
    """Say when the sign or the verdict is another under another scoring rule."""
    if scoring is None:
        return
    changed = [one for one in scoring.others if _sign(one) * _sign(scoring.chosen) < 0]
    related = [one for one in changed if one.related]
    if scoring.sign_changes and changed and not related:
        text = f"another metric of the same answers goes the other way: {_under(changed[0], scale)}"
        yield Note("other_metric_opposite", text)
    elif scoring.sign_changes and related:
        yield Note(
            "sign_changes",
            f"THE SIGN HANGS ON THE SCORING RULE: {_under(related[0], scale)}, the same answers under "
            f"{scoring.chosen.metric} {write_interval(scoring.chosen.difference, scale)}. "
            "Say which was fixed beforehand",
        )
    elif scoring.verdict_changes:
        other = next((one for one in scoring.others if one.word != scoring.chosen.word), None)
        if other is not None:
            text = f"the conclusion hangs on the scoring rule: {_under(other, scale)} ({_word(other)})"
            yield Note("verdict_changes", f"{text}. Say which was fixed beforehand, or report both")


def _sign(reading: RuleReading) -> int:
    point = reading.difference.point if isinstance(reading.difference, Estimate) else 0.0
    return (point > 0) - (point < 0)


def _under(reading: RuleReading, scale: Scale) -> str:
    p = "" if reading.test is None else f", {write_p(reading.test)}"
    return f"under {reading.metric} it is {write_interval(reading.difference, scale)}{p}"


def _word(reading: RuleReading) -> str:
    return reading.word.replace("_", " ")


def cluster_notes(search: ClusterSearch | None, scale: Scale) -> Iterator[Note]:
    """Say when a field that nobody named acts as a cluster, with both intervals."""
    if search is None:
        return
    for found in search.found[:1]:
        tried = found.tried
        yield Note(
            "unnamed_clusters",
            f"items of one {tried.field} are alike ({tried.n_clusters} of them, design effect "
            f"{tried.design_effect:.1f}): by it {write_interval(found.difference, scale)}, taken as independent "
            f"{write_interval(search.headline, scale)}. If they share a source pass --cluster {tried.field}",
        )


def _item_tests(tests: ItemTests | None) -> Iterator[Note]:
    if tests is None or not tests.broke:
        return
    named = ", ".join(
        f"{one.item} ({one.passed_a}/{one.attempts_a} to {one.passed_b}/{one.attempts_b})"
        for one in tests.broke[:_NAMED]
    )
    more = f" and {len(tests.broke) - _NAMED} more" if len(tests.broke) > _NAMED else ""
    yield Note("broke_for_sure", f"broke for sure, tested item by item: {named}{more}")


def _answered(answered: Answered | None, scale: Scale) -> Iterator[Note]:
    if answered is None or answered.complete:
        return
    sides = "; ".join(
        f"{side.system} answered {_percent(side.share)}, over these {_value(side.over_answered, scale)} "
        f"and over all {_value(side.overall, scale)}"
        for side in (answered.baseline, answered.candidate)
    )
    code = "answered_disagree" if answered.disagree else "not_all_answered"
    tail = ". Who leads depends on which; no verdict is made over answered rows" if answered.disagree else ""
    yield Note(code, f"{sides}{tail}")


def _percent(share: Estimate | Undefined) -> str:
    return "-" if isinstance(share, Undefined) else f"{100 * share.point:.1f}%"


def _value(estimate: Estimate | Undefined, scale: Scale) -> str:
    if isinstance(estimate, Undefined):
        return "-"
    return write_value(estimate.point, scale, width=estimate.width) + ("%" if scale.in_points else "")


def _other_metrics(further: Further) -> Iterator[Note]:
    """Say which other metric got worse beyond doubt: a verdict on one of nine must not hide the rest."""
    side = further.side_metrics
    worse = [one for one in side.metrics if _is_worse(one)] if side is not None else []
    for one in worse[:1]:
        more = f" (and {len(worse) - 1} more metrics)" if len(worse) > 1 else ""
        yield Note(
            "other_metric_worse", f"{one.name} is worse: {write_interval(one.difference, one.scale)}{more}"
        )


def _is_worse(one: SideMetric) -> bool:
    difference = one.difference
    if isinstance(difference, Undefined) or one.scale.better == "none":
        return False
    return difference.low > 0 if one.scale.better == "lower" else difference.high < 0


def _varying(scan: SegmentScan | None, scale: Scale) -> Iterator[Note]:
    """Say where the difference is not one difference: a field between whose levels it varies beyond chance."""
    if scan is None:
        return
    alpha = round(1 - scan.level, 12)
    for field in scan.fields:
        if field.p_holm is None or field.p_holm > alpha or not isinstance(field.interaction, HypothesisTest):
            continue
        ends = sorted(
            (part.difference.point, f"{part.level} {write_interval(part.difference, scale)}")
            for part in field.levels
            if isinstance(part.difference, Estimate)
        )
        if len(ends) > 1:
            yield Note(
                "varies_by_segment",
                f"the difference varies by {field.field} ({write_p(field.interaction)}): {ends[-1][1]}, "
                f"{ends[0][1]}. {scan.scanned} segments were scanned",
            )


def _reversals(scan: SegmentScan | None) -> Iterator[Note]:
    for field in scan.fields if scan is not None else ():
        for reversal in field.reversals[:1]:
            against = f"{len(reversal.against)} of {reversal.levels}"
            yield Note(
                "reversal",
                f"the whole says one thing and {against} levels of {field.field} the opposite: the two systems are "
                "weighed differently there",
            )
