"""What a system gives for what: right and given classes counted against each other, and the measures made of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from aliquot.stats.results import Estimate, Undefined


@dataclass(frozen=True, slots=True)
class ClassMeasures:
    """How well one class is told from the others, or all are on average.

    Attributes:
        label: the class; ``macro`` for the plain mean over the classes, ``micro`` for all answers together.
        rows: attempts at items of the class.
        precision: share of the answers that name the class which are right.
        recall: share of the class that is named.
        f1: their harmonic mean.
    """

    label: str
    rows: int
    precision: Estimate | Undefined
    recall: Estimate | Undefined
    f1: Estimate | Undefined


@dataclass(frozen=True, slots=True)
class ClassTable:
    """The classes of a task as one system tells them apart.

    Attributes:
        classes: the measures of each class, the most frequent first.
        counts: for each of the classes in this order, how often each of them was given, and last how often none was.
        macro: the means over the classes.
        micro: the measures of all answers together; their precision falls short of the recall by what named no class.
    """

    classes: tuple[ClassMeasures, ...]
    counts: tuple[tuple[int, ...], ...]
    macro: ClassMeasures
    micro: ClassMeasures

    def unnamed(self) -> ClassTable:
        """Return the table without the names of the classes, which are words of items."""
        named = (replace(one, label=f"class {place}") for place, one in enumerate(self.classes, start=1))
        return replace(self, classes=tuple(named))
