"""From a target, a pilot or a budget to items, attempts, minutes and money."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.costs import Price
from aliquot.analysis.method import effective_items
from aliquot.analysis.settle import disagreement, fewest_units
from aliquot.analysis.software import versions
from aliquot.errors import UsageError
from aliquot.evidence.tables import Note
from aliquot.findings.comparison import Scale
from aliquot.findings.planning import AttemptsOption, Goal, Needed, Plan, PowerPoint
from aliquot.findings.planning_words import write_fit, write_plan, write_sentence
from aliquot.findings.power_seen import RepeatsWorth
from aliquot.stats.discordance import discordance_range
from aliquot.stats.distributions import normal_quantile, two_sided_z
from aliquot.stats.equivalence import paired_margin_sample_size
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.stats.power import (
    DesignErrors,
    connor_sample_size,
    design_errors,
    detectable_difference,
    mcnemar_power,
    mcnemar_sample_size,
)
from aliquot.stats.power_design import FoldedDesign, fold_design
from aliquot.stats.power_graded import paired_t_detectable, paired_t_power, paired_t_sample_size
from aliquot.stats.power_pilot import pilot_power
from aliquot.stats.precision import paired_precision_size
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Estimate, Undefined

MOST_ITEMS = 1_000_000
"""Items above which a number is out of reach."""

MOST_SIMULATED = 5_000
"""Items up to which the pilot's own items are resampled."""

MOST_EXACT = 50_000
"""Items up to which the exact test is scanned; beyond, Connor's formula is within a thousandth of it."""

LADDER = (50, 100, 200, 500, 1000, 2000, 5000)
"""Numbers of items whose worth is shown."""

ATTEMPTS = (1, 2, 4, 8)

PSI_GRID = (0.1, 0.2, 0.3)
"""Shares of differing items assumed when nothing is known of them."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is planned for.

    Attributes:
        difference: the difference to show, in the metric's units.
        margin: the margin within which a candidate is not worse.
        power: the power wanted.
        level: confidence level.
        items: a number of items to look at.
        half_width: half width of the interval of the difference wanted.
        budget: money for one comparison.
        psi: the share of items on which the systems differ; None to take the pilot's.
        rate: the baseline's rate, when no pilot tells; needed with a fallible judge only.
        sensitivity: chance that the judge passes what is right.
        specificity: chance that it fails what is wrong.
    """

    difference: float | None = None
    margin: float | None = None
    power: float = 0.8
    level: float = 0.95
    items: int | None = None
    half_width: float | None = None
    budget: float | None = None
    psi: float | None = None
    rate: float | None = None
    sensitivity: float = 1.0
    specificity: float = 1.0

    @property
    def judged(self) -> bool:
        """Whether a judge that errs stands between the answers and their values."""
        return self.sensitivity < 1 or self.specificity < 1


@dataclass(frozen=True, slots=True)
class Pilot:
    """What is known before.

    Attributes:
        task: its task.
        metric: the metric.
        scale: how the metric's numbers are read.
        sample: shared items of two systems; None with one system or none.
        difference: their difference.
        items: number of items of the pilot; None without one.
        repeats: what more attempts would bring.
        price: what one more item costs when both systems answer it.
    """

    task: str
    metric: str
    scale: Scale
    sample: PairedSample | None
    difference: Estimate | Undefined | None
    items: int | None
    repeats: RepeatsWorth | None
    price: Price


