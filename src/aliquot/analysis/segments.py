"""A comparison taken apart by the items' segments: every look counted, shrunk, tested for interaction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.method import analyse_pairs, analyse_system, interval_of_pairs, item_weights
from aliquot.analysis.parts import fields_of, labels_of, part_of
from aliquot.analysis.reversals import find_reversals
from aliquot.evidence.units import Pairs
from aliquot.findings.scale import Scale
from aliquot.findings.segments import SegmentField, SegmentLevel, SegmentScan, Unscanned
from aliquot.stats.heterogeneity import Shrinkage, cochran_q, shrink_groups
from aliquot.stats.inputs import Floats
from aliquot.stats.interaction import interaction_test
from aliquot.stats.multiplicity import holm
from aliquot.stats.results import Estimate, HypothesisTest, Undefined
from aliquot.stats.simultaneous import MaxT, max_t, simultaneous_interval

FEWEST: Final = 5
"""Levels of fewer items are pooled, or listed when they stay too few."""
MOST_LEVELS: Final = 30
"""A field of more levels is a name or a source, not a segment."""
POOLED: Final = "(small levels)"

_DRAWS: Final = 9999
_FEWEST_DRAWS: Final = 999
_SIGNS: Final = 40_000_000
"""Signs drawn before the number of flips is cut."""
_MOVES: Final = 4_000_000
"""Items moved before the number of permutations is cut; a move costs about ten signs."""
_FEWEST_MOVES: Final = 199
_KINDS: Final = 8
"""Differences of so few sizes are counted by level, which costs no more for more items."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One level of one field: its items."""

    level: str
    pooled: tuple[str, ...]
    mask: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Field:
    """One field cut into levels of enough items."""

    name: str
    parts: tuple[_Part, ...]
    too_few: tuple[tuple[str, int], ...]
    unlabelled: int


MOST_SEGMENTS = 120
"""Segments scanned at most; every one is analysed by itself, and all of them together."""


def find_segments(
    pairs: Pairs, sample: PairedSample, scale: Scale, *, level: float, seed: int
) -> SegmentScan | None:
    """Return the comparison on every segment of every field of 2 to 30 levels; None when the items have no fields.

    Args:
        pairs: the shared items with their ``segment.*`` columns.
        sample: those with a value on both sides.
        scale: the metric's scale.
        level: confidence level of all intervals together.
        seed: seed of flips and permutations.
    """
    names = fields_of(pairs)
    if not names or sample.n == 0:
        return None
    cut = [_cut(pairs, sample, name) for name in names]
    fields, beyond = _first_segments([field for field in cut if isinstance(field, _Field)])
    unscanned = (*(field for field in cut if isinstance(field, Unscanned)), *beyond)
    if not fields:
        return SegmentScan((), unscanned, 0, 0.0, level, FEWEST, seed)
    parts = [part for field in fields for part in field.parts]
    found = _look_at_all(sample, parts, level=level, seed=seed)
    looks = iter(_looks(sample, scale, parts, level=level, seed=seed))
    done = tuple(
        _describe_field(
            pairs, sample, scale, field, looks=[next(looks) for _ in field.parts], whole=whole, found=found
        )
        for field, whole in zip(fields, _interactions(sample, fields, seed=seed), strict=True)
    )
    return SegmentScan(done, unscanned, len(parts), found.critical, level, FEWEST, seed)


@dataclass(frozen=True, slots=True)
class _Look:
    """A level looked at by itself.

    Attributes:
        part: the level.
        column: its place among all levels.
        test: the test that decides on it alone.
        p_holm: its p by Holm over all levels.
    """

    part: _Part
    column: int
    test: HypothesisTest
    p_holm: float


def _looks(sample: PairedSample, scale: Scale, parts: list[_Part], *, level: float, seed: int) -> list[_Look]:
    own = [analyse_pairs(part_of(sample, part.mask), scale, level=level, seed=seed) for part in parts]
    tests = [next(named.test for named in analysed.tests if named.decides) for analysed in own]
    adjusted = holm([test.p for test in tests]).tolist()
    return [
        _Look(part, column, test, p)
        for column, (part, test, p) in enumerate(zip(parts, tests, adjusted, strict=True))
    ]


@dataclass(frozen=True, slots=True)
class _Interaction:
    """Whether the difference varies between a field's levels, and the p of that by Holm over the fields."""

    test: HypothesisTest | Undefined
    p_holm: float | None


def _interactions(sample: PairedSample, fields: list[_Field], *, seed: int) -> list[_Interaction]:
    tests = [_interaction(sample, field, seed=seed) for field in fields]
    made = [test.p for test in tests if isinstance(test, HypothesisTest)]
    adjusted = iter(holm(made).tolist() if made else ())
    return [
        _Interaction(test, next(adjusted) if isinstance(test, HypothesisTest) else None) for test in tests
    ]


