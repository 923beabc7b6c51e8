"""Variants of one system on the same items: range, spread, worst pair, and what the best of them is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl

from aliquot.analysis.arrays import PairedSample, SystemSample, system_sample
from aliquot.analysis.attempts_seen import attempt_values
from aliquot.analysis.method import analyse_pairs, analyse_system, interval_of_pairs, item_weights
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units
from aliquot.findings.scale import Scale
from aliquot.findings.variants import FactorLevel, VariantGroup, VariantLine, VariantPair, Winner
from aliquot.findings.verdict import read_verdict
from aliquot.stats.inputs import Floats
from aliquot.stats.results import Estimate, Undefined
from aliquot.stats.selection import Picked, picked_best
from aliquot.stats.simultaneous import max_t, simultaneous_interval
from aliquot.stats.spread import BOTH, COLUMN, ITEM, WITHIN, CrossedSpread, crossed_spread

SOURCES = {COLUMN: "variant", ITEM: "item", BOTH: "item:variant", WITHIN: "attempt"}
"""What the sources of variance are called here."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Several systems on the items that each of them has a value for.

    Attributes:
        units: each system's items.
        samples: the same, of the shared items alone.
        left_out: items that lack a value in some system.
    """

    units: tuple[Units, ...]
    samples: tuple[SystemSample, ...]
    left_out: int

    @property
    def n(self) -> int:
        """Number of shared items."""
        return self.samples[0].n

    def paired(self, one: int, other: int) -> PairedSample:
        """Return two of the systems as a pair."""
        a, b = self.samples[one], self.samples[other]
        return paired_of(a, a.values, b.values, k_a=a.attempts, k_b=b.attempts)

    def table(self) -> Floats:
        """Return the items' values, items × systems."""
        return np.stack([sample.values for sample in self.samples], axis=1)


def ask_all(units: Sequence[Units]) -> Asked:
    """Return systems on the items that each has a value for; the others are counted."""
    with_value = [one.frame.drop_nulls("mean")["item"] for one in units]
    shared, known = set(with_value[0]), set[str]()
    for one, valued in zip(units, with_value, strict=True):
        shared &= set(valued)
        known |= set(one.frame["item"])
    kept = pl.Series("item", sorted(shared), dtype=pl.String)
    samples = [
        system_sample(replace(one, frame=one.frame.filter(pl.col("item").is_in(kept.implode()))))
        for one in units
    ]
    return Asked(tuple(units), tuple(samples), len(known) - len(shared))


def paired_of(known: SystemSample, a: Floats, b: Floats, *, k_a: np.ndarray, k_b: np.ndarray) -> PairedSample:
    """Return two values an item as a pair, on the items of a sample."""
    return PairedSample(
        items=known.items,
        clusters=known.clusters,
        strata=known.strata,
        weights=known.weights,
        a=a,
        b=b,
        k_a=k_a,
        k_b=k_b,
    )


def pair_all(
    samples: Mapping[tuple[str, str], PairedSample], scale: Scale, *, level: float, seed: int
) -> tuple[VariantPair, ...]:
    """Return paired differences whose intervals hold together; a single one has its own.

    Args:
        samples: baseline and candidate by name → their values, all on the same items.
        scale: the metric's scale.
        level: confidence level of all together.
        seed: seed of the sign flips.
    """
    if len(samples) == 1:
        ((names, sample),) = samples.items()
        own = analyse_pairs(sample, scale, level=level, seed=seed)
        test = next((named.test for named in own.tests if named.decides), None)
        return (
            VariantPair(*names, own.difference, test, read_verdict(own.difference, better=scale.better)[0]),
        )
    first = next(iter(samples.values()))
    joint = max_t(
        np.stack([sample.d for sample in samples.values()], axis=1),
        clusters=first.clusters,
        weights=item_weights(first),
        level=level,
        rng=seed,
    )
    found: list[VariantPair] = []
    for place, ((baseline, candidate), sample) in enumerate(samples.items()):
        wide, _ = interval_of_pairs(sample, scale, level=joint.column_level)
        difference = simultaneous_interval(wide, joint, column=place)
        word = read_verdict(difference, better=scale.better)[0]
        found.append(VariantPair(baseline, candidate, difference, joint.test(place), word))
    return tuple(found)


def analyse_group(
    evidence: Evidence,
    system: str,
    levels: Mapping[str, Mapping[str, str]],
    asked: Asked,
    scale: Scale,
    *,
    level: float,
    seed: int,
) -> VariantGroup:
    """Return what the variants of one system show.

    Args:
        evidence: the tables, for the values of single attempts.
        system: the system they are variants of.
        levels: each variant's level of each factor, in the order of ``asked``.
        asked: the variants on the items they share.
        scale: the metric's scale.
        level: confidence level.
        seed: seed of everything random.
    """
    names, factors = list(levels), tuple(dict.fromkeys(factor for own in levels.values() for factor in own))
    if asked.n == 0:
        return _nothing(system, factors, levels, asked)
    pairs = pair_all(
        {(names[i], names[j]): asked.paired(i, j) for i, j in combinations(range(len(names)), 2)},
        scale,
        level=level,
        seed=seed,
    )
    spread = _spread(evidence, asked, scale, level=level)
    picked = _picked(asked, scale, seed=seed)
    rates = [analyse_system(sample, scale, level=level) for sample in asked.samples]
    chances = picked.chances if isinstance(picked, Picked) else [None] * len(names)
    lines = zip(levels.items(), rates, chances, strict=True)
    return VariantGroup(
        system=system,
        factors=factors,
        n_items=asked.n,
        n_clusters=asked.samples[0].n_clusters,
        left_out=asked.left_out,
        variants=tuple(VariantLine(name, dict(own), rate, chance) for (name, own), rate, chance in lines),
        range=_range(pairs),
        by_chance=0.0 if isinstance(spread, Undefined) else spread.by_chance,
        spread=spread if isinstance(spread, Undefined) else spread.sd,
        share=spread if isinstance(spread, Undefined) else spread.share,
        shares={}
        if isinstance(spread, Undefined)
        else {SOURCES[name]: x for name, x in spread.shares.items()},
        worst=max(pairs, key=_size),
        pairs=pairs,
        levels=_levels(levels, asked, scale, level=level),
        winner=_winner(picked, names, rates, asked, scale, level=level),
    )


