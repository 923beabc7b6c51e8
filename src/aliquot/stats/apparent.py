"""A true rate from the rate a judge sees, when its errors were measured on other responses."""

from __future__ import annotations

import math

from aliquot.errors import UsageError
from aliquot.stats.diagnostics import CHANCE
from aliquot.stats.discordance import as_rate
from aliquot.stats.distributions import two_sided_z
from aliquot.stats.inputs import as_count, as_level
from aliquot.stats.proportions import proportion
from aliquot.stats.results import Estimate, Undefined


def rogan_gladen(
    x: float,
    n: float,
    *,
    sensitivity: float,
    specificity: float,
    method: str = "wilson",
    clip: bool = True,
    level: float = 0.95,
) -> Estimate | Undefined:
    """True rate of passes when the judge's errors are known exactly: (p + sp − 1)/(se + sp − 1).

    Args:
        x: rows that the judge passes.
        n: rows that it read.
        sensitivity: share of true passes that it passes.
        specificity: share of true failures that it fails.
        method: interval for x of n, by name as in :func:`aliquot.stats.proportion`; its limits are carried over.
        clip: cut to [0, 1]; where nothing but one limit is left, no rate from 0 to 1 fits and it is Undefined.
        level: confidence level.

    Returns:
        The rate; Undefined when se + sp ≤ 1 (a judge no better than chance shows nothing of the rate).

    Raises:
        UsageError: counts or shares out of range, or an unknown method.

    References:
        Rogan & Gladen (1978) American Journal of Epidemiology 107:71, eq. 1; Reiczigel, Földi & Ózsvári (2010)
        Epidemiol Infect 138:1674, the limits.

    Examples:
        >>> print(rogan_gladen(60, 100, sensitivity=0.9, specificity=0.8))
        0.5714 [0.4314, 0.7009] 95% rogan_gladen_wilson, n = 100
        >>> print(rogan_gladen(60, 100, sensitivity=0.5, specificity=0.5))
        undefined: the judge is no better than chance on these labels: sensitivity + specificity = 1.000, at most 1
    """
    se, sp = as_rate(sensitivity, name="sensitivity"), as_rate(specificity, name="specificity")
    seen = proportion(x, n, method=method, level=level)
    if se + sp <= 1:
        return Undefined(CHANCE.format(total=se + sp))
    point, low, high = ((one + sp - 1) / (se + sp - 1) for one in (seen.point, seen.low, seen.high))
    if clip and (low >= 1 or high <= 0):
        return Undefined(
            f"the judge passes {seen.point:.1%}, which no true rate explains "
            f"at sensitivity {se:g} and specificity {sp:g}"
        )
    if clip:
        point, low, high = (min(max(one, 0.0), 1.0) for one in (point, low, high))
    settings = {"sensitivity": se, "specificity": sp, "apparent": seen.point}
    return Estimate(point, low, high, level, f"rogan_gladen_{method}", n, settings=settings)


def lang_reiczigel(
    x: float,
    n: float,
    *,
    true_passes: float,
    passes: float,
    true_failures: float,
    failures: float,
    level: float = 0.95,
) -> Estimate | Undefined:
    """True rate of passes when the judge's errors are estimated from labels of *other* responses.

    When the labels are of the responses judged, :func:`aliquot.stats.corrected_rate` is half as wide.

    Args:
        x: rows that the judge passes.
        n: rows that it read.
        true_passes: labelled passes that it passed.
        passes: labelled passes.
        true_failures: labelled failures that it failed.
        failures: labelled failures.
        level: confidence level.

    Returns:
        The Rogan–Gladen estimate cut to [0, 1] with the limits of Lang & Reiczigel; ``se`` is that of the delta method,
        ``settings["uncut"]`` the estimate before the cut. Undefined when se + sp ≤ 1, as estimated or as adjusted.

    Raises:
        UsageError: counts that are negative or larger than what they are of.

    References:
        Lang & Reiczigel (2014) Preventive Veterinary Medicine 113:13; Rogan & Gladen (1978), the variance.

    Examples:
        >>> print(lang_reiczigel(60, 100, true_passes=45, passes=50, true_failures=50, failures=60))
        0.5909 [0.4323, 0.7554] 95% lang_reiczigel, n = 100
    """
    z, p = two_sided_z(as_level(level)), _share(x, n, of="n")
    se, sp = _share(true_passes, passes, of="passes"), _share(true_failures, failures, of="failures")
    if se + sp <= 1:
        return Undefined(CHANCE.format(total=se + sp))
    factor = se + sp - 1
    uncut = (p + sp - 1) / factor
    delta = (
        p * (1 - p) / n + uncut**2 * se * (1 - se) / passes + (1 - uncut) ** 2 * sp * (1 - sp) / failures
    ) / factor**2
    # adjusted as in the paper: z²/2 passes and failures to the seen, one of each to both labelled groups
    m, k, h = n + z**2, passes + 2, failures + 2
    p, se, sp = (p * n + z**2 / 2) / m, (se * passes + 1) / k, (sp * failures + 1) / h
    if se + sp <= 1:
        return Undefined(CHANCE.format(total=se + sp))
    factor = se + sp - 1
    rate = (p + sp - 1) / factor
    v_se, v_sp = se * (1 - se) / k, sp * (1 - sp) / h
    shift = 2 * z**2 * (rate * v_se - (1 - rate) * v_sp)
    half = z * math.sqrt(p * (1 - p) / m + rate**2 * v_se + (1 - rate) ** 2 * v_sp) / factor
    point = min(max(uncut, 0.0), 1.0)
    low, high = (min(max(rate + shift + side, 0.0), 1.0) for side in (-half, half))
    low, high = min(low, point), max(high, point)
    if low == high:
        return Undefined("no rate from 0 to 1 explains what the judge passes")
    settings = {"uncut": uncut, "factor": factor, "labelled_passes": passes, "labelled_failures": failures}
    return Estimate(point, low, high, level, "lang_reiczigel", n, se=math.sqrt(delta), settings=settings)


def _share(x: float, n: float, *, of: str) -> float:
    n = as_count(n, name=of)
    if n == 0:
        raise UsageError(f"{of} must be above 0")
    x = as_count(x, name=f"the part of {of}")
    if x > n:
        raise UsageError(f"the part of {of} must be at most {of}; got {x:g} of {n:g}")
    return x / n
