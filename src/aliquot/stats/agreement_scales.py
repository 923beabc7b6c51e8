"""How near two labels are: what turns "same or not" into part of an agreement, on each scale of measurement.

Every weight here is wₖₗ = b(k)ᵀ M b(l) for a basis b of the labels. On a nominal scale b(k) is the k-th unit vector
and M the weights themselves. On an interval scale 1 − (x − y)²/R² needs only b = (1, x, x²), whatever the number of
labels, so that ratings on a continuous scale cost no more than five grades.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

import numpy as np

from aliquot.errors import UsageError
from aliquot.stats.inputs import Floats, as_array, as_choice
from aliquot.stats.rater_tables import RatingTable

ScaleName: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio", "linear", "quadratic"]
Scale: TypeAlias = ScaleName | Sequence[Sequence[float]] | Floats

SCALES = ("nominal", "ordinal", "interval", "ratio", "linear", "quadratic")
MOST_RANKED = 12
"""Labels up to which the ranks of an ordinal scale follow each resample."""
MOST_LABELS = 2000
"""Labels beyond which a table of weights is not built."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """Weights of pairs of labels, by a basis.

    Attributes:
        name: the scale.
        basis: K × b.
        form: b × b; None when the weights follow the ratings themselves (ordinal).
        labels: K.
    """

    name: str
    basis: Floats
    form: Floats | None
    labels: int


def nearness(table: RatingTable, scale: Scale, *, full: bool = False) -> Nearness:
    """Weights of a scale for the labels of a table.

    Args:
        table: the ratings.
        scale: a name, or a K × K array of weights with 1 on the diagonal.
        full: whether the weight of every pair of labels is needed (coefficients that count labels).

    Raises:
        UsageError: an unknown scale, a scale the labels do not have, weights that are none.
    """
    k = len(table.labels)
    if not isinstance(scale, str):
        return Nearness("own", np.eye(k), _own(scale, k), k)
    as_choice(scale, SCALES, name="scale")
    if scale == "nominal":
        return Nearness(scale, np.eye(_few(k)), np.eye(k), k)
    _require_order(table, scale)
    if scale == "ordinal" and k <= MOST_RANKED and not full:
        return Nearness(scale, np.eye(k), None, k)
    places = _places(table, scale)
    if scale in {"interval", "ordinal", "quadratic"} and not full:
        x = _scaled(places)
        form = np.array([[1.0, 0, -1], [0, 2, 0], [-1, 0, 0]])
        return Nearness(scale, np.stack([np.ones(k), x, x * x], axis=1), form, k)
    return Nearness(scale, np.eye(_few(k)), 1 - _distances(places, scale), k)


def _require_order(table: RatingTable, scale: str) -> None:
    text = next((label for label in table.labels if isinstance(label, str)), None)
    if text is None:
        return
    if scale in {"interval", "ratio"}:
        raise UsageError(f"scale {scale!r} is of numbers; got labels such as {text!r}")
    if not table.ordered:
        raise UsageError(f"labels such as {text!r} have no order of their own; name labels= from low to high")


def _places(table: RatingTable, scale: str) -> Floats:
    """Where each label stands on its scale."""
    if scale in {"linear", "quadratic"}:
        return np.arange(len(table.labels), dtype=np.float64)
    if scale == "ordinal":
        return ranks(np.bincount(table.codes[table.present], minlength=len(table.labels)).astype(np.float64))
    try:
        values = np.array([float(cast("float", label)) for label in table.labels])
    except OverflowError as error:
        raise UsageError(
            f"scale {scale!r} is of numbers a computer can add; one label is too large"
        ) from error
    if scale == "ratio" and (values < 0).any():
        raise UsageError(f"a ratio scale has no negative values; got {values.min():g}. An interval scale may")
    return values


def ranks(counts: Floats) -> Floats:
    """Middle rank of each label from how often each occurs (…, K)."""
    return np.cumsum(counts, axis=-1) - counts / 2


def _scaled(places: Floats) -> Floats:
    """Places with a range of 1 about 0, so that squares lose no digits."""
    span = float(np.ptp(places)) if places.size else 0.0
    return (places - places.mean()) / span if span > 0 else np.zeros_like(places)


def _distances(places: Floats, scale: str) -> Floats:
    """Distance of every pair of labels, 1 for the furthest."""
    apart = np.abs(places[:, None] - places[None, :])
    if scale == "ratio":
        apart = np.divide(apart, places[:, None] + places[None, :], out=np.zeros_like(apart), where=apart > 0)
    squared = apart if scale == "linear" else apart**2
    largest = float(squared.max(initial=0.0))
    return squared / largest if largest > 0 else squared


def _own(scale: object, k: int) -> Floats:
    given = as_array(scale, name="scale", wanted="a name or a table of weights")
    if given.dtype.kind not in "biuf" or given.shape != (k, k):
        raise UsageError(
            f"weights must be a {k} × {k} table of numbers, a row a label; got shape {given.shape}"
        )
    form = given.astype(np.float64)
    if not np.isfinite(form).all() or not np.array_equal(form, form.T):
        raise UsageError("weights must be finite and the same both ways round")
    if not (np.diag(form) == 1).all() or form.min() < 0 or form.max() > 1:
        raise UsageError("weights run from 0 (nothing in common) to 1, and a label is fully like itself")
    return form


def _few(k: int) -> int:
    if k > MOST_LABELS:
        raise UsageError(
            f"{k} different labels are too many for this scale; for measurements say scale='interval'"
        )
    return k
