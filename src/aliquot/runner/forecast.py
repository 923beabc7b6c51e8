"""What a run will take: money and minutes, about and at most, from answers that are there already."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from aliquot.evidence.status import MEASUREMENT_SIDE
from aliquot.files.records import Response
from aliquot.findings.numbers import write_count, write_money
from aliquot.runner.money import Prices

FIRST: Final = 24
"""Answers of each system from which what is still to come is foreseen."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """Answers of the same system in another run.

    Attributes:
        run: the run's name.
        answers: what it answered there.
    """

    run: str
    answers: Sequence[Response]


class Measured:
    """What a system's answers took so far.

    Args:
        prices: what its tokens cost; None where it may name costs itself.
    """

    def __init__(self, prices: Prices | None) -> None:
        self._prices = prices
        self._costs: dict[str, tuple[float, int]] = {}
        self.answers: list[Response] = []

    def take(self, response: Response) -> None:
        """Take note of one answer; what the measurement lost or our cache gave tells nothing."""
        if response.cached or response.status in MEASUREMENT_SIDE:
            return
        self.answers.append(response)
        prices = self._prices
        cost, currency = (
            (response.cost, response.currency or "")
            if prices is None
            else (prices.of(response), prices.currency)
        )
        if cost is not None:
            total, n = self._costs.get(currency, (0.0, 0))
            self._costs[currency] = (total + cost, n + 1)

    @property
    def n(self) -> int:
        """Answers it rests on."""
        return len(self.answers)

    def cost(self, currency: str) -> float | None:
        """Return the mean cost of an answer; 0 where none has one, None where tokens are priced and not counted."""
        total, n = self._costs.get(currency, (0.0, 0))
        if n:
            return total / n
        return 0.0 if self._prices is None else None


class Forecast:
    """What is still to come, system by system.

    Args:
        prices: of each system; None where they are not known.
        owed: answers each system still owes.
        judges: which of them are judges, whose replies are no answers.
    """

    def __init__(
        self,
        prices: Mapping[str, Prices | None],
        owed: Mapping[str, int],
        *,
        judges: Collection[str] = frozenset(),
    ) -> None:
        self._judges = judges
        self._left = dict(owed)
        self._wanted = {name: min(FIRST, count) for name, count in owed.items()}
        self._here = {name: Measured(price) for name, price in prices.items()}
        self._there = {name: Measured(price) for name, price in prices.items()}
        self._runs: dict[str, str] = {}

    def learn(self, responses: Iterable[Response], earlier: Mapping[str, Earlier]) -> None:
        """Take note of this run's earlier sessions, and of other runs of the same systems."""
        for response in responses:
            if response.system in self._here:
                self._here[response.system].take(response)
        for name, known in earlier.items():
            self._runs[name] = known.run
            for response in known.answers:
                self._there[name].take(response)

    def take(self, response: Response) -> None:
        """Take note of an answer that has just come."""
        self._left[response.system] -= 1
        self.measure(response)

    def measure(self, response: Response) -> None:
        """Take note of what one took."""
        self._here[response.system].take(response)

    def settle(self, name: str, count: int) -> None:
        """Count some of what is owed as given."""
        self._left[name] = max(0, self._left[name] - count)

    @property
    def left(self) -> Mapping[str, int]:
        """Answers each system still owes."""
        return self._left

    @property
    def measured_here(self) -> bool:
        """Whether this run's own answers tell what is to come, of every system that still owes some."""
        return all(self._here[name].n >= self._wanted[name] for name, count in self._left.items() if count)

    def expected(self, currency: str, *, among: Collection[str] | None = None) -> float | None:
        """Return what the rest will cost, about, in one currency; None where that is not known of some system.

        Args:
            currency: in which currency.
            among: whose answers; None for all.
        """
        total = 0.0
        for name, count in self._left.items():
            if count and (among is None or name in among):
                basis = self._basis(name)
                cost = None if basis is None else basis.cost(currency)
                if cost is None:
                    return None
                total += count * cost
        return total

    @property
    def seconds(self) -> float | None:
        """How long the rest will take at the pace of the answers it rests on; None where that is not known."""
        total = 0.0
        for name, count in self._left.items():
            if count:
                basis = self._basis(name)
                pace = None if basis is None else pace_of(basis.answers, beside=self._beside(name))
                if pace is None:
                    return None
                total += count * pace
        return total

    def sentence(
        self, *, spent: float, most: float, currency: str, limit: float | None, judging: float = 0.0
    ) -> str:
        """Return in one line what the run will take, and whether a limit will stop it; "" when nothing is known.

        Args:
            spent: money so far.
            most: what the whole run can cost at most; ``spent`` where nothing has a ceiling.
            currency: of both.
            limit: what it may cost.
            judging: what the judges can still cost at most.
        """
        expected, basis = self.expected(currency), self._basis_words()
        if not any(self._left.values()):
            return ""
        if expected is None or basis is None:
            if most <= spent:
                return ""
            text = f"this costs at most about {write_money(most, currency)} (every answer's budget used up"
            text += f"; {write_money(judging, currency)} of it for judging)" if judging else ")"
            if limit is not None and limit < most:
                text += f"; the limit of {write_money(limit, currency)} may stop it before the end"
            return text
        whole, seconds = spent + expected, self.seconds
        parts = [f"about {write_money(whole, currency)}{self._for_judges(currency)}"] if whole else []
        if seconds is not None:
            parts.append(f"{'' if parts else 'about '}{write_minutes(seconds)}")
        if not parts:
            return ""
        text = f"{' and '.join(parts)} with the {self._to_come()} to come, going by {basis}"
        if most > spent:
            text += f"; at most about {write_money(max(most, whole), currency)}"
        if limit is not None and limit < whole:
            text += f". The limit of {write_money(limit, currency)} will stop it before the end"
        return text

    def _to_come(self) -> str:
        """Return what is still owed, in words."""
        judgements = sum(count for name, count in self._left.items() if name in self._judges)
        answers = sum(self._left.values()) - judgements
        words = [write_count(answers, "answer")] if answers or not judgements else []
        return " and ".join([*words, *([write_count(judgements, "judgement")] if judgements else [])])

    def _for_judges(self, currency: str) -> str:
        rest = self.expected(currency, among=self._judges)
        return f" ({write_money(rest, currency)} of the rest for judging)" if rest else ""

    def _basis(self, name: str) -> Measured | None:
        """Return the answers by which a system is foreseen: this run's own when they are enough."""
        for measured in (self._here[name], self._there[name]):
            if measured.n and measured.n >= self._wanted[name]:
                return measured
        return None

    def _basis_words(self) -> str | None:
        owing = [name for name, count in self._left.items() if count]
        bases = {name: self._basis(name) for name in owing}
        if any(basis is None for basis in bases.values()):
            return None
        elsewhere = dict.fromkeys(self._runs[name] for name in owing if bases[name] is self._there[name])
        told = [name for name in owing if name not in self._judges] or owing
        here = sum(self._here[name].n for name in told if bases[name] is self._here[name])
        words = [f"{here} of this run"] if here else []
        words += [f"the run {run!r}" for run in elsewhere]
        return " and ".join(words)

    def _beside(self, name: str) -> Sequence[Response]:
        """Return all answers of the run that a system's basis is from, between which requests were shared."""
        held = self._here if self._basis(name) is self._here[name] else {name: self._there[name]}
        return [answer for measured in held.values() for answer in measured.answers]


