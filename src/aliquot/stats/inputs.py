"""The one check of what comes in: every public function of ``stats`` calls these first, private code trusts them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aliquot.errors import UsageError, nearest

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
RandomSource: TypeAlias = int | np.random.Generator | None

_LARGEST = 5e153
"""Values beyond this overflow when they are squared."""

DEFAULT_SEED = 20_240_229
"""Seed used when the caller gives none: a number printed twice is the same number twice."""


def as_level(level: float) -> float:
    """Return a confidence level strictly between 0 and 1."""
    if not (isinstance(level, int | float) and 0 < level < 1):  # pyright: ignore[reportUnnecessaryIsInstance] - text from a caller without types
        raise UsageError(f"level must lie strictly between 0 and 1 (0.95, not 95); got {level!r}")
    return float(level)


def as_choice(value: str, known: Sequence[str], *, name: str) -> str:
    """Return ``value`` if it is one of ``known``; the error names the nearest."""
    if value not in known:
        raise UsageError(f"unknown {name} {value!r}. {nearest(str(value), known)}")
    return value


def as_count(value: float, *, name: str, at_least: float = 0) -> float:
    """Return a finite number of at least ``at_least``; counts may be fractional (effective counts)."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool | str) or not math.isfinite(number) or number < at_least:  # pyright: ignore[reportUnnecessaryIsInstance] - text from a caller without types
        raise UsageError(f"{name} must be a finite number of at least {at_least:g}; got {str(value)[:40]!r}")
    return number


def as_array(values: object, *, name: str, wanted: str = "a list of numbers") -> NDArray[Any]:
    """Return an array of any shape and type; rows of different lengths are no array."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):  # pyright: ignore[reportUnknownArgumentType]
        raise UsageError(f"{name} holds masked values; decide what they mean, then pass numbers only")
    try:
        return np.asarray(values)
    except ValueError as error:
        raise UsageError(f"{name} must be {wanted}; got rows of different lengths") from error


def as_values(
    values: ArrayLike, *, name: str, at_least: int = 1, low: float | None = None, high: float | None = None
) -> Floats:
    """Return a one-dimensional float array of finite values, ``at_least`` of them or more, within the bounds."""
    array = as_array(values, name=name)
    if array.dtype.kind not in "biuf":
        raise UsageError(f"{name} must be numbers; got an array of {array.dtype}")
    array = array.astype(np.float64)
    if array.ndim != 1:
        raise UsageError(f"{name} must be one-dimensional; got shape {array.shape}")
    if array.size < at_least:
        raise UsageError(f"{name} must hold at least {at_least} value(s); got {array.size}")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise UsageError(
            f"{name} holds {array[bad[0]]} at position {bad[0]} ({bad.size} such); "
            "decide first what a missing value means (see missing outcomes), then pass numbers only"
        )
    if np.abs(array).max(initial=0.0) > _LARGEST:
        raise UsageError(f"{name} must lie within ±{_LARGEST:g}; larger numbers cannot be squared")
    if (low is not None and array.min(initial=low) < low) or (
        high is not None and array.max(initial=high) > high
    ):
        raise UsageError(f"{name} must lie between {low} and {high}; got {array.min()} to {array.max()}")
    return array


def as_binary(values: ArrayLike, *, name: str) -> Floats:
    """Return an array of zeros and ones."""
    array = as_values(values, name=name)
    if not np.isin(array, (0.0, 1.0)).all():
        bad = int(np.flatnonzero(~np.isin(array, (0.0, 1.0)))[0])
        raise UsageError(f"{name} must hold 0 and 1 only; got {array[bad]:g} at position {bad}")
    return array


def as_codes(labels: ArrayLike | None, n: int, *, name: str) -> Integers:
    """Return integer codes 0..G−1 for ``n`` labels of any type; None means that each row is its own group."""
    if labels is None:
        return np.arange(n, dtype=np.int64)
    array = as_array(labels, name=name, wanted="a list of labels")
    if array.shape != (n,):
        raise UsageError(f"{name} must have one label for each of the {n} values; got shape {array.shape}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise UsageError(f"{name} holds a missing label; name a cluster for every row, or give each its own")
    if array.dtype.kind == "O":
        if any(label is None or label != label for label in array):  # noqa: PLR0124 - NaN is the one value unequal to itself
            raise UsageError(
                f"{name} holds a missing label; name a cluster for every row, or give each its own"
            )
        array = np.array([f"{type(label).__name__}:{label}" for label in array])
    if array.dtype.kind in "iu" and n:
        first, last = int(array.min()), int(array.max())
        if last - first < 2 * n + 1000 and last < 2**62:  # numbered already: counting is faster than sorting
            shifted = array.astype(np.int64) - first
            return (np.cumsum(np.bincount(shifted) > 0) - 1)[shifted]
    return np.unique(array, return_inverse=True)[1].astype(np.int64).reshape(-1)


def as_weights(weights: ArrayLike | None, n: int) -> Floats:
    """Return ``n`` non-negative weights that sum to 1; None means equal weights."""
    if weights is None:
        return np.full(n, 1.0 / n)
    array = as_values(weights, name="weights", low=0.0)
    if array.size != n:
        raise UsageError(f"weights must have one weight for each of the {n} values; got {array.size}")
    total = array.sum()
    if not total > 0:
        raise UsageError("weights must not all be zero")
    return array / total


def as_generator(rng: RandomSource) -> np.random.Generator:
    """Return a generator from a seed, a generator, or None (the fixed default seed)."""
    if isinstance(rng, np.random.Generator):
        return rng
    seed = DEFAULT_SEED if rng is None else rng
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:  # pyright: ignore[reportUnnecessaryIsInstance] - text from a caller without types
        raise UsageError(
            f"rng must be a whole number of at least 0 or a numpy Generator; got {str(rng)[:40]!r}"
        )
    return np.random.default_rng(seed)
