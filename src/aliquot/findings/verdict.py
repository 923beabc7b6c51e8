"""The verdict: one word read from the one printed interval, by one rule.

The order is the design's: nothing to judge; better (L > 0); worse (U < 0; with L > −m "worse, within the margin");
equivalent (−m < L and U < m); not worse (L > −m); undecided. The interval handed in has already been reconciled with
its deciding test (``stats.decision``), so no word here can claim what the test does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from aliquot.evidence.tables import Better
from aliquot.stats.results import Estimate, Undefined

Word: TypeAlias = Literal[
    "better",
    "worse",
    "not_worse",
    "equivalent",
    "undecided",
    "nothing_to_judge",
    "higher",
    "lower",
    "met",
    "not_met",
    "pass",
    "fail",
    "estimated",
]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What may be said.

    Attributes:
        word: the verdict.
        within_margin: True when the candidate is worse, and the loss is smaller than the margin.
        text: the verdict as a sentence a non-statistician can act on.
    """

    word: Word
    within_margin: bool = False
    text: str = ""


def read_verdict(
    difference: Estimate | Undefined, *, margin: float | None = None, better: Better = "higher"
) -> tuple[Word, bool]:
    """Return the verdict's word, and whether a loss stays within the margin.

    Args:
        difference: candidate minus baseline, already reconciled with its deciding test; Undefined when nothing can be
            judged.
        margin: the largest loss that does not matter, in the metric's own units, positive; None when none was given.
        better: whether higher or lower values are better; with ``none`` the words are higher, lower, undecided.

    Examples:
        >>> from aliquot.stats.results import Estimate
        >>> read_verdict(Estimate(0.04, -0.01, 0.09, 0.95, "tango", 240), margin=0.02)
        ('not_worse', False)
    """
    if isinstance(difference, Undefined):
        return "nothing_to_judge", False
    low, high = difference.low, difference.high
    if better == "none":
        return ("higher" if low > 0 else "lower" if high < 0 else "undecided"), False
    if better == "lower":
        low, high = -high, -low
    if low > 0:
        return "better", False
    inside = margin is not None and low > -margin
    if high < 0:
        return "worse", inside
    if margin is not None and inside and high < margin:
        return "equivalent", False
    return ("not_worse" if inside else "undecided"), False