@dataclass(frozen=True, slots=True)
class _Design:
    """What the power depends on: shares of differing items (the middle one is the best guess) or a spread."""

    shares: tuple[float, ...]
    sd: float | None
    effect: float
    scale: Scale
    wish: Wish
    rate: float | None = None

    @property
    def psi(self) -> float:
        """The best guess."""
        return self.shares[len(self.shares) // 2]


def make_plan(pilot: Pilot, wish: Wish, *, command: str = "") -> Plan:
    """Return the plan.

    Args:
        pilot: what is known before.
        wish: what is planned for.
        command: the command line that reproduces it.

    Raises:
        UsageError: a target that no pair of rates allows, or a graded metric without two systems to learn from.
    """
    design = _design(pilot, wish)
    needed = tuple(_needed(design, pilot.price))
    counted = [n for n in (wish.items, pilot.items) if n is not None]
    at = tuple(_worth(design, n) for n in dict.fromkeys([*counted, *LADDER]))
    half = None if wish.half_width is None else _half_width(design, wish.half_width)
    first = counted[0] if counted else None
    return Plan(
        task=pilot.task,
        metric=pilot.metric,
        scale=pilot.scale,
        level=wish.level,
        power=wish.power,
        difference=wish.difference,
        margin=wish.margin,
        psi=None if design.sd is not None else design.psi,
        psi_range=(design.shares[0], design.shares[-1]) if _from_pilot(pilot, wish) else None,
        sd=design.sd,
        design_effect=design.effect,
        pilot_items=pilot.items,
        needed=needed,
        at=at,
        simulated=_simulated(pilot, wish, first),
        attempts=tuple(_attempts(pilot, wish)),
        half_width=half,
        half_width_asked=wish.half_width,
        budget_items=_affordable(pilot.price, wish.budget),
        currency=pilot.price.currency,
        fit="" if first is None else write_fit(first),
        sentence=_sentence(first, at, needed, pilot.scale, power=wish.power),
        warnings=tuple(_warnings(pilot, wish, design)),
        why=_why(design),
        verdict=write_plan(
            needed,
            [point for point in at if point.items in counted],
            pilot.scale,
            difference=wish.difference,
            margin=wish.margin,
            power=wish.power,
            half_width=half,
        ),
        versions=versions(),
        command=command,
    )


def _from_pilot(pilot: Pilot, wish: Wish) -> bool:
    return pilot.sample is not None and wish.psi is None and pilot.scale.kind == "binary"


def _design(pilot: Pilot, wish: Wish) -> _Design:
    sample = pilot.sample
    effect = 1.0
    if sample is not None and isinstance(pilot.difference, Estimate):
        effect = max(1.0, sample.n / effective_items(sample, pilot.difference))
    if pilot.scale.kind != "binary":
        if sample is None or sample.n < 2:
            raise UsageError(
                "a plan for a graded metric needs a pilot of two systems, to learn how far items differ"
            )
        sd = float(np.std(sample.d, ddof=1))
        if sd == 0:
            raise UsageError("the pilot's items do not differ at all, so nothing can be learned from it")
        return _Design((0.0,), sd, effect, pilot.scale, wish)
    rate = wish.rate if sample is None or sample.n == 0 else float(np.mean(sample.a))
    if wish.judged and rate is None:
        raise UsageError(
            "how a judge's errors weigh depends on how often answers are right; name --rate, or a pilot"
        )
    return _Design(_shares(pilot, wish, effect=effect), None, effect, pilot.scale, wish, rate)


def _shares(pilot: Pilot, wish: Wish, *, effect: float) -> tuple[float, ...]:
    """Return ψ: as named, as the pilot saw it with its Wilson limits, or a grid when nothing is known."""
    if wish.psi is not None:
        least = max(abs(wish.difference or 0.0), 0.0)
        if not least <= wish.psi <= 1:
            raise UsageError(
                f"a difference of {least:g} needs at least that share of items to differ, and at most 1; "
                f"got {wish.psi:g}"
            )
        return (wish.psi,)
    if pilot.sample is None:
        return PSI_GRID
    seen, n = disagreement(pilot.sample), pilot.sample.n / effect
    limits = wilson(seen * n, n, level=wish.level)
    return limits.low, seen, limits.high


def _needed(design: _Design, price: Price) -> Iterator[Needed]:
    wish = design.wish
    goals: tuple[tuple[Goal, float | None], ...] = (("differ", wish.difference), ("not_worse", wish.margin))
    for goal, size in goals:
        if size is None:
            continue
        for psi in design.shares:
            items = _items(design, goal, psi, size)
            count = items if isinstance(items, int) else None
            yield Needed(
                goal=goal,
                psi=None if design.sd is not None else max(psi, size) if goal == "differ" else psi,
                items=items,
                seconds=None if price.seconds is None or count is None else count * price.seconds,
                cost=None if price.cost is None or count is None else count * price.cost,
            )


def _items(design: _Design, goal: Goal, psi: float, size: float) -> int | Undefined:
    wish = design.wish
    if design.sd is not None:
        if goal == "not_worse":
            z = normal_quantile(wish.power) + two_sided_z(wish.level)
            found: float | Undefined = (z * design.sd / size) ** 2
        else:
            found = paired_t_sample_size(abs(size), sd=design.sd, power=wish.power, level=wish.level)
    elif goal == "not_worse":
        found = paired_margin_sample_size(psi, margin=size, power=wish.power, level=wish.level)
    else:
        found = _to_differ(design, max(psi, abs(size)), abs(size))
    if isinstance(found, Undefined):
        return found
    items = max(math.ceil(found * design.effect), math.ceil(fewest_units(wish.level) * design.effect))
    return items if items <= MOST_ITEMS else Undefined(f"more than {MOST_ITEMS:,} items would be needed")


def _to_differ(design: _Design, psi: float, size: float) -> float | Undefined:
    """Return the items that exact McNemar needs; by Connor's formula where they are so many that both agree."""
    wish = design.wish
    if wish.judged and design.rate is not None:
        return _through_judge(design, psi, size).sample_size(power=wish.power, level=wish.level)
    by_formula = connor_sample_size(psi, size, power=wish.power, level=wish.level)
    if by_formula > MOST_EXACT:
        return by_formula
    return mcnemar_sample_size(psi, size, power=wish.power, level=wish.level)


def _through_judge(design: _Design, psi: float, size: float) -> FoldedDesign:
    """Return the design as the judge sees it, the candidate better, or worse where it cannot be better."""
    rate = design.rate or 0.0
    other = rate + size if rate + size <= 1 else rate - size
    low, high = discordance_range(rate, other)
    return fold_design(
        rate,
        other,
        psi=min(max(psi, low), high),
        sensitivity=design.wish.sensitivity,
        specificity=design.wish.specificity,
    )


def _worth(design: _Design, n: int) -> PowerPoint:
    wish, worth = design.wish, max(1.0, n / design.effect)
    size = None if wish.difference is None else abs(wish.difference)
    if design.sd is not None:
        detectable = paired_t_detectable(worth, sd=design.sd, power=wish.power, level=wish.level)
        power = (
            None
            if size is None or worth < 2
            else paired_t_power(worth, difference=size, sd=design.sd, level=wish.level)
        )
        return PowerPoint(n, power, detectable, None, None)
    if wish.judged and design.rate is not None and size is not None:
        seen = _through_judge(design, max(design.psi, size), size)
        shown = seen.detectable(worth, power=wish.power, level=wish.level)
        low = shown if isinstance(shown, Undefined) else shown.low
        return PowerPoint(n, seen.power(worth, level=wish.level), low, None, None)
    found = detectable_difference(worth, psi=design.psi, power=wish.power, level=wish.level)
    detectable = found if isinstance(found, Undefined) else found.low
    if size is None:
        return PowerPoint(n, None, detectable, None, None)
    share = max(design.psi, size)
    power = mcnemar_power(worth, psi=share, difference=size, level=wish.level)
    errors = design_errors(worth, psi=share, difference=size, level=wish.level) if power < 0.5 else None
    shown = errors if isinstance(errors, DesignErrors) else None
    return PowerPoint(
        n, power, detectable, None if shown is None else shown.type_m, None if shown is None else shown.type_s
    )


def _half_width(design: _Design, half: float) -> int | Undefined:
    """Return the items whose interval has this half width: Tango's at difference 0, else the t form."""
    if design.sd is None:
        found = paired_precision_size(half, psi=design.psi, level=design.wish.level)
        if isinstance(found, Undefined):
            return found
    else:
        found = (two_sided_z(design.wish.level) * design.sd / half) ** 2
    items = math.ceil(found * design.effect)
    return items if items <= MOST_ITEMS else Undefined(f"more than {MOST_ITEMS:,} items would be needed")


def _attempts(pilot: Pilot, wish: Wish) -> Iterator[AttemptsOption]:
    """Return items against attempts, from the pilot's variance between items and within them."""
    repeats = pilot.repeats
    if repeats is None or wish.difference is None:
        return
    z = two_sided_z(wish.level) + normal_quantile(wish.power)
    for k in ATTEMPTS:
        items = math.ceil((repeats.between + repeats.within / k) * (z / wish.difference) ** 2)
        items = max(items, fewest_units(wish.level))
        reach = items <= MOST_ITEMS
        yield AttemptsOption(
            attempts=k,
            items=items if reach else Undefined(f"more than {MOST_ITEMS:,} items would be needed"),
            answers=2 * k * items if reach else None,
        )


def _simulated(pilot: Pilot, wish: Wish, n: int | None) -> Estimate | None:
    """Return the power at a number of items by resampling the pilot's own, with its Monte-Carlo interval."""
    sample = pilot.sample
    if sample is None or n is None or wish.difference is None or wish.judged or not 2 <= n <= MOST_SIMULATED:
        return None
    found = pilot_power(
        sample.a,
        sample.b,
        n=n,
        difference=wish.difference,
        clusters=sample.clusters,
        method="tilt" if pilot.scale.span() is not None else "shift",
        level=wish.level,
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


def _warnings(pilot: Pilot, wish: Wish, design: _Design) -> Iterator[Note]:
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
    if design.effect > 1.05:
        yield Note(
            "design_effect", f"items of one cluster are alike: {design.effect:.2f} items stand for one"
        )
    if wish.budget is not None and pilot.price.cost is None:
        yield Note(
            "no_price",
            "the pilot holds no cost of both systems in one named currency, so a budget cannot be turned into items",
        )


def _why(design: _Design) -> str:
    if design.sd is not None:
        return "paired t on the spread of the pilot's differences"
    return "exact McNemar by enumeration: the fewest items from which on power stays at the target"
