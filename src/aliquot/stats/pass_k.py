"""What k attempts at an item give: one of them right (pass@k), all (pass^k), most (majority@k).

Each is estimated without bias from n ≥ k attempts an item and averaged over items, the sampling unit.
With fewer than k attempts it is undefined, never 1 and never extrapolated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.inputs import Floats, Integers, as_array, as_choice, as_count, as_values
from aliquot.stats.means import mean_bounded
from aliquot.stats.results import Estimate, Record, Undefined

Incomplete: TypeAlias = Literal["refuse", "leave_out"]
ItemValue: TypeAlias = Callable[[int, int, int], float]


@dataclass(frozen=True, slots=True)
class IndependenceGap(Record):
    """How far "attempts are independent" is from what was seen.

    Attributes:
        k: attempts.
        pass_at_k: unbiased pass@k.
        at_k_if_independent: 1 − (1 − p̂)^k; too high when items differ in difficulty.
        pass_hat_k: unbiased pass^k.
        hat_k_if_independent: p̂^k; too low when items differ in difficulty.
        p: p̂, mean pass rate over items.
    """

    k: int
    pass_at_k: float
    at_k_if_independent: float
    pass_hat_k: float
    hat_k_if_independent: float
    p: float


def pass_at_k(
    correct: ArrayLike,
    attempts: ArrayLike,
    *,
    k: int,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    incomplete: Incomplete = "refuse",
    level: float = 0.95,
) -> Estimate | Undefined:
    """Chance that at least one of k attempts is right, averaged over items: 1 − C(n−c, k)/C(n, k) of each.

    Args:
        correct: c, right attempts of each item.
        attempts: n, attempts of each item.
        k: attempts that are allowed.
        clusters: one label an item; None when items are independent.
        weights: one non-negative weight an item.
        incomplete: with items of fewer than k attempts ``refuse`` the average, or ``leave_out`` those items,
            whose positions are then in ``settings``.
        level: confidence level.

    Returns:
        The mean over items with the interval for bounded scores. Undefined when an item has fewer than k
        attempts (or all have, when leaving out), and with one item or one cluster.

    Raises:
        UsageError: counts that are not whole, more right attempts than attempts, or k below 1.

    References:
        Chen et al. (2021) Evaluating Large Language Models Trained on Code, eq. 1.

    Examples:
        >>> print(pass_at_k([3, 0, 10, 5], [10, 10, 10, 10], k=5))
        0.7282 [0.1343, 0.9788] 95% pass_at_k, n = 4
    """
    c, n, k = _checked(correct, attempts, k)
    return _averaged(
        _any_right,
        c,
        n,
        k,
        method="pass_at_k",
        clusters=clusters,
        weights=weights,
        incomplete=incomplete,
        level=level,
    )


def pass_hat_k(
    correct: ArrayLike,
    attempts: ArrayLike,
    *,
    k: int,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    incomplete: Incomplete = "refuse",
    level: float = 0.95,
) -> Estimate | Undefined:
    """Chance that all of k attempts are right (pass^k), averaged over items: C(c, k)/C(n, k) of each.

    Arguments, returns and errors as in :func:`pass_at_k`.

    Raises:
        UsageError: as in :func:`pass_at_k`.

    References:
        Yao et al. (2024) τ-bench, section 4.

    Examples:
        >>> print(pass_hat_k([3, 0, 10, 5], [10, 10, 10, 10], k=2))
        0.3222 [0.0347, 0.8628] 95% pass_hat_k, n = 4
    """
    c, n, k = _checked(correct, attempts, k)
    return _averaged(
        _all_right,
        c,
        n,
        k,
        method="pass_hat_k",
        clusters=clusters,
        weights=weights,
        incomplete=incomplete,
        level=level,
    )


def majority_at_k(
    correct: ArrayLike,
    attempts: ArrayLike,
    *,
    k: int,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    incomplete: Incomplete = "refuse",
    level: float = 0.95,
) -> Estimate | Undefined:
    """Chance that more than half of k attempts are right, a tie counting half, averaged over items.

    It is the accuracy of a vote when wrong answers agree on one wrong value; where they scatter a plurality
    does better. Arguments, returns and errors as in :func:`pass_at_k`.

    Raises:
        UsageError: as in :func:`pass_at_k`.

    Examples:
        >>> print(majority_at_k([3, 0, 10, 5], [10, 10, 10, 10], k=3))
        0.4208 [0.0673, 0.8798] 95% majority_at_k, n = 4
    """
    c, n, k = _checked(correct, attempts, k)
    return _averaged(
        _most_right,
        c,
        n,
        k,
        method="majority_at_k",
        clusters=clusters,
        weights=weights,
        incomplete=incomplete,
        level=level,
    )


def item_pass_at_k(correct: ArrayLike, attempts: ArrayLike, *, k: int) -> tuple[float | Undefined, ...]:
    """pass@k of each item; Undefined for an item with fewer than k attempts.

    Raises:
        UsageError: as in :func:`pass_at_k`.

    References:
        Chen et al. (2021) Evaluating Large Language Models Trained on Code, eq. 1.

    Examples:
        >>> item_pass_at_k([0, 2, 0], [4, 5, 5], k=5)[1:]
        (1.0, 0.0)
    """
    c, n, k = _checked(correct, attempts, k)
    return tuple(
        _any_right(right, total, k) if total >= k else Undefined(f"{total} attempts, fewer than k = {k}")
        for right, total in zip(c.tolist(), n.tolist(), strict=True)
    )


def independence_gap(correct: ArrayLike, attempts: ArrayLike, *, k: int) -> IndependenceGap | Undefined:
    """Compare pass@k and pass^k with what p̂ alone would give if attempts were independent draws of one rate.

    Args:
        correct: c, right attempts of each item.
        attempts: n, attempts of each item.
        k: attempts.

    Returns:
        Both pairs, or Undefined when an item has fewer than k attempts.

    Raises:
        UsageError: as in :func:`pass_at_k`.

    References:
        Chen et al. (2021) Evaluating Large Language Models Trained on Code, eq. 1.

    Examples:
        >>> gap = independence_gap([4, 0, 4, 0], [4, 4, 4, 4], k=4)
        >>> gap.pass_at_k, gap.at_k_if_independent, gap.pass_hat_k, gap.hat_k_if_independent
        (0.5, 0.9375, 0.5, 0.0625)
    """
    c, n, k = _checked(correct, attempts, k)
    if n.min() < k:
        return _too_few(n, k)
    p = float((c / n).mean())
    return IndependenceGap(
        k=k,
        pass_at_k=float(_each(_any_right, c, n, k).mean()),
        at_k_if_independent=1 - (1 - p) ** k,
        pass_hat_k=float(_each(_all_right, c, n, k).mean()),
        hat_k_if_independent=p**k,
        p=p,
    )


def _averaged(
    value: ItemValue,
    c: Integers,
    n: Integers,
    k: int,
    *,
    method: str,
    clusters: ArrayLike | None,
    weights: ArrayLike | None,
    incomplete: str,
    level: float,
) -> Estimate | Undefined:
    """Mean of an item's value over items, with the interval for bounded scores."""
    as_choice(incomplete, get_args(Incomplete), name="incomplete")
    enough = n >= k
    if not enough.all() and (incomplete == "refuse" or not enough.any()):
        return _too_few(n, k)
    found = mean_bounded(
        _each(value, c[enough], n[enough], k),
        clusters=None
        if clusters is None
        else as_array(clusters, name="clusters", wanted="a list of labels")[enough],
        weights=None if weights is None else as_array(weights, name="weights")[enough],
        level=level,
    )
    if isinstance(found, Undefined):
        return found
    left_out = tuple(np.flatnonzero(~enough).tolist())
    note = f"{len(left_out)} items of fewer than {k} attempts left out" if left_out else ""
    return replace(
        found,
        method=method,
        settings={**found.settings, "k": k, "left_out": left_out, "interval": found.method},
        why="; ".join(filter(None, [found.why, note])),
    )