def _cut(pairs: Pairs, sample: PairedSample, name: str) -> _Field | Unscanned:
    values = labels_of(pairs, sample, name)
    known = np.array([value is not None for value in values])
    labels = np.array([value or "" for value in values])
    levels, counts = np.unique(labels[known], return_counts=True)
    if levels.size < 2:
        return Unscanned(name, "it has one level only" if levels.size else "no item has a value of it")
    if levels.size > MOST_LEVELS:
        return Unscanned(name, f"it has {levels.size} levels; up to {MOST_LEVELS} are looked at")
    small = [str(one) for one in levels[counts < FEWEST]]
    pooled = known & np.isin(labels, small)
    parts = [_Part(str(one), (), known & (labels == one)) for one in levels[counts >= FEWEST]]
    together = len(small) > 1 and int(pooled.sum()) >= FEWEST
    if together:
        parts.append(_Part(POOLED, tuple(small), pooled))
    if len(parts) < 2:
        return Unscanned(name, f"fewer than two of its levels have {FEWEST} items")
    sizes = dict(zip(levels.tolist(), counts.tolist(), strict=True))
    too_few = () if together else tuple((one, sizes[one]) for one in small)
    return _Field(name, tuple(parts), too_few, int((~known).sum()))


def _look_at_all(sample: PairedSample, parts: list[_Part], *, level: float, seed: int) -> MaxT:
    """One max-T over all levels of all fields: an item takes the same sign wherever it is counted."""
    matrix = np.full((sample.n, len(parts)), np.nan)
    for j, part in enumerate(parts):
        matrix[part.mask, j] = sample.d[part.mask]
    return max_t(
        matrix,
        clusters=sample.clusters,
        weights=item_weights(sample),
        level=level,
        n_resamples=min(_DRAWS, max(_FEWEST_DRAWS, _SIGNS // sample.n)),
        rng=seed,
    )


def _permutations(sample: PairedSample) -> int:
    plain = sample.clusters is None and sample.weights is None
    if plain and np.unique(sample.d).size <= _KINDS:
        return _DRAWS
    return min(_DRAWS, max(_FEWEST_MOVES, _MOVES // sample.n))


def _first_segments(fields: list[_Field]) -> tuple[list[_Field], tuple[Unscanned, ...]]:
    """Return the fields whose segments fit, in their order, and the others with the reason."""
    kept: list[_Field] = []
    beyond: list[Unscanned] = []
    count = 0
    for field in fields:
        if count + len(field.parts) > MOST_SEGMENTS:
            beyond.append(Unscanned(field.name, f"more than {MOST_SEGMENTS} segments in all"))
            continue
        kept.append(field)
        count += len(field.parts)
    return kept, tuple(beyond)


def _interaction(sample: PairedSample, field: _Field, *, seed: int) -> HypothesisTest | Undefined:
    labels = np.full(sample.n, -1)
    for code, part in enumerate(field.parts):
        labels[part.mask] = code
    held = labels >= 0
    return interaction_test(
        sample.d[held],
        segments=labels[held],
        clusters=None if sample.clusters is None else sample.clusters[held],
        weights=None if sample.weights is None else sample.weights[held],
        n_resamples=_permutations(sample),
        rng=seed,
    )


def _describe_field(
    pairs: Pairs,
    sample: PairedSample,
    scale: Scale,
    field: _Field,
    *,
    looks: list[_Look],
    whole: _Interaction,
    found: MaxT,
) -> SegmentField:
    samples = [part_of(sample, look.part.mask) for look in looks]
    wide = [interval_of_pairs(part, scale, level=found.column_level)[0] for part in samples]
    shrunken, cochran, tau = _shrink(wide, found)
    levels = tuple(
        SegmentLevel(
            level=look.part.level,
            pooled=look.part.pooled,
            n=inside.n,
            n_clusters=inside.n_clusters,
            baseline=analyse_system(inside.baseline(), scale, level=found.level),
            candidate=analyse_system(inside.candidate(), scale, level=found.level),
            difference=simultaneous_interval(wide[j], found, column=look.column),
            test=found.test(look.column),
            own_test=look.test,
            p_holm=look.p_holm,
            shrunken=shrunken[j],
        )
        for j, (look, inside) in enumerate(zip(looks, samples, strict=True))
    )
    return SegmentField(
        field=field.name,
        levels=levels,
        too_few=field.too_few,
        unlabelled=field.unlabelled,
        interaction=whole.test,
        p_holm=whole.p_holm,
        cochran=cochran,
        tau=tau,
        reversals=find_reversals(pairs, sample, field.name, levels),
    )


def _shrink(
    wide: list[Estimate | Undefined], found: MaxT
) -> tuple[list[Estimate | Undefined], HypothesisTest | Undefined, float | None]:
    """Shrink the levels whose error can be seen; it is the interval's own, so that it is never 0."""
    seen = [j for j, one in enumerate(wide) if isinstance(one, Estimate)]
    estimates = [one for one in wide if isinstance(one, Estimate)]
    points = [one.point for one in estimates]
    variances: Floats = np.array([(one.width / (2 * found.critical)) ** 2 for one in estimates])
    shrunken: list[Estimate | Undefined] = [
        one if isinstance(one, Undefined) else Undefined("no other level shows its error") for one in wide
    ]
    if len(seen) < 2:
        lone = Undefined("fewer than two levels show their error")
        return shrunken, lone, None
    groups = shrink_groups(points, variances=variances, level=found.level)
    if isinstance(groups, Shrinkage):
        for j, group in zip(seen, groups.groups, strict=True):
            shrunken[j] = replace(group, n=estimates[seen.index(j)].n)
    cochran = cochran_q(points, variances=variances)
    return shrunken, cochran, groups.tau if isinstance(groups, Shrinkage) else None
