"""What a comparison must say beside its number: warnings, and the checks that were not run."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from aliquot.analysis.claims import Claim
from aliquot.analysis.further import MOST_SCANNED
from aliquot.analysis.method import Analysed
from aliquot.analysis.settings import Contrast
from aliquot.evidence.matching import spelling_notes
from aliquot.evidence.tables import Evidence, Note
from aliquot.evidence.units import Attrition
from aliquot.findings.numbers import write_count
from aliquot.stats.cautions import coverage_warning
from aliquot.stats.results import Estimate, Undefined

FEW_SHARED = 0.5
"""Share of either system's items below which the shared ones are called few."""

READER_REMARKS = frozenset(
    {
        "columns_taken",
        "columns_left_out",
        "item_key",
        "tries",
        "ids_equal_under_nfc",
        "missing_values",
        "log_cluster",
        "read_summaries",
    }
)
"""Codes of reader notes that are remarks, not warnings."""


def find_warnings(
    evidence: Evidence, claim: Claim, contrast: Contrast, rates: Sequence[Estimate | Undefined]
) -> tuple[Note, ...]:
    """Return what the reader of a comparison must be told.

    Args:
        evidence: the tables, with their reader's notes.
        claim: the difference, its tests, and the items it rests on.
        contrast: what changed between the systems.
        rates: the systems' own rates or means.
    """
    about = claim.pairs.baseline
    read = [
        note
        for note in evidence.notes
        if note.code not in READER_REMARKS and note.concerns(task=about.task, metric=about.metric)
    ]
    return (
        *_about_method(claim.analysed, rates),
        *_about_matching(claim),
        *_about_settings(contrast),
        *_about_judge(evidence, about.metric),
        *read,
    )


def _about_method(analysed: Analysed, rates: Sequence[Estimate | Undefined]) -> list[Note]:
    """Say where the design cannot reject, and where coverage is known to fall short (docs/validity.md)."""
    found: list[Note] = []
    difference = analysed.difference
    deciding = next((named.test for named in analysed.tests if named.decides), None)
    level = difference.level if isinstance(difference, Estimate) else 0.95
    if deciding is not None and deciding.floor is not None and deciding.floor > 1 - level:
        text = f"with so few units that differ no result could reject: the smallest possible p is {deciding.floor:.2g}"
        found.append(Note("floor", text))
    cautions = dict.fromkeys(filter(None, map(coverage_warning, (difference, *rates))))
    return found + [Note("coverage", caution) for caution in cautions]


def _about_matching(claim: Claim) -> list[Note]:
    matching = claim.pairs.attrition
    found = list(spelling_notes(claim.pairs.frame["item"]))
    alone = (matching.only_a, matching.only_b)
    if claim.paired is None:
        found.append(Note("not_paired", _unpaired_text(matching)))
    elif any(alone):
        few = matching.shared < FEW_SHARED * (matching.shared + min(alone))
        text = f"{write_count(alone[0], 'item')} only in the baseline, {alone[1]} only in the candidate: left out"
        more = "; what is left is less than half of either, and need not be like it" if few else ""
        found.append(Note("little_shared" if few else "unmatched", text + more))
    if matching.content_differs:
        ids = write_count(matching.content_differs, "shared id has", plural="shared ids have")
        found.append(Note("content_differs", f"{ids} different content"))
    if matching.duplicates:
        copies = (
            "1 item is an exact copy"
            if matching.duplicates == 1
            else f"{matching.duplicates} items are exact copies"
        )
        found.append(Note("duplicates", f"{copies} of another item"))
    return found


def _unpaired_text(matching: Attrition) -> str:
    """Say what taking the systems as not paired costs, or risks."""
    alone = f"{matching.only_a} only in the baseline, {matching.only_b} only in the candidate"
    if not matching.shared:
        return f"no item is shared ({alone}): other items can make a difference by themselves"
    shared = (
        f"{write_count(matching.shared, 'item')} of both systems are taken as if they were different ones"
    )
    beside = f" ({alone})" if matching.only_a or matching.only_b else ""
    return f"{shared}{beside}: paired they would tell more"


def _about_settings(contrast: Contrast) -> list[Note]:
    changed = contrast.changed
    if len(changed) < 2:
        return []
    text = f"{len(changed)} components changed ({', '.join(changed)}): the difference is theirs together"
    return [Note("several_changes", text)]


def _about_judge(evidence: Evidence, metric: str) -> list[Note]:
    """Say that the metric is a model judge's word that nobody held against people."""
    judges = evidence.metrics.filter(pl.col("metric") == metric)["judge"].drop_nulls().to_list()
    return [
        Note("judge_not_validated", f"{metric} is the word of a judge ({judge}) that was not validated")
        for judge in judges
    ]


def find_unchecked(evidence: Evidence, claim: Claim) -> tuple[Note, ...]:
    """Return the checks that were not run, each with the data it would need."""
    found: list[Note] = []
    if claim.n_clusters is None:
        found.append(Note("clusters", "whether items share a source; it needs a cluster field"))
    if not any(side.repeated for side in claim.sides):
        found.append(
            Note("repeats", "how much one system varies from attempt to attempt; it needs attempts > 1")
        )
    if claim.paired is not None and claim.paired.places is not None:
        text = "segments, other metrics and power, as the run could stop at any time; they need a fixed number of items"
        found.append(Note("by_fixed_n", text))
    if claim.n_items > MOST_SCANNED and any(name.startswith("segment.") for name in evidence.items.columns):
        found.append(Note("segments", f"segments, as more than {MOST_SCANNED:,} items are compared"))
    if evidence.items["content"].null_count() == evidence.items.height:
        found.append(Note("content", "whether items of one id asked the same; it needs the inputs"))
    if evidence.settings.is_empty():
        found.append(Note("settings", "whether only one thing changed; it needs the settings of the runs"))
    return tuple(found)


def find_assumptions(claim: Claim) -> tuple[str, ...]:
    """Return what must hold for the number to mean what it says, in sentences."""
    clustered = claim.n_clusters is not None
    unit = "clusters" if clustered else "items"
    found = [
        f"{unit} are as if drawn independently from those the claim is about",
        "prompts, decoding and scorer are those of these runs",
        "a scorer's value is what it says it measures",
    ]
    if claim.paired is None:
        found.insert(1, "the two item sets are as hard as each other")
    if any(side.repeated for side in claim.sides):
        found.append("attempts at an item are independent of each other")
    if claim.if_missing is not None:
        found.append("rows without a value are like those with one (the readings beside it do without this)")
    return tuple(found)
