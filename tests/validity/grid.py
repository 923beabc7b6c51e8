"""The full grid: the sizes, rates, clusters and attempts that people use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from aliquot.stats.designs import AttemptsDesign, PairedDesign, RateDesign, ScoresDesign, UnpairedDesign
from tests.validity import judged, one_call, raters
from tests.validity.cells import Cell, simulated
from tests.validity.enumerated import mean_rate, one_rate, paired_rates, two_rates

SIZES = (20, 50, 200, 1000)
RATES = (0.5, 0.8, 0.95, 0.99)
ALL_RATES = "p .01 to .99"
SHAPES = {
    "equal, 8": (8,),
    "2, 4, 8, 40": (2, 4, 8, 40),
    "1 to 24": (1, 1, 1, 2, 2, 3, 5, 8, 13, 24),
}


@dataclass(frozen=True)
class Section:
    """One table of the page.

    Attributes:
        name: what the command line calls it.
        title: heading on the page.
        text: what the default, the naive method and the columns are.
        cells: its cells.
        exact: whether every cell must reach the level.
        mean_column: the column that holds the mean over the row, where enumeration gives it on a fine grid.
        share: of the reps asked for, for designs that are slow to draw.
    """

    name: str
    title: str
    text: str
    cells: Callable[[], Iterator[Cell]]
    exact: bool = False
    mean_column: str | None = None
    share: float = 1.0


def sizes_of(shape: tuple[int, ...], n_clusters: int) -> tuple[int, ...]:
    """Sizes of the clusters: the shape, repeated."""
    return tuple(int(size) for size in np.resize(shape, n_clusters))


def _proportions(name: str, method: str) -> Callable[[], Iterator[Cell]]:
    def cells() -> Iterator[Cell]:
        for n in SIZES:
            for p in RATES:
                yield Cell(name, f"n = {n}", f"p = {p:g}", n, one_rate(method, n, p))
            yield Cell(name, f"n = {n}", ALL_RATES, n, mean_rate(method, n))

    return cells


def _clustered_rates() -> Iterator[Cell]:
    for label, shape in SHAPES.items():
        for n_clusters in (5, 10, 20, 50):
            for icc in (0.0, 0.1, 0.3, 0.5):
                sizes = sizes_of(shape, n_clusters)
                for p in RATES:
                    design = RateDesign(sum(sizes), p, sizes, icc)
                    row = f"{n_clusters} clusters ({label}), ICC {icc:g}"
                    yield Cell("rate_clusters", row, f"p = {p:g}", sum(sizes), simulated(design))


def _attempted_rates() -> Iterator[Cell]:
    for n in (20, 50, 200):
        for attempts in (1, 2, 3, 5):
            for p in RATES:
                design = RateDesign(n, p, icc=0.5, attempts=attempts)
                yield Cell("rate_attempts", f"n = {n}, k = {attempts}", f"p = {p:g}", n, simulated(design))


def _pairs() -> Iterator[Cell]:
    for n in SIZES:
        for share in (0.0, 0.5, 1.0):
            for psi in (0.02, 0.05, 0.1, 0.3, 0.6):
                row = f"n = {n}, Δ = {share:g} ψ"
                yield Cell("paired", row, f"ψ = {psi:g}", n, paired_rates(n, psi, psi * share))


def _clustered_pairs() -> Iterator[Cell]:
    for label in ("equal, 8", "1 to 24"):
        for n_clusters in (10, 20, 50):
            for icc in (0.0, 0.2, 0.5):
                sizes = sizes_of(SHAPES[label], n_clusters)
                for psi, difference in ((0.03, 0.03), (0.1, 0.0), (0.3, 0.0), (0.3, 0.1)):
                    design = PairedDesign(sum(sizes), psi, difference, sizes, icc)
                    row = f"{n_clusters} clusters ({label}), ICC {icc:g}"
                    column = f"ψ = {psi:g}, Δ = {difference:g}"
                    yield Cell("paired_clusters", row, column, sum(sizes), simulated(design))


def _attempted_pairs() -> Iterator[Cell]:
    for n in (20, 50, 200):
        for attempts in (1, 2, 5):
            for p in RATES:
                design = AttemptsDesign(n, p, attempts)
                yield Cell("paired_attempts", f"n = {n}, k = {attempts}", f"p = {p:g}", n, simulated(design))


def _graded_pairs() -> Iterator[Cell]:
    rng = np.random.default_rng(7)
    base, change = rng.random(4000), rng.random(4000)
    for changed in (0.05, 0.2, 1.0):
        better = base.copy()
        moved = rng.permutation(4000) < changed * 4000
        better[moved] += change[moved] * (1 - base[moved])
        for truth, other in (("shifted", better), ("null", _exchanged(base, better, rng))):
            design_of = (tuple(base), tuple(other)) if truth == "shifted" else other
            for n in (20, 50, 200):
                design = ScoresDesign(n, *design_of)
                row = f"{changed:.0%} of items change, {truth}"
                yield Cell("graded_pairs", row, f"n = {n}", n, simulated(design))


def _exchanged(
    a: np.ndarray, b: np.ndarray, rng: np.random.Generator
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Every pair both ways round: the mean difference is exactly 0."""
    return tuple(np.concatenate([a, b]).tolist()), tuple(np.concatenate([b, a]).tolist())


def _two_groups() -> Iterator[Cell]:
    for n in SIZES:
        for p_a in RATES:
            for p_b in RATES:
                if p_a <= p_b:
                    yield Cell(
                        "unpaired", f"n = {n}, A at {p_a:g}", f"B at {p_b:g}", n, two_rates(n, p_a, p_b)
                    )


