"""The rate of one system: Wilson, on an effective number of rows when they are clustered or weighted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from numpy.typing import ArrayLike

from aliquot.stats.effective import EffectiveSize, Rows, as_rows, effective_size
from aliquot.stats.inputs import as_binary, as_level
from aliquot.stats.proportions import clopper_pearson, wilson
from aliquot.stats.results import Estimate, Undefined


def rate(
    y: ArrayLike, *, clusters: ArrayLike | None = None, weights: ArrayLike | None = None, level: float = 0.95
) -> Estimate | Undefined:
    """Rate of ones with the default interval.

    Independent rows of equal weight: Wilson. Otherwise Wilson on n* = n_eff (z/t_ν)², with
    n_eff = n / max(1, V/(p̂q̂/n)); at 0, at n of n and when the rarer outcome lies in fewer than three
    clusters no more rows count than there are clusters. Attempts are rows with the item as cluster.

    Args:
        y: zeros and ones, one a row.
        clusters: one label a row; None when rows are independent.
        weights: one non-negative weight a row, of any scale.
        level: confidence level.

    Returns:
        The estimate with n (rows), n_eff, df and clusters, or Undefined when there is one cluster only.

    Raises:
        UsageError: values other than 0 and 1, or an argument of the wrong shape or range.

    References:
        Wilson (1927) JASA 22:209; effective n: design of this package.

    Examples:
        >>> print(rate([1, 1, 1, 0, 1, 1, 0, 1, 1, 1]))
        0.8000 [0.4902, 0.9433] 95% wilson, n = 10
        >>> answers, documents = [1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 1], [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
        >>> print(rate(answers, clusters=documents))
        0.6667 [0.1306, 0.9638] 95% wilson_effective_n, n = 12
    """
    why = "independent rows of equal weight"
    return rate_by_form(wilson, y, clusters=clusters, weights=weights, level=level, why=why)


def floor_interval(
    y: ArrayLike, *, clusters: ArrayLike | None = None, weights: ArrayLike | None = None, level: float = 0.95
) -> Estimate | Undefined:
    """Rate of ones with the interval a floor ("at least 90%") is judged by: Clopper–Pearson.

    A floor is met when the lower limit reaches it. With clusters or weights it is Clopper–Pearson for
    p̂n* of n*, n* as in :func:`rate`. From counts alone use :func:`clopper_pearson`. Arguments, returns and
    errors as in :func:`rate`.

    References:
        Clopper & Pearson (1934) Biometrika 26:404; effective n: design of this package.

    Examples:
        >>> floor_interval([1] * 36).low > 0.9
        True
        >>> floor_interval([1, 1, 1, 1, 0]).low > 0.9
        False
    """
    why = "floors use the exact interval"
    return rate_by_form(clopper_pearson, y, clusters=clusters, weights=weights, level=level, why=why)


def rate_by_form(
    form: Callable[..., Estimate],
    y: ArrayLike,
    *,
    clusters: ArrayLike | None,
    weights: ArrayLike | None,
    level: float,
    why: str,
) -> Estimate | Undefined:
    """Rate of ones with an interval for x of n, asked at n* when rows are clustered or weighted.

    Args:
        form: interval for x of n, as in :mod:`aliquot.stats.proportions`.
        y: zeros and ones, one a row.
        clusters: as in :func:`rate`.
        weights: as in :func:`rate`.
        level: confidence level.
        why: the reason to give when rows are independent and of equal weight.
    """
    rows = as_rows(as_binary(y, name="y"), clusters=clusters, weights=weights)
    level = as_level(level)
    if rows.plain:
        return replace(form(rows.y.sum(), rows.y.size, level=level), why=why)
    size = effective_size(rows, spread=rows.mean * (1 - rows.mean), level=level)
    if isinstance(size, Undefined):
        return size
    return _on_effective_n(form(rows.mean * size.n_star, size.n_star, level=level), size, rows)


def _on_effective_n(limits: Estimate, size: EffectiveSize, rows: Rows) -> Estimate:
    """Report an interval computed on n* as one of the rows it stands for."""
    v = size.variance
    return replace(
        limits,
        point=rows.mean,
        method=f"{limits.method}_effective_n",
        n=rows.y.size,
        se=v.se,
        df=v.df,
        clusters=v.n_clusters if v.clustered else None,
        n_eff=size.n_eff,
        settings={"n_star": size.n_star},
        why=f"{'clustered' if v.clustered else 'weighted'} rows; {size.why}",
    )
