"""Power at the observed difference, with the errors of type M and S."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from scipy import special

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.method import effective_items
from aliquot.analysis.settle import disagreement
from aliquot.findings.power_seen import PowerSeen
from aliquot.findings.scale import Scale
from aliquot.stats.distributions import two_sided_t
from aliquot.stats.power import design_errors, mcnemar_power
from aliquot.stats.results import Estimate, Undefined

ENOUGH: Final = 0.5
"""At this power and above a significant result exaggerates little (at most about 1.5 times)."""


def find_power_seen(
    sample: PairedSample, difference: Estimate | Undefined, scale: Scale, *, level: float
) -> PowerSeen | Undefined:
    """Return the power of this design at the difference that was seen; below 50% with the type M and S errors.

    Exact McNemar on effective items for pass or fail, else the t form of Gelman & Carlin (2014). The power at the
    difference seen says nothing that its p does not; it is given to show how far a significant result would exaggerate.

    Args:
        sample: items with a value on both sides.
        difference: the observed difference.
        scale: the metric's scale.
        level: confidence level; the test rejects at 1 − level.
    """
    if isinstance(difference, Undefined):
        return difference
    if difference.point == 0:
        return Undefined("no difference was seen, so there is none to find")
    if scale.kind == "binary":
        return _of_rates(sample, difference, level=level)
    if not difference.se or difference.df is None or "hull" in difference.method:
        return Undefined("too few items differ to tell")
    power, type_m, type_s = t_errors(difference.point, difference.se, df=difference.df, level=level)
    shown = power < ENOUGH
    return PowerSeen(
        difference=difference.point,
        power=power,
        type_m=type_m if shown else None,
        type_s=type_s if shown else None,
        n_eff=None,
        psi=None,
        method="t",
    )


def _of_rates(sample: PairedSample, difference: Estimate, *, level: float) -> PowerSeen:
    worth = max(1.0, effective_items(sample, difference))
    psi = min(1.0, max(disagreement(sample), abs(difference.point)))
    power = mcnemar_power(worth, psi=psi, difference=difference.point, level=level)
    type_m = type_s = None
    if power < ENOUGH:
        errors = design_errors(worth, psi=psi, difference=difference.point, level=level)
        type_m, type_s = (errors, errors) if isinstance(errors, Undefined) else (errors.type_m, errors.type_s)
    return PowerSeen(
        difference=difference.point,
        power=power,
        type_m=type_m,
        type_s=type_s,
        n_eff=worth,
        psi=psi,
        method="mcnemar_exact",
    )


def t_errors(
    difference: float, se: float, *, df: float, level: float
) -> tuple[float, float | Undefined, float]:
    """Return power, exaggeration and wrong-sign rate of an estimate difference + se t_df that is shown beyond t se.

    Gelman & Carlin (2014), Perspectives on Psychological Science 9:641, ``retrodesign``; the exaggeration is theirs
    integrated: E[t; t > c] = f(c) (df + c²)/(df − 1), infinite up to one degree of freedom.

    Args:
        difference: the true difference, not 0.
        se: standard error of its estimate.
        df: degrees of freedom.
        level: confidence level.
    """
    effect, critical = abs(difference) / se, two_sided_t(level, df)
    right = float(special.stdtr(df, effect - critical))
    wrong = float(special.stdtr(df, -effect - critical))
    power = right + wrong
    if df <= 1:
        return power, Undefined("one degree of freedom has no mean size"), wrong / power
    above, below = _t_tail_mean(critical - effect, df), _t_tail_mean(critical + effect, df)
    seen = effect * (right - wrong) + above + below
    return power, seen / power / effect, wrong / power


def _t_tail_mean(c: float, df: float) -> float:
    """Return E[t; t > c] of Student's t, for either sign of c."""
    log_f = special.gammaln((df + 1) / 2) - special.gammaln(df / 2) - math.log(df * math.pi) / 2
    log_f -= (df + 1) / 2 * math.log1p(c * c / df)
    return float(np.exp(log_f)) * (df + c * c) / (df - 1)
