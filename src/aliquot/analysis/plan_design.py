"""What a plan is made for, what is known before, and what the power depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.costs import Price
from aliquot.analysis.method import effective_items
from aliquot.analysis.plan_guesses import ShareGuess, SpreadGuess, other_rate
from aliquot.analysis.settle import disagreement
from aliquot.errors import UsageError
from aliquot.findings.power_seen import RepeatsWorth
from aliquot.findings.scale import Scale
from aliquot.stats.discordance import feasible_difference
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Estimate, Undefined

PSI_GRID = (0.1, 0.2, 0.3)
"""Shares of differing items assumed when nothing is known of them."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is planned for.

    Attributes:
        difference: the difference to show, in the metric's units.
        margin: the margin within which a candidate is not worse.
        power: the power wanted.
        level: confidence level of the whole family.
        comparisons: comparisons of which this is one; each is planned at its share of the error (Bonferroni).
        items: a number of items to look at.
        half_width: half width of the interval of the difference wanted.
        budget: money for one comparison.
        psi: the share of items on which the systems differ; None to take the pilot's.
        rate: the baseline's rate; None to take the pilot's. Needed with a judge that errs only.
        sensitivity: chance that the judge passes what is right.
        specificity: chance that it fails what is wrong.
    """

    difference: float | None = None
    margin: float | None = None
    power: float = 0.8
    level: float = 0.95
    comparisons: int = 1
    items: int | None = None
    half_width: float | None = None
    budget: float | None = None
    psi: float | None = None
    rate: float | None = None
    sensitivity: float = 1.0
    specificity: float = 1.0

    @property
    def test_level(self) -> float:
        """Confidence level of one comparison."""
        return 1 - (1 - self.level) / self.comparisons

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
        scorer: the scoring rule; empty without a pilot.
        scale: how the metric's numbers are read.
        sample: shared items of two systems; None with one system or none.
        difference: their difference.
        items: number of items of the pilot; None without one.
        repeats: what more attempts would bring.
        price: what one more item costs when both systems answer it.
    """

    task: str
    metric: str
    scorer: str
    scale: Scale
    sample: PairedSample | None
    difference: Estimate | Undefined | None
    items: int | None
    repeats: RepeatsWorth | None
    price: Price


@dataclass(frozen=True, slots=True)
class Design:
    """What the power depends on.

    Attributes:
        guesses: what is guessed of the items to come, rising; the best guess stands in the middle.
        effect: items that one independent item takes.
    """

    guesses: Sequence[ShareGuess] | Sequence[SpreadGuess]
    effect: float

    @property
    def best(self) -> ShareGuess | SpreadGuess:
        """The best guess."""
        return self.guesses[len(self.guesses) // 2]


def design_of(pilot: Pilot, wish: Wish) -> Design:
    """Return what the power depends on.

    Args:
        pilot: what is known before.
        wish: what is planned for.

    Raises:
        UsageError: shares, rates and a difference that cannot go together, a judge without a rate or one that tells
            nothing, or a graded metric without two systems to learn from.
    """
    sample = pilot.sample
    effect = 1.0
    if sample is not None and isinstance(pilot.difference, Estimate):
        effect = max(1.0, sample.n / effective_items(sample, pilot.difference))
    if pilot.scale.kind != "binary":
        spread = SpreadGuess(sd=_spread(sample, wish), target=wish.power, level=wish.test_level)
        return Design((spread,), effect)
    rate = _rate(sample, wish)
    shares = [
        ShareGuess(
            psi=psi,
            rate=rate,
            sensitivity=wish.sensitivity,
            specificity=wish.specificity,
            target=wish.power,
            level=wish.test_level,
        )
        for psi in _shares(pilot, wish, rate, effect=effect)
    ]
    return Design(shares, effect)


def _spread(sample: PairedSample | None, wish: Wish) -> float:
    if wish.judged:
        raise UsageError(
            "--sensitivity and --specificity are of a judge that says right or wrong; this metric is graded"
        )
    if sample is None or sample.n < 2:
        raise UsageError(
            "a plan for a graded metric needs a pilot of two systems, to learn how far items differ"
        )
    sd = float(np.std(sample.d, ddof=1))
    if sd == 0:
        raise UsageError("the pilot's items do not differ at all, so nothing can be learned from it")
    return sd


def _rate(sample: PairedSample | None, wish: Wish) -> float | None:
    """Return the baseline's rate where one was named, or a judge makes it matter."""
    if not wish.judged:
        return wish.rate
    if wish.sensitivity + wish.specificity <= 1:
        raise UsageError(
            f"sensitivity and specificity add up to {wish.sensitivity + wish.specificity:g}; at 1 and below a judge "
            "tells nothing of what is right, and no number of items helps"
        )
    if wish.rate is not None:
        return wish.rate
    if sample is None:
        raise UsageError(
            "how a judge's errors weigh depends on how often answers are right; name --rate, or a pilot"
        )
    return float(np.average(sample.a, weights=sample.weights))


def _shares(pilot: Pilot, wish: Wish, rate: float | None, *, effect: float) -> tuple[float, ...]:
    """Return ψ: as named, as the pilot saw it with its Wilson limits, or a grid when nothing is known."""
    if wish.psi is not None:
        return (_named(wish.psi, wish, rate),)
    if pilot.sample is None:
        return PSI_GRID
    seen, n = disagreement(pilot.sample), pilot.sample.n / effect
    limits = wilson(seen * n, n, level=wish.level)
    return limits.low, seen, limits.high


def _named(psi: float, wish: Wish, rate: float | None) -> float:
    size = abs(wish.difference or 0.0)
    if not size <= psi <= 1:
        raise UsageError(
            f"a difference of {size:g} needs at least that share of items to differ, and at most 1; got {psi:g}"
        )
    if rate is not None:
        feasible_difference(rate, other_rate(rate, size), psi=psi)
    return psi
