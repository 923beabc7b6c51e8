"""Where the validity table falls short of its rule: the marks, seen in the record itself, of a cell that fails."""

from __future__ import annotations

from aliquot.stats.agreement_intervals import RESAMPLED
from aliquot.stats.results import Estimate, Undefined

_UNEQUAL = 0.6
_FEWEST_DF = 4.0
_CORRELATED = 2.0
_RARE_CLUSTERS = 4.0
_RARE_ROWS = 5.0
_MANY_DF = 19.5
_FEW_CLUSTERS = 3.0
_ONE_WAY = 0.75
_FEWEST_RESAMPLED = 50


def coverage_warning(estimate: Estimate | Undefined) -> str | None:
    """Return the sentence to print where the interval is known to hold the truth less often than it says.

    Three marks are looked for, all in the record itself and read off the simulations of ``docs/validity.md``;
    where coverage falls short they are there in about nine data sets of ten.

    A rate or bounded mean over clusters: sizes so unequal that ν < .6 (G − 1), with ν above 4 (below it the
    factor (z/t)² makes up for it); rows that repeat each other, n over n_eff above 2; and a rarer outcome that
    fills few of the clusters that count, (ν + 1) min(m, 1 − m) < 4. V is then mostly seen without the few large
    clusters that make it large.

    A mean of independent bounded scores: all but a few lie at one limit, 0 < n_eff min(m, 1 − m) < 5. The next
    score that falls short may fall far.

    A paired difference over clusters, ν above 19.5: what differs nearly all goes one way, abs d̂ at least .75 ψ̂,
    and fills the worth of less than three clusters, 0 < (ν + 1) ψ̂ < 3. Whether whole clusters change together
    can then hardly be seen. (With fewer clusters the factor (z/t)² makes up for it.)

    Agreement of raters, by resampling: fewer than 50 items, or clusters, to draw from. Rare labels are then in
    too few of them.

    Args:
        estimate: what ``rate``, ``floor_interval``, ``mean_bounded``, ``pass_at_k`` and its kin a paired
            difference or a coefficient of agreement returned.

    Returns:
        One sentence, or None.

    Examples:
        >>> from aliquot.stats.rates import rate
        >>> sizes = [2, 4, 8, 40] * 5
        >>> documents = [g for g, size in enumerate(sizes) for _ in range(size)]
        >>> answers = [0 if g in {3, 6, 9, 10} else 1 for g in documents]
        >>> print(coverage_warning(rate(answers, clusters=documents)))
        clusters are very unequal and few of the large ones hold the rarer outcome: ... in 83 to 94%
        >>> coverage_warning(rate(answers)) is None
        True
    """
    if isinstance(estimate, Undefined):
        return None
    if estimate.method.endswith(RESAMPLED):
        return _few_resampled(estimate)
    if estimate.n_eff is None or estimate.df is None:
        return None
    return _few_effective(estimate, estimate.n_eff, estimate.df)


def _few_effective(estimate: Estimate, n_eff: float, df: float) -> str | None:
    if estimate.method == "tango_effective_n" and estimate.clusters is not None:
        cause = "few items differ, nearly all one way, so agreement within clusters can hardly be seen"
        return _sentence(cause, estimate, "82 to 93%") if _few_and_one_way(estimate, df) else None
    form = estimate.settings.get("interval", estimate.method)
    if form not in {"wilson_effective_n", "wilson_bounded", "clopper_pearson_effective_n"}:
        return None
    if estimate.clusters is None:
        few = form == "wilson_bounded" and 0 < n_eff * _rarer(estimate) < _RARE_ROWS
        return _sentence("all but a few scores lie at one limit", estimate, "87 to 94%") if few else None
    unequal = _FEWEST_DF < df < _UNEQUAL * (estimate.clusters - 1)
    correlated = estimate.n > _CORRELATED * n_eff
    rare = (df + 1) * _rarer(estimate) < _RARE_CLUSTERS
    # n_eff equal to G is the rule for an outcome in fewer than 3 clusters, where the interval covers
    if unequal and correlated and rare and n_eff != estimate.clusters:
        cause = "clusters are very unequal and few of the large ones hold the rarer outcome"
        return _sentence(cause, estimate, "83 to 94%")
    return None


def _few_resampled(estimate: Estimate) -> str | None:
    named = str(estimate.settings.get("units", "items"))
    units, what = (estimate.n, named) if estimate.clusters is None else (estimate.clusters, "clusters")
    if units >= _FEWEST_RESAMPLED:
        return None
    return _sentence(f"{units:g} {what} are few to draw resamples from", estimate, "80 to 97%")


def _few_and_one_way(estimate: Estimate, df: float) -> bool:
    psi = estimate.settings.get("psi")
    if not isinstance(psi, int | float):
        return False
    return df > _MANY_DF and 0 < (df + 1) * psi < _FEW_CLUSTERS and abs(estimate.point) >= _ONE_WAY * psi


def _rarer(estimate: Estimate) -> float:
    """Distance of the mean from the nearer limit, as a share of the range."""
    low, high = (estimate.settings.get(name, default) for name, default in (("low", 0.0), ("high", 1.0)))
    if not (isinstance(low, int | float) and isinstance(high, int | float)):
        return 0.0
    mean = (estimate.point - low) / (high - low)
    return min(mean, 1 - mean)


def _sentence(cause: str, estimate: Estimate, held: str) -> str:
    return f"{cause}: on such data intervals of {estimate.level:.0%} held the truth in {held}"
