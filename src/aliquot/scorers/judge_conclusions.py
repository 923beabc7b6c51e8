"""What several replies to the same question come to: both orders of a pair, repeats, and the models of a panel."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, cast, get_args

from aliquot.files.judgements import Judgement, Order
from aliquot.scorers.judges import Judge, OrderRule
from aliquot.scorers.refusals import is_refusal
from aliquot.scorers.scores import ScoreStatus
from aliquot.scorers.verdicts import Verdict, read_verdict

FLIP: Final = "flip"
"""What is said of a pair whose verdict turns with the order."""

ORDER_RULES: Final[tuple[OrderRule, ...]] = get_args(OrderRule)

_WORTH: Final[Mapping[str, float]] = {"first": 1.0, "second": 0.0, "tie": 0.5, "both_bad": 0.5}
_TURNED: Final[Mapping[str, str]] = {"first": "second", "second": "first"}
_LOST: Final[tuple[ScoreStatus, ...]] = ("missing", "error", "timeout", "truncated", "refused", "unparsed")
"""Why there may be no verdict, the most telling first."""


_Reply: TypeAlias = tuple[Verdict | None, ScoreStatus, str, str]
"""Verdict, status, problem and evaluation of one reply."""


@dataclass(frozen=True, slots=True)
class Vote:
    """What one model says the first, or another, time it is asked.

    Attributes:
        model: who was asked.
        repeat: which time, from 1.
        verdict: the verdict, of a pair under the judge's order rule; None when there is none.
        value: what it is worth: a number of the scale, 1 for a label that passes, the share of a checklist.
        status: ``ok``, or why there is no verdict.
        problem: why, in words.
        reasoning: the evaluation.
        orders: of a pair the verdict in each order that was asked, by who is better: ``first`` is the same answer in
            both.
        under: of a pair what each order rule makes of them; a rule whose orders were not both asked is left out.
    """

    model: str
    repeat: int
    verdict: Verdict | None = None
    value: float | None = None
    status: ScoreStatus = "ok"
    problem: str | None = None
    reasoning: str = ""
    orders: Mapping[Order, str | None] = field(default_factory=dict[Order, "str | None"])
    under: Mapping[OrderRule, str | float | None] = field(
        default_factory=dict["OrderRule", "str | float | None"]
    )


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What the votes come to.

    Attributes:
        verdict: the verdict that counts: a word, a number, or yes and no for each question; None when there is none.
        value: what it is worth, before any threshold.
        status: ``ok``, or why there is none.
        problem: why, in words.
        votes: every vote, one for each model and repeat.
        split: how many votes each verdict has, the most frequent first.
    """

    verdict: Verdict | None
    value: float | None
    status: ScoreStatus
    problem: str | None
    votes: tuple[Vote, ...]
    split: Mapping[str, int]


def orders_asked(judge: Judge, seed: str) -> tuple[Order, ...]:
    """Return in which orders a pair is asked: both, or the one that a seed draws under the rule ``random``.

    Args:
        judge: the judge.
        seed: what stands for the pair, such as the item's id.

    Examples:
        >>> orders_asked(Judge(name="p", asks="", pairwise=True), "q1")
        ('as_given', 'swapped')
    """
    if not judge.pairwise:
        return ("single",)
    return (_drawn(judge, seed),) if judge.order == "random" else ("as_given", "swapped")


def conclude(
    judge: Judge,
    judgements: Sequence[Judgement],
    *,
    models: Sequence[str],
    points: int | None = None,
    seed: str = "",
) -> Conclusion:
    """Return what the judgements of one answer, or one pair, come to.

    Args:
        judge: the judge.
        judgements: those that there are, in any order.
        models: who was to be asked.
        points: questions of a checklist; None when the judge says how many.
        seed: what stands for the pair, as ``orders_asked`` was given it.
    """
    found: dict[tuple[str, int, Order], Judgement] = {
        (one.model, one.repeat, one.order): one for one in judgements
    }
    votes = tuple(
        _pair_vote(judge, found, model, repeat, seed)
        if judge.pairwise
        else _vote(judge, found.get((model, repeat, "single")), model, repeat, points)
        for model in models
        for repeat in range(1, judge.repeats + 1)
    )
    return _pooled(judge, votes)


