"""The comparison as a user calls it, on data in which nothing differs, with what other tools would say beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from scipy import stats as scipy_stats

from aliquot.analysis.arrays import paired_sample
from aliquot.analysis.cluster_search import find_clusters
from aliquot.analysis.method import analyse_pairs
from aliquot.evidence.units import Attrition, Pairs, Units
from aliquot.findings.scale import Scale
from aliquot.findings.verdict import read_verdict
from aliquot.stats.results import Estimate
from tests.validity.cells import Cell, Result

SECTION = "one_call"
SEED = 20240229
SCALES = {
    "binary": Scale(kind="binary", low=0.0, high=1.0, better="higher"),
    "graded": Scale(kind="bounded", low=0.0, high=1.0, better="higher"),
}
TEXT = (
    "What `aliquot compare` and `aliquot.compare` say on simulated logs: how often the interval holds the truth, and, "
    "where the two systems are alike, how often a difference is called, beside how often other tools would call one on "
    "the same rows (each row an item, as they take it). ψ is 30%, 10% or, in clusters, 40%; a change has an ICC of .5 "
    "within a cluster; 30% of the repeated and 40% of the graded items change. Where clusters are not named the log "
    "has a field `document`, and a finding that warns of it is read by the interval in its warning. Shares are within "
    "±.014 (two standard errors of .05 in 1,000 data sets)."
)
PEERS = (
    "two-sample t (scipy)",
    "z of two printed errors (lm-eval, Inspect)",
    "McNemar, exact (scipy binomial)",
    "paired t",
)


@dataclass(frozen=True)
class Data:
    """One drawn pair of systems: item scores of both, attempts, clusters, and the rows a careless tool would take."""

    a: np.ndarray
    b: np.ndarray
    attempts: int = 1
    clusters: np.ndarray | None = None
    rows_a: np.ndarray = field(default_factory=lambda: np.empty(0))
    rows_b: np.ndarray = field(default_factory=lambda: np.empty(0))


@dataclass(frozen=True)
class Call:
    """One design of the table: how data are drawn, the truth, and whether the clusters are named."""

    label: str
    draw: Callable[[np.random.Generator], Data]
    n: int
    truth: float = 0.0
    kind: str = "binary"
    named: bool = True


def pairs_of(data: Data, *, named: bool) -> Pairs:
    """Return the pairing that a table of these rows leads to; clusters as such, or as a field nobody named."""
    n = data.a.size
    ids = pl.Series("item", [f"q{place:05}" for place in range(n)])
    group = None if data.clusters is None else [f"d{code}" for code in data.clusters.tolist()]
    known = pl.DataFrame({"item": ids}).with_columns(
        cluster=pl.Series(group if named else None, dtype=pl.String)
        if group and named
        else pl.lit(None, pl.String),
        stratum=pl.lit(None, pl.String),
        weight=pl.lit(1.0),
    )
    if group is not None and not named:
        known = known.with_columns(pl.Series("segment.document", group))
    counted = {"k": pl.lit(data.attempts, pl.Int64), "missing": pl.lit(0, pl.Int64)}
    sides = [known.with_columns(mean=pl.Series(side), **counted) for side in (data.a, data.b)]
    frame = known.with_columns(
        a=pl.Series(data.a), k_a=counted["k"], missing_a=counted["missing"],
        b=pl.Series(data.b), k_b=counted["k"], missing_b=counted["missing"],
    )  # fmt: skip
    a, b = (
        Units(name, "task", "value", side, {"ok": n * data.attempts}, n * data.attempts, 1.0)
        for name, side in zip(("a", "b"), sides, strict=True)
    )
    return Pairs(a, b, frame, Attrition(n, 0, 0, 0, 0, 0, 0, {}))


def ask(call: Call, data: Data) -> tuple[Estimate, bool]:
    """Return the interval a reader is left with, and whether a warning stands beside another one."""
    pairs, scale = pairs_of(data, named=call.named), SCALES[call.kind]
    headline = analyse_pairs(paired_sample(pairs), scale, level=0.95, seed=SEED).difference
    assert isinstance(headline, Estimate)
    search = find_clusters(pairs, scale, headline=headline, cluster=None, level=0.95, seed=SEED)
    if search is None or not search.found:
        return headline, False
    by_field = search.found[0].difference
    return (by_field if isinstance(by_field, Estimate) else headline), True


def peers_reject(data: Data, *, kind: str) -> list[bool | None]:
    """Return whether each of ``PEERS`` calls the two systems different at 5%, from the rows as they stand."""
    a, b = (rows if rows.size else side for rows, side in ((data.rows_a, data.a), (data.rows_b, data.b)))
    spread = a.var(ddof=1) / a.size + b.var(ddof=1) / b.size
    d = b - a
    varied = bool(d.std() > 0)
    return [
        bool(scipy_stats.ttest_ind(a, b).pvalue <= 0.05) if spread > 0 else False,
        bool(abs(d.mean()) > 1.959964 * math.sqrt(spread)) if spread > 0 else False,
        _mcnemar_rejects(d) if kind == "binary" else None,
        bool(scipy_stats.ttest_rel(a, b).pvalue <= 0.05) if varied else False,
    ]


def _mcnemar_rejects(d: np.ndarray) -> bool:
    """Exact McNemar as packages compute it: the binomial test of the pairs that differ."""
    fixed, broke = int((d > 0).sum()), int((d < 0).sum())
    return fixed + broke > 0 and bool(scipy_stats.binomtest(fixed, fixed + broke).pvalue <= 0.05)


def run_of(call: Call) -> Callable[[int, int], Result]:
    def run(reps: int, seed: int) -> Result:
        rng = np.random.default_rng(seed)
        covered = claimed = warned = 0
        width, peers = 0.0, []
        for _ in range(reps):
            data = call.draw(rng)
            found, told = ask(call, data)
            covered += found.low <= call.truth <= found.high
            width += found.high - found.low
            warned += told
            claimed += read_verdict(found)[0] in {"better", "worse"}
            peers.append(peers_reject(data, kind=call.kind))
        null = call.truth == 0
        shares = [
            float(np.mean(column)) if None not in column else None for column in zip(*peers, strict=True)
        ]
        return Result(
            coverage=covered / reps,
            width=width / reps,
            size=claimed / reps if null else None,
            naive_size=max(share for share in shares if share is not None) if null else None,
            reps=reps,
            warned=None if call.named else warned / reps,
            peers=dict(zip(PEERS, shares, strict=True)) if null else None,
        )

    return run


def paired(n: int, *, psi: float, difference: float = 0.0) -> Callable[[np.random.Generator], Data]:
    """Draw pass or fail on n items: ψ of them differ, candidate minus baseline is Δ, 70% pass at the baseline."""

    def draw(rng: np.random.Generator) -> Data:
        return _of_changes(rng, _changes(rng, n, psi=psi, difference=difference))

    return draw


def clustered(
    sizes: Sequence[int], *, psi: float, icc: float, difference: float = 0.0
) -> Callable[[np.random.Generator], Data]:
    """Draw items in clusters: each copies its cluster's change with chance √ICC."""
    codes = np.repeat(np.arange(len(sizes)), sizes)

    def draw(rng: np.random.Generator) -> Data:
        own = _changes(rng, codes.size, psi=psi, difference=difference)
        shared = _changes(rng, len(sizes), psi=psi, difference=difference)[codes]
        data = _of_changes(rng, np.where(rng.random(codes.size) < math.sqrt(icc), shared, own))
        return Data(data.a, data.b, clusters=codes)

    return draw


