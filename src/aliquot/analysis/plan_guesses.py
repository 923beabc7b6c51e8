"""What is guessed of the items to come: on how many the systems differ, or how far their differences spread."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

from aliquot.findings.planning import Goal
from aliquot.stats.discordance import discordance_range
from aliquot.stats.distributions import two_sided_z
from aliquot.stats.equivalence import graded_margin_sample_size, paired_margin_sample_size
from aliquot.stats.power import (
    DesignErrors,
    connor_sample_size,
    design_errors,
    detectable_difference,
    mcnemar_power,
    mcnemar_sample_size,
)
from aliquot.stats.power_design import fold_design
from aliquot.stats.power_graded import (
    paired_t_detectable,
    paired_t_errors,
    paired_t_power,
    paired_t_sample_size,
)
from aliquot.stats.power_labels import judged_r2
from aliquot.stats.precision import paired_precision_size
from aliquot.stats.results import Undefined

MOST_EXACT = 50_000
"""Items up to which the exact test is scanned; beyond, Connor's formula is within a thousandth of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess(ABC):
    """One guess; sizes are absolute differences in the metric's units, items are independent ones.

    Attributes:
        target: the power wanted.
        level: confidence level.
    """

    target: float
    level: float

    @abstractmethod
    def psi_for(self, goal: Goal, size: float) -> float | None:
        """Return the share of differing items assumed for a goal; None for a graded metric."""

    @abstractmethod
    def items_for(self, goal: Goal, size: float) -> float | Undefined:
        """Return the items that a goal takes; a margin is planned for systems that are truly alike."""

    @abstractmethod
    def items_within(self, half_width: float) -> float | Undefined:
        """Return the items whose interval of no difference has this half width."""

    @abstractmethod
    def detectable(self, n: float) -> float | Undefined:
        """Return the smallest difference that ``n`` items show with the power wanted."""

    @abstractmethod
    def power(self, n: float, size: float) -> float:
        """Return the chance that ``n`` items show a difference."""

    @abstractmethod
    def errors(self, n: float, size: float) -> DesignErrors | None:
        """Return how a difference shown by ``n`` items would mislead; None where that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadGuess(Guess):
    """For a graded metric: the standard deviation of the differences of items.

    Attributes:
        sd: it.
    """

    sd: float

    def psi_for(self, goal: Goal, size: float) -> None:
        """Return nothing: graded items do not just differ or agree."""

    def items_for(self, goal: Goal, size: float) -> float | Undefined:
        """Return the items of the paired t test, or of its one-sided form against the margin."""
        if goal == "not_worse":
            return graded_margin_sample_size(sd=self.sd, margin=size, power=self.target, level=self.level)
        return paired_t_sample_size(size, sd=self.sd, power=self.target, level=self.level)

    def items_within(self, half_width: float) -> float:
        """Return (z sd/h)²."""
        return (two_sided_z(self.level) * self.sd / half_width) ** 2

    def detectable(self, n: float) -> float | Undefined:
        """Return that of the paired t test."""
        return paired_t_detectable(n, sd=self.sd, power=self.target, level=self.level)

    def power(self, n: float, size: float) -> float:
        """Return that of the paired t test; 0 below two items."""
        return 0.0 if n < 2 else paired_t_power(n, difference=size, sd=self.sd, level=self.level)

    def errors(self, n: float, size: float) -> DesignErrors | None:
        """Return those of the paired t test; nothing below two items."""
        return None if n < 2 else paired_t_errors(n, difference=size, sd=self.sd, level=self.level)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareGuess(Guess):
    """For a metric of right and wrong: the share of items on which the systems differ.

    Attributes:
        psi: it; moved to what a difference (and the rate, where it is known) allows.
        rate: the baseline's rate; None where it does not matter.
        sensitivity: chance that the judge passes what is right; below 1 only with a rate.
        specificity: chance that it fails what is wrong.
    """

    psi: float
    rate: float | None = None
    sensitivity: float = 1.0
    specificity: float = 1.0

    def psi_for(self, goal: Goal, size: float) -> float:
        """Return ψ, at a difference of this size or, for a margin, at none."""
        return self._psi_at(size if goal == "differ" else 0.0)

    def items_for(self, goal: Goal, size: float) -> float | Undefined:
        """Return the items of exact McNemar (of Connor's formula where they are so many that both agree).

        A margin takes those of the score test of Nam and Tango.
        """
        if goal == "not_worse":
            psi, factor = self._seen(0.0)
            return paired_margin_sample_size(psi, margin=size * factor, power=self.target, level=self.level)
        psi, factor = self._seen(size)
        by_formula = connor_sample_size(psi, size * factor, power=self.target, level=self.level)
        if by_formula > MOST_EXACT:
            return by_formula
        return mcnemar_sample_size(psi, size * factor, power=self.target, level=self.level)

    def items_within(self, half_width: float) -> float | Undefined:
        """Return the items of Tango's interval."""
        psi, factor = self._seen(0.0)
        return paired_precision_size(half_width * factor, psi=psi, level=self.level)

    def detectable(self, n: float) -> float | Undefined:
        """Return that of exact McNemar."""
        psi, factor = self._seen(0.0)
        found = detectable_difference(n, psi=psi, power=self.target, level=self.level)
        if isinstance(found, Undefined):
            return found
        if found.low > factor:
            return Undefined("through this judge not even a candidate that fixes everything would be found")
        return found.low / factor

    def power(self, n: float, size: float) -> float:
        """Return that of exact McNemar."""
        psi, factor = self._seen(size)
        return mcnemar_power(n, psi=psi, difference=size * factor, level=self.level)

    def errors(self, n: float, size: float) -> DesignErrors | None:
        """Return the errors of size and of sign of a difference that exact McNemar shows."""
        psi, factor = self._seen(size)
        found = design_errors(n, psi=psi, difference=size * factor, level=self.level)
        return found if isinstance(found, DesignErrors) else None

    def unjudged(self) -> ShareGuess:
        """Return the same with values that nobody misjudges."""
        return replace(self, sensitivity=1.0, specificity=1.0)

    def seen_r2(self, size: float) -> float:
        """Return the squared correlation of true and judged differences of items."""
        psi, seen = self._psi_at(size), self._seen(size)
        return judged_r2(psi, size, seen_psi=seen[0], factor=seen[1])

    def _psi_at(self, size: float) -> float:
        low, high = size, 1.0
        if self.rate is not None:
            low, high = discordance_range(self.rate, other_rate(self.rate, size))
        return min(max(self.psi, low), high)

    def _seen(self, size: float) -> tuple[float, float]:
        """Return ψ as the judge will see it, and the size of a seen difference over that of the true one."""
        psi = self._psi_at(size)
        if self.rate is None:
            return psi, 1.0
        seen = fold_design(
            self.rate,
            other_rate(self.rate, size),
            psi=psi,
            sensitivity=self.sensitivity,
            specificity=self.specificity,
        )
        return seen.psi, seen.factor


def other_rate(rate: float, size: float) -> float:
    """Return the candidate's rate: better by the difference, or worse where it cannot be better."""
    return rate + size if rate + size <= 1 else rate - size
