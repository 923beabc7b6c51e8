"""Two systems on different items: the design's row without shared items, and why."""

from __future__ import annotations

import numpy as np

from aliquot.analysis.arrays import SystemSample
from aliquot.analysis.method import Analysed, attempt_rows
from aliquot.findings.comparison import NamedTest
from aliquot.findings.scale import Scale
from aliquot.stats.decision import decided_interval
from aliquot.stats.group_permutation import cluster_permutation, permutation_means
from aliquot.stats.inputs import Floats, Integers
from aliquot.stats.results import Estimate, HypothesisTest, Undefined
from aliquot.stats.unpaired import unpaired_means, unpaired_rates, welch_test
from aliquot.stats.unpaired_exact import fisher, unpaired_test
from aliquot.stats.unpaired_score import mn_score_test


def analyse_unpaired(
    a: SystemSample, b: SystemSample, scale: Scale, *, level: float, seed: int, why: str
) -> Analysed:
    """Return the difference of two systems that were asked different items, by the design's table, with its tests.

    Args:
        a: the baseline's items.
        b: the candidate's items.
        scale: the metric's scale.
        level: confidence level.
        seed: seed of the Monte-Carlo tests.
        why: why the systems are not paired, the first half of the finding's ``why``.
    """
    if a.n == 0 or b.n == 0:
        side = "baseline" if a.n == 0 else "candidate"
        return Analysed(Undefined(f"no item of the {side} has a value"), (), "")
    difference = interval_of_unpaired(a, b, scale, level=level)
    tests = _tests(a, b, scale, seed=seed)
    if not tests:
        return Analysed(Undefined("there are too few clusters or items to test with"), (), why)
    deciding = next(named.test for named in tests if named.decides)
    return Analysed(decided_interval(difference, deciding, level=level), tests, f"{why}{_by(a, b)}")


def interval_of_unpaired(
    a: SystemSample, b: SystemSample, scale: Scale, *, level: float
) -> Estimate | Undefined:
    """Return the difference as of different items, before its test is asked; attempts stay in their items."""
    estimate = unpaired_rates if scale.kind == "binary" else unpaired_means
    (rows_a, clusters_a, weights_a), (rows_b, clusters_b, weights_b) = (_rows(side, scale) for side in (a, b))
    return estimate(
        rows_a,
        rows_b,
        clusters_a=clusters_a,
        clusters_b=clusters_b,
        weights_a=weights_a,
        weights_b=weights_b,
        level=level,
    )


def _rows(side: SystemSample, scale: Scale) -> tuple[Floats, Integers | None, Floats | None]:
    """Return the rows of one side: attempts in their items when items of a binary metric were attempted again."""
    if scale.kind == "binary" and side.repeated:
        return attempt_rows(side)
    return side.values, side.clusters, side.weights


def _tests(a: SystemSample, b: SystemSample, scale: Scale, *, seed: int) -> tuple[NamedTest, ...]:
    if a.weights is not None or b.weights is not None:
        return _one(
            welch_test(
                a.values,
                b.values,
                clusters_a=a.clusters,
                clusters_b=b.clusters,
                weights_a=a.weights,
                weights_b=b.weights,
            )
        )
    if a.clusters is not None or b.clusters is not None:
        return _one(
            cluster_permutation(a.values, b.values, clusters_a=a.clusters, clusters_b=b.clusters, rng=seed)
        )
    if scale.kind == "binary" and not (a.repeated or b.repeated):
        return _count_tests(a.values, b.values)
    welch = welch_test(a.values, b.values)
    beside = () if isinstance(welch, Undefined) else (NamedTest(welch, decides=False),)
    return (*_one(permutation_means(a.values, b.values, rng=seed)), *beside)


def _one(test: HypothesisTest | Undefined) -> tuple[NamedTest, ...]:
    return () if isinstance(test, Undefined) else (NamedTest(test, decides=True),)


def _count_tests(a: Floats, b: Floats) -> tuple[NamedTest, ...]:
    """Return Boschloo's, Fisher's and the score test; Boschloo's decides up to n_A·n_B = 10⁵, then the score test."""
    counts = (int(np.sum(a)), a.size, int(np.sum(b)), b.size)
    deciding = unpaired_test(*counts)
    others = [test for test in (mn_score_test(*counts), fisher(*counts)) if test.name != deciding.name]
    return (NamedTest(deciding, decides=True), *(NamedTest(test, decides=False) for test in others))


def _by(a: SystemSample, b: SystemSample) -> str:
    clusters = a.clusters is not None or b.clusters is not None
    weights = a.weights is not None or b.weights is not None
    strata = a.strata is not None or b.strata is not None
    return (
        ("; items of one cluster are not independent, so clusters carry the error" if clusters else "")
        + ("; items are weighted" if weights else "")
        + ("; strata are left out, as the two item sets differ" if strata else "")
    )