def pace_of(answers: Sequence[Response], *, beside: Sequence[Response]) -> float | None:
    """Return seconds an answer took of a run's time: its latency, divided among those in flight at once.

    Args:
        answers: of one system.
        beside: all answers of the same run, of which some were in flight together; pauses between sessions do not
            count.

    Examples:
        >>> def one(second: int) -> Response:
        ...     at = f"2026-11-01T12:00:0{second}+00:00"
        ...     return Response(system="a", task="t", item="1", status="ok", started=at, latency_s=2.0)
        >>> both = [one(0), one(1), one(6)]
        >>> round(pace_of(both, beside=both), 6)  # 3 s and 2 s of work for three answers
        1.666667
    """
    mine = [answer.latency_s for answer in answers if answer.latency_s is not None]
    spans = _spans(beside)
    total = sum(end - start for start, end in spans)
    if not mine or total <= 0:
        return None
    busy, reached = 0.0, spans[0][0]
    for start, end in spans:
        busy += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return sum(mine) / len(mine) * busy / total


def _spans(answers: Iterable[Response]) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for answer in answers:
        if answer.latency_s is not None and answer.started:
            try:
                start = datetime.fromisoformat(answer.started).timestamp()
            except ValueError:
                continue
            found.append((start, start + answer.latency_s))
    return sorted(found)


def write_minutes(seconds: float) -> str:
    """Write how long something takes, as roughly as it is known.

    Examples:
        >>> write_minutes(4.2), write_minutes(400), write_minutes(9000)
        ('4 seconds', '7 minutes', '2.5 hours')
    """
    if seconds < 90:
        return write_count(max(1, round(seconds)), "second")
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
