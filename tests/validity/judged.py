"""Coverage of what a fallible judge measured: counts are drawn, and the formulas stand here again on arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri

from aliquot.stats.paired_score import tango_limits
from tests.validity.cells import Cell, Result

Floats = NDArray[np.float64]

Z = float(ndtri(0.975))
JUDGES = ((0.9, 0.7), (0.98, 0.8), (0.8, 0.8), (0.95, 0.3), (0.99, 0.95))
RATES = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)


def rate_limits(labelled: Floats, passed: Floats, judged: Floats) -> tuple[Floats, Floats, Floats]:
    """θ̂ and limits from counts by verdict, the last axis: labelled rows, passes among them, all judged rows."""
    rows = np.stack(np.broadcast_arrays(labelled, passed), axis=-1).reshape(-1, 2)
    kinds, place = np.unique(rows, axis=0, return_inverse=True)
    n, x = kinds.T
    low, high = (betaincinv(x + 0.5, n - x + 0.5, tail) for tail in (0.025, 0.975))
    low = np.where((n == 0) | (x == 0), 0.0, low)[place].reshape(labelled.shape)
    high = np.where((n == 0) | (x == n), 1.0, high)[place].reshape(labelled.shape)
    p = np.where(labelled > 0, passed / np.maximum(labelled, 1), 0.5)
    total = judged.sum(axis=-1, keepdims=True)
    w = judged / total
    theta = (w * p).sum(axis=-1)
    between = Z**2 * ((w * p**2).sum(axis=-1) - theta**2) / total[..., 0]
    below = np.sqrt((w**2 * (p - low) ** 2).sum(axis=-1) + np.maximum(between, 0.0))
    above = np.sqrt((w**2 * (high - p) ** 2).sum(axis=-1) + np.maximum(between, 0.0))
    return theta, np.maximum(theta - below, 0.0), np.minimum(theta + above, 1.0)


def judged_rates(p: float, judge: tuple[float, float], n: int, others: int) -> Callable[[int, int], Result]:
    """Coverage of the corrected rate: n labels, as many more rows judged; naive is PPI++ with its normal interval."""
    se, sp = judge

    def run(reps: int, seed: int) -> Result:
        rng = np.random.default_rng(seed)
        kinds = [p * se, p * (1 - se), (1 - p) * (1 - sp), (1 - p) * sp]
        right, wrong_fail, wrong_pass, failed = rng.multinomial(n, kinds, size=reps).T
        rest = rng.binomial(others, kinds[0] + kinds[2], size=reps)
        labelled = np.stack([right + wrong_pass, wrong_fail + failed], axis=-1)
        judged = labelled + np.stack([rest, others - rest], axis=-1)
        passed = np.stack([right, wrong_fail], axis=-1)
        _, low, high = rate_limits(labelled, passed, judged)
        # PPI++ of 0/1 values: moments are counts
        y, f, rest_f = (right + wrong_fail) / n, labelled[:, 0] / n, rest / others
        pooled = judged[:, 0] / (n + others)
        spread = pooled * (1 - pooled) * (n + others) / (n + others - 1)
        cov = right / n - y * f
        lam = np.clip(np.divide(cov, (1 + n / others) * spread, out=np.zeros(reps), where=spread > 0), 0, 1)
        point = y + lam * (rest_f - f)
        v = (y * (1 - y) - 2 * lam * cov + lam**2 * f * (1 - f)) / n + lam**2 * rest_f * (1 - rest_f) / others
        half = Z * np.sqrt(np.maximum(v, 0.0))
        return Result(
            coverage=float(np.mean((low <= p) & (p <= high))),
            width=float(np.mean(high - low)),
            naive=float(np.mean(np.abs(point - p) <= half)),
            reps=reps,
        )

    return run


def difference_limits(d_by_f: Floats, rest: Floats) -> tuple[Floats, Floats]:
    """Limits of the corrected difference from counts: labelled items by D and F in −1, 0, 1; others by F."""
    values = np.array([-1.0, 0.0, 1.0])
    n, others = d_by_f.sum(axis=(-2, -1)), rest.sum(axis=-1)
    share, share_rest = d_by_f / n[:, None, None], rest / others[:, None]
    by_d, by_f = share.sum(axis=-1), share.sum(axis=-2)
    d, f, fr = by_d @ values, by_f @ values, share_rest @ values
    dd, ff, frr = by_d @ values**2, by_f @ values**2, share_rest @ values**2
    cov = np.einsum("rij,i,j->r", share, values, values) - d * f
    total = n + others
    pooled = (n * f + others * fr) / total
    spread = ((n * ff + others * frr) / total - pooled**2) * total / (total - 1)
    lam = np.clip(np.divide(cov, (1 + n / others) * spread, out=np.zeros(n.size), where=spread > 0), 0, 1)
    mean = np.clip(d + lam * (fr - f), -1, 1)
    v = (dd - d**2 - 2 * lam * cov + lam**2 * (ff - f**2)) / (n - 1) + lam**2 * (frr - fr**2) / others
    psi = np.maximum(dd, np.abs(mean))
    n_eff = np.clip(np.divide(psi - mean**2, v, out=n.astype(float), where=v > 1e-15), n, total)
    low, high = tango_limits(n_eff * (psi + mean) / 2, n_eff * (psi - mean) / 2, n_eff, z=Z)
    own = tango_limits(n * by_d[:, 2], n * by_d[:, 0], n, z=Z)
    wider = high - low >= own[1] - own[0]
    return np.where(wider, own[0], low), np.where(wider, own[1], high)


def judged_pairs(
    rates: tuple[float, float], psi: float, judge: tuple[float, float], n: int, others: int
) -> Callable[[int, int], Result]:
    """Coverage of the corrected difference; naive is Tango on the judge's verdicts of all items."""
    gap = rates[1] - rates[0]
    se, sp = judge

    def run(reps: int, seed: int) -> Result:
        rng = np.random.default_rng(seed)
        fixed, broke = (psi + gap) / 2, (psi - gap) / 2
        both = rates[0] - broke
        law = np.zeros((3, 3))  # D by F
        for a, b, chance in ((1, 1, both), (1, 0, broke), (0, 1, fixed), (0, 0, 1 - both - psi)):
            for va in (0, 1):
                for vb in (0, 1):
                    said = [
                        (se if v else 1 - se) if true else (1 - sp if v else sp)
                        for true, v in ((a, va), (b, vb))
                    ]
                    law[b - a + 1, vb - va + 1] += chance * said[0] * said[1]
        labelled = rng.multinomial(n, law.ravel(), size=reps).reshape(reps, 3, 3)
        rest = rng.multinomial(others, law.sum(axis=0), size=reps)
        low, high = difference_limits(labelled, rest)
        seen = labelled.sum(axis=1) + rest
        raw = tango_limits(seen[:, 2], seen[:, 0], n + others, z=Z)
        return Result(
            coverage=float(np.mean((low <= gap) & (gap <= high))),
            width=float(np.mean(high - low)),
            naive=float(np.mean((raw[0] <= gap) & (gap <= raw[1]))),
            reps=reps,
        )

    return run


def rate_cells() -> Iterator[Cell]:
    """P .5 to .99, five judges, 30 to 500 labels, four times as many further rows, or 2,000."""
    for judge in JUDGES:
        for n in (30, 40, 100, 200, 500):
            for others in dict.fromkeys((4 * n, 2000)):
                for p in RATES:
                    row = f"se {judge[0]:g}, sp {judge[1]:g}; {n} labels, {others} more rows"
                    yield Cell("judged_rates", row, f"P = {p:g}", n, judged_rates(p, judge, n, others))


def pair_cells() -> Iterator[Cell]:
    """The same judges on differences."""
    for judge in JUDGES:
        for n in (40, 100, 300):
            for rates, psi in (((0.8, 0.8), 0.1), ((0.7, 0.78), 0.2), ((0.5, 0.7), 0.4), ((0.9, 0.95), 0.07)):
                row = f"se {judge[0]:g}, sp {judge[1]:g}; {n} labels, 1000 more items"
                column = f"{rates[0]:g} against {rates[1]:g}, ψ = {psi:g}"
                yield Cell("judged_pairs", row, column, n, judged_pairs(rates, psi, judge, n, 1000))
