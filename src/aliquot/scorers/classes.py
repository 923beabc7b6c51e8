"""Rules of classification: precision, recall and F1 of one class, and F1 over classes, from what a rule reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from aliquot.errors import InputError, PatternTimeError, UsageError
from aliquot.item_sets.items import Item
from aliquot.scorers.catalogue import SINGLE, rule_among
from aliquot.scorers.rule import Rule, Settings
from aliquot.scorers.scores import Score
from aliquot.scorers.scoring import score
from aliquot.scorers.texts import trimmed

ClassMeasure: TypeAlias = Literal["precision", "recall", "f1"]

_PARTS: Final[Mapping[ClassMeasure, tuple[str, tuple[str, ...]]]] = {
    "precision": ("ratio", ("tp", "predicted")),
    "recall": ("ratio", ("tp", "present")),
    "f1": ("f1", ("tp", "fp", "fn")),
}
"""How the counts of each measure are combined, and which they are."""


class OneClass(Settings, frozen=True):
    """Which class, which measure, and what reads the class out of an answer.

    Attributes:
        positive: the class, as references spell it.
        measure: ``precision``, ``recall`` or ``f1`` of this class.
        of: the rule whose reading of an answer is the predicted class.
    """

    positive: str
    measure: ClassMeasure = "f1"
    of: str = "choice"

    def __post_init__(self) -> None:
        _require_readable(self.of)

    @property
    def combine(self) -> str:
        """How the counts become the measure."""
        return _PARTS[self.measure][0]


class Classes(Settings, frozen=True):
    """Which classes, and what reads the class out of an answer.

    Attributes:
        classes: all classes, as references spell them.
        of: the rule whose reading of an answer is the predicted class.
    """

    classes: tuple[str, ...]
    of: str = "choice"

    def __post_init__(self) -> None:
        _require_readable(self.of)
        if len({trimmed(one) for one in self.classes}) < max(2, len(self.classes)):
            raise UsageError("the rule 'macro_f1': classes must be two or more, each once")


def score_one_class(item: Item, text: str, settings: OneClass) -> Score:
    """Counts of one class: whether it is there, predicted, both; there is a value of the whole corpus only."""
    true, predicted = _true_and_predicted(item, text, settings.of)
    positive = trimmed(settings.positive)
    is_there, said = true == positive, predicted == positive
    counts = _counts(is_there=is_there, said=said)
    counts |= {"present": float(is_there), "predicted": float(said)}
    return Score(None, label=predicted, parts=tuple(counts[name] for name in _PARTS[settings.measure][1]))


def score_classes(item: Item, text: str, settings: Classes) -> Score:
    """Counts of every class, whose F1 are averaged; there is a value of the whole corpus only.

    An answer that names no class counts as missed in the class that is there.

    Raises:
        InputError: the reference is none of the classes.
    """
    true, predicted = _true_and_predicted(item, text, settings.of)
    names = [trimmed(one) for one in settings.classes]
    if true not in names:
        raise InputError(
            f"item {item.id!r}: its reference {true!r} is none of the classes {', '.join(names)}",
            row=item.row,
            field="reference",
        )
    counts = [_counts(is_there=true == name, said=predicted == name) for name in names]
    return Score(None, label=predicted, parts=tuple(part for each in counts for part in each.values()))


def _counts(*, is_there: bool, said: bool) -> dict[str, float]:
    return {
        "tp": float(is_there and said),
        "fp": float(said and not is_there),
        "fn": float(is_there and not said),
    }


def _true_and_predicted(item: Item, text: str, of: str) -> tuple[str, str | None]:
    """Return the reference, and what the rule reads; None where it reads nothing.

    Raises:
        InputError: there is no reference.
    """
    rule = rule_among(SINGLE, of)
    rule.try_on(item)
    found = score(rule, item, text)
    if found.status == "error":
        raise PatternTimeError(found.note or "")
    reference = rule.wanted(item)
    if reference is None:
        raise InputError(f"item {item.id!r} has no reference", row=item.row, field="reference")
    true = trimmed(reference)
    if found.value == 1.0:
        return true, true  # however an accepted answer spells it
    return true, None if found.label is None or found.status != "ok" else trimmed(found.label)


def _require_readable(of: str) -> None:
    rule = rule_among(SINGLE, of)
    if (
        rule.reads != "text"
        or rule.kind != "binary"
        or rule.wants not in {"answers", "expectation"}
        or rule.pools
    ):
        raise UsageError(f"the rule {rule.name!r} reads no class out of an answer; choice and exact do")


CLASS_RULES: Final = (
    Rule(
        "class_score",
        "1",
        "as the rule that reads the class",
        score_one_class,
        "A number of the corpus. Precision hangs on how frequent the class is among these items, seldom as in use.",
        settings=OneClass,
        wants="nothing",
        metric="class_score",
        kind="bounded",
        whole_only=True,
    ),
    Rule(
        "macro_f1",
        "1",
        "as the rule that reads the class",
        score_classes,
        "A number of the corpus. A class with few items weighs as much as one with many, and makes it jump.",
        settings=Classes,
        wants="nothing",
        metric="macro_f1",
        kind="bounded",
        combine="macro_f1",
        whole_only=True,
    ),
)
"""The rules."""
