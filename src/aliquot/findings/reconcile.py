"""Our number beside the one the harness printed, and the reading of the rows that makes the one of the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from aliquot.findings.scale import Scale

Departure: TypeAlias = Literal[
    "errors_failed", "failures_left_out", "attempts_pooled", "attempts_reduced", "own_items", "unweighted"
]
"""What a harness may do otherwise: count lost rows as failures, leave failures without a value out, average attempts
instead of items, reduce the attempts of an item otherwise than by their mean, take all of a system's items and not the
compared ones, weigh all items alike."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """One system's number as its harness printed it, and as it is here.

    Attributes:
        system: the system.
        tool: the harness.
        metric: the metric.
        statistic: the harness's name for the number.
        printed: what it printed.
        ours: the number of this finding.
        departures: how the reading that gives the printed number departs from ours; empty when they are equal.
        explained: whether some reading of the rows gives the printed number.
        errors: attempts without a value that ended in an error.
        missing: attempts without a value for another reason.
        failures: attempts that count as failures without a value of their own.
        items: items of the system with a value.
        compared: items behind our number.
    """

    system: str
    tool: str
    metric: str
    statistic: str
    printed: float
    ours: float
    departures: tuple[Departure, ...]
    explained: bool
    errors: int
    missing: int
    failures: int
    items: int
    compared: int

    @property
    def same(self) -> bool:
        """Whether the two numbers are one."""
        return self.explained and not self.departures


def write_reconciliation(found: Sequence[Reconciled], scale: Scale) -> tuple[str, ...]:
    """Return one sentence a system, and one for all of them when the same tool printed the same numbers.

    Args:
        found: one record a system.
        scale: the metric's scale.

    Examples:
        >>> scale = Scale(kind="binary", low=0.0, high=1.0, better="higher")
        >>> counts = {"errors": 4, "missing": 0, "failures": 0, "items": 22, "compared": 22}
        >>> numbers = ("pass_rate", 30 / 44, 30 / 40, ("errors_failed",), True)
        >>> one = Reconciled("main", "promptfoo", "success", *numbers, **counts)
        >>> write_reconciliation([one], scale)
        ('promptfoo printed 68.2% for main: it counts 4 errors as failures; without them 75.0%',)
    """
    if len(found) > 1 and len({one.tool for one in found}) == 1 and all(one.same for one in found):
        return (_same(found, "the same rates" if scale.in_points else "the same numbers"),)
    return tuple(_sentence(one, scale) for one in found)


def _same(found: Sequence[Reconciled], what: str) -> str:
    kept = "left out there as here" if any(one.errors or one.missing for one in found) else "nothing left out"
    return f"{found[0].tool} printed {what}: {_lost(found)}, {kept}"


def _lost(found: Sequence[Reconciled]) -> str:
    """Write how many rows have no value: "2 errors", "1 missing row", "2 errors and 1 missing row"."""
    errors, missing = sum(one.errors for one in found), sum(one.missing for one in found)
    parts = [_count(errors, "error")] if errors or not missing else []
    return " and ".join([*parts, *([_count(missing, "missing row")] if missing else [])])


def _count(count: int, word: str) -> str:
    return f"{count} {word if count == 1 else word + 's'}"


def _sentence(one: Reconciled, scale: Scale) -> str:
    if one.same:
        return _same([one], f"the same {'rate' if scale.in_points else 'number'} for {one.system}")
    printed, ours = _numbers(one, scale)
    head = f"{one.tool} printed {printed} for {one.system}"
    if not one.explained:
        return f"{head} and here it is {ours}: no reading of the rows reproduces the printed number"
    says = " and ".join(_says(one, name) for name in one.departures)
    if one.departures == ("errors_failed",):
        return f"{head}: it {says}; without {'it' if one.errors + one.missing == 1 else 'them'} {ours}"
    return f"{head}: it {says}; here it is {ours}"


def _says(one: Reconciled, departure: Departure) -> str:
    match departure:
        case "errors_failed":
            return f"counts {_lost([one])} as {'a failure' if one.errors + one.missing == 1 else 'failures'}"
        case "failures_left_out":
            return f"leaves out {_count(one.failures, 'failed answer')} that here count as wrong"
        case "attempts_pooled":
            return "averages attempts, not items"
        case "attempts_reduced":
            return f"reduces the attempts of an item by {one.statistic.split(': ')[0]}, not by their mean"
        case "own_items":
            return f"takes all {one.items} items of the system, not the {one.compared} compared"
        case "unweighted":
            return "weighs all items alike"


def _numbers(one: Reconciled, scale: Scale) -> tuple[str, str]:
    """Write both numbers with as many decimals as it takes to tell them apart."""
    factor, unit = (100, "%") if scale.in_points else (1, "")
    pairs = [
        tuple(f"{factor * value:.{decimals}f}{unit}" for value in (one.printed, one.ours))
        for decimals in range(1, 10)
    ]
    printed, ours = next((pair for pair in pairs if pair[0] != pair[1]), pairs[-1])
    return printed, ours
