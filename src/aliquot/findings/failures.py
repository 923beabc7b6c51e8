"""The finding about failures: which kinds there are, how many of each, and which moved between two systems or runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from aliquot.findings.finding import Finding
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

Base: TypeAlias = Literal["answers", "failures", "read"]
"""What the shares are shares of: all answers, the failing ones that were read, or all that were read."""

Moved: TypeAlias = Literal["more", "fewer", "undecided", "nothing_to_judge"]
"""Whether a kind is shown to be more frequent on the second side than on the first."""


@dataclass(frozen=True, slots=True)
class FailureSide:
    """One system, or one run of it.

    Attributes:
        name: what it is called here.
        answers: answers there are; None where only what was read is known.
        failed: of those, answers that failed; None likewise.
        read: answers that have been coded, or passed and need no code.
        coded: failing answers (where that is known, else answers) with a code.
        unnamed: those that were read and have none.
        by: who gave the codes: ``person``, or ``rule`` where stages and statuses tell.
    """

    name: str
    answers: int | None
    failed: int | None
    read: int
    coded: int
    unnamed: int
    by: Literal["person", "rule"]


@dataclass(frozen=True, slots=True)
class FailureKind:
    """One kind of failure.

    Attributes:
        code: its name.
        says: what it means, where a taxonomy says so.
        listed: whether the taxonomy has it; True without one.
        counts: answers with it, side by side.
        shares: their share of ``Failures.base``, side by side, each with an interval of its own.
        difference: second side minus first; the intervals of all kinds hold together (Bonferroni). None with other
            than two sides.
        test: the test that decides, its p allowing for all kinds (Bonferroni).
        moved: the word, read from the interval.
        items: ids of up to ten answers of the last side that has some, to read.
    """

    code: str
    says: str
    listed: bool
    counts: tuple[int, ...]
    shares: tuple[Estimate | Undefined, ...]
    difference: Estimate | Undefined | None
    test: HypothesisTest | None
    moved: Moved | None
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Failures(Finding):
    """What goes wrong, how often, and what moved.

    Attributes:
        sides: the systems or runs, the earlier or baseline one first.
        kinds: the kinds, the most frequent first; an answer may have several.
        base: what the shares are shares of.
        paired: whether the two sides are compared on the items they share; None with other than two.
        n_items: items the difference rests on.
        level: confidence level.
        why: one line on the method.
        estimand: what the numbers are about.
        seed: seed of everything random.
    """

    kind: ClassVar[str] = "failures"

    sides: tuple[FailureSide, ...]
    kinds: tuple[FailureKind, ...]
    base: Base
    paired: bool | None
    n_items: int
    level: float
    why: str
    estimand: str
    seed: int
