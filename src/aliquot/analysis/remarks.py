"""What a comparison must say beside its number: warnings, and the checks that were not run."""

from __future__ import annotations

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.method import Analysed
from aliquot.analysis.settings import Contrast
from aliquot.evidence.matching import spelling_notes
from aliquot.evidence.tables import Evidence, Note
from aliquot.evidence.units import Pairs

_READER_REMARKS = frozenset(
    {
        "columns_taken",
        "columns_left_out",
        "item_key",
        "tries",
        "ids_equal_under_nfc",
        "missing_values",
        "identical_system",
        "log_cluster",
        "read_summaries",
    }
)
"""Codes of reader notes that are remarks, not warnings."""


def find_warnings(
    evidence: Evidence, pairs: Pairs, contrast: Contrast, analysed: Analysed
) -> tuple[Note, ...]:
    """Return what the reader of a comparison must be told.

    Args:
        evidence: the tables, with their reader's notes.
        pairs: the shared items.
        contrast: what changed between the systems.
        analysed: the difference and its tests.
    """
    matching = pairs.attrition
    found = [note for note in evidence.notes if note.code not in _READER_REMARKS]
    found += spelling_notes(pairs.frame["item"])
    if matching.only_a or matching.only_b:
        found.append(
            Note(
                "unmatched",
                f"{matching.only_a} items only in the baseline, {matching.only_b} only in the candidate: left out",
            )
        )
    if matching.content_differs:
        found.append(Note("content_differs", f"{matching.content_differs} shared ids have different content"))
    if matching.duplicates:
        found.append(Note("duplicates", f"{matching.duplicates} items are exact copies of another item"))
    if len(contrast.changed) > 1:
        found.append(
            Note(
                "several_changes",
                f"{len(contrast.changed)} components changed ({', '.join(contrast.changed)}): "
                "the difference is theirs together",
            )
        )
    deciding = next((named.test for named in analysed.tests if named.decides), None)
    if deciding is not None and deciding.floor is not None and deciding.floor > 0.05:
        found.append(
            Note(
                "floor",
                f"with so few units that differ, the smallest possible p is {deciding.floor:.2g}: "
                "this design cannot reject at any result",
            )
        )
    return tuple(found)


def find_unchecked(evidence: Evidence, sample: PairedSample) -> tuple[Note, ...]:
    """Return the checks that were not run, each with the data it would need."""
    found: list[Note] = []
    if sample.clusters is None:
        found.append(Note("clusters", "whether items share a source; it needs a cluster field"))
    if not sample.repeated:
        found.append(
            Note("repeats", "how much one system varies from attempt to attempt; it needs attempts > 1")
        )
    if evidence.items["content"].null_count() == evidence.items.height:
        found.append(Note("content", "whether items of one id asked the same; it needs the inputs"))
    if evidence.settings.is_empty():
        found.append(Note("settings", "whether only one thing changed; it needs the settings of the runs"))
    return tuple(found)
