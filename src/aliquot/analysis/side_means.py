"""A mean or rate beside the headline: both systems and their paired difference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.method import analyse_pairs, analyse_system
from aliquot.evidence.units import Pairs
from aliquot.findings.scale import Scale
from aliquot.findings.side_metrics import SideMetric
from aliquot.stats.inputs import Floats


def compare_means(
    name: str, sample: PairedSample, scale: Scale, *, level: float, seed: int, unit: str = ""
) -> SideMetric:
    """Return means or rates of two systems with their difference.

    Args:
        name: what is measured.
        sample: items with a value on both sides.
        scale: how the values are read.
        level: confidence level.
        seed: seed of the tests.
        unit: of the values.
    """
    found = analyse_pairs(sample, scale, level=level, seed=seed)
    return SideMetric(
        name=name,
        statistic="mean",
        label="",
        unit=unit,
        scale=scale,
        n=sample.n,
        points=(_average(sample.a, sample), _average(sample.b, sample)),
        a=analyse_system(sample.baseline(), scale, level=level),
        b=analyse_system(sample.candidate(), scale, level=level),
        difference=found.difference,
        ratio=None,
        test=next((named.test for named in found.tests if named.decides), None),
    )


def _average(values: Floats, sample: PairedSample) -> float:
    return float(np.average(values, weights=sample.weights))


def with_values(pairs: Pairs, a: pl.DataFrame, b: pl.DataFrame) -> Pairs:
    """Return the pairs with other values: frames of item, mean, k; items that lack one stay without it.

    Args:
        pairs: the shared items.
        a: values of the baseline.
        b: values of the candidate.
    """
    known = pairs.frame.drop("a", "k_a", "missing_a", "b", "k_b", "missing_b")
    frame = known
    for side, values in (("a", a), ("b", b)):
        named = values.select("item", pl.col("mean").alias(side), pl.col("k").alias(f"k_{side}"))
        frame = frame.join(named, on="item", how="left")
    return replace(pairs, frame=frame.sort("item"))
