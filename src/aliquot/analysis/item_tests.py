"""One broken item is named, and not drowned in a good mean: a test an item when items were attempted repeatedly."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import narwhals as nw
import numpy as np
import polars as pl

from aliquot.analysis.arrays import PairedSample
from aliquot.evidence.status import resolve
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Pairs, Units
from aliquot.findings.item_tests import ItemTest, ItemTests, Strip
from aliquot.findings.scale import Scale
from aliquot.stats.inputs import Floats, Integers
from aliquot.stats.multiplicity import tarone_holm
from aliquot.stats.results import HypothesisTest, Undefined
from aliquot.stats.unpaired_exact import fisher

METHOD = "fisher_exact, tarone_holm"
"""What each item is tested with, and how the p-values are corrected."""


@dataclass(frozen=True, slots=True)
class _Counts:
    """Passes of both systems on each item that was attempted twice or more by both."""

    items: tuple[str, ...]
    passed_a: Integers
    attempts_a: Integers
    passed_b: Integers
    attempts_b: Integers

    def table(self, i: int) -> tuple[int, int, int, int]:
        """Return x_a, n_a, x_b and n_b of one item."""
        return int(self.passed_a[i]), int(self.attempts_a[i]), int(self.passed_b[i]), int(self.attempts_b[i])

    def where(self, mask: np.ndarray) -> tuple[str, ...]:
        """Return the ids a mask picks."""
        return tuple(self.items[i] for i in np.flatnonzero(mask))


def find_item_tests(
    evidence: Evidence, pairs: Pairs, sample: PairedSample, scale: Scale, *, level: float
) -> ItemTests | Undefined:
    """Return which items broke and which were fixed for sure, and which are merely flaky.

    Fisher's exact test of the passes of both systems on each item, by Holm's steps over the items whose smallest
    possible p, given their passes, could reject at all (Tarone 1990, Biometrics 46:515): in a suite that mostly
    passes they are few. The chance of naming any item whose two rates are equal is at most 1 − level, whatever the
    items have in common.

    Args:
        evidence: the tables, for the attempts of the items named.
        pairs: the shared items.
        sample: those with a value on both sides.
        scale: the metric's scale.
        level: confidence level of all items together.

    Returns:
        The items; Undefined when the metric is not binary, or no item was attempted twice by both systems.
    """
    if scale.kind != "binary":
        return Undefined("items are tested one by one only where each attempt passes or fails")
    counts = _count(sample)
    if isinstance(counts, Undefined):
        return counts
    tests, smallest = _test(counts)
    p = np.array([test.p for test in tests])
    adjusted, alpha = tarone_holm(p, least=smallest), round(1 - level, 12)
    named = adjusted <= alpha
    gain = counts.passed_b / counts.attempts_b - counts.passed_a / counts.attempts_a
    better = -gain if scale.better == "lower" else gain
    strips = [
        _strips(evidence, side, items=counts.where(named)) for side in (pairs.baseline, pairs.candidate)
    ]

    def name_items(mask: np.ndarray) -> tuple[ItemTest, ...]:
        order = sorted(np.flatnonzero(mask).tolist(), key=lambda i: (adjusted[i], p[i], counts.items[i]))
        return tuple(_named(counts, i, tests[i], float(adjusted[i]), strips) for i in order)

    return ItemTests(
        broke=name_items(named & (better < 0)),
        fixed=name_items(named & (better > 0)),
        moved=counts.where(~named & (np.abs(gain) > 1e-12)),
        flaky_a=counts.where(_disagree(counts.passed_a, counts.attempts_a)),
        flaky_b=counts.where(_disagree(counts.passed_b, counts.attempts_b)),
        items=len(counts.items),
        testable=_testable(smallest, alpha=alpha),
        level=level,
        method=METHOD,
    )


def _count(sample: PairedSample) -> _Counts | Undefined:
    """Return the passes of each item; values of attempts that are neither 0 nor 1 cannot be counted."""
    kept = (sample.k_a > 1) & (sample.k_b > 1)
    if not kept.any():
        return Undefined("no item was attempted twice or more by both systems")
    passed_a, passed_b = sample.a * sample.k_a, sample.b * sample.k_b
    if any(np.abs(passed - np.rint(passed)).max() > 1e-6 for passed in (passed_a[kept], passed_b[kept])):
        return Undefined("repeats of the scorer disagree within attempts, so passes cannot be counted")
    return _Counts(
        items=sample.ids_where(kept),
        passed_a=np.rint(passed_a[kept]).astype(np.int64),
        attempts_a=sample.k_a[kept],
        passed_b=np.rint(passed_b[kept]).astype(np.int64),
        attempts_b=sample.k_b[kept],
    )


def _disagree(passed: Integers, attempts: Integers) -> np.ndarray:
    return (passed > 0) & (passed < attempts)


def _test(counts: _Counts) -> tuple[list[HypothesisTest], Floats]:
    """Return the test of each item and the smallest p it could have given its passes in total; equal tables once."""
    known: dict[tuple[int, int, int, int], tuple[HypothesisTest, float]] = {}
    tables = [counts.table(i) for i in range(len(counts.items))]
    for table in set(tables):
        x_a, n_a, x_b, n_b = table
        total = x_a + x_b
        extremes = (max(0, total - n_a), min(total, n_b))
        test = fisher(*table)
        known[table] = test, min(test.p, *(fisher(total - x, n_a, x, n_b).p for x in extremes))
    return [known[table][0] for table in tables], np.array([known[table][1] for table in tables])


def _testable(smallest: Floats, *, alpha: float) -> int:
    """Return how many items could be named: their smallest p rejects though all that could be as extreme count."""
    as_many = np.searchsorted(np.sort(smallest), smallest * (1 + 1e-9), side="right")
    return int(np.count_nonzero(smallest * as_many <= alpha))


def _named(
    counts: _Counts, i: int, test: HypothesisTest, adjusted: float, strips: list[Mapping[str, Strip]]
) -> ItemTest:
    item, (x_a, n_a, x_b, n_b) = counts.items[i], counts.table(i)
    return ItemTest(item, x_a, n_a, x_b, n_b, strips[0][item], strips[1][item], test, adjusted)


def _strips(evidence: Evidence, side: Units, *, items: Collection[str]) -> Mapping[str, Strip]:
    """Return the value of each attempt at these items, in order; only their rows are brought here."""
    if not items:
        return {}
    wanted = nw.col("item").is_in(list(items))
    found = {"task": side.task, "system": side.system}
    outcomes = evidence.scan("outcomes", metric=side.metric, scorer=side.scorer, **found).filter(wanted)
    responses = evidence.scan("responses", **found).filter(wanted)
    rows: list[pl.DataFrame] = [part.collect(backend="polars").to_native() for part in (outcomes, responses)]
    values = (
        resolve(rows[0], rows[1], evidence.metrics)
        .group_by("item", "attempt", maintain_order=True)
        .agg(pl.col("value").mean())
    )
    attempts = rows[1].select("item", "attempt").join(values, on=["item", "attempt"], how="left")
    grouped = attempts.sort("item", "attempt").group_by("item", maintain_order=True).agg("value")
    return {item: tuple(strip) for item, strip in grouped.iter_rows()}
