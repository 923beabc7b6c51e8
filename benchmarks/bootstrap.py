"""The paired bootstrap of a mean difference, 10,000 resamples: few values, real scores, whole clusters."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from scipy import stats

from aliquot.stats.bootstrap import bootstrap_difference
from benchmarks.measure import Measured, Side, alternate, call_cpu

RESAMPLES = 10_000
LIMITS = [0.025, 0.975]


def measure() -> list[Measured]:
    return [few_values(), real_scores(), whole_clusters()]


def few_values() -> Measured:
    """A million pairs of zeros and ones; the reference draws the counts of the four cells."""
    draw = np.random.default_rng(0)
    n = 1_000_000
    a = (draw.random(n) < 0.7).astype(np.int64)
    b = np.where(draw.random(n) < 0.8, a, draw.random(n) < 0.68).astype(np.int64)

    def cells() -> np.ndarray:
        cell, count = np.unique(2 * a + b, return_counts=True)
        drawn = np.random.default_rng(1).multinomial(n, count / n, size=RESAMPLES)
        return np.quantile(drawn @ (cell % 2 - cell // 2) / n, LIMITS)

    peer, side = scipy_side(b - a, resamples=50)
    cpu = alternate({"ours": percentile(a, b), "cells": call_cpu(cells), "peer": side}, repeats=3)
    work = "paired bootstrap, 1e6 pairs of 0 and 1"
    return Measured(work, cpu["ours"], "multinomial over the cells", cpu["cells"], 2.0, peer, cpu["peer"])


def real_scores() -> Measured:
    """A hundred thousand differences, no two alike; the target is a fifth of scipy's time."""
    draw = np.random.default_rng(0)
    a = draw.normal(0.5, 0.2, 100_000)
    b = a + draw.normal(0.01, 0.3, a.size)
    peer, side = scipy_side(b - a, resamples=500)
    cpu = alternate({"ours": percentile(a, b), "peer": side}, repeats=3)
    work = "paired bootstrap, 1e5 pairs of real scores"
    return Measured(work, cpu["ours"], "scipy, as beside", cpu["peer"], 0.2, peer, cpu["peer"])


def whole_clusters() -> Measured:
    """A million rows in a hundred thousand clusters; the reference draws the kinds of (sum, size)."""
    draw = np.random.default_rng(0)
    n, groups = 1_000_000, 100_000
    cluster = draw.integers(0, groups, n)
    ease = draw.normal(0, 0.1, groups)[cluster]
    a, b = ((draw.random(n) < rate + ease).astype(np.int64) for rate in (0.7, 0.69))

    def kinds() -> np.ndarray:
        size = np.bincount(cluster, minlength=groups)
        total = np.bincount(cluster, b - a, minlength=groups).astype(np.int64)
        kind, count = np.unique((total + 4096) * 8192 + size, return_counts=True)
        drawn = np.random.default_rng(1).multinomial(groups, count / groups, size=RESAMPLES)
        return np.quantile((drawn @ (kind // 8192 - 4096)) / (drawn @ (kind % 8192)), LIMITS)

    order = np.argsort(cluster, kind="stable")
    parts = np.split((b - a)[order], np.cumsum(np.bincount(cluster, minlength=groups))[:-1])

    def gather() -> float:
        picked = np.random.default_rng(1).integers(0, groups, groups)
        return float(np.concatenate([parts[number] for number in picked]).mean())

    sides: dict[str, Side] = {"ours": percentile(a, b, clusters=cluster), "kinds": call_cpu(kinds)}
    cpu = alternate({**sides, "peer": call_cpu(gather, times=RESAMPLES)}, repeats=3)
    work = "cluster bootstrap, 1e6 rows, 1e5 clusters"
    peer = f"numpy {version('numpy')}, rows of the drawn clusters gathered (1 resample, scaled)"
    return Measured(work, cpu["ours"], "multinomial over (sum, size)", cpu["kinds"], 2.0, peer, cpu["peer"])


def percentile(a: np.ndarray, b: np.ndarray, *, clusters: np.ndarray | None = None) -> Side:
    return call_cpu(
        lambda: bootstrap_difference(
            a, b, method="percentile", clusters=clusters, n_resamples=RESAMPLES, rng=1
        )
    )


def scipy_side(d: np.ndarray, *, resamples: int) -> tuple[str, Side]:
    """The peer at a part of the resamples; its time is proportional to their number."""

    def run() -> object:
        batch = max(1, 20_000_000 // d.size)
        return stats.bootstrap((d,), np.mean, n_resamples=resamples, method="percentile", batch=batch, rng=1)

    name = f"scipy {version('scipy')} bootstrap ({resamples} resamples, scaled)"
    return name, call_cpu(run, times=RESAMPLES / resamples)
