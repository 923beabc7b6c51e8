"""All pairs of 300 systems on ten thousand items, three in a hundred cells missing."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import numpy as np

from aliquot.stats.pair_matrices import all_pairs
from benchmarks.measure import Measured, Side, alternate, call_cpu

SYSTEMS, ITEMS = 300, 10_000
PEER_PAIRS = 10


def measure() -> list[Measured]:
    draw = np.random.default_rng(0)
    right = draw.random((ITEMS, SYSTEMS)) < draw.random(SYSTEMS) * 0.4 + 0.4
    held = draw.random((ITEMS, SYSTEMS)) < 0.97
    values = np.where(held, right.astype(np.float64), np.nan)

    def products_alone() -> tuple[np.ndarray, np.ndarray]:
        one, mask = (right & held).astype(np.float32), held.astype(np.float32)
        both, right_of_shared, n = one.T @ one, one.T @ mask, mask.T @ mask
        return right_of_shared - both, n

    found, (broke, n) = all_pairs(values), products_alone()
    if (found.broke != broke).any() or (found.n != n).any():
        raise SystemExit("all_pairs: the counts differ from those of the plain products")
    sides = {"ours": call_cpu(lambda: all_pairs(values)), "products": call_cpu(products_alone)}
    peer, side = statsmodels_side(values)
    cpu = alternate({**sides, **({"peer": side} if side else {})}, repeats=5)
    work = f"all pairs of {SYSTEMS} systems × {ITEMS:,} items with missing cells: counts, differences, errors"
    limit = "three float32 matrix products of 0/1 masks, nothing checked"
    return [Measured(work, cpu["ours"], limit, cpu["products"], 2.0, peer, cpu.get("peer"))]


def statsmodels_side(values: np.ndarray) -> tuple[str, Side | None]:
    try:
        import pandas as pd  # noqa: PLC0415 - a peer that need not be installed
        from statsmodels.stats.contingency_tables import mcnemar  # noqa: PLC0415

        name = f"statsmodels {version('statsmodels')} mcnemar of pandas.crosstab, a pair at a time"
    except (ImportError, PackageNotFoundError):
        return "statsmodels (not installed)", None

    def tables() -> None:
        for j in range(1, PEER_PAIRS + 1):
            shared = ~np.isnan(values[:, 0]) & ~np.isnan(values[:, j])
            mcnemar(pd.crosstab(values[shared, 0], values[shared, j]).to_numpy(), exact=True)

    return name, call_cpu(tables, times=SYSTEMS * (SYSTEMS - 1) / 2 / PEER_PAIRS)
