"""The till of a session: room for an answer before it is asked for, its bill after it, and what is still to come."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from aliquot.errors import RunStoppedError
from aliquot.evidence.status import MEASUREMENT_SIDE
from aliquot.files.records import SYSTEM, Response
from aliquot.runner.forecast import Earlier, Forecast
from aliquot.runner.money import Bill, Ceilings, Purse, bill_of, currency_of
from aliquot.runner.plan import Plan, Question, Thread
from aliquot.runner.progress import Tally
from aliquot.systems.replies import Reply
from aliquot.systems.requests import Request


class Till:
    """Keeps a run's money: nothing is sent that the limit has no room for, and every answer is paid once.

    Args:
        plan: what is asked, with the prices of its systems.
        limit: money that the run may cost, earlier sessions included; None for no limit.
    """

    def __init__(self, plan: Plan, *, limit: float | None) -> None:
        self._plan, self._limit = plan, limit
        self._prices = {name: spec.stated for name, spec in plan.evaluation.systems.items()}
        currency = currency_of(price for price in self._prices.values() if price is not None)
        self._ceilings = Ceilings(self._prices)
        self._purse = Purse(limit=limit, currency=currency)
        self._forecast, self._thought = Forecast(self._prices, {}), dict[str, float]()
        self._settled = asyncio.Event()
        self._closed = False
        self._said = False

    def keep(self, records: Iterable[Response]) -> None:
        """Count what earlier sessions paid, tries that failed and other scopes included."""
        items = {item.id: item for item in self._plan.items}
        for record in records:
            if record.cached:
                continue
            at_most = 0.0
            own = record.scope == SYSTEM and record.system in self._plan.prompts and record.item in items
            if own and record.status not in MEASUREMENT_SIDE:
                request = self._plan.prompts[record.system].check(items[record.item])
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
    ) -> None:
        """Take note of what is still to be asked, and of answers that tell what it will take."""
        questions = {name: [one for thread in threads for one in thread] for name, threads in owed.items()}
        self._thought = {name: sum(map(self._foreseen, asked)) for name, asked in questions.items()}
        self._forecast = Forecast(self._prices, {name: len(asked) for name, asked in questions.items()})
        self._forecast.learn((one for one in records if one.scope == SYSTEM), earlier)
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

    def pay(self, system: str, request: Request, reply: Reply) -> Bill:
        """Pay an answer and return its bill. What was lost on the way costs nothing that anybody could know."""
        bill = bill_of(self._prices[system], reply)
        lost = reply.status in MEASUREMENT_SIDE
        at_most = 0.0 if lost else self._ceilings.of(system, request)
        self._purse.pay(bill.cost, bill.currency, at_most=at_most)
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

    def outlook(self) -> str:
        """Return in one line what the run will take, for as much as is known."""
        return self._forecast.sentence(
            spent=self._purse.spent, most=self._most, currency=self._purse.currency, limit=self._limit
        )

    @property
    def _most(self) -> float:
        """What the whole run can cost at most, about."""
        rest = (
            self._ceilings.of_all(name, thought=max(0.0, self._thought[name]), answers=count)
            for name, count in self._forecast.left.items()
            if count
        )
        return self._purse.spent + sum(rest)

    def tell(self, tally: Tally) -> None:
        """Give the tally what was spent, and what the whole run is thought to cost."""
        spent, currency = self._purse.spent, self._purse.currency
        rest = self._forecast.expected(currency)
        priced = any(price is not None for price in self._prices.values())
        tally.foresee(
            spent=spent,
            currency=currency,
            expected=None if rest is None or not spent + rest else spent + rest,
            most=self._most if priced else None,
        )

    def _foreseen(self, question: Question) -> float:
        """Return what an answer was thought to cost at most, every answer before it in its conversation used up."""
        if self._prices[question.system] is None:
            return 0.0
        request = self._plan.prompts[question.system].check(question.item)
        return self._ceilings.thought(question.system, request, answers=len(question.item.earlier))