def repeated(n: int, attempts: int, *, difference: float = 0.0) -> Callable[[np.random.Generator], Data]:
    """Draw k attempts at each of n items, whose chances of passing are beta(1, 1) and differ between the systems."""

    def draw(rng: np.random.Generator) -> Data:
        first, second = rng.random(n), rng.random(n)
        other = rng.random(n) < 0.3
        chance_a = 0.8 * first
        chance_b = 0.8 * np.where(other, second, first) + difference
        rows_a, rows_b = (
            (rng.random((n, attempts)) < chance[:, None]).astype(float) for chance in (chance_a, chance_b)
        )
        a, b = rows_a.mean(axis=1), rows_b.mean(axis=1)
        return Data(a, b, attempts=attempts, rows_a=rows_a.ravel(), rows_b=rows_b.ravel())

    return draw


def graded(n: int, *, difference: float = 0.0) -> Callable[[np.random.Generator], Data]:
    """Draw scores from 0 to 1: 40% of the items change, to a score drawn as the first was."""

    def draw(rng: np.random.Generator) -> Data:
        base = 0.8 * rng.beta(2, 1, n)
        b = np.where(rng.random(n) < 0.4, 0.8 * rng.beta(2, 1, n), base) + difference
        return Data(base, b)

    return draw


def _changes(rng: np.random.Generator, n: int, *, psi: float, difference: float) -> np.ndarray:
    chances = [(psi - difference) / 2, 1 - psi, (psi + difference) / 2]
    return rng.choice([-1, 0, 1], p=chances, size=n)


def _of_changes(rng: np.random.Generator, d: np.ndarray) -> Data:
    same = (rng.random(d.size) < 0.7).astype(float)
    return Data(np.where(d == 0, same, d < 0).astype(float), np.where(d == 0, same, d > 0).astype(float))


def calls() -> tuple[Call, ...]:
    """Return the designs of the table."""
    twenty, six, hundred = (10,) * 20, (20,) * 6, (5,) * 100
    return (
        Call("paired, 100 items", paired(100, psi=0.3), 100),
        Call("paired, 500 items", paired(500, psi=0.1), 500),
        Call("paired, 100 items, Δ = .1", paired(100, psi=0.3, difference=0.1), 100, truth=0.1),
        Call("20 clusters of 10, named", clustered(twenty, psi=0.4, icc=0.5), 200),
        Call("the same, Δ = .1", clustered(twenty, psi=0.4, icc=0.5, difference=0.1), 200, truth=0.1),
        Call("20 clusters of 10, not named", clustered(twenty, psi=0.4, icc=0.5), 200, named=False),
        Call("100 clusters of 5, not named", clustered(hundred, psi=0.4, icc=0.5), 500, named=False),
        Call("6 clusters of 20, named", clustered(six, psi=0.4, icc=0.5), 120),
        Call("100 items, 5 attempts", repeated(100, 5), 100),
        Call("100 items, 5 attempts, Δ = .1", repeated(100, 5, difference=0.1), 100, truth=0.1),
        Call("graded, 100 items", graded(100), 100, kind="graded"),
        Call("graded, 100 items, Δ = .1", graded(100, difference=0.1), 100, truth=0.1, kind="graded"),
    )


def cells() -> Iterator[Cell]:
    for call in calls():
        yield Cell(SECTION, call.label, "coverage", call.n, run_of(call))