def _each(value: ItemValue, c: Integers, n: Integers, k: int) -> Floats:
    """The value of each item, computed once for each distinct pair of counts."""
    pairs, which = np.unique(np.stack([c, n]), axis=1, return_inverse=True)
    return np.array([value(right, total, k) for right, total in pairs.T.tolist()])[which.reshape(-1)]


def _any_right(c: int, n: int, k: int) -> float:
    """1 − C(n−c, k)/C(n, k): Chen et al. (2021), eq. 1, in whole numbers."""
    return 1 - math.comb(n - c, k) / math.comb(n, k)


def _all_right(c: int, n: int, k: int) -> float:
    return math.comb(c, k) / math.comb(n, k)


def _most_right(c: int, n: int, k: int) -> float:
    """Hypergeometric chance of more than k/2 right among k drawn, half of the chance of exactly k/2 added."""
    twice = sum(
        math.comb(c, x) * math.comb(n - c, k - x) * (1 if 2 * x == k else 2)
        for x in range((k + 1) // 2, k + 1)
    )
    return twice / (2 * math.comb(n, k))


def _too_few(n: Integers, k: int) -> Undefined:
    short = int((n < k).sum())
    return Undefined(
        f"{short} of {n.size} items have fewer than {k} attempts; every item supports k up to {n.min()}"
    )


def _checked(correct: ArrayLike, attempts: ArrayLike, k: int) -> tuple[Integers, Integers, int]:
    """Whole counts of right attempts and of attempts, one an item, and k."""
    c = as_values(correct, name="correct", low=0)
    n = as_values(attempts, name="attempts", low=1)
    if c.size != n.size:
        raise UsageError(f"correct and attempts must hold the same items; got {c.size} and {n.size} values")
    if np.any(c != np.rint(c)) or np.any(n != np.rint(n)):
        raise UsageError("correct and attempts must be whole numbers")
    if np.any(c > n):
        raise UsageError(f"item {int(np.flatnonzero(c > n)[0])} has more right attempts than attempts")
    size = as_count(k, name="k", at_least=1)
    if size != int(size):
        raise UsageError(f"k must be a whole number; got {k}")
    return c.astype(np.int64), n.astype(np.int64), int(size)
