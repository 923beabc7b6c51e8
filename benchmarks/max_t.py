"""Many metrics at once: step-down max-T of a hundred differences under ten thousand sign flips of 2000 items."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from scipy import stats

from aliquot.stats.multiplicity import step_down
from aliquot.stats.simultaneous import max_t
from benchmarks.measure import Measured, alternate, call_cpu

METRICS, ITEMS, FLIPS = 100, 2000, 10_000


def measure() -> list[Measured]:
    draw = np.random.default_rng(0)
    d = draw.normal(size=(ITEMS, METRICS)) + draw.normal(size=(ITEMS, 1)) + 0.05

    def product_alone() -> np.ndarray:
        bits = np.frombuffer(draw.bytes(FLIPS * ITEMS // 8), dtype=np.uint8).reshape(FLIPS, ITEMS // 8)
        single, norms = d.astype(np.float32), np.sqrt((d**2).sum(axis=0))
        flipped = 2 * (np.unpackbits(bits, axis=1).astype(np.float32) @ single) - single.sum(axis=0)
        ranked = np.abs(flipped / norms)[:, np.argsort(np.abs(d.sum(axis=0) / norms))]
        return np.maximum.accumulate(ranked, axis=1)

    def mean_difference(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        return (x - y).mean(axis=axis)

    def one_metric() -> object:
        return stats.permutation_test(
            (d[:, 0], np.zeros(ITEMS)),
            mean_difference,
            permutation_type="samples",
            vectorized=True,
            n_resamples=FLIPS,
            batch=500,
        )

    cpu = alternate(
        {
            "step_down": call_cpu(lambda: step_down(d, n_resamples=FLIPS, rng=1)),
            "max_t": call_cpu(lambda: max_t(d, n_resamples=FLIPS, rng=1)),
            "product": call_cpu(product_alone),
            "peer": call_cpu(one_metric, times=METRICS),
        },
        repeats=3,
    )
    peer = f"scipy {version('scipy')} permutation_test, a metric at a time"
    limit = "random bits × one float32 matrix product, running maxima"
    size = f"{METRICS} metrics × {FLIPS:,} flips of {ITEMS:,} items"
    return [
        Measured(f"step-down max-T, {size}", cpu["step_down"], limit, cpu["product"], 2.0, peer, cpu["peer"]),
        Measured(f"max-T with c*, {size}", cpu["max_t"], limit, cpu["product"], 2.0, peer, cpu["peer"]),
    ]
