"""What clusters, attempts and a fallible judge do to a paired design: what an item is worth, what is seen of Δ."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from aliquot.errors import UsageError
from aliquot.stats.design_effects import design_effect_of
from aliquot.stats.discordance import as_power, as_rate, feasible_difference
from aliquot.stats.distributions import normal_quantile, two_sided_z
from aliquot.stats.inputs import as_count, as_level
from aliquot.stats.power import (
    Detectable,
    PowerMethod,
    detectable_difference,
    mcnemar_power,
    mcnemar_sample_size,
)
from aliquot.stats.results import Record, Undefined

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class FoldedDesign(Record):
    """A paired design as a plain one: what is seen of the difference, and what an item is worth.

    Attributes:
        difference: candidate minus baseline, as the judge sees it.
        psi: share of items on which the two differ, as the judge sees it.
        worth: independent single-attempt items that one item is worth; above 1 with attempts, below with clusters.
        factor: se + sp − 1, by which the judge shrinks a difference.
        rate_a: rate of the baseline, as the judge sees it.
        rate_b: rate of the candidate, as the judge sees it.
        attempts: attempts of each system at each item.
        cluster_size: (average) items of a cluster.
    """

    difference: float
    psi: float
    worth: float
    factor: float
    rate_a: float
    rate_b: float
    attempts: int
    cluster_size: float

    def effective(self, n: float) -> float:
        """Independent items that ``n`` items are worth."""
        return as_count(n, name="n") * self.worth

    def items(self, n_eff: float) -> int:
        """Items that are worth ``n_eff`` independent ones, rounded up."""
        return math.ceil(as_count(n_eff, name="n_eff") / self.worth - 1e-9)

    def power(self, n: float, *, level: float = 0.95, method: PowerMethod = "exact") -> float:
        """Return the power of McNemar's test on the independent items that ``n`` items are worth; 0 below one."""
        worth = self.effective(n)
        if worth < 1:
            return 0.0
        return mcnemar_power(worth, psi=self.psi, difference=self.difference, level=level, method=method)

    def sample_size(
        self, *, power: float = 0.8, level: float = 0.95, method: PowerMethod = "exact"
    ) -> int | Undefined:
        """Items from which on that power stays at or above the target; Undefined when the judge sees no difference."""
        if self.difference == 0:
            return Undefined("the judge cannot see the difference: its factor se + sp − 1 is 0")
        needed = mcnemar_sample_size(self.psi, self.difference, power=power, level=level, method=method)
        return needed if isinstance(needed, Undefined) else self.items(needed)

    def detectable(
        self, n: float, *, power: float = 0.8, level: float = 0.95, method: PowerMethod = "exact"
    ) -> Detectable | Undefined:
        """Return the smallest true difference that ``n`` items would show through this judge.

        As :func:`aliquot.stats.power.detectable_difference` at this psi, on the scale of the truth; its ``n`` and
        ``psi`` are those of the plain design.
        """
        worth = self.effective(n)
        if self.factor == 0:
            return Undefined("the judge cannot see any difference: its factor se + sp − 1 is 0")
        if worth < 1:
            return Undefined(f"{n:g} items are worth less than one independent item")
        found = detectable_difference(worth, psi=self.psi, power=power, level=level, method=method)
        if isinstance(found, Undefined):
            return found
        low, high = found.low / self.factor, found.high / self.factor
        if low > 1:
            return Undefined("through this judge not even a candidate that fixes everything would be found")
        return replace(found, low=low, high=min(1.0, high))


