"""The clustered standard error of a mean: a million rows in a hundred thousand clusters."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import numpy as np

from aliquot.stats.clusters import cluster_variance
from benchmarks.measure import Measured, Side, alternate, call_cpu

ROWS, CLUSTERS = 1_000_000, 100_000


def measure() -> list[Measured]:
    draw = np.random.default_rng(0)
    cluster = draw.integers(0, CLUSTERS, ROWS)
    passed = (draw.random(ROWS) < 0.7 + draw.normal(0, 0.1, CLUSTERS)[cluster]).astype(float)

    def sums_alone() -> float:
        residual = np.bincount(cluster, passed) - passed.mean() * np.bincount(cluster)
        return float(np.sqrt(residual @ residual) / ROWS)

    sides = {
        "ours": call_cpu(lambda: cluster_variance(passed, clusters=cluster)),
        "sums": call_cpu(sums_alone),
    }
    peer, side = statsmodels_side(passed, cluster)
    cpu = alternate({**sides, **({"peer": side} if side else {})}, repeats=7)
    work = "clustered standard error with its df, 1e6 rows, 1e5 clusters"
    limit = "two `np.bincount`, no df, no check of the input"
    return [Measured(work, cpu["ours"], limit, cpu["sums"], 2.0, peer, cpu.get("peer"))]


def statsmodels_side(passed: np.ndarray, cluster: np.ndarray) -> tuple[str, Side | None]:
    try:
        import statsmodels.api as sm  # noqa: PLC0415 - a peer that need not be installed

        name = f"statsmodels {version('statsmodels')} OLS, cov_type='cluster'"
    except (ImportError, PackageNotFoundError):
        return "statsmodels (not installed)", None
    ones = np.ones((passed.size, 1))
    return name, call_cpu(
        lambda: sm.OLS(passed, ones).fit(cov_type="cluster", cov_kwds={"groups": cluster}).bse
    )
