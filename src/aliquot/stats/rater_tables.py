"""What two raters said of the same rows, counted: the table every coefficient of agreement starts from."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError, nearest
from aliquot.stats.inputs import Integers, as_array

Ratings: TypeAlias = ArrayLike | Sequence[Hashable]
"""Labels, one a row; None, which no array of numbers holds, is a missing one."""


@dataclass(frozen=True, slots=True)
class LabelTable:
    """Labels of two raters on the rows that both labelled.

    Attributes:
        labels: the labels in order, K of them.
        counts: K × K; row i, column j: rows that rater a called ``labels[i]`` and rater b ``labels[j]``.
        left_out: rows where a label is missing.
    """

    labels: tuple[Hashable, ...]
    counts: Integers
    left_out: int

    @property
    def n(self) -> int:
        """Rows that both labelled."""
        return int(self.counts.sum())


def label_table(a: Ratings, b: Ratings, *, labels: Sequence[Hashable] | None = None) -> LabelTable:
    """Count the labels of two raters; None and NaN are missing, and a row with one missing is left out.

    Args:
        a: labels of the first rater, one a row.
        b: labels of the second rater of the same rows in the same order.
        labels: all labels there are, in order; by default those that occur, sorted.

    Raises:
        UsageError: different lengths, labels of mixed types or that cannot be told apart, a label that is not
            among ``labels``.
    """
    first, second = _listed(a, name="a"), _listed(b, name="b")
    if len(first) != len(second):
        raise UsageError(f"a and b must label the same rows; got {len(first)} and {len(second)} labels")
    pairs = [pair for pair in zip(first, second, strict=True) if not (_missing(pair[0]) or _missing(pair[1]))]
    known = _known([label for pair in pairs for label in pair], labels)
    counts = np.zeros((len(known), len(known)), dtype=np.int64)
    for left, right in pairs:
        counts[known[left], known[right]] += 1
    return LabelTable(tuple(known), counts, len(first) - len(pairs))


def _listed(values: Ratings, *, name: str) -> list[Hashable]:
    array = as_array(values, name=name, wanted="a list of labels")
    if array.ndim != 1:
        raise UsageError(f"{name} must be one-dimensional; got shape {array.shape}")
    return cast("list[Hashable]", array.tolist())


def _missing(label: Hashable) -> bool:
    return label is None or label != label  # noqa: PLR0124 - NaN is the one value unequal to itself


def _known(seen: Sequence[Hashable], labels: Sequence[Hashable] | None) -> dict[Hashable, int]:
    """Return the place of each label, in the order asked for or sorted."""
    if len({_family(label) for label in (*seen, *(labels or ()))}) > 1:
        raise UsageError("labels must be of one type; got text and numbers, and 1 is not '1'")
    if labels is None:
        order: Sequence[Hashable] = sorted(set(seen), key=lambda label: cast("float", label))
    elif len(set(labels)) < len(labels):
        raise UsageError("labels must name each label once")
    else:
        order = labels
    known = {label: place for place, label in enumerate(order)}
    strange = next((label for label in seen if label not in known), None)
    if strange is not None:
        raise UsageError(f"{strange!r} is not among the labels. {nearest(str(strange), map(str, known))}")
    return known


def _family(label: object) -> str:
    if isinstance(label, str):
        return "text"
    if isinstance(label, int | float):
        return "number"
    raise UsageError(f"a label is a text or a number; got {type(label).__name__}")
