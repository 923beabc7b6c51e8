"""What a run says about itself while it runs, and to whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final, Literal, Protocol, TypeAlias

import msgspec

from aliquot.evidence.status import MEASUREMENT_SIDE
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Estimate

LEAST_PEEKED: Final = 10
"""Scored answers from which a running rate is shown."""

READABLE: Final = frozenset({"ok", "refused"})
"""Statuses of answers that could be read; a refusal can be."""


Counted: TypeAlias = Literal["answers", "judgements"]
"""What progress counts."""


class Progress(msgspec.Struct, frozen=True):
    """Where a run stands.

    Attributes:
        system: the system whose answer came last; empty before the first.
        done: answers on record, those of earlier sessions included.
        total: answers the run needs.
        kept: of ``done``, answers that were on record when this session started.
        statuses: number of answers by status, as scored; errors will be asked again by the next session.
        elapsed_s: seconds since this session started asking.
        spent: money so far, earlier sessions included; 0 where nothing is priced.
        currency: of what was spent; "" when nothing is priced.
        scores: system → the sum of its values so far, and over how many answers.
        expected_cost: about what the whole run will have cost, from what was measured; None while that is not known.
        most_cost: about the same at most, every budget that is left used up; None where nothing is priced.
        what: what is counted: answers of systems, or judgements of a judge about answers that are there.
    """

    system: str
    done: int
    total: int
    kept: int
    statuses: Mapping[str, int]
    elapsed_s: float
    spent: float = 0.0
    currency: str = ""
    scores: Mapping[str, tuple[float, int]] = msgspec.field(default_factory=dict[str, tuple[float, int]])
    expected_cost: float | None = None
    most_cost: float | None = None
    what: Counted = "answers"

    @property
    def errors(self) -> int:
        """Answers that the measurement lost."""
        return sum(self.statuses.get(status, 0) for status in MEASUREMENT_SIDE)

    @property
    def parse_rate(self) -> float | None:
        """Share of the answers that could be read, of those that were not lost; None before the first."""
        given = sum(self.statuses.values()) - self.errors
        return sum(self.statuses.get(status, 0) for status in READABLE) / given if given else None

    def peek(self, system: str) -> Estimate | None:
        """Return a system's rate so far with its interval (Wilson), which is a look half-way and no result.

        An interval that is looked at again and again leaves out the truth more often than it says, so this one decides
        nothing. None before ten values, or where they are no rate.
        """
        total, n = self.scores.get(system, (0.0, 0))
        return wilson(total, n) if n >= LEAST_PEEKED and 0 <= total <= n else None

    @property
    def rate(self) -> float | None:
        """Answers a second in this session; None before the first."""
        new = self.done - self.kept
        return new / self.elapsed_s if new and self.elapsed_s > 0 else None

    @property
    def eta_s(self) -> float | None:
        """Seconds to the end at this rate; None before the first answer."""
        return (self.total - self.done) / self.rate if self.rate else None


class Observer(Protocol):
    """Receives progress; called on the thread that runs the event loop, and expected to return at once."""

    def started(self, progress: Progress) -> None:
        """Asking is about to begin."""
        ...

    def answered(self, progress: Progress) -> None:
        """One more answer is on record."""
        ...

    def noted(self, text: str) -> None:
        """Something to know, as one sentence."""
        ...


class Silent:
    """The observer that says nothing."""

    def started(self, progress: Progress) -> None:
        """Say nothing."""

    def answered(self, progress: Progress) -> None:
        """Say nothing."""

    def noted(self, text: str) -> None:
        """Say nothing."""


class Tally:
    """Counts answers and tells an observer.

    Args:
        total: answers the run needs.
        observer: whom to tell.
        clock: seconds of a clock that never goes back.
        what: what is counted.
    """

    def __init__(
        self, total: int, *, observer: Observer, clock: Callable[[], float], what: Counted = "answers"
    ) -> None:
        self._total, self._observer, self._clock = total, observer, clock
        self._what: Counted = what
        self._statuses: Counter[str] = Counter()
        self._kept = self._new = 0
        self._system = ""
        self._spent, self._currency = 0.0, ""
        self._costs: tuple[float | None, float | None] = (None, None)
        self._scores: dict[str, tuple[float, int]] = {}
        self._begin = clock()

    @property
    def progress(self) -> Progress:
        """Where the run stands now."""
        return Progress(
            system=self._system,
            done=self._kept + self._new,
            total=self._total,
            kept=self._kept,
            statuses=dict(self._statuses),
            elapsed_s=self._clock() - self._begin,
            spent=self._spent,
            currency=self._currency,
            scores=dict(self._scores),
            expected_cost=self._costs[0],
            most_cost=self._costs[1],
            what=self._what,
        )

    def foresee(self, *, spent: float, currency: str, expected: float | None, most: float | None) -> None:
        """Take over what was spent so far, and what the whole run is thought to cost, about and at most."""
        self._spent, self._currency, self._costs = spent, currency, (expected, most)

    def keep(self, system: str, status: str, value: float | None = None) -> None:
        """Count an answer of an earlier session."""
        self._kept += 1
        self._count(system, status, value)

    def note(self, text: str) -> None:
        """Pass a sentence on."""
        self._observer.noted(text)

    def start(self) -> None:
        """Start the clock of this session and say so."""
        self._begin = self._clock()
        self._observer.started(self.progress)

    def add(self, system: str, status: str, value: float | None = None) -> None:
        """Count a new answer and say so.

        Args:
            system: whose it is.
            status: as scored.
            value: its value; None without one.
        """
        self._system = system
        self._new += 1
        self._count(system, status, value)
        self._observer.answered(self.progress)

    def _count(self, system: str, status: str, value: float | None) -> None:
        self._statuses[status] += 1
        if value is not None:
            total, n = self._scores.get(system, (0.0, 0))
            self._scores[system] = (total + value, n + 1)
