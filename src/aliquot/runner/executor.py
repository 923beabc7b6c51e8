"""Asking: every question once, at most a few at a time, each answer on disk before it counts."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TypeAlias

from aliquot.errors import AliquotError
from aliquot.evidence.status import MEASUREMENT_SIDE
from aliquot.files.journal import Journal
from aliquot.files.records import Response, settle
from aliquot.runner.guards import ParseRate
from aliquot.runner.plan import Plan, Question
from aliquot.runner.progress import Tally
from aliquot.runner.scoring import score_response
from aliquot.systems.replies import Reply
from aliquot.systems.requests import ChatRequest, CompletionRequest, fingerprint
from aliquot.systems.system import System

Key: TypeAlias = tuple[str, str, str, int]
"""System, task, item and attempt."""


def answered_keys(records: Iterable[Response]) -> Mapping[Key, Response]:
    """Return the attempts that need not be asked again: those the measurement did not lose."""
    return {record.key: record for record in settle(records) if record.status not in MEASUREMENT_SIDE}


class Executor:
    """Asks what a plan needs and the journal does not hold yet.

    Args:
        plan: what is to be asked.
        models: the opened systems by model name.
        journal: where answers go, open for this process alone.
        tally: counts and tells.
        now: the time of day, for the records.
        concurrency: requests in flight; None for what the model says it can take.
    """

    def __init__(
        self,
        plan: Plan,
        models: Mapping[str, System],
        *,
        journal: Journal,
        tally: Tally,
        now: Callable[[], datetime],
        concurrency: int | None = None,
    ) -> None:
        self._plan, self._models, self._journal = plan, models, journal
        self._tally, self._now, self._concurrency = tally, now, concurrency
        self._answered = answered_keys(journal.records)
        self._tries = Counter(record.key for record in journal.records)
        self._guards = {name: ParseRate(name, plan.evaluation.guards) for name in plan.evaluation.systems}

    async def execute(self) -> None:
        """Ask one system after the other; at the end every question has an answer or an error on record.

        Raises:
            RunStoppedError: a guard stopped the run.
            MachineError: the journal cannot be written.
        """
        self._recount()
        self._tally.start()
        for name in self._plan.evaluation.systems:
            questions = self._plan.questions(name)
            left = [question for question in questions if self._key(question) not in self._answered]
            await self._ask_all(name, left)

    def _recount(self) -> None:
        """Count the answers of earlier sessions, and show them to the guards."""
        for name in self._plan.evaluation.systems:
            for question in self._plan.questions(name):
                response = self._answered.get(self._key(question))
                if response is not None:
                    status = self._status(question, response)
                    self._tally.keep(status)
                    self._guards[name].see(status)

    async def _ask_all(self, system: str, questions: Iterable[Question]) -> None:
        """Let a few workers share the questions; the first fault of ours or stop of a guard ends them all."""
        model = self._models[self._plan.evaluation.systems[system].model]
        waiting = iter(questions)

        async def work() -> None:
            for question in waiting:
                status = await self._ask(model, question)
                self._guards[system].see(status)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._concurrency or model.concurrency):
                    group.create_task(work())
        except* AliquotError as faults:
            raise _first(faults) from None

    async def _ask(self, model: System, question: Question) -> str:
        """Ask, put the answer on disk, count it, and return its status as scored."""
        request = self._plan.prompts[question.system].request(question.item)
        started = self._now().isoformat(timespec="milliseconds")
        reply = await _send(model, request)
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
            started=started,
            request=fingerprint(request),
        )
        self._journal.append(response)
        status = self._status(question, response)
        self._tally.add(question.system, status)
        return status

    def _key(self, question: Question) -> Key:
        return (question.system, self._plan.task, question.item.id, question.attempt)

    def _status(self, question: Question, response: Response) -> str:
        return score_response(self._plan.rules[question.item.id], question.item, response).status


async def _send(model: System, request: ChatRequest | CompletionRequest) -> Reply:
    """Ask once; what a system raises is a lost request, and a row like any other."""
    try:
        if isinstance(request, ChatRequest):
            return await model.chat(request)
        return await model.complete(request)
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