def fold_design(
    rate_a: float,
    rate_b: float,
    *,
    psi: float,
    cluster_size: float = 1,
    icc: float = 0.0,
    attempts: int = 1,
    within: float = 0.0,
    sensitivity: float = 1.0,
    specificity: float = 1.0,
) -> FoldedDesign:
    """Fold clusters, attempts and judge errors into one plain paired design.

    The variance of one item's single-attempt difference is ψ − Δ². A share ``within`` of it comes from the attempts
    and is divided by their number; a share ``icc`` is common to a cluster and adds (m − 1) icc. The judge's errors
    are taken as independent given the truth, in the two systems and over attempts: they shrink the difference by
    se + sp − 1, and make the two look different where they are not.

    Args:
        rate_a: true rate of the baseline.
        rate_b: true rate of the candidate.
        psi: share of items on which one attempt of each differs.
        cluster_size: items of a cluster, m; with unequal sizes Σm²/Σm.
        icc: correlation of the differences of two items of a cluster, for one attempt.
        attempts: attempts of each system at each item.
        within: share of the variance of a difference that two attempts at one item do not have in common.
        sensitivity: chance that the judge passes what is right.
        specificity: chance that it fails what is wrong.

    Raises:
        UsageError: a psi that the rates do not allow, shares outside [0, 1] or that add up to more than 1, an icc
            outside [0, 1), a judge worse than chance.

    References:
        Kish (1965), Survey Sampling, eq. 5.4.1; Rogan & Gladen (1978), American Journal of Epidemiology 107:71-76,
        for se + sp − 1; Miller (2024), arXiv:2411.00640, section 5, for attempts.

    Examples:
        >>> design = fold_design(0.8, 0.85, psi=0.2, cluster_size=5, icc=0.1, sensitivity=0.95, specificity=0.9)
        >>> round(design.difference, 4), round(design.psi, 4), round(design.worth, 4)
        (0.0425, 0.2544, 0.8157)
        >>> design.sample_size()
        1403
    """
    difference = feasible_difference(rate_a, rate_b, psi=psi)
    k, m = (
        int(as_count(attempts, name="attempts", at_least=1)),
        as_count(cluster_size, name="cluster_size", at_least=1),
    )
    share, common = as_rate(within, name="within"), as_rate(icc, name="icc")
    if share + common > 1 + _ROUNDING:
        raise UsageError(
            f"within and icc are shares of one variance and cannot exceed 1 together; got {within:g} and {icc:g}"
        )
    se, sp = as_rate(sensitivity, name="sensitivity"), as_rate(specificity, name="specificity")
    factor = se + sp - 1
    if factor < 0:
        raise UsageError(
            f"sensitivity and specificity add up to {se + sp:g}; below 1 the judge is worse than chance"
        )
    both = (rate_a + rate_b - psi) / 2
    neither = 1 - psi - both
    seen_psi = psi * (se * sp + (1 - se) * (1 - sp)) + 2 * both * se * (1 - se) + 2 * neither * sp * (1 - sp)
    seen = factor * difference
    # what the judge adds is noise of single attempts: the other parts keep factor² of their size
    old, new = psi - difference**2, seen_psi - seen**2
    kept = factor**2 * old / new if new > 0 else 1.0
    cluster_part = kept * (design_effect_of(common, m) - 1)
    attempts_part = (1 - kept * (1 - share)) * (1 - 1 / k)
    return FoldedDesign(
        difference=seen,
        psi=min(1.0, max(abs(seen), seen_psi)),
        worth=1 / (1 - attempts_part + cluster_part) if new > 0 else 1.0,
        factor=factor,
        rate_a=se * rate_a + (1 - sp) * (1 - rate_a),
        rate_b=se * rate_b + (1 - sp) * (1 - rate_b),
        attempts=k,
        cluster_size=m,
    )


