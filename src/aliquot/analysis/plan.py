"""From a target, a pilot or a budget to items, attempts, minutes and money."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from aliquot.analysis.costs import Price
from aliquot.analysis.plan_design import PSI_GRID, Design, Pilot, Wish, design_of
from aliquot.analysis.plan_guesses import ShareGuess, SpreadGuess
from aliquot.analysis.plan_sizes import (
    items_by_attempts,
    items_by_labels,
    items_needed,
    items_within,
    items_worth,
)
from aliquot.analysis.software import versions
from aliquot.evidence.tables import Note
from aliquot.findings.planning import LabelDesign, Needed, Plan, PowerPoint
from aliquot.findings.planning_words import write_fit, write_plan, write_sentence
from aliquot.findings.scale import Scale
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.stats.power_pilot import pilot_power
from aliquot.stats.results import Estimate, Undefined

MOST_SIMULATED = 5_000
"""Items up to which the pilot's own items are resampled."""

LADDER = (50, 100, 200, 500, 1000, 2000, 5000)
"""Numbers of items whose worth is shown."""


def make_plan(pilot: Pilot, wish: Wish, *, corrected: Sequence[LabelDesign] = (), command: str = "") -> Plan:
    """Return the plan.

    Args:
        pilot: what is known before.
        wish: what is planned for.
        corrected: labels for the corrected rate of each system.
        command: the command line that reproduces it.

    Raises:
        UsageError: a target that no pair of rates allows, or a graded metric without two systems to learn from.
    """
    design = design_of(pilot, wish)
    best = design.best
    needed = tuple(items_needed(design, wish, pilot.price))
    counted = [n for n in (wish.items, pilot.items) if n is not None]
    at = tuple(items_worth(design, wish, n) for n in dict.fromkeys([*counted, *LADDER]))
    half = None if wish.half_width is None else items_within(design, wish.half_width)
    first = counted[0] if counted else None
    return Plan(
        task=pilot.task,
        metric=pilot.metric,
        scorer=pilot.scorer,
        scale=pilot.scale,
        level=wish.level,
        power=wish.power,
        difference=wish.difference,
        margin=wish.margin,
        psi=best.psi if isinstance(best, ShareGuess) else None,
        psi_range=_limits(design) if pilot.sample is not None else None,
        sd=best.sd if isinstance(best, SpreadGuess) else None,
        design_effect=design.effect,
        pilot_items=pilot.items,
        needed=needed,
        at=at,
        simulated=_simulated(pilot, wish, first),
        attempts=tuple(items_by_attempts(pilot, wish)),
        labels=tuple(items_by_labels(design, wish)),
        corrected=tuple(corrected),
        comparisons=wish.comparisons,
        half_width=half,
        half_width_asked=wish.half_width,
        budget_items=_affordable(pilot.price, wish.budget),
        currency=pilot.price.currency,
        fit="" if first is None else write_fit(first),
        sentence=_sentence(first, at, needed, pilot.scale, power=wish.power),
        warnings=tuple(_warnings(pilot, wish, design)),
        why=_why(best),
        verdict=write_plan(
            needed,
            [point for point in at if point.items in counted],
            pilot.scale,
            difference=wish.difference,
            margin=wish.margin,
            power=wish.power,
            half_width=half,
            corrected=corrected,
        ),
        versions=versions(),
        command=command,
    )


def _limits(design: Design) -> tuple[float, float] | None:
    """Return the limits of the share of differing items that a pilot saw; None where one was named."""
    shares = [guess.psi for guess in design.guesses if isinstance(guess, ShareGuess)]
    return (shares[0], shares[-1]) if len(shares) > 1 else None


def _simulated(pilot: Pilot, wish: Wish, n: int | None) -> Estimate | None:
    """Return the power at a number of items by resampling the pilot's own, with its Monte-Carlo interval."""
    sample = pilot.sample
    if sample is None or n is None or wish.difference is None or wish.judged or not 2 <= n <= MOST_SIMULATED:
        return None
    found = pilot_power(
        sample.a,
        sample.b,
        n=n,
        difference=-wish.difference if pilot.scale.better == "lower" else wish.difference,
        clusters=sample.clusters,
        method="tilt" if pilot.scale.span() is not None else "shift",
        level=wish.test_level,
        n_resamples=400,
        rng=DEFAULT_SEED,
    )
    return None if isinstance(found, Undefined) else found


def _affordable(price: Price, budget: float | None) -> int | None:
    if budget is None or not price.cost:
        return None
    return math.floor(budget / price.cost)


def _sentence(
    n: int | None, at: Sequence[PowerPoint], needed: Sequence[Needed], scale: Scale, *, power: float
) -> str:
    counts = [one.items for one in needed if one.goal == "differ"]
    if n is None or not counts:
        return ""
    best = counts[len(counts) // 2]
    if isinstance(best, int) and best <= n:
        return ""
    point = next(one for one in at if one.items == n)
    return write_sentence(n, point.detectable, scale, power=power)


def _warnings(pilot: Pilot, wish: Wish, design: Design) -> Iterator[Note]:
    if pilot.scale.kind == "binary" and pilot.sample is None and wish.psi is None:
        shares = ", ".join(f"{share:.0%}" for share in PSI_GRID)
        yield Note(
            "psi_unknown",
            f"on how many items two systems differ is not known; {shares} were assumed. A pilot of both tells, "
            "or --psi",
        )
    if pilot.sample is not None and wish.difference is None and wish.margin is None:
        yield Note(
            "no_target",
            "no target was named; the smallest difference that matters is yours to say (--detect)",
        )
    if pilot.repeats is not None and wish.difference is not None:
        yield Note(
            "one_attempt", "the items needed are for one attempt each; the table trades attempts for items"
        )
    if wish.judged:
        factor = wish.sensitivity + wish.specificity - 1
        yield Note(
            "judge_error",
            f"the judge shrinks a difference to {factor:.2f} of itself (sensitivity + specificity - 1)",
        )
    if wish.comparisons > 1:
        yield Note(
            "comparisons",
            f"one of {wish.comparisons} comparisons: each is planned at the level "
            f"{wish.test_level:.6g} (compare --level {wish.test_level:.6g}), "
            f"so that all of them together keep {wish.level:g}",
        )
    if design.effect > 1.05:
        yield Note(
            "design_effect", f"items of one cluster are alike: {design.effect:.2f} items stand for one"
        )
    if wish.budget is not None and pilot.price.cost is None:
        yield Note(
            "no_price",
            "the pilot holds no cost of both systems in one named currency, so a budget cannot be turned into items",
        )


def _why(best: ShareGuess | SpreadGuess) -> str:
    if isinstance(best, SpreadGuess):
        return "paired t on the spread of the pilot's differences"
    return "exact McNemar by enumeration: the fewest items from which on power stays at the target"
