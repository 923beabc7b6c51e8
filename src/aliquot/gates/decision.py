"""The rule of a gate, and nothing else: from what each condition shows to pass, fail, undecided or nothing to judge.

A candidate passes when every blocking condition has shown that its loss is smaller than the margin: an intersection of
claims needs no correction, as all must hold (Berger 1982, Technometrics 24:295). It fails when some blocking condition
has shown a loss and cannot exclude the margin: a union of claims, so their tests share the error by Holm. Everything
else is undecided, and where nothing can be judged nothing passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aliquot.evidence.tables import Better
from aliquot.findings.gate import Decision
from aliquot.stats.multiplicity import holm
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

ALPHA = 0.05
"""Level of the tests of one merge when no year's error is shared."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the data show of one condition.

    Attributes:
        estimate: candidate minus baseline, reconciled with its test, or a rate; Undefined when nothing can be judged.
        margin: largest loss that passes, positive; for a floor None.
        asked: the floor; for a loss None.
        better: which values are better.
        test: the deciding test; None where there is none, and then nothing here can fail.
        blocks: whether it counts.
        lossless: whether no item is worse, where that leaves no error to see: nothing was lost.
        seen: whether both sides have values though nothing can be estimated from them: that is open.
    """

    estimate: Estimate | Undefined
    margin: float | None
    asked: float | None
    better: Better
    test: HypothesisTest | None
    blocks: bool = True
    lossless: bool = False
    seen: bool = False


@dataclass(frozen=True, slots=True)
class Read:
    """What one condition comes to.

    Attributes:
        decision: the word.
        within_margin: whether the candidate is worse, by less than the margin.
        p_holm: p of its test by Holm over the blocking conditions; None without a test, and where it does not block.
    """

    decision: Decision
    within_margin: bool
    p_holm: float | None


def read_conditions(shown: Sequence[Shown], *, alpha: float = ALPHA) -> tuple[Read, ...]:
    """Return what each condition comes to.

    Args:
        shown: what the data show of each.
        alpha: level of the tests of all blocking conditions together.

    Examples:
        >>> d = Estimate(-0.06, -0.109, -0.022, 0.95, "tango", 240)
        >>> read_conditions([Shown(d, 0.02, None, "higher", HypothesisTest("mcnemar_exact", 0.004))])[0].decision
        'fail'
    """
    adjusted = _adjusted(shown)
    return tuple(_read(one, p, alpha=alpha) for one, p in zip(shown, adjusted, strict=True))


def decide(decisions: Sequence[Decision]) -> Decision:
    """Return what the blocking conditions come to together.

    A loss that was shown fails whatever else is open. Where a condition has nothing to judge the rest cannot pass.

    Args:
        decisions: of the blocking conditions.

    Examples:
        >>> decide(["pass", "undecided"]), decide(["pass", "nothing_to_judge"]), decide([])
        ('undecided', 'nothing_to_judge', 'nothing_to_judge')
    """
    order: tuple[Decision, ...] = ("fail", "nothing_to_judge", "undecided", "pass")
    return min(decisions, key=order.index) if decisions else "nothing_to_judge"


def passes(estimate: Estimate | Undefined, *, margin: float, better: Better) -> bool:
    """Tell whether a loss as large as the margin is excluded: L > −m."""
    return isinstance(estimate, Estimate) and _limits(estimate, better)[0] > -margin


def _limits(estimate: Estimate, better: Better) -> tuple[float, float]:
    """Return both limits as gains."""
    return (-estimate.high, -estimate.low) if better == "lower" else (estimate.low, estimate.high)


def _adjusted(shown: Sequence[Shown]) -> list[float | None]:
    """Return p by Holm over the blocking conditions that have a test; None for the others."""
    tested = [place for place, one in enumerate(shown) if one.blocks and one.test is not None]
    ps = [test.p for place in tested if (test := shown[place].test) is not None]
    found: list[float | None] = [None] * len(shown)
    for place, p in zip(tested, holm(ps).tolist() if ps else [], strict=True):
        found[place] = p
    return found


def _read(shown: Shown, p_holm: float | None, *, alpha: float) -> Read:
    if isinstance(shown.estimate, Undefined):
        decision: Decision = "pass" if shown.lossless else "undecided" if shown.seen else "nothing_to_judge"
        return Read(decision, within_margin=False, p_holm=p_holm)
    p = p_holm if shown.blocks else shown.test.p if shown.test is not None else None
    rejects = p is not None and p <= alpha + 1e-12
    if shown.asked is not None:
        return _read_floor(shown.estimate, shown.asked, rejects=rejects, p_holm=p_holm)
    low, high = _limits(shown.estimate, shown.better)
    worse = high < 0
    if low > -(shown.margin or 0.0):
        return Read("pass", within_margin=worse, p_holm=p_holm)
    return Read("fail" if worse and rejects else "undecided", within_margin=False, p_holm=p_holm)


def _read_floor(estimate: Estimate, asked: float, *, rejects: bool, p_holm: float | None) -> Read:
    """Return whether a rate reaches a floor: its lower limit does, or its upper limit does not and its test rejects."""
    if estimate.low >= asked:
        return Read("pass", within_margin=False, p_holm=p_holm)
    missed = estimate.high < asked and rejects
    return Read("fail" if missed else "undecided", within_margin=False, p_holm=p_holm)
