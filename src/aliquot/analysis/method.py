"""The design decides the method: the first row of the design's table that fits a paired sample, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

import numpy as np

from aliquot.analysis.arrays import PairedSample, Sample, SystemSample
from aliquot.analysis.sequence import analyse_sequence, system_sequence
from aliquot.findings.comparison import NamedTest
from aliquot.findings.scale import Scale
from aliquot.stats.attempts import paired_attempts
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.decision import decided_interval
from aliquot.stats.inputs import Floats, Integers
from aliquot.stats.means import mean, mean_bounded
from aliquot.stats.paired import paired_binary_difference, paired_graded_difference
from aliquot.stats.paired_tests import mcnemar
from aliquot.stats.permutation import sign_flip
from aliquot.stats.rates import rate
from aliquot.stats.results import Estimate, HypothesisTest, Undefined
from aliquot.stats.strata import Shares, stratum_weights
from aliquot.stats.stratified import stratified_difference, stratified_mean


@dataclass(frozen=True, slots=True)
class Analysed:
    """A paired difference, reconciled with its deciding test.

    Attributes:
        difference: the interval every word of the verdict reads.
        tests: all tests made, the deciding one marked.
        why: one line on why these methods.
    """

    difference: Estimate | Undefined
    tests: tuple[NamedTest, ...]
    why: str


def analyse_pairs(sample: PairedSample, scale: Scale, *, level: float, seed: int) -> Analysed:
    """Return the paired difference by the design's table, with its tests.

    Args:
        sample: items with a value on both sides.
        scale: the metric's scale.
        level: confidence level.
        seed: seed of the Monte-Carlo tests.
    """
    if sample.n == 0:
        return Analysed(Undefined("no shared item has a value on both sides"), (), "")
    if sample.places is not None:
        return Analysed(*analyse_sequence(sample, scale, level=level))
    difference, why = interval_of_pairs(sample, scale, level=level)
    tests = _tests(sample, scale, seed=seed)
    deciding = next(named.test for named in tests if named.decides)
    return Analysed(decided_interval(difference, deciding, level=level), tests, why)


def analyse_system(sample: SystemSample, scale: Scale, *, level: float) -> Estimate | Undefined:
    """Return one system's rate or mean, by the design's table.

    Args:
        sample: the items on which it has a value.
        scale: the metric's scale.
        level: confidence level.
    """
    if sample.places is not None or sample.n == 0:
        return system_sequence(sample, scale, level=level)
    values = sample.values
    if scale.kind == "binary" and sample.repeated:
        rows, clusters, weights = attempt_rows(sample)
        return rate(rows, clusters=clusters, weights=weights, level=level)
    strata = usable_strata(sample)
    if strata is not None:
        return stratified_mean(
            values,
            strata=strata,
            shares=_shares(sample, strata),
            clusters=sample.clusters,
            low=scale.low,
            high=scale.high,
            level=level,
        )
    options = _Options(clusters=sample.clusters, weights=sample.weights, level=level)
    if scale.kind == "binary":
        return rate(values, **options)
    if scale.low is None or scale.high is None:
        return mean(values, **options)
    return mean_bounded(values, low=scale.low, high=scale.high, **options)


def attempt_rows(sample: SystemSample) -> tuple[Floats, Integers, Floats | None]:
    """Return pass or fail of each attempt, the cluster it lies in (its item when there are none), and its weight.

    Every item keeps its own weight, however often it was attempted.
    """
    attempts = sample.attempts
    passed = np.rint(sample.values * attempts).astype(np.int64)
    rows = np.concatenate(
        [np.repeat((1.0, 0.0), (good, k - good)) for good, k in zip(passed, attempts, strict=True)]
    )
    clusters = np.arange(sample.n) if sample.clusters is None else sample.clusters
    item_weights = np.ones(sample.n) if sample.weights is None else sample.weights
    weights = item_weights / attempts
    return (
        rows,
        np.repeat(clusters, attempts),
        None if np.ptp(weights) == 0 else np.repeat(weights, attempts),
    )


class _Options(TypedDict):
    """The keywords every method of ``stats`` shares."""

    clusters: Integers | None
    weights: Floats | None
    level: float


def interval_of_pairs(
    sample: PairedSample, scale: Scale, *, level: float
) -> tuple[Estimate | Undefined, str]:
    """Return the paired difference's own interval, before its test has a say, and why this method."""
    a, b = sample.sides()
    strata = usable_strata(sample)
    if strata is not None:
        found = stratified_difference(
            a,
            b,
            strata=strata,
            shares=_shares(sample, strata),
            clusters=sample.clusters,
            low=scale.low,
            high=scale.high,
            level=level,
        )
        return (
            found,
            f"the same items, drawn by stratum in fixed shares, so pairs are compared within strata{_by(sample)}",
        )
    options = _Options(clusters=sample.clusters, weights=sample.weights, level=level)
    by = _by(sample)
    if scale.kind != "binary":
        found = paired_graded_difference(a, b, low=scale.low, high=scale.high, **options)
        return (
            found,
            f"both systems were asked the same items and the metric is graded, so scores are paired{by}",
        )
    if sample.repeated:
        found = paired_attempts(a, b, attempts_a=sample.k_a, attempts_b=sample.k_b, **options)
        return (
            found,
            f"the same items were attempted several times, so the item is the unit, not the attempt{by}",
        )
    found = paired_binary_difference(a, b, **options)
    return found, f"both systems were asked the same items and each passes or fails, so items are paired{by}"


