"""One question asked: what is sent, what came back or was kept from another run, what it cost, and its record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from aliquot.files.records import Response
from aliquot.runner.cache import AnswerCache, cache_key
from aliquot.runner.evaluation import ModelName, components_of
from aliquot.runner.load import Load
from aliquot.runner.money import Bill
from aliquot.runner.plan import Plan, Question
from aliquot.runner.prompts import Prompt
from aliquot.runner.sending import send
from aliquot.runner.standing import Key
from aliquot.runner.stored import StoredAnswers
from aliquot.runner.till import Till
from aliquot.systems.replies import Reply
from aliquot.systems.requests import Request, fingerprints
from aliquot.systems.system import System

Fresh: TypeAlias = tuple[str, Reply]
"""An answer and its key in the cache."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What all questions to one system share.

    Attributes:
        model: who answers.
        prompt: makes the requests.
        components: every part of the system that shapes an answer.
        fingerprint: makes the fingerprint of a request to it.
    """

    model: System
    prompt: Prompt
    components: Mapping[str, str]
    fingerprint: Callable[[Request], str]


class Asker:
    """Asks one question at a time, of whichever system it is put to.

    Args:
        plan: what is asked.
        models: the opened systems by model name.
        records: every try of earlier sessions.
        till: has room for an answer before it is asked for, and pays it.
        cache: answers kept between runs; None for none.
        now: the time of day, for the records.
    """

    def __init__(
        self,
        plan: Plan,
        models: Mapping[ModelName, System],
        *,
        records: Iterable[Response],
        till: Till,
        cache: AnswerCache | None,
        now: Callable[[], datetime],
    ) -> None:
        self._task, self._till, self._cache, self._now = plan.task, till, cache, now
        self._stored = dict[str, StoredAnswers]()
        self._asked = dict[str, _Asked]()
        for name, spec in plan.evaluation.systems.items():
            model = models[spec.model]
            if isinstance(model, StoredAnswers):
                self._stored[name] = model
            else:
                components = components_of(spec, model)
                self._asked[name] = _Asked(model, plan.prompts[name], components, fingerprints(components))
        self._load = Load({name: models[spec.model] for name, spec in plan.evaluation.systems.items()})
        self._tries: Mapping[Key, int] = Counter(record.key for record in records)

    @property
    def load(self) -> dict[str, dict[str, int]]:
        """What asking amounted to so far, system by system."""
        return self._load.seen

    async def ask(self, question: Question, key: Key, said: Sequence[str]) -> tuple[Response, Fresh | None]:
        """Ask; return what came back as it is recorded, and as it is kept for other runs.

        Args:
            question: what is asked; stored answers are recalled, and not kept again.
            key: what the answer is recorded for.
            said: what the system answered to the turns before, in order.
        """
        stored = self._stored.get(question.system)
        if stored is not None:
            item, attempt = question.item.id, question.attempt
            return stored.recall(item, attempt, system=question.system, task=self._task), None
        asked = self._asked[question.system]
        request = asked.prompt.request(question.item, said)
        started = self._now().isoformat(timespec="milliseconds")
        self._load.enter(question.system)
        try:
            kept, reply, bill = await self._answer(asked, question, request)
        finally:
            self._load.leave(question.system)
        record = _record(
            key,
            reply,
            bill,
            try_=1 + self._tries.get(key, 0),
            started=started,
            request=asked.fingerprint(request),
        )
        return record, (kept, reply)

    async def _answer(
        self, asked: _Asked, question: Question, request: Request
    ) -> tuple[str, Reply, Bill | None]:
        """Return the answer under its key in the cache, with its bill; no bill of one kept from an earlier run."""
        kept = ""
        if self._cache is not None:
            kept = cache_key(asked.components, request, attempt=question.attempt)
            held = self._cache.get(kept)
            if held is not None:
                return kept, held, None
        amount = await self._till.reserve(question.system, request)
        try:
            reply = await send(asked.model, request)
            bill = self._till.pay(question.system, request, reply)
        finally:
            self._till.release(amount)
        return kept, reply, bill


def _record(key: Key, reply: Reply, bill: Bill | None, *, try_: int, started: str, request: str) -> Response:
    """Return an answer as the journal holds it; one without a bill was kept from an earlier run."""
    system, task, item, attempt = key
    record = Response(
        system=system,
        task=task,
        item=item,
        attempt=attempt,
        try_=try_,
        status=reply.status,
        reason=reply.reason,
        text=reply.text,
        latency_s=reply.latency_s,
        first_token_s=reply.first_token_s,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        tokens_reasoning=reply.tokens_reasoning,
        tokens_cached=reply.tokens_cached,
        cost=bill.cost if bill else None,
        currency=bill.currency if bill else None,
        cost_source=bill.source if bill else None,
        stage=reply.stage,
        steps=reply.steps,
        tool_calls=reply.tool_calls,
        tool_errors=reply.tool_errors,
        faults=() if bill is None else reply.faults,
        started=started,
        request=request,
        cached=bill is None,
        options=reply.options,
        likelihood=reply.likelihood,
        log_probability=reply.log_probability,
        log_probability_tokens=reply.log_probability_tokens,
    )
    return record.told(reply.transcript, reply.stages, reply.token_logprobs)
