"""What people said of the pairs on which a judge is probed: which of an item's two answers serves better."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from aliquot.errors import InputError, excerpt, nearest
from aliquot.evidence.labels import Labels
from aliquot.files.probe_records import Winner

SAID: Final[Mapping[str, Winner]] = {
    "answer": "plain",
    "reference": "plain",
    "weak": "changed",
    "tie": "tie",
    "both_bad": "both_bad",
}
"""Labels of a pair, by the field of the item that holds the better answer."""


def said_of_pairs(
    labels: Labels, items: Collection[str], *, question: str | None = None
) -> dict[str, tuple[Winner, ...]]:
    """Return item → whose answer each person found better.

    Args:
        labels: a label an item and rater: ``answer`` (or ``reference``), ``weak``, ``tie`` or ``both_bad``.
        items: the ids there are.
        question: what was asked of the raters, where they answered several.

    Raises:
        UsageError: the raters answered several questions and none is named.
        InputError: a label that is none of these, or of an item that there is not.
    """
    found: dict[str, list[Winner]] = {}
    known = set(items)
    file = labels.sources[0].path if labels.sources else None
    for item, label, place in labels.about(question).frame.select("item", "label", "place").iter_rows():
        if label is None:
            continue
        word = label.strip().casefold().replace(" ", "_")
        if item not in known:
            raise InputError(
                f"{place or 'a label'} is of an item {excerpt(item)} that is not among those probed on",
                file=file,
                field="item",
                remedy=nearest(item, sorted(known)),
            )
        if word not in SAID:
            raise InputError(
                f"{place or f'the label of item {item!r}'} says {excerpt(label)}, which names neither answer",
                file=file,
                field="label",
                remedy=f"Write which answer is better: {', '.join(SAID)}",
            )
        found.setdefault(item, []).append(SAID[word])
    return {item: tuple(said) for item, said in found.items()}