def _by(sample: Sample) -> str:
    clusters = (
        ""
        if sample.clusters is None
        else "; items of one cluster are not independent, so clusters carry the error"
    )
    weights = "" if sample.weights is None else "; items are weighted"
    left_out = why_unstratified(sample)
    return clusters + weights + (f"; {left_out}" if left_out else "")


def usable_strata(sample: Sample) -> Integers | None:
    """Return the strata an estimate is made over, or None (``why_unstratified`` says why)."""
    strata = sample.strata
    if strata is None or np.unique(strata).size == 1 or why_unstratified(sample):
        return None
    return strata


def why_unstratified(sample: Sample) -> str:
    """Return why known strata are left out, which only widens the interval; empty when there are none or they are used.

    Strata hold whole clusters, and a stratum's items weigh alike: the design fixes the shares of strata, not of items.
    """
    strata = sample.strata
    if strata is None or np.unique(strata).size == 1:
        return ""
    if sample.repeated:
        return "strata are left out, as items were attempted several times"
    if (
        sample.weights is not None
        and np.unique(np.stack([strata, sample.weights]), axis=1).shape[1] > strata.max() + 1
    ):
        return "strata are left out, as the weights differ within them"
    if sample.clusters is not None:
        inside = np.unique(np.stack([sample.clusters, strata]), axis=1).shape[1]
        if inside > np.unique(sample.clusters).size:
            return "strata are left out, as clusters lie across them"
    return ""


def _shares(sample: Sample, strata: Integers) -> Shares:
    """Return the fixed share of each stratum: its items, or the sum of their weights."""
    if sample.weights is None:
        return "size"
    return {code: float(sample.weights[strata == code].sum()) for code in np.unique(strata).tolist()}


def item_weights(sample: PairedSample) -> Floats | None:
    """Return the weights of items in a sign flip, those of the strata where they are used; None for equal ones."""
    strata = usable_strata(sample)
    if strata is None:
        return sample.weights
    return (
        stratum_weights(sample.n, strata=strata, shares=_shares(sample, strata))
        if sample.weights is not None
        else None
    )


def _tests(sample: PairedSample, scale: Scale, *, seed: int) -> tuple[NamedTest, ...]:
    flip = sign_flip(sample.d, clusters=sample.clusters, weights=item_weights(sample), rng=seed)
    if scale.kind != "binary" or sample.repeated:
        return (NamedTest(flip, decides=True),)
    fixed, broke = discordant(sample)
    exact, mid_p, asymptotic = (mcnemar(fixed, broke, method=name) for name in _MCNEMAR)
    plain = sample.clusters is None and sample.weights is None
    deciding: HypothesisTest = exact if plain else flip
    others = (exact, mid_p, asymptotic, *(() if plain else (flip,)))
    return (
        NamedTest(deciding, decides=True),
        *(NamedTest(test, decides=False) for test in others if test is not deciding),
    )


_MCNEMAR: tuple[Literal["exact", "mid_p", "asymptotic"], ...] = ("exact", "mid_p", "asymptotic")


def discordant(sample: PairedSample) -> tuple[int, int]:
    """Return the number of items the candidate fixed and broke."""
    return int((sample.d > 0).sum()), int((sample.d < 0).sum())


def effective_items(sample: PairedSample, difference: Estimate) -> float:
    """Return how many independent items the sample is worth for this difference."""
    if difference.n_eff is not None:
        return difference.n_eff
    found = cluster_variance(sample.d, clusters=sample.clusters, weights=sample.weights)
    return float(sample.n) if isinstance(found, Undefined) else found.kish_n
