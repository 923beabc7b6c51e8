"""Verdicts on probes become one outcome an item: two orders of one item are one item."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from aliquot.analysis.probe_kinds import PROBES
from aliquot.files.probe_records import ProbeVerdict, Winner
from aliquot.findings.probe import Expected

Side: TypeAlias = Literal["plain", "changed", "neither"]
"""Which text a verdict is for."""

Outcome: TypeAlias = Literal["plain", "changed", "neither", "split"]
"""Who won on an item; ``split`` when its verdicts differ."""


@dataclass(frozen=True, slots=True)
class ProbedItem:
    """One item under one probe.

    Attributes:
        item: its id.
        cluster: what it shares with others.
        outcome: who won in all its verdicts.
        credit: how far the plain text won, over its verdicts: 1, ½ for neither, 0.
        ties: whether every verdict names no winner.
    """

    item: str
    cluster: str | None
    outcome: Outcome
    credit: float
    ties: bool


def side_of(verdict: Winner) -> Side:
    """Return who won; a tie and two bad answers have no winner.

    Examples:
        >>> side_of("both_bad")
        'neither'
    """
    if verdict == "plain":
        return "plain"
    return "changed" if verdict == "changed" else "neither"


def probed_items(verdicts: Iterable[ProbeVerdict], expected: Expected) -> tuple[list[ProbedItem], int]:
    """Return the items of one probe, and how many lack a verdict.

    Where a judge should say the same again, an item asked once says nothing and is left out.

    Args:
        verdicts: of one probe.
        expected: what the judge should do.
    """
    by_item: dict[str, list[ProbeVerdict]] = {}
    for one in verdicts:
        by_item.setdefault(one.item, []).append(one)
    found: list[ProbedItem] = []
    lost = 0
    for item, asked in by_item.items():
        if expected == "same" and len(asked) < 2:
            continue
        sides: list[Side] = [side_of(one.verdict) for one in asked if one.verdict is not None]
        if len(sides) < len(asked):
            lost += 1
            continue
        worth = [_credit(one) for one in asked]
        outcome: Outcome = sides[0] if len(set(sides)) == 1 else "split"
        credit = sum(worth) / len(worth)
        found.append(ProbedItem(item, asked[0].cluster, outcome, credit, set(sides) == {"neither"}))
    return found, lost


def _credit(one: ProbeVerdict) -> float:
    """Return how far the plain text won."""
    if one.worth is not None:
        return 1 - one.worth
    return {"plain": 1.0, "changed": 0.0}.get(one.verdict or "", 0.5)


def counts_against(one: ProbedItem, expected: Expected) -> bool:
    """Tell whether an item shows what a judge should not do.

    Args:
        one: the item.
        expected: what the judge should do.
    """
    match expected:
        case "tie":
            return not one.ties
        case "same":
            return one.outcome == "split"
        case "not_win" | "even":
            return one.outcome == "changed"
        case "lose":
            return one.outcome != "plain"
        case "win":
            return one.credit <= 0.5


def faults_of(probe: str, verdicts: Iterable[ProbeVerdict]) -> dict[str, bool]:
    """Return item → whether it counts against the judge, of the items with all their verdicts.

    Args:
        probe: its name.
        verdicts: its verdicts.
    """
    expected = PROBES[probe].expected
    found, _ = probed_items(verdicts, expected)
    return {one.item: counts_against(one, expected) for one in found}
