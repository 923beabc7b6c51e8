"""Tests against a margin: not worse by more than m, or equivalent within ±m.

``level`` everywhere is that of the two-sided interval that is read beside them: "not worse" is a one-sided test at
(1 − level)/2, as its lower limit above −m says, and "equivalent" is two of them.
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np
from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.distributions import p_value
from aliquot.stats.inputs import Floats, as_choice, as_count
from aliquot.stats.paired_score import as_paired_counts, score_variance
from aliquot.stats.results import HypothesisTest
from aliquot.stats.unpaired_score import as_unpaired_counts, restricted_variance

Goal: TypeAlias = Literal["not_worse", "equivalent"]


def paired_margin_test(
    fixed: float, broke: float, n: float, *, margin: float, goal: Goal = "not_worse"
) -> HypothesisTest:
    """Tango's score test that the candidate is not worse by more than a margin, or equivalent within it.

    Args:
        fixed: items the candidate gets right and the baseline wrong; may be fractional (effective counts).
        broke: items the baseline gets right and the candidate wrong; may be fractional.
        n: all shared items, or their effective number.
        margin: the difference that still does not matter, between 0 and 1.
        goal: ``not_worse`` (difference above −margin) or ``equivalent`` (within ±margin).

    Returns:
        The test, ``tango_not_worse`` or ``tango_equivalent``; the statistic is the (smaller) z, the p one-sided.

    Raises:
        UsageError: a negative count, more discordant items than items, a margin outside (0, 1).

    References:
        Tango (1998), Statistics in Medicine 17:891-908, eq. 23 at −margin; two one-sided tests: Schuirmann (1987).

    Examples:
        >>> print(paired_margin_test(12, 10, 120, margin=0.05))
        tango_not_worse: p = 0.04891 (greater)
    """
    x, y, size = as_paired_counts(fixed, broke, n)
    m = as_margin(margin, most=1.0)
    z = paired_margin_z(np.array(x), np.array(y), size, margin=m, goal=as_goal(goal))
    return _margin_test("tango", float(z), goal=goal, margin=m, tail=float(special.ndtr(-z)))


def unpaired_margin_test(
    x_a: float, n_a: float, x_b: float, n_b: float, *, margin: float, goal: Goal = "not_worse"
) -> HypothesisTest:
    """Miettinen and Nurminen's score test against a margin, for two rates on different items.

    Args:
        x_a: items the baseline gets right; may be fractional (effective counts).
        n_a: items of the baseline.
        x_b: items the candidate gets right.
        n_b: items of the candidate.
        margin: the difference that still does not matter, between 0 and 1.
        goal: ``not_worse`` or ``equivalent``, as in :func:`paired_margin_test`.

    Raises:
        UsageError: negative counts, more right than items, no items on a side, a margin outside (0, 1).

    References:
        Miettinen & Nurminen (1985), Statistics in Medicine 4:213-226; Farrington & Manning (1990), the same 9:1447.

    Examples:
        >>> print(unpaired_margin_test(80, 100, 82, 100, margin=0.1))
        mn_not_worse: p = 0.01669 (greater)
    """
    a, m_a, b, m_b = as_unpaired_counts(x_a, n_a, x_b, n_b)
    m = as_margin(margin, most=1.0)
    z = unpaired_margin_z(np.array(a), m_a, np.array(b), m_b, margin=m, goal=as_goal(goal))
    return _margin_test("mn", float(z), goal=goal, margin=m, tail=float(special.ndtr(-z)))


def t_margin_test(
    difference: float, *, se: float, df: float, margin: float, goal: Goal = "not_worse"
) -> HypothesisTest:
    """T test of a difference against a margin: for scores, and for clusters with their own error and df.

    Args:
        difference: the estimate, candidate minus baseline.
        se: its standard error, above 0.
        df: degrees of freedom.
        margin: the difference that still does not matter, above 0.
        goal: ``not_worse`` or ``equivalent``, as in :func:`paired_margin_test`.

    Raises:
        UsageError: an error or margin that is not positive, df below 0.

    References:
        Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15:657-680.

    Examples:
        >>> print(t_margin_test(-0.01, se=0.02, df=99, margin=0.05))
        t_not_worse: p = 0.02412 (greater)
    """
    error, m, freedom = as_count(se, name="se"), as_margin(margin), as_count(df, name="df", at_least=1e-9)
    if error == 0 or not math.isfinite(difference):
        raise UsageError(
            f"t needs a finite difference and an error above 0; got {difference!r} and {error!r}"
        )
    near = difference + m if as_goal(goal) == "not_worse" else m - abs(difference)
    t = near / error
    return _margin_test("t", t, goal=goal, margin=m, tail=float(special.stdtr(freedom, -t)), df=freedom)


def paired_margin_z(fixed: Floats, broke: Floats, n: float, *, margin: float, goal: str) -> Floats:
    """Tango's z against −margin, or the smaller of that and the one against +margin; trusts its input."""
    u, v = np.asarray(fixed / n), np.asarray(broke / n)
    lower = _z(u - v + margin, score_variance(u, v, np.full(u.shape, -margin)) / n)
    if goal == "not_worse":
        return lower
    return np.minimum(lower, _z(margin - (u - v), score_variance(u, v, np.full(u.shape, margin)) / n))


def unpaired_margin_z(
    x_a: Floats, n_a: float, x_b: Floats, n_b: float, *, margin: float, goal: str
) -> Floats:
    """Miettinen and Nurminen's z, for arrays of one shape; as :func:`paired_margin_z`."""
    total = n_a + n_b
    grow = total / (total - 1) if total > 1 else math.inf
    difference = np.asarray(x_b / n_b - x_a / n_a)
    m_a, m_b = np.full(difference.shape, n_a), np.full(difference.shape, n_b)

    def against(null: float) -> Floats:
        at = np.full(difference.shape, null)
        return restricted_variance(np.asarray(x_a), m_a, np.asarray(x_b), m_b, at) * grow

    lower = _z(difference + margin, against(-margin))
    return lower if goal == "not_worse" else np.minimum(lower, _z(margin - difference, against(margin)))


def as_margin(margin: float, *, most: float = math.inf) -> float:
    """Return a margin above 0 and below ``most``."""
    value = as_count(margin, name="margin")
    if not 0 < value < most:
        limit = f" and below {most:g} (0.05, not 5)" if math.isfinite(most) else ""
        raise UsageError(f"margin must be above 0{limit}; got {margin!r}")
    return value


def as_goal(goal: str) -> str:
    """Return a known goal."""
    return as_choice(goal, ("not_worse", "equivalent"), name="goal")


def _z(distance: Floats, variance: Floats) -> Floats:
    """Distance over its error; without variance it is as far as can be, on the side of its sign."""
    error = np.sqrt(variance)
    sure = np.where(distance > 0, np.inf, np.where(distance < 0, -np.inf, 0.0))
    return np.divide(distance, error, out=sure, where=error > 0)


def _margin_test(
    name: str, statistic: float, *, goal: str, margin: float, tail: float, df: float | None = None
) -> HypothesisTest:
    equivalent = goal == "equivalent"
    return HypothesisTest(
        name=f"{name}_{goal}",
        p=p_value(tail),
        alternative="two-sided" if equivalent else "greater",
        statistic=statistic,
        df=df,
        null=f"the difference is {margin:g} or more in size"
        if equivalent
        else f"the difference is −{margin:g} or less",
        settings={"margin": margin, "goal": goal},
    )
