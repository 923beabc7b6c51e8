"""Estimates of one quantity from several groups: are they further apart than chance, and where do they lie.

Cochran's Q, and shrinkage of the groups' estimates towards their mean by a random-effects model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.distributions import chi2_upper, p_value, two_sided_z
from aliquot.stats.inputs import Floats, as_choice, as_level, as_values
from aliquot.stats.results import Estimate, HypothesisTest, Record, Undefined

Tau: TypeAlias = Literal["reml", "dersimonian_laird"]

_STEPS = 200
"""Fisher scoring ends after so many steps; it needs about ten."""

_STILL = 1e-12
"""A step of this share is none."""


def cochran_q(points: ArrayLike, *, variances: ArrayLike) -> HypothesisTest | Undefined:
    """Cochran's Q: are K estimates of one quantity further apart than their errors explain.

    Q = Σ w_s (d_s − d̄_w)² with w_s = 1/V_s against χ² with K − 1 degrees of freedom; ``settings`` holds
    I² = max(0, 1 − (K − 1)/Q). It takes the variances as known: wrong for small groups of binary outcomes.

    Args:
        points: the estimates, two or more.
        variances: their variances.

    Returns:
        The test; Undefined with one estimate or a variance of 0.

    Raises:
        UsageError: lengths differ or a variance is negative.

    References:
        Cochran (1954) Biometrics 10:101; Higgins & Thompson (2002) Statistics in Medicine 21:1539, I².

    Examples:
        >>> print(cochran_q([0.10, 0.02, -0.05], variances=[0.001, 0.002, 0.0015]))
        cochran_q: p = 0.01029 (two-sided)
    """
    y, v = _as_estimates(points, variances)
    why = _why_not(y, v)
    if why:
        return Undefined(why)
    q = _q(y, v)
    return HypothesisTest(
        name="cochran_q",
        p=p_value(chi2_upper(q, y.size - 1)),
        statistic=q,
        df=float(y.size - 1),
        null="all groups have the same difference",
        settings={"i2": max(0.0, 1 - (y.size - 1) / q) if q > 0 else 0.0},
    )


@dataclass(frozen=True, slots=True)
class Shrinkage(Record):
    """Estimates of several groups, drawn towards their mean by as much as chance explains their spread.

    Attributes:
        mean: the mean over groups with its interval.
        tau: standard deviation of the true differences between groups.
        groups: each group's shrunken difference.
        kept: share of each group's own distance from the mean that is kept, τ²/(τ² + V).
        method: ``reml`` or ``dersimonian_laird``.
    """

    mean: Estimate
    tau: float
    groups: tuple[Estimate, ...]
    kept: tuple[float, ...]
    method: Tau


def shrink_groups(
    points: ArrayLike, *, variances: ArrayLike, method: Tau = "reml", level: float = 0.95
) -> Shrinkage | Undefined:
    """Empirical-Bayes estimates of the groups' differences under a normal random-effects model.

    With B_s = V_s/(V_s + τ²): θ̃_s = B_s μ̂ + (1 − B_s) d_s with variance (1 − B_s) V_s + B_s² var(μ̂), the
    uncertainty of μ̂ included and that of τ² not. With τ² = 0 all groups share the mean.

    Args:
        points: the groups' differences, two or more.
        variances: their variances.
        method: estimator of τ²: ``reml`` or ``dersimonian_laird``.
        level: confidence level.

    Returns:
        The shrunken groups; Undefined with one group or a variance of 0.

    Raises:
        UsageError: lengths differ, a variance is negative, or an unknown method.

    References:
        DerSimonian & Laird (1986) Controlled Clinical Trials 7:177, eq. 9; Viechtbauer (2005) JEBS 30:261, REML by
        Fisher scoring; Morris (1983) JASA 78:47 and Raudenbush & Bryk (2002) Hierarchical Linear Models, ch. 7, for the
        shrunken estimates.

    Examples:
        >>> found = shrink_groups([0.10, 0.02, -0.05], variances=[0.001, 0.002, 0.0015])
        >>> round(found.tau, 4), [round(group.point, 4) for group in found.groups]
        (0.0681, [0.0868, 0.0217, -0.0315])
    """
    as_choice(method, get_args(Tau), name="method")
    level = as_level(level)
    y, v = _as_estimates(points, variances)
    why = _why_not(y, v)
    if why:
        return Undefined(why)
    tau2 = _dersimonian_laird(y, v) if method == "dersimonian_laird" else _reml(y, v)
    weights = 1 / (v + tau2)
    mu, var_mu = float(weights @ y / weights.sum()), float(1 / weights.sum())
    share = v / (v + tau2)
    variance = (1 - share) * v + share**2 * var_mu
    z, name = two_sided_z(level), f"random_effects_{method}"

    def estimate(point: float, se: float, called: str) -> Estimate:
        return Estimate(point, point - z * se, point + z * se, level, called, y.size, se=se)

    return Shrinkage(
        mean=estimate(mu, math.sqrt(var_mu), name),
        tau=math.sqrt(tau2),
        groups=tuple(
            estimate(float(point), float(se), f"shrunken_{method}")
            for point, se in zip(share * mu + (1 - share) * y, np.sqrt(variance), strict=True)
        ),
        kept=tuple((1 - share).tolist()),
        method=method,
    )


def _as_estimates(points: ArrayLike, variances: ArrayLike) -> tuple[Floats, Floats]:
    y, v = as_values(points, name="points"), as_values(variances, name="variances", low=0.0)
    if y.size != v.size:
        raise UsageError(f"variances must have one value for each of the {y.size} points; got {v.size}")
    return y, v


def _why_not(y: Floats, v: Floats) -> str:
    if y.size < 2:
        return "there is one group only, so groups cannot differ"
    return "a group shows no variation, so its error cannot be seen" if (v == 0).any() else ""


def _q(y: Floats, v: Floats) -> float:
    w = 1 / v
    return float(w @ (y - w @ y / w.sum()) ** 2)


def _dersimonian_laird(y: Floats, v: Floats) -> float:
    """τ² = (Q − (K − 1)) / (Σw − Σw²/Σw), not below 0."""
    w = 1 / v
    return max(0.0, (_q(y, v) - (y.size - 1)) / float(w.sum() - (w**2).sum() / w.sum()))


def _reml(y: Floats, v: Floats) -> float:
    """τ² by Fisher scoring: Δ = (yᵀPPy − tr P)/tr PP, never below 0; a step that leads down is halved."""
    unit = float(v.mean())  # a scale of its own, so that the stopping rule does not depend on units
    y, v = y / math.sqrt(unit), v / unit
    tau2 = _dersimonian_laird(y, v)
    for _ in range(_STEPS):
        step = _fisher_step(y, v, tau2)
        here = _restricted_likelihood(y, v, tau2)
        moved = max(0.0, tau2 + step)
        while _restricted_likelihood(y, v, moved) < here and abs(moved - tau2) > _STILL * (1 + tau2):
            moved = (tau2 + moved) / 2
        if abs(moved - tau2) <= _STILL * (1 + tau2):
            return moved * unit
        tau2 = moved
    return tau2 * unit


def _fisher_step(y: Floats, v: Floats, tau2: float) -> float:
    w = 1 / (v + tau2)
    total = float(w.sum())
    p_y = w * (y - w @ y / total)
    squares = float((w**2).sum())
    trace = total - squares / total
    trace_square = squares - 2 * float((w**3).sum()) / total + (squares / total) ** 2
    return (float(p_y @ p_y) - trace) / trace_square


def _restricted_likelihood(y: Floats, v: Floats, tau2: float) -> float:
    """Return the restricted log-likelihood of τ², up to a constant."""
    w = 1 / (v + tau2)
    return float(0.5 * (np.log(w).sum() - np.log(w.sum()) - w @ (y - w @ y / w.sum()) ** 2))
