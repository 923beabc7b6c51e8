"""What each method does with one drawn data set: the bridge from designs to the estimators and tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from aliquot.stats.attempts import paired_attempts
from aliquot.stats.bootstrap import bootstrap_mean
from aliquot.stats.clustered_tests import clustered_mcnemar
from aliquot.stats.clusters import clustered_mean
from aliquot.stats.designs import AttemptsDesign, Design, PairedDesign, RateDesign, Sample, UnpairedDesign
from aliquot.stats.group_permutation import cluster_permutation
from aliquot.stats.means import mean_bounded, mean_t
from aliquot.stats.paired import paired_binary_difference, paired_graded_difference
from aliquot.stats.paired_intervals import agresti_min, bonett_price, newcombe_paired, wald_paired
from aliquot.stats.paired_score import tango
from aliquot.stats.paired_tests import mcnemar, paired_table
from aliquot.stats.permutation import sign_flip
from aliquot.stats.proportions import METHODS
from aliquot.stats.rates import floor_interval, rate
from aliquot.stats.results import Estimate, HypothesisTest, Undefined
from aliquot.stats.unpaired import unpaired_rates
from aliquot.stats.unpaired_exact import unpaired_test
from aliquot.stats.unpaired_forms import newcombe_unpaired, wald_unpaired, z_pooled
from aliquot.stats.unpaired_score import mee, miettinen_nurminen

_FLIPS = 999
"""Random regroupings of a test within a simulation: enough to tell p from .05, cheap enough to repeat."""

Interval: TypeAlias = Callable[[Sample, float], Estimate | Undefined]
Test: TypeAlias = Callable[[Sample], HypothesisTest | Undefined]


@dataclass(frozen=True, slots=True)
class Procedures:
    """What can be done with the data of one kind of design, by name.

    Attributes:
        intervals: intervals by name.
        tests: tests of no difference by name.
        interval: name of the default interval.
        test: name of the test that decides; None for one system.
        naive_interval: what is done when the design is not looked at.
        naive_test: the same for the test.
    """

    intervals: Mapping[str, Interval]
    tests: Mapping[str, Test]
    interval: str
    naive_interval: str
    test: str | None = None
    naive_test: str | None = None


def procedures_for(design: Design) -> Procedures:
    """Return the methods that fit the data of a design."""
    if isinstance(design, RateDesign):
        return _RATE
    if isinstance(design, PairedDesign):
        return _PAIRED
    if isinstance(design, AttemptsDesign):
        return _ATTEMPTS
    if isinstance(design, UnpairedDesign):
        clustered = design.clusters_a is not None or design.clusters_b is not None
        return _UNPAIRED_CLUSTERS if clustered else _UNPAIRED
    limits = {"low": design.low, "high": design.high}
    return _pairs_of_scores(limits) if design.b is not None else _scores(limits)


def candidate(s: Sample) -> np.ndarray:
    """Values of the candidate; a design of two systems always draws them."""
    return s.a if s.b is None else s.b


def _counted(form: Callable[..., Estimate], s: Sample, level: float) -> Estimate:
    return form(float(s.a.sum()), float(s.a.size), level=level)


_RATE = Procedures(
    intervals={
        "rate": lambda s, level: rate(s.a, clusters=s.clusters, level=level),
        "floor_interval": lambda s, level: floor_interval(s.a, clusters=s.clusters, level=level),
        "clustered_mean": lambda s, level: clustered_mean(s.a, clusters=s.clusters, level=level),
        **{name: partial(_counted, form) for name, form in METHODS.items()},
    },
    tests={},
    interval="rate",
    naive_interval="wilson",
)


def _cells(s: Sample) -> tuple[int, int, int, int]:
    (both, broke), (fixed, neither) = paired_table(s.a.ravel(), candidate(s).ravel())
    return both, broke, fixed, neither


def _discordant(form: Callable[..., Estimate | Undefined], s: Sample, level: float) -> Estimate | Undefined:
    _, broke, fixed, _ = _cells(s)
    return form(fixed, broke, s.a.size, level=level)


def _mcnemar(s: Sample, method: str = "exact") -> HypothesisTest:
    _, broke, fixed, _ = _cells(s)
    return mcnemar(fixed, broke, method=method)  # type: ignore[arg-type]


def _flip(s: Sample) -> HypothesisTest:
    return sign_flip(candidate(s) - s.a, clusters=s.clusters, n_resamples=_FLIPS)


def _clustered_mcnemar(s: Sample) -> HypothesisTest | Undefined:
    codes = np.arange(s.a.size) if s.clusters is None else s.clusters
    return clustered_mcnemar(s.a, candidate(s), clusters=codes)


_PAIRED_TESTS: dict[str, Test] = {
    "sign_flip": _flip,
    "mcnemar_exact": _mcnemar,
    "mcnemar_midp": partial(_mcnemar, method="mid_p"),
    "mcnemar_asymptotic": partial(_mcnemar, method="asymptotic"),
    "mcnemar_obuchowski": _clustered_mcnemar,
}

_PAIRED = Procedures(
    intervals={
        "paired_difference": lambda s, level: paired_binary_difference(
            s.a, candidate(s), clusters=s.clusters, level=level
        ),
        "t_cr2": lambda s, level: clustered_mean(candidate(s) - s.a, clusters=s.clusters, level=level),
        "newcombe_paired": lambda s, level: newcombe_paired(*_cells(s), level=level),
        **{
            name: partial(_discordant, form)
            for name, form in {
                "tango": tango,
                "bonett_price": bonett_price,
                "agresti_min": agresti_min,
                "wald_paired": wald_paired,
            }.items()
        },
    },
    tests=_PAIRED_TESTS,
    interval="paired_difference",
    test="sign_flip",  # without clusters the same p as exact McNemar
    naive_interval="tango",
    naive_test="mcnemar_exact",
)


def _attempts(s: Sample, level: float) -> Estimate | Undefined:
    b = candidate(s)
    k = s.a.shape[1]
    return paired_attempts(s.a.mean(axis=1), b.mean(axis=1), attempts_a=k, attempts_b=k, level=level)


_ATTEMPTS = Procedures(
    intervals={
        "paired_attempts": _attempts,
        "t": lambda s, level: mean_t((candidate(s) - s.a).mean(axis=1), level=level),
        "tango": partial(_discordant, tango),
    },
    tests={
        "sign_flip": lambda s: sign_flip((candidate(s) - s.a).mean(axis=1), n_resamples=_FLIPS),
        "mcnemar_exact": _mcnemar,
    },
    interval="paired_attempts",
    test="sign_flip",
    naive_interval="tango",
    naive_test="mcnemar_exact",
)


def _two_rates(s: Sample, level: float) -> Estimate | Undefined:
    return unpaired_rates(s.a, candidate(s), clusters_a=s.clusters, clusters_b=s.clusters_b, level=level)


def _four_counts(form: Callable[..., Estimate | Undefined], s: Sample, level: float) -> Estimate | Undefined:
    return form(*_counts(s), level=level)


def _counts(s: Sample) -> tuple[int, int, int, int]:
    b = candidate(s)
    return int(s.a.sum()), s.a.size, int(b.sum()), b.size


_UNPAIRED = Procedures(
    intervals={
        "unpaired_rates": _two_rates,
        **{
            name: partial(_four_counts, form)
            for name, form in {
                "miettinen_nurminen": miettinen_nurminen,
                "mee": mee,
                "newcombe_unpaired": newcombe_unpaired,
                "wald_unpaired": wald_unpaired,
            }.items()
        },
    },
    tests={
        "unpaired_test": lambda s: unpaired_test(*_counts(s)),
        "z_pooled": lambda s: z_pooled(*_counts(s)),
        "cluster_permutation": lambda s: cluster_permutation(
            s.a, candidate(s), clusters_a=s.clusters, clusters_b=s.clusters_b, n_resamples=_FLIPS
        ),
    },
    interval="unpaired_rates",
    test="unpaired_test",
    naive_interval="wald_unpaired",
    naive_test="z_pooled",
)

_UNPAIRED_CLUSTERS = Procedures(
    intervals=_UNPAIRED.intervals,
    tests=_UNPAIRED.tests,
    interval="unpaired_rates",
    test="cluster_permutation",
    naive_interval="miettinen_nurminen",
    naive_test="z_pooled",
)


def _scores(limits: dict[str, float]) -> Procedures:
    return Procedures(
        intervals={
            "mean_bounded": lambda s, level: mean_bounded(s.a, **limits, level=level),
            "mean_t": lambda s, level: mean_t(s.a, level=level),
            "bootstrap_mean": lambda s, level: bootstrap_mean(s.a, level=level, n_resamples=_FLIPS),
        },
        tests={},
        interval="mean_bounded",
        naive_interval="mean_t",
    )


def _pairs_of_scores(limits: dict[str, float]) -> Procedures:
    return Procedures(
        intervals={
            "paired_difference": lambda s, level: paired_graded_difference(
                s.a, candidate(s), **limits, level=level
            ),
            "t": lambda s, level: paired_graded_difference(s.a, candidate(s), level=level),
        },
        tests={"sign_flip": _flip},
        interval="paired_difference",
        test="sign_flip",
        naive_interval="t",
        naive_test="sign_flip",
    )
