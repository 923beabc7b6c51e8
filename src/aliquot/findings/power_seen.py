"""How likely this design was to show the difference that was seen, and what repeats would bring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aliquot.stats.results import Undefined

if TYPE_CHECKING:
    from aliquot.stats.repeats import Precision


@dataclass(frozen=True, slots=True)
class PowerSeen:
    """Power at the observed difference, were it the true one.

    Attributes:
        difference: the difference seen, in the metric's units.
        power: chance that this design shows a difference of that size.
        type_m: mean size of the differences that would be shown, over the true one (exaggeration); None at a power of
            50% and more; Undefined where nothing can be shown.
        type_s: chance that one that is shown has the wrong sign; None and Undefined likewise.
        n_eff: independent items the sample is worth for this difference; None for the t form.
        psi: share of items on which the systems differ; None for the t form.
        method: ``mcnemar_exact`` or ``t``.
    """

    difference: float
    power: float
    type_m: float | Undefined | None
    type_s: float | Undefined | None
    n_eff: float | None
    psi: float | None
    method: str


@dataclass(frozen=True, slots=True)
class PowerAt:
    """The chance that this design shows a true difference of this size, in the metric's units."""

    difference: float
    power: float


@dataclass(frozen=True, slots=True)
class RepeatsWorth:
    """What more attempts at the same items would do to the error of the difference.

    Attributes:
        between: variance of an item's true difference over items (and their clusters), per item; 0 at least.
        within: variance that one attempt of each system adds to an item's difference.
        precision: standard error of the difference at 1, 2, 4 and 8 attempts of each system at these items.
        attempts: attempts of each system now (the harmonic mean).
        to_settle: attempts of each system that would show the observed difference with 80% power; Undefined where
            repeats alone would not.
    """

    between: float
    within: float
    precision: tuple[Precision, ...]
    attempts: float
    to_settle: int | Undefined
