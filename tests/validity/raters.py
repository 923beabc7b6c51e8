"""Cells of agreement: kappa of two labels over imagined tables, and alpha of several raters over resampled items."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from aliquot.stats.agreement_forms import units_of, values_of
from aliquot.stats.agreement_many import krippendorff_alpha
from aliquot.stats.rater_tables import rating_table
from aliquot.stats.results import Estimate, Undefined
from tests.validity.cells import Cell, Result

_DRAWS = 500
KAPPAS = (0.2, 0.5, 0.8)
LABELS = {"equal": (0.34, 0.33, 0.33), ".8, .15, .05": (0.8, 0.15, 0.05)}


def kappa_of_tables(p: float, kappa: float, n: int) -> Callable[[int, int], Result]:
    """Both raters say yes with probability p and agree at this kappa; the naive interval is the large-sample one."""

    def run(reps: int, seed: int) -> Result:
        rng, off = np.random.default_rng(seed), (1 - kappa) * p * (1 - p)
        cells = units_of(rating_table([[0, 0], [0, 1], [1, 0], [1, 1]]), "cohen_kappa", "nominal")
        tables = rng.multinomial(n, [p - off, off, off, 1 - p - off], size=reps)
        kinds, times = np.unique(tables, axis=0, return_counts=True)
        gammas = rng.standard_gamma(np.repeat(kinds[:, None, :] + 0.5, _DRAWS, axis=1))
        shares = gammas / gammas.sum(axis=-1, keepdims=True)
        low, high = np.quantile(values_of(cells, n * (shares @ cells.values)), [0.025, 0.975], axis=1)
        return Result(
            coverage=float(times @ ((low <= kappa) & (kappa <= high))) / reps,
            width=float(times @ (high - low)) / reps,
            naive=float(times @ large_sample_holds(kinds.reshape(-1, 2, 2) / n, n, kappa)) / reps,
            reps=reps,
        )

    return run


def large_sample_holds(p: np.ndarray, n: int, kappa: float) -> np.ndarray:
    """Fleiss, Cohen & Everitt (1969) on many tables of shares; a table without a value holds nothing."""
    rows, columns = p.sum(axis=2), p.sum(axis=1)
    observed, expected = p[:, 0, 0] + p[:, 1, 1], (rows * columns).sum(axis=1)
    gap = np.maximum(1 - expected, 1e-12)
    margins = columns[:, :, None] + rows[:, None, :]
    terms = p * (np.eye(2) * gap[:, None, None] - margins * (1 - observed)[:, None, None]) ** 2
    variance = terms.sum(axis=(1, 2)) - (observed * expected - 2 * expected + observed) ** 2
    se = np.sqrt(np.maximum(variance, 0) / gap**4 / n)
    return (expected < 1) & (np.abs((observed - expected) / gap - kappa) <= 1.959964 * se)


def kappa_cells() -> Iterator[Cell]:
    """Two raters and two labels, from even to lopsided."""
    for n in (25, 50, 100, 200):
        for p in (0.5, 0.7, 0.9, 0.95):
            for kappa in KAPPAS:
                row = f"n = {n}, {p:.0%} say yes"
                yield Cell("kappa", row, f"κ = {kappa:g}", n, kappa_of_tables(p, kappa, n))


def ratings(n: int, raters: int, shares: tuple[float, ...], rng: np.random.Generator) -> np.ndarray:
    """Items × raters: with probability .7 an item's own label, else one drawn from the shares; α near .49."""
    own = rng.choice(len(shares), size=n, p=shares)
    other = rng.choice(len(shares), size=(n, raters), p=shares)
    return np.where(rng.random((n, raters)) < 0.7, own[:, None], other)


def alpha_of_items(n: int, raters: int, shares: tuple[float, ...]) -> Callable[[int, int], Result]:
    """Nominal alpha; the truth of this model is .7² for pairs of raters, whatever the shares."""

    def run(reps: int, seed: int) -> Result:
        rng, truth = np.random.default_rng(seed), 0.49
        found: dict[str, list[Estimate]] = {"bootstrap": [], "normal": []}
        for _ in range(reps):
            table = ratings(n, raters, shares, rng)
            for method, kept in found.items():
                alpha = krippendorff_alpha(table, method=method, n_resamples=499, rng=seed)  # type: ignore[arg-type]
                if not isinstance(alpha, Undefined) and not isinstance(alpha.interval, Undefined):
                    kept.append(alpha.interval)
        held = {name: np.mean([one.low <= truth <= one.high for one in kept]) for name, kept in found.items()}
        return Result(
            coverage=float(held["bootstrap"]),
            width=float(np.mean([one.width for one in found["bootstrap"]])),
            naive=float(held["normal"]),
            reps=reps,
        )

    return run


def alpha_cells() -> Iterator[Cell]:
    """Several raters and three labels."""
    for label, shares in LABELS.items():
        for raters in (2, 3, 5):
            for n in (20, 50, 200):
                row = f"{raters} raters, labels {label}"
                yield Cell("alpha", row, f"n = {n}", n, alpha_of_items(n, raters, shares))
