"""The finding about a judge that was probed: what it does where the right verdict is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from aliquot.findings.finding import Finding
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

Passing: TypeAlias = Literal["pass", "fail", "undecided"]
"""How a probe ended."""

Expected: TypeAlias = Literal["tie", "not_win", "lose", "same", "win", "even"]
"""What a judge should do.

Call a tie; not let the changed text win; let it lose; say the same again; prefer the plain text; prefer neither.
"""


@dataclass(frozen=True, slots=True)
class ProbeLine:
    """One probe.

    Attributes:
        probe: its name.
        says: what is shown, in words.
        counts: what is counted, in words.
        expected: what a judge should do.
        items: items with all their verdicts.
        unanswered: items that lack one.
        declined: why an item could not be changed → how many.
        changed: items on which the changed text won, in both orders where both were asked.
        plain: items on which the plain one won so.
        neither: items called a tie, or both bad, so.
        split: items whose two orders say different things.
        share: of what is counted, with the item as unit.
        word: how it ended.
        shows: the smallest true share that as many items would have shown with 80% power.
        named: items that count against the judge, the first ones.
    """

    probe: str
    says: str
    counts: str
    expected: Expected
    items: int
    unanswered: int
    declined: Mapping[str, int]
    changed: int
    plain: int
    neither: int
    split: int
    share: Estimate | Undefined
    word: Passing
    shows: float | Undefined
    named: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PositionLine:
    """Whether the slot decides, over some pairs.

    Attributes:
        what: the pairs.
        items: items.
        both_orders: items judged in both orders, on which the effect rests when there are any.
        effect: share of wins in the first slot minus in the second, of the same answers; 0 for a judge that is blind to
            the slot, above it for one that prefers the first.
        test: of no effect.
        first_slot: share of wins of whatever stood first.
    """

    what: str
    items: int
    both_orders: int
    effect: Estimate | Undefined
    test: HypothesisTest | Undefined
    first_slot: Estimate | Undefined


@dataclass(frozen=True, slots=True)
class ProbeContrast:
    """Two judges on the same probe and items.

    Attributes:
        probe: its name.
        items: items that both answered.
        both: both did what they should not.
        only_first: this judge only.
        only_second: the other one only.
        neither: neither did.
        test: McNemar's, exact, on the items.
        adjusted: its p by Holm over the probes.
    """

    probe: str
    items: int
    both: int
    only_first: int
    only_second: int
    neither: int
    test: HypothesisTest
    adjusted: float


@dataclass(frozen=True, slots=True)
class ProbeAgreement:
    """How often two name the same winner.

    Attributes:
        what: who with whom.
        items: items on which both said something.
        share: share of the same winner; two orders of an item are one item.
    """

    what: str
    items: int
    share: Estimate | Undefined


@dataclass(frozen=True, slots=True, repr=False)
class JudgeAudit(Finding):
    """A judge where the right verdict is known.

    Attributes:
        judge: its name.
        model: the model that it asks; "" when that is not known.
        pairwise: whether it sees two answers at once.
        n_items: items probed on.
        n_clusters: their clusters; None when nothing names one.
        asked: verdicts that were asked for.
        unread: of those, verdicts that could not be read or had.
        lines: the probes.
        positions: whether the slot decides: over all pairs first.
        both_orders: whether both orders have to be asked.
        smallest_gap: wins minus losses of one system over another, as a share of the pairs with the same winner in both
            orders, that as many pairs would show with 80% power.
        agreements: with people, where people said who is better.
        against: name of another judge; "" without one.
        contrasts: beside the other judge.
        level: confidence level.
        why: one line on the method.
        estimand: what the numbers are about.
        seed: seed of everything random.
    """

    kind: ClassVar[str] = "probe"

    judge: str
    model: str
    pairwise: bool
    n_items: int
    n_clusters: int | None
    asked: int
    unread: int
    lines: tuple[ProbeLine, ...]
    positions: tuple[PositionLine, ...]
    both_orders: bool
    smallest_gap: float | Undefined
    agreements: tuple[ProbeAgreement, ...]
    against: str
    contrasts: tuple[ProbeContrast, ...]
    level: float
    why: str
    estimand: str
    seed: int
