"""Power at the observed difference with the errors of type M and S, and what repeats of these items would bring."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from scipy import special

from aliquot.analysis.arrays import PairedSample, SystemSample
from aliquot.analysis.attempts_seen import attempt_values
from aliquot.analysis.method import effective_items
from aliquot.analysis.settle import POWER, disagreement
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Pairs, Units
from aliquot.findings.comparison import Scale
from aliquot.findings.power_seen import PowerSeen, RepeatsWorth
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.distributions import normal_quantile, two_sided_t
from aliquot.stats.inputs import Floats, as_weights
from aliquot.stats.power import design_errors, mcnemar_power
from aliquot.stats.repeats import item_means, precision_table
from aliquot.stats.results import Estimate, Undefined

ENOUGH: Final = 0.5
"""At this power and above a significant result exaggerates little (at most about 1.5 times)."""

MOST_ATTEMPTS: Final = 100
"""More attempts at each item than this are no plan."""

_ATTEMPTS: Final = (1, 2, 4, 8)


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


def find_repeats_worth(
    evidence: Evidence,
    pairs: Pairs,
    sample: PairedSample,
    difference: Estimate | Undefined,
    scale: Scale,
    *,
    level: float,
) -> RepeatsWorth | Undefined:
    """Return what more attempts at the same items would do: variance within items falls, that between them stays.

    V at k attempts of each system is between/n + within/(n k), with ``within`` the mean of the attempts' own variance
    of both systems and between what V holds beyond it; with clusters V is by cluster. An item with one attempt takes
    the mean of the others.

    Args:
        evidence: the tables, for the values of single attempts at a graded metric.
        pairs: the shared items.
        sample: those with a value on both sides.
        difference: the observed difference.
        scale: the metric's scale.
        level: confidence level.
    """
    if isinstance(difference, Undefined):
        return difference
    sides = sample.baseline(), sample.candidate()
    if any((side.attempts < 2).all() for side in sides):
        return Undefined("one attempt at an item does not show how its answers vary; ask items twice or more")
    seen = cluster_variance(sample.d, clusters=sample.clusters, weights=sample.weights)
    if isinstance(seen, Undefined):
        return seen
    within_a, within_b = (
        _within(evidence, units, side, scale)
        for units, side in zip((pairs.baseline, pairs.candidate), sides, strict=True)
    )
    squares = sample.n * as_weights(sample.weights, sample.n) ** 2
    within = float(squares @ (within_a + within_b))
    held = float(squares @ (within_a / sample.k_a + within_b / sample.k_b))
    between = max(0.0, sample.n * seen.variance - held)
    attempts = 1 / float(np.concatenate([1 / sample.k_a, 1 / sample.k_b]).mean())
    return RepeatsWorth(
        between=between,
        within=within,
        precision=precision_table(between, within, items=[sample.n], attempts=_ATTEMPTS),
        attempts=attempts,
        to_settle=_attempts_to_settle(
            difference, between=between, within=within, n=sample.n, now=attempts, level=level
        ),
    )


def _within(evidence: Evidence, units: Units, sample: SystemSample, scale: Scale) -> Floats:
    """Return the unbiased variance of one attempt on each item: k p(1 − p)/(k − 1) for pass or fail."""
    k, several = sample.attempts, sample.attempts > 1
    if scale.kind == "binary":
        found = k * sample.values * (1 - sample.values) / np.maximum(k - 1, 1)
    else:
        rows = attempt_values(evidence, units)
        items = rows["item"].to_numpy()
        variances = item_means(rows["value"].to_numpy(), items=items).variances
        known = dict(zip(np.unique(items).tolist(), variances.tolist(), strict=True))
        found = np.array([known[item] for item in sample.items])
    return np.where(several, found, found[several].mean())


def _attempts_to_settle(
    difference: Estimate, *, between: float, within: float, n: int, now: float, level: float
) -> int | Undefined:
    """Return k with (between + within/k)/n = (d̂/(z + z_power))²."""
    if difference.low > 0 or difference.high < 0:
        return Undefined("the difference is already settled")
    if difference.point == 0:
        return Undefined("no difference was seen, so no number of attempts would show it")
    z = normal_quantile(0.5 + level / 2) + normal_quantile(POWER)
    room = n * (difference.point / z) ** 2 - between
    if room <= 0:
        return Undefined(
            "these items differ too much among themselves: it takes more items, not more attempts"
        )
    needed = max(math.ceil(within / room), math.floor(now) + 1)
    if needed > MOST_ATTEMPTS:
        return Undefined(f"more than {MOST_ATTEMPTS} attempts at each item would be needed")
    return needed
