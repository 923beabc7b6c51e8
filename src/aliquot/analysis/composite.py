"""Who wins when several metrics are made one number: under equal weights, and under all others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.parts import part_of
from aliquot.errors import UsageError
from aliquot.findings.composite import Composite
from aliquot.findings.scale import Scale
from aliquot.stats.decision import decided_interval
from aliquot.stats.distributions import two_sided_t
from aliquot.stats.inputs import Floats, as_weights
from aliquot.stats.paired import paired_difference
from aliquot.stats.permutation import sign_flip
from aliquot.stats.ratios import UnboundedRatio, fieller_from_moments
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

DRAWS: Final = 10_000
"""Weightings drawn."""


def find_composite(
    samples: Mapping[str, PairedSample], scales: Mapping[str, Scale], *, level: float, seed: int
) -> Composite | Undefined:
    """Return how the winner depends on the weights of several metrics of the same two systems.

    Args:
        samples: by metric, the shared items with a value on both sides; items that lack a metric are left out.
        scales: by metric, its scale, which must have bounds and a better direction.
        level: confidence level.
        seed: seed of the weightings and flips.

    Returns:
        The composite; Undefined when a metric has no bounds or no better direction, or no two units have all of them.

    Raises:
        UsageError: fewer than two metrics.
    """
    metrics = tuple(samples)
    if len(metrics) < 2:
        raise UsageError(f"a composite takes two metrics or more; got {', '.join(metrics) or 'none'}")
    for name in metrics:
        if scales[name].span() is None:
            return Undefined(f"{name} has no bounds, so a weight of it against others has no meaning")
        if scales[name].better == "none":
            return Undefined(f"neither direction of {name} is better, so it has no winner")
    shared = set[str].intersection(*(set(one.items) for one in samples.values()))
    kept = {
        name: part_of(one, np.array([item in shared for item in one.items], dtype=np.bool_))
        for name, one in samples.items()
    }
    first = kept[metrics[0]]
    if first.n < 2 or first.n_clusters == 1:
        return Undefined("fewer than two independent items have a value of every metric")
    sides = [_on_unit_scale(kept[name], scales[name]) for name in metrics]
    a, b = (np.stack(side, axis=1) for side in zip(*sides, strict=True))
    return _composed(metrics, first, a, b, level=level, seed=seed)


def _on_unit_scale(sample: PairedSample, scale: Scale) -> tuple[Floats, Floats]:
    low, span = scale.low or 0.0, scale.span() or 1.0
    a, b = ((side - low) / span for side in sample.sides())
    return (1 - a, 1 - b) if scale.better == "lower" else (a, b)


def _composed(
    metrics: tuple[str, ...], sample: PairedSample, a: Floats, b: Floats, *, level: float, seed: int
) -> Composite:
    clusters, weights = sample.clusters, sample.weights

    def tested(first: Floats, second: Floats) -> tuple[Estimate | Undefined, HypothesisTest]:
        own = paired_difference(first, second, low=0, high=1, clusters=clusters, weights=weights, level=level)
        test = sign_flip(second - first, clusters=clusters, weights=weights, rng=seed)
        return decided_interval(own, test, level=level), test

    equal, test = tested(*(np.clip(side.mean(axis=1), 0.0, 1.0) for side in (a, b)))
    means, covariance, units = _moments(b - a, sample)
    drawn = np.random.default_rng(seed).dirichlet(np.ones(len(metrics)), size=DRAWS)
    points = drawn @ means
    half = two_sided_t(level, units - 1.0) * np.sqrt(
        np.maximum(0.0, ((drawn @ covariance) * drawn).sum(axis=1))
    )
    return Composite(
        metrics=metrics,
        n=sample.n,
        differences=tuple(tested(a[:, j], b[:, j])[0] for j in range(len(metrics))),
        equal=equal,
        test=test,
        break_even=_break_even(means, covariance, units, level=level) if len(metrics) == 2 else None,
        wins=float((points > 0).mean()),
        clearly_better=float((points > half).mean()),
        clearly_worse=float((points < -half).mean()),
        draws=DRAWS,
        level=level,
        seed=seed,
    )


def _moments(d: Floats, sample: PairedSample) -> tuple[Floats, Floats, int]:
    """Mean of each metric's difference, the covariance of these means, and the units it rests on."""
    w = as_weights(sample.weights, sample.n)
    means = w @ d
    scores = (d - means) * w[:, None]
    if sample.clusters is not None:
        scores = np.stack([np.bincount(sample.clusters, one).astype(np.float64) for one in scores.T], axis=1)
    units = scores.shape[0]
    return means, scores.T @ scores * (units / (units - 1)), units


def _break_even(
    means: Floats, covariance: Floats, units: int, *, level: float
) -> Estimate | UnboundedRatio | Undefined:
    """Weight w of the first of two metrics at which w d₁ + (1 − w) d₂ = 0, so w = d₂/(d₂ − d₁), by Fieller."""
    d1, d2 = (float(one) for one in means)
    if d1 * d2 >= 0:
        return Undefined("both metrics have one winner, and so has every weighting of them")
    (v1, c), (_, v2) = covariance.tolist()
    bound = math.sqrt(v2 * max(0.0, v1 + v2 - 2 * c))  # rounding may not make a correlation above 1
    found = fieller_from_moments(
        d2,
        d2 - d1,
        variances=(v2, max(0.0, v1 + v2 - 2 * c)),
        covariance=max(-bound, min(bound, v2 - c)),
        df=units - 1,
        n=units,
        level=level,
    )
    if isinstance(found, Estimate):
        return Estimate(
            found.point,
            max(0.0, found.low),
            min(1.0, found.high),
            level,
            found.method,
            units,
            found.se,
            found.df,
        )
    return found
