"""Family calls for one rate, one mean and graded pairs: every method side by side, the one that decides marked."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.betting import betting_interval
from aliquot.stats.binomial_tests import binomial_exact, binomial_mid_p, binomial_score
from aliquot.stats.bootstrap import bootstrap_difference, bootstrap_mean
from aliquot.stats.decision import decided_interval
from aliquot.stats.effective import as_rows
from aliquot.stats.family import Family, disagreement
from aliquot.stats.inputs import RandomSource, as_values
from aliquot.stats.means import T_FROM, mean_bounded, mean_t
from aliquot.stats.paired import differences, paired_graded_difference
from aliquot.stats.permutation import sign_flip
from aliquot.stats.proportions import METHODS, proportion
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

_BOOTSTRAPS = ("bca", "percentile", "studentized")


def proportion_family(x: int, n: int, *, floor: float | None = None, level: float = 0.95) -> Family:
    """Show every interval for x of n; Wilson's decides, against a floor Clopper–Pearson and the exact test.

    Args:
        x: successes.
        n: trials.
        floor: a rate to be reached; with it the tests of that rate are shown too.
        level: confidence level.

    Raises:
        UsageError: x or n out of range, a floor that is not strictly between 0 and 1.

    Examples:
        >>> print(proportion_family(4, 5, floor=0.9).decided)
        0.8000 [0.2836, 0.9949] 95% clopper_pearson, n = 5
    """
    estimates: dict[str, Estimate | Undefined] = {
        name: proportion(x, n, method=name, level=level) for name in METHODS
    }
    made = (
        []
        if floor is None
        else [test(x, n, p0=floor) for test in (binomial_exact, binomial_mid_p, binomial_score)]
    )
    interval = "wilson" if floor is None else "clopper_pearson"
    return Family(
        title=f"one rate, {x} of {n}" + ("" if floor is None else f", floor {floor:g}"),
        point=x / n,
        estimates=estimates,
        tests={test.name: test for test in made},
        interval=interval,
        test=made[0].name if made else None,
        decided=estimates[interval],
        notes=_on_floor(estimates, floor),
        quantity="rate",
    )


def mean_family(
    y: ArrayLike,
    *,
    low: float | None = None,
    high: float | None = None,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Family:
    """Show every interval for a mean; the default of these data decides.

    With limits it is the Wilson form, else BCa below 200 independent rows and t from there on.

    Args:
        y: values, one a row.
        low: smallest possible value; None when there is none.
        high: largest possible value; None when there is none.
        clusters: one label a row; None when rows are independent.
        weights: one non-negative weight a row, of any scale.
        level: confidence level.
        n_resamples: resamples of the bootstrap.
        rng: seed or generator; None for the fixed default seed.

    Raises:
        UsageError: a value outside the limits, or an argument of the wrong shape or range.

    Examples:
        >>> print(mean_family([0.9, 1.0, 0.7, 0.8, 1.0, 0.95], low=0, high=1).decided)
        0.8917 [0.7072, 0.9656] 95% wilson_bounded, n = 6
    """
    if (low is None) != (high is None):
        raise UsageError("give both low and high, or neither")
    rows = as_rows(as_values(y, name="y", low=low, high=high), clusters=clusters, weights=weights)
    estimates: dict[str, Estimate | Undefined] = {}
    if low is not None and high is not None:
        estimates["mean_bounded"] = mean_bounded(
            y, low=low, high=high, clusters=clusters, weights=weights, level=level
        )
    estimates["mean_t"] = mean_t(y, clusters=clusters, weights=weights, level=level)
    for name in _BOOTSTRAPS:
        estimates[f"bootstrap_{name}"] = bootstrap_mean(
            y,
            method=name,
            clusters=clusters,
            weights=weights,
            level=level,
            n_resamples=n_resamples,
            rng=rng,
        )
    if low is not None and high is not None and rows.plain:
        estimates["betting"] = betting_interval(y, low=low, high=high, level=level, rng=rng)
    few = rows.plain and rows.y.size < T_FROM
    interval = "mean_bounded" if "mean_bounded" in estimates else "bootstrap_bca" if few else "mean_t"
    return Family(
        title=f"one mean, n = {rows.y.size}",
        point=rows.mean,
        estimates=estimates,
        tests={},
        interval=interval,
        test=None,
        decided=estimates[interval],
        quantity="mean",
    )


def paired_scores(
    a: ArrayLike,
    b: ArrayLike,
    *,
    low: float | None = None,
    high: float | None = None,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Family:
    """Compare the scores of two systems on shared items by every method; t or its hull and the sign flip decide.

    Args:
        a: the baseline's score on each item.
        b: the candidate's score on the same items.
        low: smallest possible score; None when there is none.
        high: largest possible score; None when there is none.
        clusters: one label an item; None when items are independent.
        weights: one non-negative weight an item.
        level: confidence level; the test rejects at 1 − level.
        n_resamples: resamples of the bootstrap, and flips where the test is not exact.
        rng: seed or generator; None for the fixed default seed.

    Raises:
        UsageError: lengths differ, a score outside the limits, or an argument of the wrong shape or range.

    Examples:
        >>> print(paired_scores([0.2, 0.5, 0.9, 0.4], [0.3, 0.7, 0.9, 0.6], low=0, high=1).decided)
        0.1250 [-0.4261, 0.6042] 95% t_tango_hull, n = 4
    """
    d = differences(as_values(a, name="a"), as_values(b, name="b"))
    rows = as_rows(d, clusters=clusters, weights=weights)
    default = paired_graded_difference(
        a, b, low=low, high=high, clusters=clusters, weights=weights, level=level
    )
    estimates: dict[str, Estimate | Undefined] = {
        "paired_difference": default,
        "t": paired_graded_difference(a, b, clusters=clusters, weights=weights, level=level),
    }
    for name in _BOOTSTRAPS:
        estimates[f"bootstrap_{name}"] = bootstrap_difference(
            a,
            b,
            method=name,
            clusters=clusters,
            weights=weights,
            level=level,
            n_resamples=n_resamples,
            rng=rng,
        )
    flip = sign_flip(d, clusters=clusters, weights=weights, n_resamples=n_resamples, rng=rng)
    tests: dict[str, HypothesisTest | Undefined] = {flip.name: flip}
    disagree = disagreement(estimates, tests, level=level)
    rule = f"The rule was fixed in advance: {flip.name} decides, with paired_difference."
    return Family(
        title=f"paired scores, n = {rows.y.size}, {int((d != 0).sum())} differ",
        point=rows.mean,
        estimates=estimates,
        tests=tests,
        interval="paired_difference",
        test=flip.name,
        decided=decided_interval(default, flip),
        notes=(disagree, rule) if disagree else (),
    )


def _on_floor(estimates: dict[str, Estimate | Undefined], floor: float | None) -> tuple[str, ...]:
    """The sentence that says which intervals clear the floor, when not all do or do not."""
    if floor is None:
        return ()
    lows = {name: e.low if isinstance(e, Estimate) else math.nan for name, e in estimates.items()}
    clear = [name for name, limit in lows.items() if limit >= floor]
    if not clear or len(clear) == len(lows):
        return ()
    rule = "The rule was fixed in advance: a floor is judged by clopper_pearson."
    return f"Only these clear the floor: {', '.join(clear)}.", rule
