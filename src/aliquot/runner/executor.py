"""Asking: every question once, at most a few at a time, each answer on disk before it counts."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from math import ceil
from typing import TypeAlias

from aliquot.errors import AliquotError
from aliquot.evidence.status import MEASUREMENT_SIDE
from aliquot.files.journal import Journal
from aliquot.files.records import Response, settle
from aliquot.runner.cache import AnswerCache, cache_key
from aliquot.runner.evaluation import ModelName
from aliquot.runner.guards import SmokeTest
from aliquot.runner.money import Purse, currency_of
from aliquot.runner.plan import Plan, Question
from aliquot.runner.progress import Tally
from aliquot.runner.scoring import score_response
from aliquot.scorers.scores import Score
from aliquot.systems.replies import Reply, settled
from aliquot.systems.requests import ChatRequest, CompletionRequest, fingerprint
from aliquot.systems.system import System

Key: TypeAlias = tuple[str, str, str, int]
"""System, task, item and attempt."""


def answered_keys(records: Iterable[Response]) -> Mapping[Key, Response]:
    """Return the attempts that need not be asked again: those the measurement did not lose."""
    return {record.key: record for record in settle(records) if record.status not in MEASUREMENT_SIDE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a session asks; none of it changes what is asked.

    Attributes:
        concurrency: requests in flight; None for what the model says it can take.
        interleave: whether the systems take turns question by question, so that what drifts meets all alike.
        cache: answers kept between runs; None for none.
        max_cost: money at which the session stops; None for no limit.
    """

    concurrency: int | None = None
    interleave: bool = False
    cache: AnswerCache | None = None
    max_cost: float | None = None


