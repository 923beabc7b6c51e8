"""Difference of two systems that answered each shared item several times.

The items stay the sampling unit: repeating an item does not make more of it. What repeats do buy is a smaller
error of each item's mean, which the variance of the item differences already holds.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.distributions import two_sided_t
from aliquot.stats.effective import as_rows
from aliquot.stats.inputs import Floats, as_array, as_level, as_values, as_weights
from aliquot.stats.paired import differences, paired_binary_difference
from aliquot.stats.paired_forms import effective_tango
from aliquot.stats.results import Estimate, Undefined


def paired_attempts(
    a: ArrayLike,
    b: ArrayLike,
    *,
    attempts_a: ArrayLike,
    attempts_b: ArrayLike,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    pool: float | None = None,
    level: float = 0.95,
) -> Estimate | Undefined:
    """Difference of two pass rates over shared items with attempts: Tango on effective n.

    ψ̂ is the mean of ā(1 − b̄) + b̄(1 − ā), V the variance of the mean item difference, and
    n/2 ≤ n_eff = (ψ̂ − d̂²)/V ≤ n k, with k the harmonic mean of all attempts. With ψ̂ = 0 n_eff is n (with
    clusters their number); with V = 0 < ψ̂ it is n k. With clusters only the upper bound holds. One attempt
    throughout is the binary case.

    Args:
        a: the baseline's pass rate on each item, over its attempts.
        b: the candidate's pass rate on the same items.
        attempts_a: attempts behind each value of ``a``, one number or one an item.
        attempts_b: attempts behind each value of ``b``.
        clusters: one label an item; None when items are independent.
        weights: one non-negative weight an item.
        pool: number of items in the finite pool these were drawn from; None for items like these.
        level: confidence level.

    Raises:
        UsageError: lengths differ, a rate lies outside 0 and 1, or attempts are below 1.

    References:
        Tango (1998), Statistics in Medicine 17:891-908; effective n: design of this package.

    Examples:
        >>> print(paired_attempts([0, 0.5, 1, 0.25], [0.25, 0.5, 1, 1], attempts_a=4, attempts_b=4))
        0.2500 [-0.4191, 0.7274] 95% tango_effective_n, n = 4
    """
    level = as_level(level)
    a, b = as_values(a, name="a", low=0, high=1), as_values(b, name="b", low=0, high=1)
    d = differences(a, b)
    k = np.concatenate([_as_attempts(k, a.size, name=name) for name, k in _named(attempts_a, attempts_b)])
    if k.max() == 1:
        return paired_binary_difference(a, b, clusters=clusters, weights=weights, pool=pool, level=level)
    rows = as_rows(d, clusters=clusters, weights=weights)
    v = cluster_variance(rows.y, clusters=rows.clusters, weights=rows.weights)
    if isinstance(v, Undefined):
        return v
    return effective_tango(
        v,
        psi=float(as_weights(weights, a.size) @ (a * (1 - b) + b * (1 - a))),
        level=level,
        most=v.n / float((1 / k).mean()),
        least=0.0 if v.clustered else v.n / 2,
        none_differ=None if v.clustered else v.n,
        pool=pool,
    )


def these_items_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    attempts_a: ArrayLike,
    attempts_b: ArrayLike,
    variances_a: ArrayLike | None = None,
    variances_b: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate | Undefined:
    """Difference on these items only: what would change if the same items were asked again.

    t with V = n⁻² Σ (s²_A/k_A + s²_B/k_B) over items and ν = Σ(k − 1) over both systems. It says nothing
    about other items, and is narrower than the interval for items like these.

    Args:
        a: the baseline's mean on each item, over its attempts.
        b: the candidate's mean on the same items.
        attempts_a: attempts behind each value of ``a``, one number or one an item.
        attempts_b: attempts behind each value of ``b``.
        variances_a: s² between the attempts of each item; None for pass rates.
        variances_b: the same for ``b``.
        level: confidence level.

    Returns:
        The estimate, or Undefined when an item has one attempt or no attempt differs from another.

    Raises:
        UsageError: lengths differ, attempts are below 1, or rates without variances lie outside 0 and 1.

    References:
        Satterthwaite (1946) Biometrics Bulletin 2:110.

    Examples:
        >>> print(these_items_difference([0, 0.5, 1], [0.25, 0.5, 1], attempts_a=4, attempts_b=4))
        0.0833 [-0.2519, 0.4186] 95% t_these_items, n = 3
    """
    level = as_level(level)
    a, b = as_values(a, name="a"), as_values(b, name="b")
    d = differences(a, b)
    k_a, k_b = (_as_attempts(k, a.size, name=name) for name, k in _named(attempts_a, attempts_b))
    if min(k_a.min(), k_b.min()) < 2:
        return Undefined(
            "an item with one attempt does not show how its answers vary; ask each item twice or more"
        )
    sums = _within(a, k_a, variances_a, name="a") / k_a + _within(b, k_b, variances_b, name="b") / k_b
    variance = float(sums.sum()) / a.size**2
    if variance == 0:
        return Undefined("no two attempts at an item differ, so the error on these items cannot be seen")
    df = float((k_a - 1).sum() + (k_b - 1).sum())
    point, half = float(d.mean()), two_sided_t(level, df) * math.sqrt(variance)
    return Estimate(
        point=point,
        low=point - half,
        high=point + half,
        level=level,
        method="t_these_items",
        n=a.size,
        se=math.sqrt(variance),
        df=df,
        settings={"target": "these items only"},
        why="the target is these items only",
    )


def _within(mean: Floats, k: Floats, given: ArrayLike | None, *, name: str) -> Floats:
    """Variance between the attempts of each item; k p(1 − p)/(k − 1) for pass rates."""
    if given is not None:
        s2 = as_values(given, name=f"variances_{name}", low=0.0)
        if s2.size != mean.size:
            raise UsageError(
                f"variances_{name} must have one value for each of the {mean.size} items; got {s2.size}"
            )
        return s2
    rates = as_values(mean, name=name, low=0, high=1)
    return k * rates * (1 - rates) / (k - 1)


def _named(
    attempts_a: ArrayLike, attempts_b: ArrayLike
) -> tuple[tuple[str, ArrayLike], tuple[str, ArrayLike]]:
    return ("attempts_a", attempts_a), ("attempts_b", attempts_b)


def _as_attempts(attempts: ArrayLike, n: int, *, name: str) -> Floats:
    """One number of attempts an item, each at least 1."""
    array = as_array(attempts, name=name)
    k = as_values(np.full(n, array) if array.ndim == 0 else array, name=name, low=1)
    if k.size != n:
        raise UsageError(f"{name} must be one number or one for each of the {n} items; got {k.size}")
    return k