def _nothing(
    system: str, factors: tuple[str, ...], levels: Mapping[str, Mapping[str, str]], asked: Asked
) -> VariantGroup:
    none = Undefined("no item has a value in every variant")
    return VariantGroup(
        system=system,
        factors=factors,
        n_items=0,
        n_clusters=None,
        left_out=asked.left_out,
        variants=tuple(VariantLine(name, dict(own), none, None) for name, own in levels.items()),
        range=none,
        by_chance=0.0,
        spread=none,
        share=none,
        shares={},
        worst=None,
        pairs=(),
        levels=(),
        winner=none,
    )


def _size(pair: VariantPair) -> float:
    return abs(pair.difference.point) if isinstance(pair.difference, Estimate) else -1.0


def _range(pairs: Sequence[VariantPair]) -> Estimate | Undefined:
    """Return the range with the limits that the pairs' joint intervals give: no pair is further apart than its far one.

    When all intervals hold, the true range is at least each pair's near limit and at most the largest far one.
    """
    known = [pair.difference for pair in pairs if isinstance(pair.difference, Estimate)]
    if not known:
        first = pairs[0].difference
        return first if isinstance(first, Undefined) else Undefined("no pair can be compared")
    top = max(known, key=lambda one: abs(one.point))
    return replace(
        top,
        point=abs(top.point),
        low=max(max(0.0, one.low, -one.high) for one in known),
        high=max(max(abs(one.low), abs(one.high)) for one in known),
        method="max_t, the widest pair" if len(pairs) > 1 else top.method,
    )


def _spread(evidence: Evidence, asked: Asked, scale: Scale, *, level: float) -> CrossedSpread | Undefined:
    """Return the components of the crossed design, items × variants, from single attempts."""
    first = asked.samples[0]
    place = pl.DataFrame(
        {"item": list(first.items), "row": np.arange(first.n)}, schema={"item": pl.String, "row": pl.Int64}
    )
    frames = [
        attempt_values(evidence, one)
        .join(place, on="item", how="inner")
        .sort("row", "attempt")
        .with_columns(column=pl.lit(j))
        for j, one in enumerate(asked.units)
    ]
    rows = pl.concat(frames)
    codes = rows["row"].to_numpy()
    return crossed_spread(
        rows["value"].to_numpy().astype(np.float64),
        items=codes,
        columns=rows["column"].to_numpy(),
        clusters=None if first.clusters is None else first.clusters[codes],
        weights=None if first.weights is None else first.weights[codes],
        low=scale.low,
        high=scale.high,
        level=level,
    )


def _picked(asked: Asked, scale: Scale, *, seed: int) -> Picked | Undefined | None:
    if scale.better == "none":
        return None
    first = asked.samples[0]
    return picked_best(
        asked.table(),
        clusters=first.clusters,
        weights=first.weights,
        best="lowest" if scale.better == "lower" else "highest",
        rng=seed,
    )


def _winner(
    picked: Picked | Undefined | None,
    names: Sequence[str],
    rates: Sequence[Estimate | Undefined],
    asked: Asked,
    scale: Scale,
    *,
    level: float,
) -> Winner | Undefined | None:
    """Return the best variant; the interval is its own at level^(1/K), so that it holds whichever was picked."""
    if not isinstance(picked, Picked):
        return picked
    wide = analyse_system(asked.samples[picked.best], scale, level=level ** (1 / len(names)))
    if isinstance(wide, Estimate):
        wide = replace(
            wide,
            point=picked.honest,
            low=min(wide.low, picked.honest),
            high=max(wide.high, picked.honest),
            level=level,
            method=f"picked_best, limits of {wide.method} for {len(names)} at once",
            settings={**wide.settings, "folds": picked.folds, "splits": picked.n_resamples},
        )
    return Winner(names[picked.best], rates[picked.best], wide, picked.chances[picked.best])


def _levels(
    levels: Mapping[str, Mapping[str, str]], asked: Asked, scale: Scale, *, level: float
) -> tuple[FactorLevel, ...]:
    """Return each level over the others, of factors that are crossed in full."""
    own = [tuple(one.items()) for one in levels.values()]
    by_factor: dict[str, list[str]] = {}
    for factor, name in (pair for one in own for pair in one):
        by_factor.setdefault(factor, [])
        if name not in by_factor[factor]:
            by_factor[factor].append(name)
    cells = int(np.prod([len(found) for found in by_factor.values()])) if by_factor else 0
    if len(by_factor) < 2 or len(set(own)) != cells or len(own) != cells:
        return ()
    graded = scale if scale.kind != "binary" else replace(scale, kind="bounded")
    found: list[FactorLevel] = []
    for factor, named in by_factor.items():
        for name in named:
            mine = [
                sample.values
                for sample, one in zip(asked.samples, levels.values(), strict=True)
                if one[factor] == name
            ]
            over = replace(
                asked.samples[0], values=np.mean(mine, axis=0), attempts=np.ones(asked.n, dtype=np.int64)
            )
            found.append(FactorLevel(factor, name, analyse_system(over, graded, level=level)))
    return tuple(found)