def conclude_shown(
    judge: Judge, judgements: Sequence[Judgement], *, models: Sequence[str], points: int | None = None
) -> Conclusion:
    """Return what the judgements of one question come to: one answer, or a pair in the one order that was asked.

    Args:
        judge: the judge.
        judgements: those that there are, their repeats counted from 1.
        models: who was asked.
        points: questions of a checklist; None when the judge says how many.
    """
    found = {(one.model, one.repeat): one for one in judgements}
    votes = tuple(
        _vote(judge, found.get((model, repeat)), model, repeat, points)
        for model in models
        for repeat in range(1, judge.repeats + 1)
    )
    return _pooled(judge, votes)


def written(verdict: Verdict | None) -> str | None:
    """Return a verdict as text.

    Examples:
        >>> written(4.0), written((True, False)), written("both_bad")
        ('4', '1 of 2', 'both_bad')
    """
    if isinstance(verdict, tuple):
        return f"{sum(verdict)} of {len(verdict)}"
    return f"{verdict:.4g}" if isinstance(verdict, int | float) else verdict


def worth(judge: Judge, verdict: Verdict) -> float | None:
    """Return what a verdict is worth, before any threshold; None for a checklist of nothing.

    A label is worth 1 when it passes; the first of a pair 1, a tie ½; a checklist the points of its yeses over those
    that can be had, 0 when a required one is no.
    """
    if isinstance(verdict, str):
        return _WORTH[verdict] if judge.pairwise else float(verdict in judge.passes)
    if not isinstance(verdict, tuple):
        return float(verdict)
    if judge.points:
        if any(point.required and not yes for point, yes in zip(judge.points, verdict, strict=True)):
            return 0.0
        had = sum(point.points for point, yes in zip(judge.points, verdict, strict=True) if yes)
        return max(0.0, had) / sum(max(0.0, point.points) for point in judge.points)
    if not verdict:
        return None
    return _ranked(verdict) if judge.ranked else sum(verdict) / len(verdict)


def _ranked(answers: Sequence[bool]) -> float:
    """Return the mean of the precisions at the ranks of a yes; 0 without one."""
    hits = [at for at, yes in enumerate(answers, 1) if yes]
    return sum(count / at for count, at in enumerate(hits, 1)) / len(hits) if hits else 0.0


def _read(
    judge: Judge, told: Judgement | None, points: int | None
) -> tuple[Verdict | None, ScoreStatus, str, str]:
    """Return verdict, status, problem and evaluation of one reply."""
    if told is None:
        return None, "missing", "the judge has not been asked", ""
    if told.status != "ok":
        status = cast("ScoreStatus", told.status) if told.status in _LOST else "error"
        return None, status, told.reason or f"the judge's reply is {told.status}", ""
    text = told.text or ""
    found = read_verdict(judge, text, points=points)
    if found.verdict is None:
        return None, "refused" if is_refusal(text) else "unparsed", found.problem or "", found.reasoning
    return found.verdict, "ok", "", found.reasoning


def _vote(judge: Judge, told: Judgement | None, model: str, repeat: int, points: int | None) -> Vote:
    verdict, status, problem, reasoning = _read(judge, told, points)
    value = None if verdict is None else worth(judge, verdict)
    if verdict is not None and value is None:
        verdict, status, problem = None, "unparsed", "the judge found nothing to judge"
    return Vote(model, repeat, verdict, value, status, problem or None, reasoning)


