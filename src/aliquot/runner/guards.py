"""What stops a run by itself, before time and money go into answers that say nothing of the system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from aliquot.errors import RunStoppedError, excerpt
from aliquot.evidence.status import MEASUREMENT_SIDE
from aliquot.files.records import Response
from aliquot.findings.numbers import write_count
from aliquot.runner.evaluation import Guards
from aliquot.scorers.scores import Score
from aliquot.systems.replies import REASONED

LEAST_JUDGED: Final = 10
"""Answers from which the shares of a smoke test are judged, where the evaluation does not ask for a smaller one."""

LOST_IN_A_ROW: Final = 24
"""Requests lost one after the other at which a system is taken to be down, wherever in the run that is."""

_REMEDIES: Final = {
    "unparsed": "the prompt may not ask for the form that the scorer reads",
    "truncated": "max_tokens may be too small",
    "timeout": "timeout_s may be too small",
    "failed": "the system may answer with nothing",
    "untold": "they do not tell what the scorer reads of how they came about",
}


MOST_REASON: Final = 200
"""Characters of a reason that a message shows: it is what there is to go by."""


def most_common(reasons: Iterable[str]) -> str:
    """Return the reason named most often, in brackets behind a space; "" when none was named.

    Examples:
        >>> most_common(["HTTP 500", "HTTP 503", "HTTP 503"]), most_common([""])
        (" ('HTTP 503')", '')
    """
    counts = Counter(reason for reason in reasons if reason)
    return f" ({excerpt(counts.most_common(1)[0][0], limit=MOST_REASON)})" if counts else ""


def lost_words(lost: Sequence[str], cut_short: int) -> Iterator[str]:
    """Yield what a session has to say of answers that were lost, and of turns that were not asked for them.

    Args:
        lost: the reason of each answer that was lost.
        cut_short: turns that were not asked.
    """
    if lost:
        yield (
            f"lost: {write_count(len(lost), 'answer')}{most_common(lost)}, without a value until the same command has "
            "asked again"
        )
    if cut_short:
        yield (
            f"{cut_short} turn{'s were' if cut_short > 1 else ' was'} not asked, because the measurement lost an "
            "answer before in the conversation; run again to go on there"
        )


@dataclass(frozen=True, slots=True)
class _Seen:
    """One answer of the smoke test, as the guards look at it."""

    status: str
    readable: bool
    thought: bool
    reason: str


def _untold(response: Response, score: Score) -> bool:
    """Tell whether an answer is there and does not tell what the scorer reads; asking again would not help."""
    return score.status == "missing" and response.status not in MEASUREMENT_SIDE


class SmokeTest:
    """Watches one system: the answers of its smoke test, and how many requests were lost in a row.

    Args:
        system: the system's name.
        items: the ids of the items of the smoke test.
        guards: the shares at which the run stops.
        max_tokens: the answer's budget, for the message.
    """

    def __init__(self, system: str, items: Collection[str], guards: Guards, *, max_tokens: int) -> None:
        self._system, self._items, self._guards = system, frozenset(items), guards
        self._max_tokens = max_tokens
        self._seen: dict[str, _Seen] = {}
        self._lost: list[str] = []

    @property
    def complete(self) -> bool:
        """Whether every item of the smoke test has an answer that the measurement did not lose."""
        answered = sum(one.status not in MEASUREMENT_SIDE for one in self._seen.values())
        return answered == len(self._items)

    def keep(self, response: Response, score: Score) -> None:
        """Take note of an answer of an earlier session."""
        if response.item in self._items and response.attempt == 1:
            self._seen[response.item] = _Seen(
                status="untold" if _untold(response, score) else score.status,
                readable=score.value is not None or score.status == "refused",
                thought=bool(response.tokens_reasoning) or response.reason == REASONED,
                reason=response.reason or "",
            )

    def see(self, response: Response, score: Score) -> None:
        """Take note of an answer of this session.

        Raises:
            RunStoppedError: it is one of many requests in a row that were lost.
        """
        self.keep(response, score)
        if response.status not in MEASUREMENT_SIDE:
            self._lost.clear()
            return
        self._lost.append(response.reason or "")
        if len(self._lost) >= LOST_IN_A_ROW and self._guards.errors < 1:
            raise RunStoppedError(self._down(f"the last {len(self._lost)} requests", self._lost))

    def judge(self) -> None:
        """Stop the run when the answers of the smoke test are not worth going on for.

        Raises:
            RunStoppedError: too many were lost, cut by their budget, or could not be read.
        """
        seen = list(self._seen.values())
        if len(seen) < min(LEAST_JUDGED, self._guards.first):
            return
        lost = [one.reason for one in seen if one.status in MEASUREMENT_SIDE]
        if len(lost) > self._guards.errors * len(seen):
            raise RunStoppedError(self._down(f"{len(lost)} of the first {len(seen)} requests", lost))
        given = [one for one in seen if one.status not in MEASUREMENT_SIDE]
        cut = [one for one in given if one.status == "truncated" and not one.readable]
        if len(cut) > self._guards.truncated * len(given):
            raise RunStoppedError(self._cut(cut, of=len(given)))
        readable = sum(one.readable for one in given)
        if readable < self._guards.parse_rate * len(given):
            raise RunStoppedError(self._unread(given, readable=readable))

    def _down(self, which: str, reasons: list[str]) -> str:
        return (
            f"stopped: {which} to {self._system!r} were lost{most_common(reasons)}. What was answered is kept and "
            "what was lost is asked again: see that the system answers, then run the same command. "
            "guards: {errors: off} goes on all the same"
        )

    def _cut(self, cut: list[_Seen], *, of: int) -> str:
        thought = sum(one.thought for one in cut)
        thinking = f", {thought} of them by thinking alone" if thought else ""
        fits = "its thoughts and the answer fit" if thought else "the whole answer fits"
        return (
            f"stopped: {len(cut)} of the first {of} answers of {self._system!r} used up max_tokens "
            f"({self._max_tokens}){thinking}, so the run would measure the budget and not the system. Raise "
            f"max_tokens until {fits}, under a new name of the run, or go on all the same with "
            "guards: {truncated: off, parse_rate: off}"
        )

    def _unread(self, given: list[_Seen], *, readable: int) -> str:
        others = Counter(one.status for one in given if not one.readable).most_common()
        counts = ", ".join(f"{count} {name}" for name, count in others)
        cause = _REMEDIES.get(others[0][0], "the prompt and the scorer may not fit")
        return (
            f"stopped: only {readable} of the first {len(given)} answers of {self._system!r} could be read "
            f"({counts}). Look at them with aliquot show: {cause}. Change it and the run's name, or go on all the "
            "same with guards: {parse_rate: off}"
        )
