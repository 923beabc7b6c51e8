"""The classes of a task as a system tells them apart: the confusion table, and precision, recall and F1."""

from __future__ import annotations

from collections import Counter
from typing import Final

from aliquot.analysis.majority import item_labels, label_of
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units
from aliquot.findings.classes import ClassMeasures, ClassTable
from aliquot.findings.scale import Scale
from aliquot.stats.class_scores import Measures, classification

MOST_CLASSES: Final = 20
"""Classes beyond which right answers are answers, and no classes."""
FEWEST_ITEMS: Final = 2
"""Items that share a right answer before it is a class."""
RESAMPLES: Final = 1999


def find_classes(
    evidence: Evidence, units: Units, scale: Scale, *, level: float, seed: int
) -> ClassTable | None:
    """Return the classes of a system's items and what it gave; None where the items fall into no classes.

    They do when every item's right answer is shared by others, and wrong answers mostly name another class: what a
    rule read is kept as the outcome's label.

    Args:
        evidence: the tables, with the texts held apart.
        units: the system under the metric.
        scale: the metric's scale.
        level: confidence level.
        seed: seed of resampling.
    """
    labels = item_labels(evidence, units, scale)
    counted = Counter(labels.values())
    if len(labels) < max(1, units.frame["mean"].count()) or not 2 <= len(counted) <= MOST_CLASSES:
        return None
    if min(counted.values()) < FEWEST_ITEMS:
        return None
    rows = evidence.rows(
        "outcomes", system=units.system, task=units.task, metric=units.metric, scorer=units.scorer
    ).select("item", "value", "label")
    pairs = [
        (item, labels[item], _given(value, label, right=labels[item]))
        for item, value, label in rows.iter_rows()
        if item in labels
    ]
    classes = [name for name, _ in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))]
    wrong = [given for _, true, given in pairs if given not in {true, None}]
    if not pairs or 2 * sum(given in counted for given in wrong) < len(wrong):
        return None
    truth, given = [true for _, true, _ in pairs], [_among(one, classes) for _, _, one in pairs]
    named = dict(units.frame.select("item", "cluster").iter_rows())
    repeated = len(pairs) > len(labels)
    clusters = [named.get(item) or item for item, _, _ in pairs]
    found = classification(
        truth,
        given,
        labels=classes,
        clusters=clusters if repeated or any(named.values()) else None,
        level=level,
        n_resamples=RESAMPLES,
        rng=seed,
    )
    joint = Counter(zip(truth, given, strict=True))
    return ClassTable(
        classes=tuple(_measures(name, truth.count(name), found.classes[name]) for name in classes),
        counts=tuple(tuple(joint[true, said] for said in (*classes, "")) for true in classes),
        macro=_measures("macro", len(truth), found.macro),
        micro=_measures("micro", len(truth), found.micro),
    )


def _given(value: float | None, label: str | None, *, right: str) -> str | None:
    """Return the class an answer names: the right one however it is spelled when it is right; None for none."""
    return right if value == 1.0 else label_of(label)


def _among(given: str | None, classes: list[str]) -> str:
    return given if given in classes else ""


def _measures(label: str, rows: int, found: Measures) -> ClassMeasures:
    return ClassMeasures(label, rows, found["precision"], found["recall"], found["f1"])
