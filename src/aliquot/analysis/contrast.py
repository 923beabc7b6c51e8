"""What an unpaired or naive analysis of the same pairs would have said, beside the one that was made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.method import analyse_pairs, analyse_system, attempt_rows
from aliquot.analysis.unpaired import interval_of_unpaired
from aliquot.findings.contrast import AnalysisName, MethodContrast, OtherAnalysis
from aliquot.findings.scale import Scale
from aliquot.findings.verdict import read_verdict
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.inputs import as_weights
from aliquot.stats.results import Estimate, Undefined
from aliquot.stats.unpaired import unpaired_rates


def find_contrast(
    sample: PairedSample, scale: Scale, *, level: float, margin: float | None, seed: int
) -> MethodContrast | Undefined:
    """Return what the analyses that do not fit would have said.

    The unpaired one is Miettinen–Nurminen for pass or fail and Welch for scores, by cluster where there are any; with
    clusters also the paired one of single items, and with attempts the one that takes each attempt for an item.

    Args:
        sample: the shared items with a value on both sides.
        scale: the metric's scale.
        level: confidence level.
        margin: margin of the verdict, in the metric's units.
        seed: seed of Monte-Carlo tests.

    Returns:
        The contrast; Undefined without a shared item.
    """
    if sample.n == 0:
        return Undefined("no shared item has a value on both sides")
    sides = sample.baseline(), sample.candidate()
    found: dict[AnalysisName, Estimate | Undefined] = {
        "unpaired": interval_of_unpaired(*sides, scale, level=level)
    }
    if sample.clusters is not None:
        single = replace(sample, clusters=None)
        found["clusters_ignored"] = analyse_pairs(single, scale, level=level, seed=seed).difference
    if sample.repeated and scale.kind == "binary":
        rows_a, rows_b = (attempt_rows(side)[0] for side in sides)
        found["attempts_as_items"] = unpaired_rates(rows_a, rows_b, level=level)
    return MethodContrast(
        others=tuple(
            OtherAnalysis(name, difference, read_verdict(difference, margin=margin, better=scale.better)[0])
            for name, difference in found.items()
        ),
        correlation=_correlation(sample),
        variance_ratio=_variance_ratio(sample),
        own_intervals_overlap=_overlap(*(analyse_system(side, scale, level=level) for side in sides)),
    )


def _correlation(sample: PairedSample) -> float | Undefined:
    """Return the (weighted) product-moment correlation of the two systems' item scores."""
    weights = as_weights(sample.weights, sample.n)
    a, b = (values - weights @ values for values in sample.sides())
    spread = [float(np.sqrt(weights @ (values * values))) for values in (a, b)]
    scale = max(float(np.abs(values).max()) for values in sample.sides())
    if min(spread) <= 1e-12 * scale:
        return Undefined("a system scores the same on every item")
    return max(-1.0, min(1.0, float(weights @ (a * b)) / (spread[0] * spread[1])))


def _variance_ratio(sample: PairedSample) -> float | Undefined:
    """Return (V_A + V_B)/V_d, each by cluster where there are any."""
    parts = [
        cluster_variance(values, clusters=sample.clusters, weights=sample.weights)
        for values in (sample.a, sample.b, sample.d)
    ]
    known = [part.variance for part in parts if not isinstance(part, Undefined)]
    if len(known) < len(parts):
        return next(part for part in parts if isinstance(part, Undefined))
    if known[2] == 0:
        return Undefined("the difference is the same on every item or cluster")
    return (known[0] + known[1]) / known[2]


def _overlap(a: Estimate | Undefined, b: Estimate | Undefined) -> bool | None:
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return None
    return a.low <= b.high and b.low <= a.high