class Executor:
    """Asks what a plan needs and the journal does not hold yet.

    Args:
        plan: what is to be asked.
        models: the opened systems by model name.
        journal: where answers go, open for this process alone.
        tally: counts and tells.
        now: the time of day, for the records.
        terms: how it asks.
    """

    def __init__(
        self,
        plan: Plan,
        models: Mapping[ModelName, System],
        *,
        journal: Journal,
        tally: Tally,
        now: Callable[[], datetime],
        terms: Terms,
    ) -> None:
        self._plan, self._models, self._journal = plan, models, journal
        self._tally, self._now, self._terms = tally, now, terms
        self._prices = {name: spec.prices for name, spec in plan.evaluation.systems.items()}
        currency = currency_of(price for price in self._prices.values() if price is not None)
        self._purse = Purse(limit=terms.max_cost, currency=currency)
        self._purse.keep(journal.records)
        self._answered = answered_keys(journal.records)
        self._tries = Counter(record.key for record in journal.records)
        self._smoke = {item.id for item in plan.smoke}
        self._tests = {
            name: SmokeTest(name, self._smoke, plan.evaluation.guards, max_tokens=spec.decoding.max_tokens)
            for name, spec in plan.evaluation.systems.items()
        }

    async def execute(self) -> None:
        """Ask one system after the other, or all in turn; at the end every question has an answer or an error.

        Every system is asked the items of the smoke test before any is asked the rest, so that a broken one is found
        before another has spent everything.

        Raises:
            RunStoppedError: a guard or the limit of the cost stopped the run.
            MachineError: the journal cannot be written.
        """
        self._recount()
        self._tally.start()
        self._purse.require_room()
        owed = {name: self._owed(name) for name in self._plan.evaluation.systems}
        self._foresee(owed.values())
        self._judge(name for name, test in self._tests.items() if test.complete)
        begun = {name: self._first_round(name, questions) for name, questions in owed.items()}
        for questions in self._in_turn([questions[: begun[name]] for name, questions in owed.items()]):
            await self._ask_all(questions)
            self._judge(dict.fromkeys(question.system for question in questions))
        for questions in self._in_turn([questions[begun[name] :] for name, questions in owed.items()]):
            await self._ask_all(questions)

    def _judge(self, systems: Iterable[str]) -> None:
        for name in systems:
            self._tests[name].judge()

    def _first_round(self, system: str, owed: Sequence[Question]) -> int:
        """Return how many questions are asked before the judgement: the smoke test, and enough that nobody waits."""
        smoke = sum(one.attempt == 1 and one.item.id in self._smoke for one in owed)
        workers = self._terms.concurrency or self._model(system).concurrency
        side_by_side = len(self._tests) if self._terms.interleave else 1
        return max(smoke, ceil(workers / side_by_side)) if smoke else 0

    def _in_turn(self, by_system: list[list[Question]]) -> list[list[Question]]:
        """Return the questions as they are asked: system by system, or the systems taking turns."""
        if not self._terms.interleave:
            return by_system
        return [[question for turn in zip_longest(*by_system) for question in turn if question]]

    def _foresee(self, owed: Iterable[Sequence[Question]]) -> None:
        """Say what the answers still owed can cost at most, before anything is spent."""
        prices, prompts = self._prices, self._plan.prompts
        ceiling, currency = 0.0, ""
        for question in (one for questions in owed for one in questions):
            if (price := prices[question.system]) is not None:
                ceiling += price.at_most(prompts[question.system].request(question.item))
                currency = price.currency
        if ceiling:
            self._tally.note(
                f"this costs at most about {ceiling:.2g} {currency} (every answer's budget used up)"
            )

    def _owed(self, system: str) -> list[Question]:
        """Return what a system is still to be asked, in order."""
        return [one for one in self._plan.questions(system) if self._key(one) not in self._answered]

    def _recount(self) -> None:
        """Count the answers of earlier sessions, and show them to the guards."""
        for name in self._plan.evaluation.systems:
            for question in self._plan.questions(name):
                response = self._answered.get(self._key(question))
                if response is not None:
                    score = self._score(question, response)
                    self._tally.keep(name, score.status, score.value)
                    self._tests[name].keep(response, score)

    async def _ask_all(self, questions: Sequence[Question]) -> None:
        """Let a few workers share the questions; the first fault of ours or stop of a guard ends them all."""
        waiting = iter(questions)
        models = {question.system: self._model(question.system) for question in questions}
        workers = self._terms.concurrency or min((model.concurrency for model in models.values()), default=1)

        async def work() -> None:
            for question in waiting:
                await self._ask(models[question.system], question)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(work())
        except* AliquotError as faults:
            raise _first(faults) from None

    def _model(self, system: str) -> System:
        return self._models[self._plan.evaluation.systems[system].model]

    async def _ask(self, model: System, question: Question) -> None:
        """Ask, put the answer on disk, count it, and show it to the guards."""
        request = self._plan.prompts[question.system].request(question.item)
        started = self._now().isoformat(timespec="milliseconds")
        reply, cached = await self._answer(model, request, attempt=question.attempt)
        cost, currency = (None, None) if cached else self._cost(question.system, reply)
        response = Response(
            system=question.system,
            task=self._plan.task,
            item=question.item.id,
            attempt=question.attempt,
            try_=1 + self._tries[self._key(question)],
            status=reply.status,
            reason=reply.reason,
            text=reply.text,
            latency_s=reply.latency_s,
            first_token_s=reply.first_token_s,
            tokens_in=reply.tokens_in,
            tokens_out=reply.tokens_out,
            tokens_reasoning=reply.tokens_reasoning,
            tokens_cached=reply.tokens_cached,
            cost=cost,
            currency=currency,
            stage=reply.stage,
            steps=reply.steps,
            tool_calls=reply.tool_calls,
            faults=() if cached else reply.faults,
            started=started,
            request=fingerprint(request, of=model.components),
            cached=cached,
        )
        self._journal.append(response)
        score = self._score(question, response)
        self._purse.pay(cost, currency)
        self._tally.add(
            question.system,
            score.status,
            score.value,
            spent=self._purse.spent,
            currency=self._purse.currency,
        )
        self._purse.require_room()
        self._tests[question.system].see(response, score)

    def _cost(self, system: str, reply: Reply) -> tuple[float | None, str | None]:
        """Return what an answer cost: by the stated prices, else as the system itself says."""
        prices = self._prices[system]
        if prices is None:
            return reply.cost, reply.currency
        cost = prices.of(reply)
        return cost, None if cost is None else prices.currency

    async def _answer(
        self, model: System, request: ChatRequest | CompletionRequest, *, attempt: int
    ) -> tuple[Reply, bool]:
        """Return the answer, and whether it was kept from an earlier run."""
        cache = self._terms.cache
        if cache is None:
            return await _send(model, request), False
        key = cache_key(model.components, request, attempt=attempt)
        held = cache.get(key)
        if held is not None:
            return held, True
        reply = await _send(model, request)
        cache.put(key, reply)
        return reply, False

    def _key(self, question: Question) -> Key:
        return (question.system, self._plan.task, question.item.id, question.attempt)

    def _score(self, question: Question, response: Response) -> Score:
        return score_response(self._plan.rules[question.item.id], question.item, response)


async def _send(model: System, request: ChatRequest | CompletionRequest) -> Reply:
    """Ask once; what a system raises is a lost request, and a row like any other."""
    try:
        if isinstance(request, ChatRequest):
            return settled(await model.chat(request))
        return settled(await model.complete(request))
    except AliquotError:
        raise
    except Exception as error:  # noqa: BLE001 - a user's system may raise anything, and no item may end the run
        return Reply(text="", status="error", reason=f"{type(error).__name__}: {error}")


def _first(faults: BaseExceptionGroup[AliquotError]) -> AliquotError:
    """Return the first single error of a group."""
    error: AliquotError | BaseExceptionGroup[AliquotError] = faults
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
