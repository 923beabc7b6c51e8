"""P-values of several tests, adjusted for their number; compare an adjusted p with the level as it stands.

Holm, Hochberg, Hommel, Bonferroni and Šidák hold the chance of any false rejection (family-wise error); Benjamini and
Hochberg's and Benjamini and Yekutieli's hold the expected share of false ones among the rejections. ``step_down``
makes its own p-values from differences and keeps their dependence; ``tarone_holm`` spares tests that are too small
to reject at all.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.flips import TIE, column_norms, column_units, enumerable, sign_sums
from aliquot.stats.inputs import (
    Floats,
    Integers,
    RandomSource,
    as_choice,
    as_count,
    as_generator,
    as_values,
)

StepDown: TypeAlias = Literal["max_t", "min_p"]


def bonferroni(p: ArrayLike) -> Floats:
    """K p: holds the family-wise error whatever the dependence; Holm rejects all that it does, and more.

    Args:
        p: p-values, in any order.

    Returns:
        Adjusted p-values in the order given, at most 1.

    Raises:
        UsageError: not a list of values in [0, 1].

    References:
        Bonferroni (1936).

    Examples:
        >>> bonferroni([0.01, 0.02, 0.5]).tolist()
        [0.03, 0.06, 1.0]
    """
    values = _as_p(p)
    return np.minimum(1.0, values * values.size)


def sidak(p: ArrayLike) -> Floats:
    """1 − (1 − p)^K: exact for independent tests (arguments as in :func:`bonferroni`).

    Raises:
        UsageError: not a list of values in [0, 1].

    References:
        Šidák (1967) JASA 62:626.

    Examples:
        >>> sidak([0.05] * 12).round(2).tolist()[0]
        0.46
    """
    values = _as_p(p)
    with np.errstate(divide="ignore"):  # p = 1 has the logarithm −∞ on purpose
        return -np.expm1(values.size * np.log1p(-values))


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down: holds the family-wise error whatever the dependence (arguments as in :func:`bonferroni`).

    Raises:
        UsageError: not a list of values in [0, 1].

    References:
        Holm (1979) Scandinavian Journal of Statistics 6:65.

    Examples:
        >>> holm([0.0121, 0.1986, 0.0142]).round(4).tolist()
        [0.0363, 0.1986, 0.0363]
    """
    values = _as_p(p)
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(values.size, 0, -1)
    return _restored(np.minimum(1.0, np.maximum.accumulate(steps)), order)


def hochberg(p: ArrayLike) -> Floats:
    """Hochberg's step-up: for independent or positively dependent tests (arguments as in :func:`bonferroni`).

    Raises:
        UsageError: not a list of values in [0, 1].

    References:
        Hochberg (1988) Biometrika 75:800.

    Examples:
        >>> hochberg([0.01, 0.02, 0.03]).tolist()
        [0.03, 0.03, 0.03]
    """
    values = _as_p(p)
    order = np.argsort(values, kind="stable")
    return _restored(_from_largest(values[order] * np.arange(values.size, 0, -1)), order)


