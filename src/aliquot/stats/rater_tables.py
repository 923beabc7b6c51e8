"""Who said what of which item, as codes: the table every coefficient of agreement starts from."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aliquot.errors import UsageError, nearest
from aliquot.stats.inputs import Integers

MISSING = -1
"""Code of a rating that is not there."""


@dataclass(frozen=True, slots=True)
class RatingTable:
    """Ratings of items by raters, coded.

    Attributes:
        labels: the labels in order, K of them, used or not.
        codes: items × raters; the place of each rating among the labels, −1 where there is none.
        items: the items in order; 0 … n − 1 when they were not named.
        raters: the raters in order; 0 … r − 1 when they were not named.
        ordered: whether the order of the labels means something: numbers, or labels that the caller named.
    """

    labels: tuple[Hashable, ...]
    codes: Integers
    items: tuple[Hashable, ...]
    raters: tuple[Hashable, ...]
    ordered: bool

    @property
    def n(self) -> int:
        """Items with two ratings or more."""
        return int((self.present.sum(axis=1) >= 2).sum())

    @property
    def present(self) -> NDArray[np.bool_]:
        """Items × raters: whether there is a rating."""
        return self.codes != MISSING

    def counts(self) -> Integers:
        """Items × K: how many raters gave each label."""
        n, k = self.codes.shape[0], len(self.labels)
        row, column = np.nonzero(self.present)
        cells = row * k + self.codes[row, column]
        return np.bincount(cells, minlength=n * k).reshape(n, k).astype(np.int64)


Ratings: TypeAlias = ArrayLike | Sequence[Hashable] | Sequence[Sequence[Hashable]] | RatingTable
"""Labels, one a row, or items × raters; None, NaN and NaT are missing."""


def rating_table(ratings: Ratings, *, labels: Sequence[Hashable] | None = None) -> RatingTable:
    """Code a table of items by raters; None and NaN are gaps, and a gap is not a label.

    Args:
        ratings: items × raters, text or numbers, with gaps.
        labels: all labels there are, from low to high; by default those that occur, sorted. Labels that nobody
            used are kept: some coefficients depend on how many could have been used.

    Raises:
        UsageError: not a table, labels of mixed types, a label that is not among ``labels``.

    Examples:
        >>> table = rating_table([[1, 1, None], [2, 3, 3], [None, 2, 2]])
        >>> table.labels, table.n, table.codes[0].tolist()
        ((1, 2, 3), 3, [0, 0, -1])
    """
    if isinstance(ratings, RatingTable):
        if labels is not None and tuple(labels) != ratings.labels:
            raise UsageError("labels are part of the table already; name them where the table is made")
        return ratings
    array = _objects(ratings, name="ratings")
    if array.ndim != 2:
        raise UsageError(f"ratings must be a table of items by raters; got shape {array.shape}")
    known, codes = _coded(array, labels)
    names = (tuple(range(array.shape[0])), tuple(range(array.shape[1])))
    return RatingTable(known, codes, *names, _ordered(known, labels))


def ratings_by_item(
    items: ArrayLike, raters: ArrayLike, values: ArrayLike, *, labels: Sequence[Hashable] | None = None
) -> RatingTable:
    """Code ratings that come one a row: which item, which rater, what was said.

    Items and raters stand in the order in which they first occur, so that nothing depends on how ids sort.

    Args:
        items: the item of each rating.
        raters: who gave it.
        values: what was said; None and NaN are missing.
        labels: all labels there are, from low to high; by default those that occur, sorted.

    Raises:
        UsageError: different lengths, a missing id, an item that one rater rated twice, or as for
            :func:`rating_table`.

    Examples:
        >>> table = ratings_by_item(["q1", "q1", "q2"], ["ana", "ben", "ben"], ["pass", "fail", "pass"])
        >>> table.raters, table.codes.tolist()
        (('ana', 'ben'), [[1, 0], [-1, 1]])
    """
    columns = [
        _objects(given, name=name)
        for given, name in ((items, "items"), (raters, "raters"), (values, "values"))
    ]
    if any(column.ndim != 1 or column.size != columns[0].size for column in columns):
        raise UsageError(
            f"items, raters and values must be of one length; got shapes {[c.shape for c in columns]}"
        )
    places = [
        _places(column, name=name) for column, name in zip(columns[:2], ("items", "raters"), strict=True)
    ]
    (item_names, item_of), (rater_names, rater_of) = places
    cells = item_of * max(1, len(rater_names)) + rater_of
    seen, first, times = np.unique(cells, return_index=True, return_counts=True)
    if (times > 1).any():
        row = int(first[int(np.flatnonzero(times > 1)[0])])
        raise UsageError(
            f"rater {columns[1][row]!r} rated item {columns[0][row]!r} more than once "
            f"({int((times > 1).sum())} such); keep one rating, or name each repeat as its own rater"
        )
    known, codes = _coded(columns[2], labels)
    table = np.full(len(item_names) * len(rater_names), MISSING, dtype=np.int64)
    table[seen] = codes[first]
    codes = table.reshape(len(item_names), len(rater_names))
    return RatingTable(known, codes, item_names, rater_names, _ordered(known, labels))


def paired_table_of(a: Ratings, b: Ratings, *, labels: Sequence[Hashable] | None = None) -> RatingTable:
    """Code the labels of two raters of the same rows in the same order.

    Raises:
        UsageError: different lengths, labels of mixed types or that cannot be told apart, a label that is not
            among ``labels``.
    """
    first, second = _objects(a, name="a"), _objects(b, name="b")
    for array, name in ((first, "a"), (second, "b")):
        if array.ndim != 1:
            raise UsageError(f"{name} must be one-dimensional; got shape {array.shape}")
    if first.size != second.size:
        raise UsageError(f"a and b must label the same rows; got {first.size} and {second.size} labels")
    return rating_table(np.stack([first, second], axis=1), labels=labels)


def _objects(values: object, *, name: str) -> NDArray[Any]:
    """Numbers as they are, anything else as objects: numpy would turn 1 beside '1', and NaN, into text."""
    if isinstance(values, RatingTable):
        raise UsageError(f"{name} must be a list of labels; a table holds the labels of all raters")
    if isinstance(values, np.ma.MaskedArray):
        held = np.asarray(cast("Any", values).data).astype(object)
        held[np.ma.getmaskarray(values)] = None
        return held
    return np.asarray(values) if isinstance(values, np.ndarray) else _as_objects(values, name=name)


def _as_objects(values: object, *, name: str) -> NDArray[Any]:
    try:
        array = np.asarray(values, dtype=object)
    except ValueError as error:
        raise UsageError(f"{name} must be a list of labels; got rows of different lengths") from error
    if array.ndim == 1 and array.size and all(isinstance(row, list | tuple) for row in array):
        raise UsageError(f"{name} must be a list of labels; got rows of different lengths")
    return array


def _missing(label: object) -> bool:
    if label is None:
        return True
    try:
        return bool(label != label)  # noqa: PLR0124 - NaN and NaT are unequal to themselves
    except TypeError:  # pandas' NA says neither yes nor no
        return True


def _coded(array: NDArray[Any], labels: Sequence[Hashable] | None) -> tuple[tuple[Hashable, ...], Integers]:
    """Labels in order and the code of every rating."""
    if array.dtype.kind in "biuf" and labels is None:
        there = np.isfinite(array) if array.dtype.kind == "f" else np.ones(array.shape, dtype=np.bool_)
        if array.dtype.kind == "f" and np.isinf(array).any():
            raise UsageError("ratings hold an infinite number; a label is a text or a finite number")
        kinds, inverse = np.unique(array[there], return_inverse=True)
        codes = np.full(array.shape, MISSING, dtype=np.int64)
        codes[there] = inverse.reshape(-1)
        return tuple(kinds.tolist()), codes
    flat = [value.item() if isinstance(value, np.generic) else value for value in array.ravel().tolist()]
    kept = [not _missing(value) for value in flat]
    known = _known([value for value, there in zip(flat, kept, strict=True) if there], labels)
    codes = [known[value] if there else MISSING for value, there in zip(flat, kept, strict=True)]
    return tuple(known), np.array(codes, dtype=np.int64).reshape(array.shape)


def _places(column: NDArray[Any], *, name: str) -> tuple[tuple[Hashable, ...], Integers]:
    """Names in order of appearance, and the place of each."""
    ids: Iterable[Hashable] = column.tolist()
    known: dict[tuple[str, Hashable], int] = {}
    places: list[int] = []
    for row, one in enumerate(ids):
        if _missing(one):
            raise UsageError(f"{name} holds a missing id at position {row}")
        places.append(known.setdefault((type(one).__name__, one), len(known)))
    return tuple(one for _, one in known), np.array(places, dtype=np.int64)


def _known(seen: Iterable[Hashable], labels: Sequence[Hashable] | None) -> dict[Hashable, int]:
    """Return the place of each label, in the order asked for or sorted."""
    distinct = dict.fromkeys(_checked(seen))
    if len({_family(label) for label in (*distinct, *(labels or ()))}) > 1:
        raise UsageError("labels must be of one type; got text and numbers, and 1 is not '1'")
    if labels is None:
        order: Sequence[Hashable] = sorted(distinct, key=lambda label: cast("float", label))
    elif len(set(labels)) < len(labels):
        raise UsageError("labels must name each label once")
    else:
        order = labels
    known = {label: place for place, label in enumerate(order)}
    strange = next((label for label in distinct if label not in known), None)
    if strange is not None:
        raise UsageError(f"{strange!r} is not among the labels. {nearest(str(strange), map(str, known))}")
    return known


def _ordered(known: Sequence[Hashable], labels: Sequence[Hashable] | None) -> bool:
    return labels is not None or not any(isinstance(label, str) for label in known)


def _checked(seen: Iterable[object]) -> Iterable[Hashable]:
    for label in seen:
        _family(label)
        yield cast("Hashable", label)


def _family(label: object) -> str:
    if isinstance(label, str):
        return "text"
    if isinstance(label, int | float):
        if abs(label) == float("inf"):
            raise UsageError("ratings hold an infinite number; a label is a text or a finite number")
        return "number"
    raise UsageError(f"a label is a text or a number; got {type(label).__name__}")