def _pair_vote(
    judge: Judge, found: Mapping[tuple[str, int, Order], Judgement], model: str, repeat: int, seed: str
) -> Vote:
    """Return the vote on a pair from its orders."""
    read = dict[Order, _Reply]()
    for order in orders_asked(judge, seed):
        read[order] = _read(judge, found.get((model, repeat, order)), None)
    orders: dict[Order, str | None] = {
        order: _unturned(cast("str | None", verdict), order) for order, (verdict, *_) in read.items()
    }
    reasoning = "\n".join(one[3] for one in read.values() if one[3])
    under = dict(_under(judge, orders, seed))
    lost = next((one for status in _LOST for one in read.values() if one[1] == status), None)
    if lost is not None:
        return Vote(model, repeat, None, None, lost[1], lost[2], reasoning, orders, under)
    verdict = under[judge.order]
    if verdict is None:
        said = "the verdict turns with the order"
        return Vote(model, repeat, None, None, "unparsed", said, reasoning, orders, under)
    value = _WORTH[verdict] if isinstance(verdict, str) else verdict
    return Vote(model, repeat, verdict, value, "ok", None, reasoning, orders, under)


def _under(
    judge: Judge, orders: Mapping[Order, str | None], seed: str
) -> Iterator[tuple[OrderRule, str | float | None]]:
    """Yield what each order rule concludes; None where it abstains or a verdict is missing."""
    drawn = orders.get(_drawn(judge, seed))
    if len(orders) > 1:
        one, other = orders["as_given"], orders["swapped"]
        yield "agree", one if one == other else None
        yield "average", None if one is None or other is None else (_WORTH[one] + _WORTH[other]) / 2
    yield "random", drawn


def _unturned(verdict: str | None, order: Order) -> str | None:
    """Return who is better as the pair was given, whatever stood first."""
    return verdict if verdict is None or order != "swapped" else _TURNED.get(verdict, verdict)


def _drawn(judge: Judge, seed: str) -> Order:
    """Return the order that a seed draws; another judge draws another."""
    first = hashlib.sha256(f"{judge.name}\n{seed}".encode("utf-8", "surrogatepass")).digest()[0]
    return "swapped" if first % 2 else "as_given"


def _pooled(judge: Judge, votes: tuple[Vote, ...]) -> Conclusion:
    """Return what votes come to: the verdict of most of all that were asked, or the mean where most can be read."""
    there = [vote for vote in votes if vote.verdict is not None]
    flips = sum(
        vote.status == "unparsed" and len(vote.orders) > 1 and None not in vote.orders.values()
        for vote in votes
    )
    counts = Counter(written(vote.verdict) or "" for vote in there)
    split = dict(counts.most_common()) | ({FLIP: flips} if flips else {})
    split |= Counter(vote.status for vote in votes if vote.verdict is None) - Counter({"unparsed": flips})
    if len(votes) == 1:
        only = votes[0]
        return Conclusion(only.verdict, only.value, only.status, only.problem, votes, split)
    if 2 * len(there) <= len(votes):
        lost = next((vote for status in _LOST for vote in votes if vote.status == status), votes[0])
        said = f"{len(there)} of {len(votes)} verdicts can be read: {lost.problem}"
        return Conclusion(None, None, lost.status, said, votes, split)
    if judge.pooled == "mean" or judge.order == "average":
        mean = sum(vote.value or 0.0 for vote in there) / len(there)
        same = all(vote.verdict == there[0].verdict for vote in there)
        return Conclusion(there[0].verdict if same else mean, mean, "ok", None, votes, split)
    most = Counter(vote.verdict for vote in there).most_common(1)[0]
    if 2 * most[1] <= len(votes):
        told = ", ".join(f"{count} {verdict}" for verdict, count in split.items())
        return Conclusion(None, None, "unparsed", f"no verdict has most votes: {told}", votes, split)
    value = next(vote.value for vote in there if vote.verdict == most[0])
    return Conclusion(most[0], value, "ok", None, votes, split)
