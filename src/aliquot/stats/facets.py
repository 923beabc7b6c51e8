"""What to buy next: items, attempts, judge repeats or raters; a D study from variance components."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from aliquot.errors import UsageError, nearest
from aliquot.stats.inputs import as_count
from aliquot.stats.repeats import VarianceComponents
from aliquot.stats.results import Record

WITHIN = "within"
"""The source that is left over; averaged over all facets."""


@dataclass(frozen=True, slots=True)
class FacetStep(Record):
    """One facet doubled, all others as they are.

    Attributes:
        facet: what is doubled.
        levels: from how many, to how many.
        se: standard error then.
        cost: what is added to the cost.
        gain: variance taken off for a unit of cost; infinite when it costs nothing.
    """

    facet: str
    levels: tuple[int, int]
    se: float
    cost: float
    gain: float


@dataclass(frozen=True, slots=True)
class DecisionStudy(Record):
    """The error of a mean, or of a difference of two systems, under a design; and what more of each facet would buy.

    Attributes:
        se: standard error.
        variance: its parts by source.
        cost: what the design costs.
        steps: each facet doubled, what takes most variance off for its cost first.
        held: sources whose estimate was negative and counts as 0.
        dependability: σ²_object/(σ²_object + absolute error), when an object of measurement is named (Φ); None else.
        generalizability: the same with relative error (Eρ²), the sources that hold the object only.
    """

    se: float
    variance: Mapping[str, float]
    cost: float
    steps: tuple[FacetStep, ...]
    held: tuple[str, ...]
    dependability: float | None = None
    generalizability: float | None = None


def decision_study(
    components: VarianceComponents | Mapping[str, float],
    *,
    levels: Mapping[str, int],
    costs: Mapping[str, float],
    target: str | None = None,
    difference: bool = False,
    nested: Mapping[str, str] | None = None,
) -> DecisionStudy:
    """Error of a system's mean, or of a difference of two, and the facet whose increase takes off most for its cost.

    A source is averaged over the levels of all facets in its name: σ²(item:rater)/(n_item n_rater); a nested facet also
    over those it lies in. ``within`` (what is left) is averaged over all facets. Without ``target`` the components are
    those of one system. With ``target="system"`` in them, the mean of a system carries all sources but its own; the
    difference of two systems on the same items, raters and repeats twice the sources that hold ``system``, as the
    others cancel. Negative estimates count as 0 and are named (Brennan 2001, 3.4).

    Args:
        components: variance by source, as :func:`aliquot.stats.variance_components` gives: ``item``, ``item:rater`` …
        levels: levels of each facet in the design to judge.
        costs: cost of one combination: ``{"item": 1, "item:attempt": 0.01, "item:attempt:rater": 0.5}`` for an item
            written, an answer drawn, a label given.
        target: the factor that is measured and not averaged over, for instance ``system``.
        difference: the error of a difference of two of ``target`` on the same facets.
        nested: parent of each facet that lies within another.

    Raises:
        UsageError: a source, cost or parent of an unknown facet, a number of levels below 1, a negative cost, or a
            difference without a target in the sources.

    References:
        Cronbach, Gleser, Nanda & Rajaratnam (1972) The Dependability of Behavioral Measurements; Brennan (2001)
        Generalizability Theory, ch. 4: D studies, relative and absolute error.

    Examples:
        >>> found = decision_study(
        ...     {"item": 0.10, "within": 0.12},
        ...     levels={"item": 50, "attempt": 1},
        ...     costs={"item": 1, "item:attempt": 0.2},
        ... )
        >>> round(found.se, 4), [(step.facet, round(step.se, 4), step.cost) for step in found.steps]
        (0.0663, [('attempt', 0.0566, 10.0), ('item', 0.0469, 60.0)])
    """
    given = components.components if isinstance(components, VarianceComponents) else components
    parents = dict(nested or {})
    numbers = {
        name: int(as_count(count, name=f"levels of {name}", at_least=1)) for name, count in levels.items()
    }
    _check(given, numbers, costs, target, parents, difference=difference)
    kept = {source: max(0.0, float(value)) for source, value in given.items()}
    held = tuple(source for source, value in given.items() if value < 0)

    def parts(counts: Mapping[str, int]) -> dict[str, float]:
        return _parts(kept, counts, target, parents, difference=difference)

    def price(counts: Mapping[str, int]) -> float:
        return sum(
            cost * math.prod(counts[one] for one in _facets(name, parents)) for name, cost in costs.items()
        )

    now, cost = sum(parts(numbers).values()), price(numbers)
    steps: list[FacetStep] = []
    for facet, count in numbers.items():
        more = {**numbers, facet: 2 * count}
        then, added = sum(parts(more).values()), price(more) - cost
        gain = (now - then) / added if added > 0 else math.inf if now > then else 0.0
        steps.append(FacetStep(facet, (count, 2 * count), math.sqrt(then), added, gain))
    absolute = relative = None
    if target is not None and kept.get(target, 0.0) > 0:
        whole = sum(_parts(kept, numbers, target, parents, difference=False).values())
        own = sum(_parts(kept, numbers, target, parents, difference=True).values()) / 2
        absolute, relative = kept[target] / (kept[target] + whole), kept[target] / (kept[target] + own)
    return DecisionStudy(
        se=math.sqrt(now),
        variance=parts(numbers),
        cost=cost,
        steps=tuple(sorted(steps, key=lambda step: (-step.gain, step.facet))),
        held=held,
        dependability=absolute,
        generalizability=relative,
    )


def _parts(
    kept: Mapping[str, float],
    counts: Mapping[str, int],
    target: str | None,
    parents: Mapping[str, str],
    *,
    difference: bool,
) -> dict[str, float]:
    """Variance of the mean (or twice the relative part, for a difference) by source."""
    found: dict[str, float] = {}
    for source, value in kept.items():
        names = list(counts) if source == WITHIN else source.split(":")
        own = source == WITHIN or target in names
        if source == target or (difference and not own):
            continue
        over = {one for name in names if name != target for one in _facets(name, parents)}
        found[source] = (2 if difference else 1) * value / math.prod(counts[one] for one in over)
    return found


def _facets(name: str, parents: Mapping[str, str]) -> set[str]:
    """Facets in a name, with those that nested ones lie in."""
    found: set[str] = set()
    for one in name.split(":"):
        place: str | None = one
        while place is not None and place not in found:
            found.add(place)
            place = parents.get(place)
    return found


def _check(
    given: Mapping[str, float],
    numbers: Mapping[str, int],
    costs: Mapping[str, float],
    target: str | None,
    parents: Mapping[str, str],
    *,
    difference: bool,
) -> None:
    if not numbers:
        raise UsageError("levels must name at least one facet, for instance {'item': 100}")
    sources = {one for source in given if source != WITHIN for one in source.split(":")}
    for what, names, known in (
        ("components", sources, {*numbers, *([target] if target else [])}),
        ("costs", {one for name in costs for one in name.split(":")}, set(numbers)),
        ("nested", {*parents, *parents.values()}, set(numbers)),
    ):
        unknown = sorted(names - known)
        if unknown:
            raise UsageError(
                f"{what} name {unknown[0]!r}, which has no levels. {nearest(unknown[0], sorted(known))}"
            )
    if difference and target not in given and not any(target in source.split(":") for source in given):
        raise UsageError("a difference needs target, a factor among the sources: what two of are compared")
    for name, cost in costs.items():
        as_count(cost, name=f"the cost of {name}")
