"""The till of a session: room for an answer before it is asked for, its bill after it, and what is still to come."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from aliquot.errors import RunStoppedError
from aliquot.evidence.status import MEASUREMENT_SIDE
from aliquot.files.records import JUDGE, SYSTEM, Response
from aliquot.runner.forecast import Earlier, Forecast
from aliquot.runner.money import Bill, Ceilings, Prices, Purse, bill_of, currency_of
from aliquot.runner.plan import Plan, Question, Thread
from aliquot.runner.progress import Tally
from aliquot.systems.replies import Reply
from aliquot.systems.requests import Request


@dataclass(frozen=True, slots=True)
class Due:
    """What judges are still to be asked.

    Attributes:
        questions: how many questions.
        thought: what the replies are thought to cost at most.
    """

    questions: int = 0
    thought: float = 0.0

    def __add__(self, other: Due) -> Due:
        return Due(self.questions + other.questions, self.thought + other.thought)


Dues: TypeAlias = Mapping[str, Due]
"""What is due, by the name of the judge's model."""


def judge_key(model: str) -> str:
    """Return under what the till keeps a judge's model: no system is called so."""
    return f"{JUDGE}\0{model}"


class Till:
    """Keeps a run's money: nothing is sent that the limit has no room for, and every answer is paid once.

    Args:
        plan: what is asked, with the prices of its systems; None where judges alone are asked.
        limit: money that the run may cost, earlier sessions included; None for no limit.
        judges: the prices of the judges' models, by name; None where they are not known.
    """

    def __init__(
        self, plan: Plan | None, *, limit: float | None, judges: Mapping[str, Prices | None] | None = None
    ) -> None:
        self._limit = limit
        self._prompts = {} if plan is None else plan.prompts
        self._items = {} if plan is None else {item.id: item for item in plan.items}
        systems = {} if plan is None else plan.evaluation.systems
        self._prices = {name: spec.stated for name, spec in systems.items()}
        self._prices |= {judge_key(name): prices for name, prices in (judges or {}).items()}
        currency = currency_of(price for price in self._prices.values() if price is not None)
        self._priced = any(price is not None for price in self._prices.values())
        self._ceilings = Ceilings(self._prices)
        self._purse = Purse(limit=limit, currency=currency)
        self._judges = frozenset(map(judge_key, judges or {}))
        self._forecast, self._thought = Forecast(self._prices, {}, judges=self._judges), dict[str, float]()
        self._settled = asyncio.Event()
        self._closed = False
        self._said = False

    def keep(self, records: Iterable[Response]) -> None:
        """Count what earlier sessions paid, tries that failed and other scopes included."""
        for record in records:
            if record.cached:
                continue
            at_most = 0.0
            own = record.scope == SYSTEM and record.system in self._prompts and record.item in self._items
            if own and record.status not in MEASUREMENT_SIDE:
                request = self._prompts[record.system].check(self._items[record.item])
                if record.cost is None:
                    at_most = self._ceilings.of(record.system, request)
                elif record.currency == self._purse.currency:
                    self._ceilings.learn(record.system, request, record.cost)
            self._purse.pay(record.cost, record.currency, scope=record.scope, at_most=at_most)

    def foresee(
        self,
        owed: Mapping[str, Sequence[Thread]],
        records: Iterable[Response],
        earlier: Mapping[str, Earlier],
        *,
        judging: Dues | None = None,
    ) -> None:
        """Take note of what is still to be asked, and of answers that tell what it will take."""
        questions = {name: [one for thread in threads for one in thread] for name, threads in owed.items()}
        dues = {judge_key(name): due for name, due in (judging or {}).items()}
        self._thought = {name: sum(map(self._foreseen, asked)) for name, asked in questions.items()}
        self._thought |= {name: due.thought for name, due in dues.items()}
        left = {name: len(asked) for name, asked in questions.items()}
        left |= {name: due.questions for name, due in dues.items()}
        self._forecast = Forecast(self._prices, left, judges=self._judges)
        self._forecast.learn((one for one in records if one.scope in {SYSTEM, JUDGE}), earlier)
        self._said = self._forecast.measured_here

    def require_room(self) -> None:
        """Stop the run when an earlier session has spent the limit.

        Raises:
            RunStoppedError: it has.
        """
        if any(self._forecast.left.values()):
            self._purse.require_room()

    async def reserve(self, system: str, request: Request) -> float:
        """Hold an answer's ceiling, to be released when it has come; wait for room while others may turn out cheaper.

        Raises:
            RunStoppedError: there is no room, and nothing in flight that could make some.
        """
        while not self._purse.reserve(amount := self._ceilings.of(system, request)):
            if self._closed:
                raise RunStoppedError("stopped: the run ends")
            if not self._purse.waiting:
                self._purse.require_room(amount)
            self._settled.clear()
            await self._settled.wait()
        return amount

    def release(self, amount: float) -> None:
        """Give back what was held for an answer that has come, or was lost."""
        self._purse.release(amount)
        self._settled.set()

    def close(self) -> None:
        """Let nothing wait for room any more: the run stops."""
        self._closed = True
        self._settled.set()

    def pay(self, system: str, request: Request, reply: Reply, *, scope: str = SYSTEM) -> Bill:
        """Pay an answer and return its bill. What was lost on the way costs nothing that anybody could know."""
        bill = bill_of(self._prices[system], reply)
        lost = reply.status in MEASUREMENT_SIDE
        at_most = 0.0 if lost else self._ceilings.of(system, request)
        self._purse.pay(bill.cost, bill.currency, scope=scope, at_most=at_most)
        if bill.cost is not None and (bill.currency or "") == self._purse.currency:
            self._ceilings.learn(system, request, bill.cost)
        return bill

    def take(self, response: Response, question: Question) -> bool:
        """Count an answer as come; True the first time that this run's own answers tell what is to come."""
        self._forecast.take(response)
        self._thought[response.system] -= self._foreseen(question)
        if self._said or not any(self._forecast.left.values()) or not self._forecast.measured_here:
            return False
        self._said = True
        return True

    def measure(self, reply: Response) -> None:
        """Take note of what a judge's reply took."""
        self._forecast.measure(reply)

    def judged(self, dues: Dues) -> None:
        """Count what judges were to be asked about an answer as asked."""
        for name, due in dues.items():
            self._thought[judge_key(name)] -= due.thought
            self._forecast.settle(judge_key(name), due.questions)

    def thought(self, model: str, request: Request, *, more: int = 0) -> float:
        """Return what a judge's reply is thought to cost at most.

        Args:
            model: the judge's model.
            request: what it is asked.
            more: tokens that the request will have beyond those it has now: an answer that is not given yet.
        """
        prices = self._prices[judge_key(model)]
        return 0.0 if prices is None else prices.at_most(request) + more * prices.input / prices.per

    def outlook(self) -> str:
        """Return in one line what the run will take, for as much as is known."""
        return self._forecast.sentence(
            spent=self._purse.spent,
            most=self._most,
            judging=self._rest(self._judges),
            currency=self._purse.currency,
            limit=self._limit,
        )

    @property
    def _most(self) -> float:
        """What the whole run can cost at most, about."""
        return self._purse.spent + self._rest(self._forecast.left)

    def _rest(self, names: Collection[str]) -> float:
        """Return what some can still cost at most, about."""
        return sum(
            self._ceilings.of_all(name, thought=max(0.0, self._thought[name]), answers=count)
            for name, count in self._forecast.left.items()
            if count and name in names
        )

    def tell(self, tally: Tally) -> None:
        """Give the tally what was spent, and what the whole run is thought to cost."""
        spent, currency = self._purse.spent, self._purse.currency
        rest = self._forecast.expected(currency)
        tally.foresee(
            spent=spent,
            currency=currency,
            expected=None if rest is None or not spent + rest else spent + rest,
            most=self._most if self._priced else None,
        )

    def _foreseen(self, question: Question) -> float:
        """Return what an answer was thought to cost at most, every answer before it in its conversation used up."""
        if self._prices[question.system] is None:
            return 0.0
        request = self._prompts[question.system].check(question.item)
        return self._ceilings.thought(question.system, request, answers=len(question.item.earlier))
