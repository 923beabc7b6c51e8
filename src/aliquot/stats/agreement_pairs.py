"""Some pairs of raters against others on the same items: is a judge as good as a second labeller?"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.agreement_forms import CoefficientName, Units, influence, units_of, values_of
from aliquot.stats.agreement_intervals import Draws, cells_of, interval_from
from aliquot.stats.agreement_records import asked
from aliquot.stats.agreement_scales import Scale
from aliquot.stats.dependent_correlations import resampling_test
from aliquot.stats.inputs import Floats, Integers, RandomSource, as_codes, as_count
from aliquot.stats.rater_tables import MISSING, Ratings, RatingTable, rating_table
from aliquot.stats.resampling import draw_wide_totals
from aliquot.stats.results import Estimate, HypothesisTest, Record, Undefined

Pair: TypeAlias = tuple[Hashable, Hashable]
Word: TypeAlias = Literal["as good", "below", "undecided"]


@dataclass(frozen=True, slots=True)
class AgreementDifference(Record):
    """Mean agreement of some pairs of raters less that of others, on the same items.

    Attributes:
        first: mean coefficient over the first pairs.
        second: over the second pairs.
        difference: second less first, with its interval.
        test: the test that they are equal, from the same resamples.
        coefficient: which one.
        first_pairs: pairs of the first kind that have a value.
        second_pairs: of the second kind.
        n: items that some pair rated.
    """

    first: float
    second: float
    difference: Estimate | Undefined
    test: HypothesisTest | Undefined
    coefficient: str
    first_pairs: tuple[Pair, ...]
    second_pairs: tuple[Pair, ...]
    n: int

    def __str__(self) -> str:
        return str(self.difference)


@dataclass(frozen=True, slots=True)
class SecondLabeller(Record):
    """Whether a judge agrees with people as well as people agree with each other.

    Attributes:
        word: ``as good``, ``below`` or ``undecided``.
        margin: by how much less the judge may agree and still be as good.
        individual: the judge with each person, against each pair of people.
        consensus: the judge and each person with what the other people say together; Undefined below three people.
        by_rater: mean agreement of each rater with the people other than himself, the judge among them.
    """

    word: Word
    margin: float
    individual: AgreementDifference
    consensus: AgreementDifference | Undefined
    by_rater: Mapping[Hashable, float]

    def __str__(self) -> str:
        return f"{self.word}: {self.individual.difference}"


def agreement_difference(
    ratings: Ratings,
    first: Sequence[Pair],
    second: Sequence[Pair],
    *,
    coefficient: CoefficientName = "cohen_kappa",
    scale: Scale = "nominal",
    labels: Sequence[Hashable] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> AgreementDifference | Undefined:
    """Do the second pairs of raters agree better than the first, on the same items?

    Judge A against judge B, each with the same people; a judge with people against people with each other. Items
    (or whole clusters) are resampled with all their ratings, so that both sides move together. Each pair rests on
    the items both rated; a pair without a value is left out.

    Args:
        ratings: items × raters with gaps, or a table made by ``ratings_by_item``.
        first: pairs of raters, by position or as they are named in the table.
        second: other pairs.
        coefficient: of two raters.
        scale: how near two labels are.
        labels: all labels there are, from low to high.
        clusters: one label an item.
        level: confidence level.
        n_resamples: resamples.
        rng: seed or generator; None for the fixed default seed.

    Returns:
        The difference; Undefined when no pair of one side has a value.

    Raises:
        UsageError: an unknown rater, a rater paired with himself, or as for ``cohen_kappa``.

    References:
        Davison & Hinkley (1997), chapters 4 and 5; Vanbelle & Albert (2008) British Journal of Mathematical and
        Statistical Psychology 61:107 (dependent kappas by resampling).

    Examples:
        >>> people, good, poor = [1, 1, 0, 0] * 20, [1, 1, 0, 0] * 18 + [0] * 8, [1, 0, 1, 0] * 18 + [0] * 8
        >>> table = [list(row) for row in zip(people, poor, good)]
        >>> found = agreement_difference(table, [(0, 1)], [(0, 2)], n_resamples=999)
        >>> print(round(found.first, 2), round(found.second, 2), found.difference.low > 0)
        0.0 0.9 True
    """
    table = rating_table(ratings, labels=labels)
    draws = asked(table, clusters, level=level, n_resamples=n_resamples, rng=rng)
    return _difference(
        table, _columns(table, first), _columns(table, second), _How(coefficient, scale, draws)
    )


def second_labeller(
    ratings: Ratings,
    judge: Hashable,
    *,
    margin: float = 0.0,
    coefficient: CoefficientName = "cohen_kappa",
    scale: Scale = "nominal",
    labels: Sequence[Hashable] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> SecondLabeller | Undefined:
    """Is the judge as good as a second labeller: κ(judge, person) − κ(person, person), means over pairs.

    With interval (L, U) and margin m: L > −m is *as good*, else U < 0 is *below*, else *undecided*. Without a
    margin the judge must agree better than people do; an equal one stays undecided, whatever the number of items.

    The consensus of the others is the label most of them gave, on an ordered scale their median; items where there
    is none are left out, for judge and person alike.

    Args:
        ratings: items × raters with gaps, the judge among them.
        judge: which rater is the judge, by position or name.
        margin: by how much less the judge may agree, at least 0.
        coefficient: as for :func:`agreement_difference`, and so are the arguments that follow.
        scale: how near two labels are.
        labels: all labels there are, from low to high.
        clusters: one label an item.
        level: confidence level.
        n_resamples: resamples.
        rng: seed or generator.

    Returns:
        The verdict with both comparisons; Undefined with one person, or when no pair has a value.

    Raises:
        UsageError: an unknown judge, a margin below 0, or as for :func:`agreement_difference`.

    Examples:
        >>> import numpy as np
        >>> rng = np.random.default_rng(1)
        >>> truth = rng.integers(0, 2, size=(300, 1))
        >>> table = np.where(rng.random((300, 4)) < [0.9, 0.9, 0.9, 0.55], truth, 1 - truth)
        >>> print(second_labeller(table, 3, margin=0.05, n_resamples=999).word)
        below
    """
    allowed = as_count(margin, name="margin")
    table = rating_table(ratings, labels=labels)
    draws = asked(table, clusters, level=level, n_resamples=n_resamples, rng=rng)
    how = _How(coefficient, scale, draws)
    place = _place(table, judge)
    people = [rater for rater in range(len(table.raters)) if rater != place]
    if len(people) < 2:
        return Undefined("one person only: how well people agree with each other cannot be seen")
    with_judge = [(place, person) for person in people]
    found = _difference(table, list(combinations(people, 2)), with_judge, how)
    if isinstance(found, Undefined):
        return found
    return SecondLabeller(
        word=_word(found.difference, allowed),
        margin=allowed,
        individual=found,
        consensus=_against_consensus(table, place, people, how),
        by_rater=_by_rater(table, place, people, how),
    )


@dataclass(frozen=True, slots=True)
class _How:
    """What is compared, and how the interval is made."""

    coefficient: str
    scale: Scale
    draws: Draws


def _word(difference: Estimate | Undefined, margin: float) -> Word:
    if isinstance(difference, Undefined):
        return "undecided"
    if difference.low > -margin:
        return "as good"
    return "below" if difference.high < 0 else "undecided"


def _place(table: RatingTable, rater: Hashable) -> int:
    if rater not in table.raters:
        known = ", ".join(map(repr, table.raters[:10]))
        raise UsageError(
            f"there is no rater {rater!r}; known: {known}{', …' if len(table.raters) > 10 else ''}"
        )
    return table.raters.index(rater)


def _columns(table: RatingTable, pairs: Sequence[Pair]) -> list[tuple[int, int]]:
    if not pairs:
        raise UsageError("name at least one pair of raters on each side")
    found = [(_place(table, one), _place(table, other)) for one, other in pairs]
    if any(one == other for one, other in found):
        raise UsageError("a pair is of two different raters")
    return found


def _pair_units(table: RatingTable, pair: tuple[int, int], coefficient: str, scale: Scale) -> Units:
    """Rows for the items that both of a pair rated, zeros elsewhere; a pair never loses a column without ratings."""
    codes = table.codes[:, list(pair)]
    both = (codes != MISSING).all(axis=1)
    two = replace(table, codes=codes[both], items=tuple(range(int(both.sum()))), raters=pair)
    units = units_of(two, coefficient, scale)
    values = np.zeros((codes.shape[0], units.values.shape[1]))
    values[both] = units.values
    return replace(units, values=values)


def _usable(
    table: RatingTable, pairs: list[tuple[int, int]], how: _How
) -> list[tuple[tuple[int, int], Units]]:
    """Pairs that have a value on the data."""
    found: list[tuple[tuple[int, int], Units]] = []
    for pair in pairs:
        if not (table.present[:, list(pair)].all(axis=1)).any():
            continue
        units = _pair_units(table, pair, how.coefficient, how.scale)
        if np.isfinite(values_of(units, units.values.sum(axis=0))):
            found.append((pair, units))
    return found


def _difference(
    table: RatingTable,
    first: list[tuple[int, int]],
    second: list[tuple[int, int]],
    how: _How,
) -> AgreementDifference | Undefined:
    sides = [_usable(table, pairs, how) for pairs in (first, second)]
    if not all(sides):
        which = "first" if not sides[0] else "second"
        return Undefined(f"no {which} pair has a value: no item both rated, or one label only")
    units = [unit for side in sides for _, unit in side]
    shares = np.array([sign / len(side) for sign, side in zip((-1, 1), sides, strict=True) for _ in side])
    values = np.concatenate([unit.values for unit in units], axis=1)
    kept = values.any(axis=1)
    codes = (
        None
        if how.draws.clusters is None
        else as_codes(how.draws.clusters[kept], int(kept.sum()), name="clusters")
    )
    draws = replace(how.draws, clusters=codes)
    units = [replace(unit, values=unit.values[kept]) for unit in units]
    points = [float(values_of(unit, unit.values.sum(axis=0))) for unit in units]
    point = float(shares @ points)
    n_first = len(sides[0])
    difference, test = _drawn(units, shares, point, values[kept], draws, name=f"{how.coefficient}_difference")
    names = [tuple((table.raters[g], table.raters[h]) for (g, h), _ in side) for side in sides]
    return AgreementDifference(
        first=float(np.mean(points[:n_first])),
        second=float(np.mean(points[n_first:])),
        difference=difference,
        test=test,
        coefficient=how.coefficient,
        first_pairs=names[0],
        second_pairs=names[1],
        n=int(kept.sum()),
    )


def _drawn(
    units: list[Units], shares: Floats, point: float, values: Floats, draws: Draws, *, name: str
) -> tuple[Estimate | Undefined, HypothesisTest | Undefined]:
    """Interval and test from resamples of all pairs together; a resample in which a pair has no value has none."""
    moved = shares @ np.stack([influence(unit) for unit in units])
    totals = draw_wide_totals(cells_of(values, draws.clusters), n_resamples=draws.n_resamples, rng=draws.rng)
    ends = np.cumsum([unit.values.shape[1] for unit in units])[:-1]
    parts = np.split(totals, ends, axis=1)
    each = np.stack([values_of(unit, part) for unit, part in zip(units, parts, strict=True)])
    drawn = shares @ each
    test = resampling_test(drawn, point, null="both agree equally well")
    return interval_from(drawn, point, moved=moved, name=name, n=values.shape[0], draws=draws), test


def _against_consensus(
    table: RatingTable, judge: int, people: list[int], how: _How
) -> AgreementDifference | Undefined:
    """Judge and person, each with the consensus of the other people, on the items that have all three."""
    if len(people) < 3:
        return Undefined("two people only: a consensus of the others needs three")
    ordered = not isinstance(how.scale, str) or how.scale != "nominal"
    columns: list[Integers] = []
    names: list[Hashable] = []
    for person in people:
        others = table.codes[:, [other for other in people if other != person]]
        agreed = _consensus(others, len(table.labels), ordered=ordered)
        three = (table.codes[:, [judge, person]] != MISSING).all(axis=1) & (agreed != MISSING)
        columns += [
            np.where(three, column, MISSING)
            for column in (table.codes[:, judge], table.codes[:, person], agreed)
        ]
        names += [f"{word} {table.raters[person]}" for word in ("judge beside", "person", "others than")]
    wide = replace(table, codes=np.stack(columns, axis=1), raters=tuple(names))
    places = range(0, len(columns), 3)
    return _difference(wide, [(at + 1, at + 2) for at in places], [(at, at + 2) for at in places], how)


def _consensus(codes: Integers, k: int, *, ordered: bool) -> Integers:
    """The label most raters gave, or on an ordered scale the middle one; none where two are equally fit."""
    n = codes.shape[0]
    row, column = np.nonzero(codes != MISSING)
    counts = np.bincount(row * k + codes[row, column], minlength=n * k).reshape(n, k)
    total = counts.sum(axis=1)
    if not ordered:
        best = counts.max(axis=1)
        single = (counts == best[:, None]).sum(axis=1) == 1
        return np.where((total > 0) & single, counts.argmax(axis=1), MISSING)
    reached = np.cumsum(counts, axis=1)
    low = (reached * 2 >= total[:, None]).argmax(axis=1)
    high = (reached * 2 > total[:, None]).argmax(axis=1)
    return np.where((total > 0) & (low == high), low, MISSING)


def _by_rater(table: RatingTable, judge: int, people: list[int], how: _How) -> dict[Hashable, float]:
    found: dict[Hashable, float] = {}
    for rater in (judge, *people):
        pairs = _usable(table, [(rater, person) for person in people if person != rater], how)
        values = [float(values_of(units, units.values.sum(axis=0))) for _, units in pairs]
        if values:
            found[table.raters[rater]] = float(np.mean(values))
    return found
