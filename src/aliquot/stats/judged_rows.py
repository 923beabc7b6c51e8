"""Rows that a judge read and people labelled in part, checked once, with weights for how the labels were drawn.

One array of labels over all rows that were judged, missing where nobody labelled: what is unlabelled is the complement
of what is labelled, and no row is counted on both sides.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aliquot.errors import UsageError
from aliquot.stats.inputs import Floats, Integers, as_array, as_choice, as_codes, as_values, as_weights
from aliquot.stats.results import Undefined
from aliquot.stats.strata import Shares, stratum_weights

Drawn: TypeAlias = Literal["at random", "by verdict", "by stratum", "by stratum and verdict", "unknown"]
"""How the rows to label were drawn; ``unknown`` for rows that were picked."""

NO_VERDICT = "no verdict"
MOST_LEVELS = 20
"""With more levels than this a level has too few labels to say anything."""

PICKED = (
    "the labelled rows were picked and with which probabilities is not known, so they speak for no other rows; "
    "draw them at random, or give the probability with which each was drawn"
)


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """Rows with a verdict, and a label on some of them.

    Attributes:
        labels: 0 or 1 a row; NaN where it was not labelled.
        verdicts: code of the verdict of each row.
        levels: name of each code, numbers in their order, ``no verdict`` last.
        weights: weight of each row among those judged; they sum to 1.
        drawn: weight of each labelled row, for all that it stands for: its weight over its probability of being
            drawn, 1 on average; in the order of the labelled rows.
        clusters: code of each row's cluster; None when rows are independent.
        strata: code of each row's stratum; None without strata.
        refused: why the labels speak for no other rows; None when they do.
    """

    labels: Floats
    verdicts: Integers
    levels: tuple[str, ...]
    weights: Floats
    drawn: Floats
    clusters: Integers | None
    strata: Integers | None
    refused: Undefined | None

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which rows have a label."""
        return ~np.isnan(self.labels)

    @property
    def plain(self) -> bool:
        """Whether the labels of a level count alike and for themselves."""
        return (
            self.clusters is None
            and is_constant(self.weights)
            and all(
                is_constant(self.drawn[self.verdicts[self.labelled] == level])
                for level in range(len(self.levels))
            )
        )


@dataclass(frozen=True, slots=True)
class Layout:
    """How rows hang together: clusters, weights that sum to 1 (None when alike) and strata, each checked."""

    clusters: Integers | None
    weights: Floats | None
    strata: Integers | None

    def stands_for(self, inverse: Floats, labelled: NDArray[np.bool_]) -> Floats | None:
        """Weight of each labelled row over its probability of being drawn, summing to 1; None when all are alike."""
        pull = inverse if self.weights is None else inverse * self.weights[labelled]
        return None if self.weights is None and is_constant(pull) else pull / pull.sum()


def layout(
    n: int, *, clusters: ArrayLike | None, weights: ArrayLike | None, strata: ArrayLike | None, shares: Shares
) -> Layout:
    """Check clusters, weights and strata of ``n`` rows."""
    given = as_row_weights(n, weights=weights, strata=strata, shares=shares)
    return Layout(
        clusters=as_groups(clusters, n),
        weights=None if is_constant(given) else given,
        strata=None if strata is None else as_codes(strata, n, name="strata"),
    )


def judged_rows(
    labels: ArrayLike | Sequence[float | None],
    verdicts: ArrayLike | Sequence[Hashable],
    *,
    clusters: ArrayLike | None,
    weights: ArrayLike | None,
    strata: ArrayLike | None,
    shares: Shares,
    drawn: Drawn,
    chances: ArrayLike | None,
) -> JudgedRows:
    """Check rows that were judged; see :func:`aliquot.stats.corrected.corrected_rate` for the arguments.

    Raises:
        UsageError: an argument has the wrong shape, range or name.
    """
    known = as_labels(labels, name="labels", binary=True)
    if not known.size:
        raise UsageError("there is no judged row")
    codes, levels = as_verdicts(verdicts, known.size)
    share = as_row_weights(known.size, weights=weights, strata=strata, shares=shares)
    groups = as_groups(clusters, known.size)
    layers = None if strata is None else as_codes(strata, known.size, name="strata")
    kept = share > 0
    if not kept.all():
        known, codes, share = known[kept], codes[kept], share[kept]
        groups = None if groups is None else groups[kept]
        layers = None if layers is None else layers[kept]
        chances = None if chances is None else as_array(chances, name="chances")[kept]
    inverse = draw_weights(known, codes, strata=layers, drawn=drawn, chances=chances)
    refused = inverse if isinstance(inverse, Undefined) else None
    stands_for = share[~np.isnan(known)]
    if not isinstance(inverse, Undefined):
        stands_for = stands_for * inverse
    if stands_for.size:
        stands_for = np.ones(stands_for.size) if is_constant(stands_for) else stands_for / stands_for.mean()
    return JudgedRows(known, codes, levels, share, stands_for, groups, layers, refused)