def attempts_sample_size(
    difference: float,
    *,
    between: float,
    within_a: float,
    within_b: float,
    attempts: int = 1,
    attempts_b: int | None = None,
    power: float = 0.8,
    level: float = 0.95,
) -> float:
    """Shared items for repeated attempts from variance components, by the normal formula, unrounded; round up.

    Args:
        difference: true mean difference, not 0.
        between: variance over items of the difference of the two systems' expected scores.
        within_a: variance of one attempt of the baseline at an item.
        within_b: the same for the candidate.
        attempts: attempts of the baseline at each item (and of the candidate, when ``attempts_b`` is left out).
        attempts_b: attempts of the candidate.
        power: wanted chance of rejecting.
        level: confidence level; the two-sided test rejects at 1 − level.

    Raises:
        UsageError: a difference of 0, a negative variance, no variance at all, a power or level outside (0, 1).

    References:
        Miller (2024), Adding Error Bars to Evals, arXiv:2411.00640, section 5.

    Examples:
        >>> round(attempts_sample_size(0.03, between=1 / 9, within_a=1 / 6, within_b=1 / 6), 1)
        3876.0
    """
    if difference == 0 or not math.isfinite(difference):
        raise UsageError("no number of items finds a difference of 0; name the smallest one that matters")
    variance = _item_variance(between, within_a, within_b, attempts, attempts_b)
    return variance * (_reach(power, level) / difference) ** 2


def attempts_detectable(
    n: float,
    *,
    between: float,
    within_a: float,
    within_b: float,
    attempts: int = 1,
    attempts_b: int | None = None,
    power: float = 0.8,
    level: float = 0.95,
) -> float:
    """Smallest mean difference found by repeated attempts at ``n`` shared items; as :func:`attempts_sample_size`.

    Raises:
        UsageError: n below 1, a negative variance, no variance at all, a power or level outside (0, 1).

    References:
        Miller (2024), Adding Error Bars to Evals, arXiv:2411.00640, section 5.

    Examples:
        >>> round(attempts_detectable(198, between=1 / 9, within_a=1 / 6, within_b=1 / 6), 4)
        0.1327
    """
    size = as_count(n, name="n", at_least=1)
    variance = _item_variance(between, within_a, within_b, attempts, attempts_b)
    return _reach(power, level) * math.sqrt(variance / size)


def best_attempts(*, between: float, within: float, item_cost: float, attempt_cost: float) -> int:
    """Attempts at each item that make the error of a mean smallest for what it costs.

    An item costs ``item_cost`` once (writing, labelling) and ``attempt_cost`` for each attempt; the best k is near
    √(item_cost · within / (attempt_cost · between)).

    Args:
        between: variance between items (a negative estimate counts as 0).
        within: variance of one attempt at an item.
        item_cost: cost of an item, whatever the attempts.
        attempt_cost: cost of an attempt, above 0.

    Raises:
        UsageError: a negative variance within or cost, an attempt that costs nothing, no variance between.

    References:
        Cochran (1977), Sampling Techniques, 10.6, eq. 10.31.

    Examples:
        >>> best_attempts(between=0.05, within=0.2, item_cost=1, attempt_cost=0.05)
        9
    """
    spread, noise = max(0.0, float(between)), as_count(within, name="within")
    fixed, each = as_count(item_cost, name="item_cost"), as_count(attempt_cost, name="attempt_cost")
    if each == 0:
        raise UsageError("attempt_cost must be positive; what costs nothing has no best number")
    if spread == 0:
        raise UsageError("items that do not differ need no second item; between must be positive")

    def price(k: int) -> float:
        return (fixed + each * k) * (spread + noise / k)

    near = max(1, math.floor(math.sqrt(fixed * noise / (each * spread))))
    return min((near, near + 1), key=price)


def _item_variance(
    between: float, within_a: float, within_b: float, attempts: int, attempts_b: int | None
) -> float:
    k_a = as_count(attempts, name="attempts", at_least=1)
    k_b = k_a if attempts_b is None else as_count(attempts_b, name="attempts_b", at_least=1)
    variance = max(0.0, float(between)) + as_count(within_a, name="within_a") / k_a
    variance += as_count(within_b, name="within_b") / k_b
    if not variance > 0:
        raise UsageError(
            "between, within_a and within_b must not all be 0; without variance there is nothing to plan"
        )
    return variance


def _reach(power: float, level: float) -> float:
    return max(0.0, two_sided_z(as_level(level)) + normal_quantile(as_power(power)))
