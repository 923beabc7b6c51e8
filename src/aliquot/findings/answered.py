"""How much each system answered, and how right it is over all items and over those it answered, side by side."""

from __future__ import annotations

from dataclasses import dataclass

from aliquot.stats.results import Estimate, Undefined


@dataclass(frozen=True, slots=True)
class AnsweredSide:
    """One system's two accounts; no verdict is read from the second, as the system chose what it rests on.

    Attributes:
        system: the system.
        rows: attempts at the items it was given.
        answered: attempts whose response has status ok.
        share: the share answered.
        overall: rate or mean over the compared items, as in the finding.
        over_answered: the same over answered attempts only.
        items_answered: compared items with an answered attempt that has a value.
    """

    system: str
    rows: int
    answered: int
    share: Estimate | Undefined
    overall: Estimate | Undefined
    over_answered: Estimate | Undefined
    items_answered: int


@dataclass(frozen=True, slots=True)
class Answered:
    """Both systems' accounts.

    Attributes:
        baseline: system A.
        candidate: system B.
        complete: whether both answered every row, so that the accounts are one.
        disagree: whether one system is ahead overall and the other over what it answered.
    """

    baseline: AnsweredSide
    candidate: AnsweredSide
    complete: bool
    disagree: bool
