"""The majority baseline: the rate of a system that always gives the most frequent right answer."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units
from aliquot.files.run_directory import FORMAT
from aliquot.findings.majority import Majority
from aliquot.findings.scale import Scale

SHORT: Final = 40
"""Characters up to which a text is a label that several items may share."""
MOST_REFERENCES: Final = 2_000
"""Items whose references are read one at a time from a log; those of a run are at hand, and there is no limit."""

_EDGES: Final = " .,;:!?\"'`*_()"


@lru_cache(maxsize=1024)
def label_of(reference: str | None) -> str | None:
    """Return a reference as a label: normalised, so that equal ones can be counted; None when it is none.

    A long text and a structure are no labels.

    Examples:
        >>> label_of(" Yes. "), label_of('{"name": "Anna"}'), label_of("")
        ('yes', None, None)
    """
    text = " ".join(unicodedata.normalize("NFC", reference or "").casefold().split()).strip(_EDGES)
    return text if 0 < len(text) <= SHORT and text[0] not in "[{" else None


def majority_of(labels: Mapping[str, str], *, of: int) -> tuple[str, Majority] | None:
    """Return the most frequent label (the first in order of several) and what always answering it reaches.

    Args:
        labels: the label of each item that has one, by id.
        of: items there are, with or without.

    Returns:
        None when no two items share a label: there is no class that could be the most frequent.

    Examples:
        >>> majority_of({"1": "no", "2": "no", "3": "yes"}, of=4)
        ('no', Majority(items=2, of=4, rate=0.5))
    """
    counts = Counter(labels.values())
    if not counts or max(counts.values()) < 2:
        return None
    label, most = min(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return label, Majority(items=most, of=of, rate=most / of)


def item_labels(evidence: Evidence, units: Units, scale: Scale) -> Mapping[str, str]:
    """Return the labels of the items that a system has a value on; empty where they cannot be read, or mean nothing.

    A constant answer has a rate only under a pass-or-fail metric.

    Args:
        evidence: the tables, with the texts held apart.
        units: the system under the metric.
        scale: the metric's scale.
    """
    texts = evidence.texts
    if texts is None or evidence.is_lazy or scale.kind != "binary" or scale.better != "higher":
        return {}
    items: list[str] = units.frame.drop_nulls("mean")["item"].to_list()
    at_hand = all(source.format == FORMAT for source in evidence.sources) and evidence.sources
    if len(items) > MOST_REFERENCES and not at_hand:
        return {}
    found = {item: label_of(texts.reference(units.task, item)) for item in items}
    return {item: label for item, label in found.items() if label is not None}


def find_majority(evidence: Evidence, units: Units, scale: Scale) -> Majority | None:
    """Return the majority baseline of the items that a system has a value on; None where there is none.

    Args:
        evidence: the tables.
        units: the system under the metric.
        scale: the metric's scale.
    """
    found = majority_of(item_labels(evidence, units, scale), of=units.frame["mean"].count())
    return None if found is None else found[1]