def hommel(p: ArrayLike) -> Floats:
    """Hommel's procedure, all that Simes's inequality gives by closed testing (arguments as in :func:`bonferroni`).

    Raises:
        UsageError: not a list of values in [0, 1].

    References:
        Hommel (1988) Biometrika 75:383; adjusted p by Wright (1992) Biometrics 48:1005, appendix.

    Examples:
        >>> hommel([0.0121, 0.0142, 0.1986]).round(4).tolist()
        [0.0242, 0.0284, 0.1986]
    """
    values = _as_p(p)
    order = np.argsort(values, kind="stable")
    ranked, k = values[order], values.size
    adjusted = np.maximum(ranked, (k * ranked / np.arange(1, k + 1)).min(initial=1.0))
    for m in range(
        k - 1, 1, -1
    ):  # the hypotheses outside the m largest can only lie in a set with all of those
        rest = k - m + 1
        least = (m * ranked[rest:] / np.arange(2, m + 1)).min()
        adjusted[:rest] = np.maximum(adjusted[:rest], np.minimum(m * ranked[:rest], least))
        adjusted[rest:] = np.maximum(adjusted[rest:], adjusted[rest - 1])
    return _restored(np.minimum(1.0, adjusted), order)


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Step-up for the false discovery rate, independent or positively dependent tests (as :func:`bonferroni`).

    Raises:
        UsageError: not a list of values in [0, 1].

    References:
        Benjamini & Hochberg (1995) JRSS B 57:289.

    Examples:
        >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.5]).round(4).tolist()
        [0.04, 0.0533, 0.0533, 0.5]
    """
    values = _as_p(p)
    order = np.argsort(values, kind="stable")
    return _restored(_from_largest(values[order] * values.size / np.arange(1, values.size + 1)), order)


def benjamini_yekutieli(p: ArrayLike) -> Floats:
    """Step-up for the false discovery rate, whatever the dependence (arguments as in :func:`bonferroni`).

    Raises:
        UsageError: not a list of values in [0, 1].

    References:
        Benjamini & Yekutieli (2001) Annals of Statistics 29:1165.

    Examples:
        >>> benjamini_yekutieli([0.01, 0.02, 0.03, 0.04, 0.05]).round(4).tolist()
        [0.1142, 0.1142, 0.1142, 0.1142, 0.1142]
    """
    values = _as_p(p)
    order = np.argsort(values, kind="stable")
    ranks = np.arange(1, values.size + 1)
    return _restored(_from_largest(values[order] * values.size * (1 / ranks).sum() / ranks), order)


def tarone_holm(p: ArrayLike, *, least: ArrayLike) -> Floats:
    """Holm over the tests that could reject at all: for discrete tests with a smallest possible p.

    With m_R(q) the number of tests in a set R whose smallest possible p is at most q, the adjusted p of rank r is
    max over s ≤ r of p_(s) m(p_(s)) over the tests of rank s and above. Never above Holm's.

    Args:
        p: p-values, in any order.
        least: the smallest p each test could have given (``floor`` of a test); 0 for a continuous one.

    Raises:
        UsageError: values outside [0, 1], lengths differ, or a p below its least.

    References:
        Tarone (1990) Biometrics 46:515, with the number of tests a function of p itself, which makes it monotone, and
        stepped down as in Hommel & Krummenauer (1998) Biometrics 54:673.

    Examples:
        >>> tarone_holm([0.03125, 1.0, 0.25], least=[0.03125, 0.5, 0.25]).tolist()
        [0.03125, 1.0, 0.25]
    """
    values, smallest = _as_p(p), as_values(least, name="least", low=0.0, high=1.0)
    if smallest.size != values.size:
        raise UsageError(
            f"least must have one value for each of the {values.size} p-values; got {smallest.size}"
        )
    below = np.flatnonzero(values < smallest * (1 - 1e-9))
    if below.size:
        raise UsageError(
            f"p at position {below[0]} is {values[below[0]]:g}, below the least it can be, {smallest[below[0]]:g}"
        )
    order = np.argsort(values, kind="stable")
    ranked, floors = values[order], smallest[order] * (1 - 1e-9)
    steps = [p * np.count_nonzero(floors[rank:] <= p) for rank, p in enumerate(ranked)]
    return _restored(np.minimum(1.0, np.maximum.accumulate(steps)), order)


def step_down(
    differences: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    method: StepDown = "max_t",
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Floats:
    """Westfall and Young's step-down p-values by sign flips: the columns' own dependence in place of Holm's bound.

    Columns from the most to the least extreme are compared with the largest T (or the smallest p of a column's own
    flips) of themselves and all less extreme columns. All sign patterns are counted when they are no more than B.

    Args:
        differences: candidate minus baseline, shape (items, columns); NaN where a column does not have the item.
        clusters: one label an item; sums of whole clusters are flipped.
        weights: one non-negative weight an item.
        method: ``max_t``, or ``min_p``, which is fairer to columns with few differences and holds B × K numbers.
        n_resamples: B.
        rng: seed or generator of the flips.

    Returns:
        Adjusted p-values in the order of the columns; 1 where nothing differs.

    Raises:
        UsageError: an argument has the wrong shape, range or name, or a column is empty.

    References:
        Westfall & Young (1993) Resampling-Based Multiple Testing, algorithms 2.8 and 4.1; Ge, Dudoit & Speed (2003)
        Test 12:1, boxes 2 and 4.

    Examples:
        >>> step_down([[1, 0], [1, 1], [1, 0], [1, -1], [1, 0], [1, 1], [1, 0]]).tolist()
        [0.015625, 1.0]
    """
    as_choice(method, get_args(StepDown), name="method")
    draws = int(as_count(n_resamples, name="n_resamples", at_least=1))
    sums = column_units(differences, clusters=clusters, weights=weights).sums
    active = sums[sums.any(axis=1)]
    norms = np.where(active.any(axis=0), column_norms(active), 1.0)
    exact = enumerable(active, draws=draws)
    flipped = np.concatenate(
        [np.abs(batch) / norms for batch in sign_sums(active, draws=draws, rng=as_generator(rng))]
    )
    size = np.abs(active).sum(axis=0) / norms
    observed = np.abs(active.sum(axis=0)) / norms
    if method == "min_p":
        flipped, observed = _as_ranks(flipped, observed, slack=TIE * size, exact=exact)
    thresholds = observed - TIE * (size if method == "max_t" else np.ones_like(size))
    order = np.argsort(-observed, kind="stable")
    successive = np.maximum.accumulate(flipped[:, order[::-1]], axis=1)[:, ::-1]
    reached = (successive >= thresholds[order]).sum(axis=0)
    p = reached / flipped.shape[0] if exact else (reached + 1) / (draws + 1)
    return _restored(np.maximum.accumulate(p), order)


def _as_ranks(flipped: Floats, observed: Floats, *, slack: Floats, exact: bool) -> tuple[Floats, Floats]:
    """1 − p of every flip and of the data, each from its own column's flips: large is extreme, as T is."""
    draws, columns = flipped.shape
    ranks, own = np.empty_like(flipped), np.empty(columns)
    for j in range(columns):
        ordered = np.sort(flipped[:, j])
        ranks[:, j] = np.searchsorted(ordered, flipped[:, j] - slack[j]) / draws
        below = float(np.searchsorted(ordered, observed[j] - slack[j]))
        own[j] = below / draws if exact else below / (draws + 1)
    return ranks, own


def _as_p(p: ArrayLike) -> Floats:
    return as_values(p, name="p", low=0.0, high=1.0)


def _from_largest(steps: Floats) -> Floats:
    """Smallest of each step and all after it, at most 1."""
    return np.minimum(1.0, np.minimum.accumulate(steps[::-1])[::-1])


def _restored(ranked: Floats, order: Integers) -> Floats:
    adjusted = np.empty_like(ranked)
    adjusted[order] = ranked
    return adjusted