def _clustered_groups() -> Iterator[Cell]:
    for label in ("equal, 8", "1 to 24"):
        for n_clusters in (10, 20, 50):
            for icc in (0.0, 0.3):
                sizes = sizes_of(SHAPES[label], n_clusters)
                for p in RATES:
                    design = UnpairedDesign(sum(sizes), p, sum(sizes), p, sizes, sizes, icc)
                    row = f"{n_clusters} clusters a side ({label}), ICC {icc:g}"
                    yield Cell("unpaired_clusters", row, f"p = {p:g}", sum(sizes), simulated(design))


def _bounded_means() -> Iterator[Cell]:
    rng = np.random.default_rng(6)
    pools = {
        "uniform": rng.random(4000),
        "near the ceiling, Beta(9, 1)": rng.beta(9, 1, 4000),
        "two ends, Beta(.3, .3)": rng.beta(0.3, 0.3, 4000),
        "95% perfect, the rest uniform": np.where(rng.random(4000) < 0.95, 1.0, rng.random(4000)),
        "80% perfect, the rest uniform": np.where(rng.random(4000) < 0.8, 1.0, rng.random(4000)),
        "five grades": rng.choice([0.0, 0.25, 0.5, 0.75, 1.0], p=[0.02, 0.03, 0.1, 0.25, 0.6], size=4000),
    }
    for label, pool in pools.items():
        for n in (20, 50, 200):
            design = ScoresDesign(n, tuple(pool.tolist()))
            yield Cell("bounded_means", label, f"n = {n}", n, simulated(design))


SECTIONS = (
    Section(one_call.SECTION, "The comparison in one line", one_call.TEXT, one_call.cells),
    Section(
        "proportions",
        "One rate: Wilson",
        "Enumerated. Naive is the Wald interval p̂ ± z√(p̂q̂/n).",
        _proportions("proportions", "wilson"),
        mean_column=ALL_RATES,
    ),
    Section(
        "floors",
        "One rate against a floor: Clopper–Pearson",
        "Enumerated; an exact method must reach .95 in every cell. Naive is the Wald interval.",
        _proportions("floors", "clopper_pearson"),
        exact=True,
        mean_column=ALL_RATES,
    ),
    Section(
        "rate_clusters",
        "One rate, clustered items: Wilson on effective n",
        "Sizes of clusters in brackets, repeated. Rates of clusters are drawn from a beta distribution. "
        "Naive is Wilson on all rows.",
        _clustered_rates,
    ),
    Section(
        "rate_attempts",
        "One rate, k attempts at each item: Wilson on effective n",
        "Two attempts at an item have correlation .5. Naive is Wilson on all attempts.",
        _attempted_rates,
    ),
    Section(
        "bounded_means",
        "Mean of scores from 0 to 1: the Wilson form",
        "Scores are drawn from six shapes. Naive is t, over the samples in which it has a value.",
        _bounded_means,
    ),
    Section(
        "paired",
        "Shared items: Tango and exact McNemar",
        "Enumerated. ψ is the share of items on which the two systems differ, Δ the difference. "
        "Naive are Wald and asymptotic McNemar.",
        _pairs,
    ),
    Section(
        "paired_clusters",
        "Shared items in clusters: Tango on effective n and the cluster sign flip",
        "ICC is that of the difference. Naive are Tango and exact McNemar on all items.",
        _clustered_pairs,
        share=0.5,
    ),
    Section(
        "paired_attempts",
        "Shared items, k attempts: Tango on effective n and the sign flip of item means",
        "The candidate is another draw on 30% of the items, the same on the others, Δ = 0. "
        "Naive are Tango and exact McNemar on all attempts.",
        _attempted_pairs,
        share=0.5,
    ),
    Section(
        "graded_pairs",
        "Shared items, scores from 0 to 1: t joined with Tango, and the sign flip",
        "Some items change. Naive is t alone, over the samples in which it has a value.",
        _graded_pairs,
        share=0.5,
    ),
    Section(
        "unpaired",
        "Different items: Miettinen–Nurminen; Boschloo decides, beyond 10⁵ the score test",
        "Enumerated, n items a side. Sizes where enumerating the deciding test is affordable (Boschloo: n = 20). "
        "Naive are Wald and the pooled z.",
        _two_groups,
    ),
    Section(
        "unpaired_clusters",
        "Different items in clusters: Miettinen–Nurminen on effective n; clusters permuted whole",
        "Both sides at the same rate. Naive are Miettinen–Nurminen and the pooled z on all rows.",
        _clustered_groups,
        share=0.25,
    ),
    Section(
        "judged_rates",
        "A rate that a fallible judge measured: post-stratified, MOVER",
        "n labels drawn at random from all rows judged; se and sp are the judge's sensitivity and specificity. "
        "Naive is PPI++ with its normal interval.",
        judged.rate_cells,
        share=10,
    ),
    Section(
        "judged_pairs",
        "A difference that a fallible judge measured: Tango with the variance of PPI++",
        "n labelled items of n + 1000 judged, ψ the share on which the systems truly differ. "
        "Naive is Tango on the judge's verdicts of all items.",
        judged.pair_cells,
        share=10,
    ),
    Section(
        "kappa",
        "Kappa of two raters and two labels: imagined tables",
        "Quantiles of kappa over tables drawn from Dirichlet(counts + ½). Both raters say yes equally often. "
        "Naive is the large-sample interval.",
        raters.kappa_cells,
    ),
    Section(
        "alpha",
        "Krippendorff's alpha of several raters: BCa over resampled items",
        "Nominal, true alpha .49, over the samples in which it has an interval. Naive is the large-sample interval. "
        "Below 50 items the finding warns.",
        raters.alpha_cells,
        share=0.5,
    ),
)