def as_labels(values: ArrayLike | Sequence[float | None], *, name: str, binary: bool) -> Floats:
    """Return labels as floats, NaN where one is missing (None or NaN)."""
    array = as_array(values, name=name, wanted="a list of labels")
    if array.dtype.kind == "O" and array.ndim == 1:
        array = np.array([np.nan if label is None else label for label in array.tolist()])
    if array.dtype.kind == "f" and array.ndim == 1:
        found = array.astype(np.float64)
        given = ~np.isnan(found)
        found[given] = _checked(found[given], name=name, binary=binary)
        return found
    return _checked(array, name=name, binary=binary)


def as_verdicts(
    verdicts: ArrayLike | Sequence[Hashable], n: int, *, name: str = "verdicts"
) -> tuple[Integers, tuple[str, ...]]:
    """Return a code a row and the name of each code; None and NaN are a level of their own, the last."""
    array = as_array(verdicts, name=name, wanted="a list of verdicts")
    if array.shape != (n,):
        raise UsageError(f"{name} must have one for each of the {n} labels; got shape {array.shape}")
    listed = cast("list[Hashable]", array.tolist())
    missing = np.array([one is None or one != one for one in listed], dtype=bool)  # noqa: PLR0124 - NaN is the one value unequal to itself
    seen = {one for one, left in zip(listed, missing.tolist(), strict=True) if not left}
    numbers = all(isinstance(one, int | float) for one in seen)
    order = sorted(seen, key=(lambda one: cast("float", one)) if numbers else str)
    places = {one: place for place, one in enumerate(order)}
    codes = np.array(
        [len(order) if left else places[one] for one, left in zip(listed, missing.tolist(), strict=True)],
        dtype=np.int64,
    )
    names = [f"{one:g}" if isinstance(one, int | float) else str(one) for one in order]
    if missing.any():
        names.append(NO_VERDICT)
    if len(names) > MOST_LEVELS:
        raise UsageError(
            f"{name} take {len(names)} different values, each a level of its own; put them into {MOST_LEVELS} or fewer "
            "(a threshold, or ranges of grades) before a rate is corrected"
        )
    return codes, tuple(names)


def as_groups(clusters: ArrayLike | None, n: int) -> Integers | None:
    """Return codes of the clusters; clusters of one row each say nothing and become None."""
    codes = None if clusters is None else as_codes(clusters, n, name="clusters")
    return None if codes is None or codes.max(initial=0) + 1 == n else codes


def as_row_weights(n: int, *, weights: ArrayLike | None, strata: ArrayLike | None, shares: Shares) -> Floats:
    """Return the weight of each judged row: its own, or the share of its stratum over the rows of it."""
    if strata is None:
        return as_weights(weights, n)
    if weights is not None:
        raise UsageError("give weights, or strata with shares; both would weigh the rows twice")
    return stratum_weights(n, strata=strata, shares=shares)


def draw_weights(
    labels: Floats,
    verdicts: Integers,
    *,
    strata: Integers | None,
    drawn: Drawn,
    chances: ArrayLike | None,
) -> Floats | Undefined:
    """Inverse of the probability with which each labelled row was drawn, of any scale."""
    as_choice(drawn, get_args(Drawn), name="drawn")
    labelled = ~np.isnan(labels)
    if not labelled.any():
        return Undefined("no row is labelled")
    if chances is not None:
        return _known_chances(chances, labelled)
    if drawn == "unknown":
        return Undefined(PICKED)
    if drawn == "at random":
        return np.ones(np.count_nonzero(labelled))
    if strata is None and "stratum" in drawn:
        raise UsageError(f"labels drawn {drawn} need strata: name the stratum of each row")
    cells = np.zeros(labels.size, dtype=np.int64)
    if strata is not None and "stratum" in drawn:
        cells = strata
    if "verdict" in drawn:
        cells = cells * (int(verdicts.max()) + 1) + verdicts
    cells = np.unique(cells, return_inverse=True)[1].reshape(-1)
    judged, kept = np.bincount(cells), np.bincount(cells, labelled)
    if "stratum" in drawn and not kept.all():
        return Undefined(
            f"{np.count_nonzero(kept == 0)} of {kept.size} cells that labels were drawn from have none"
        )
    return (judged / np.maximum(kept, 1))[cells[labelled]]


def _known_chances(chances: ArrayLike, labelled: NDArray[np.bool_]) -> Floats | Undefined:
    array = as_array(chances, name="chances")
    if array.shape != labelled.shape:
        raise UsageError(
            f"chances must have one for each of the {labelled.size} rows; got shape {array.shape}"
        )
    found = as_values(
        as_labels(array.tolist(), name="chances", binary=False)[labelled], name="chances", low=0.0, high=1.0
    )
    if not found.all():
        raise UsageError(
            "chances of labelled rows must be above 0: a row that could not be drawn was not drawn"
        )
    return 1 / found


def _checked(values: ArrayLike, *, name: str, binary: bool) -> Floats:
    array = as_values(values, name=name, at_least=0)
    bad = np.flatnonzero(~np.isin(array, (0.0, 1.0)))
    if binary and bad.size:
        raise UsageError(
            f"{name} must hold 0 and 1, or nothing where a row is not labelled; got {array[bad[0]]:g}"
        )
    return array


def is_constant(values: Floats) -> bool:
    """Whether all are the same but for rounding."""
    return values.size == 0 or bool(values.max() - values.min() <= 1e-12 * values.max())
