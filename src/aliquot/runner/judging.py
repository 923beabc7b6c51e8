"""Asking the judges of a run: every question once, beside the systems, each reply on disk before it counts."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast

import msgspec

from aliquot.errors import RunStoppedError, UsageError
from aliquot.evidence.status import MEASUREMENT_SIDE
from aliquot.files.judgements import Judgement, JudgeQuestion, settle_judgements
from aliquot.files.records import JUDGE, Response
from aliquot.findings.numbers import write_count
from aliquot.item_sets.items import Item
from aliquot.runner.cache import AnswerCache, cache_key
from aliquot.runner.guards import LOST_IN_A_ROW, most_common
from aliquot.runner.money import Bill
from aliquot.runner.once import Once
from aliquot.runner.scoring import Whole, as_recorded, asked_of_judges
from aliquot.runner.sending import send
from aliquot.runner.till import Till, judge_key
from aliquot.scorers.rule import Rule
from aliquot.systems.replies import Reply
from aliquot.systems.requests import ChatRequest, Decoding, Message, fingerprint
from aliquot.systems.system import Observed, System

_NO_SCHEMA: Final = frozenset({"response_format", "text"})
"""Fields of a body by which a reply is held to a schema; a server that refuses one is asked without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTerms:
    """How judges are asked; none of it changes what is asked.

    Attributes:
        now: the time of day, for the records.
        till: keeps the money.
        cache: replies kept between runs; None for none.
        concurrency: questions in flight; None for what each model says it can take.
    """

    now: Callable[[], datetime]
    till: Till
    cache: AnswerCache | None = None
    concurrency: int | None = None


def questions_of(
    rules: Iterable[Rule], item: Item, response: Response, whole: Whole = as_recorded
) -> list[JudgeQuestion]:
    """Return what judges are asked about an answer, each question once; one that was cut or failed is not judged."""
    if response.status != "ok" or not response.text:
        return []
    asked = (question for rule in rules for question in asked_of_judges(rule, item, response, whole) or ())
    return list({question.key: question for question in asked}.values())


class Judging(Once[JudgeQuestion, Judgement]):
    """Questions that judges answered, and those that they are being asked.

    A judge that is down costs the outcomes it owes and never the run: what it does not answer is on record as an error
    and asked again by the next session. After many such in a row it is asked no more in this one.

    Args:
        records: what is on record.
        models: the opened models, by the name under which questions ask for them.
        terms: how they are asked; None where nothing may be asked.
        keep: puts a new record there; None when none is kept.
    """

    def __init__(
        self,
        records: Iterable[Judgement] = (),
        *,
        models: Mapping[str, System] | None = None,
        terms: JudgeTerms | None = None,
        keep: Callable[[Judgement], None] | None = None,
    ) -> None:
        super().__init__(settle_judgements(records), keep=keep)
        self._models, self._terms = dict(models or {}), terms
        self._rooms = {
            name: asyncio.Semaphore((terms.concurrency if terms else None) or model.concurrency)
            for name, model in self._models.items()
        }
        self._plain: set[str] = set()
        self._fresh: dict[str, tuple[str, Reply]] = {}
        self._lost: list[str] = []
        self._in_a_row: Counter[str] = Counter()
        self._closed = False

    @property
    def lost_words(self) -> str:
        """What was lost in this session, in a sentence; "" when nothing was."""
        if not self._lost:
            return ""
        return (
            f"lost: {write_count(len(self._lost), 'judgement')}{most_common(self._lost)}, without a value until the "
            "same command has asked again"
        )

    def lost(self, made: Judgement) -> bool:
        """Tell whether a judge gave no reply by the measurement's doing."""
        return made.status in MEASUREMENT_SIDE

    async def do(self, work: JudgeQuestion) -> Judgement:
        """Ask a judge.

        Raises:
            RunStoppedError: the limit of the cost leaves no room.
        """
        async with self._rooms[work.model]:
            if self._closed:
                raise RunStoppedError("stopped: the run ends")
            made = await self._asked(work)
        if self.lost(made):
            self._lost.append(made.reason or "")
            self._in_a_row[work.model] += 1
        else:
            self._in_a_row[work.model] = 0
        return made

    def close(self) -> None:
        """Ask nothing more; what is in flight may still come in."""
        self._closed = True

    def kept(self, work: JudgeQuestion) -> None:
        """Keep a fresh reply for other runs, after the journal: a cache that is full is not to cost the reply."""
        fresh = self._fresh.pop(work.key, None)
        if fresh is not None and self._terms is not None and self._terms.cache is not None:
            self._terms.cache.put(*fresh)

    async def _asked(self, work: JudgeQuestion) -> Judgement:
        if self._in_a_row[work.model] >= LOST_IN_A_ROW:
            reason = f"not asked: the last {LOST_IN_A_ROW} requests were lost{most_common(self._lost)}"
            return _record(work, Reply(text="", status="error", reason=reason[:500]))
        terms, model = cast("JudgeTerms", self._terms), self._models[work.model]
        request = request_of(work)
        key = "" if terms.cache is None else cache_key(model.components, request, attempt=work.repeat)
        held = None if terms.cache is None else terms.cache.get(key)
        started = terms.now().isoformat(timespec="milliseconds")
        if held is not None:
            return _record(work, held, started=started, cached=True)
        reply, bill = await self._paid(work, model, request)
        if terms.cache is not None:
            self._fresh[work.key] = (key, reply)
        seen = model.observed if isinstance(model, Observed) else {}
        made = _record(work, reply, started=started, bill=bill, replied=seen.get("snapshot"))
        terms.till.measure(as_response(made))
        return msgspec.structs.replace(made, request=fingerprint(request, of=model.components))

    async def _paid(self, work: JudgeQuestion, model: System, request: ChatRequest) -> tuple[Reply, Bill]:
        """Return a reply with its bill, after waiting for room in the limit of the cost."""
        till = cast("JudgeTerms", self._terms).till
        payer = judge_key(work.model)
        amount = await till.reserve(payer, request)
        try:
            reply = await self._sent(work, model, request)
            return reply, till.pay(payer, request, reply, scope=JUDGE)
        finally:
            till.release(amount)

    async def _sent(self, work: JudgeQuestion, model: System, request: ChatRequest) -> Reply:
        """Return a reply; a server that cannot hold replies to a schema is asked for one without."""
        plain = ChatRequest(request.messages, request.decoding)
        sent = plain if work.model in self._plain else request
        try:
            return await send(model, sent)
        except UsageError as error:
            if sent.schema is None or not _names_schema(str(error)):
                return _down(error)
        except RunStoppedError as error:  # its account has nothing left: the systems are asked all the same
            return _down(error)
        self._plain.add(work.model)
        try:
            return await send(model, plain)
        except (UsageError, RunStoppedError) as error:
            return _down(error)


def _down(error: UsageError | RunStoppedError) -> Reply:
    """Return what a judge that cannot be asked comes to: one lost reply, and not the end of the run."""
    return Reply(text="", status="error", reason=str(error)[:500])


def _names_schema(refusal: str) -> bool:
    return any(f"refuses {name} =" in refusal for name in _NO_SCHEMA)


def as_response(judgement: Judgement) -> Response:
    """Return a judge's reply as the till counts it: in a scope of its own."""
    return Response(
        system=judge_key(judgement.model),
        task="",
        item=judgement.question,
        status=judgement.status,
        latency_s=judgement.latency_s,
        tokens_in=judgement.tokens_in,
        tokens_out=judgement.tokens_out,
        cost=judgement.cost,
        currency=judgement.currency,
        cost_source=judgement.cost_source,
        scope=JUDGE,
        started=judgement.started,
        cached=judgement.cached,
    )


def request_of(question: JudgeQuestion) -> ChatRequest:
    """Return the request that a question is."""
    return ChatRequest(
        tuple(Message(one.role, one.content) for one in question.messages),
        Decoding(temperature=question.temperature, max_tokens=question.max_tokens),
        question.schema,
    )


def _record(
    work: JudgeQuestion,
    reply: Reply,
    *,
    started: str | None = None,
    bill: Bill | None = None,
    cached: bool = False,
    replied: str | None = None,
) -> Judgement:
    """Return a reply as it is put on record."""
    bill = bill or Bill()
    return Judgement(
        question=work.key,
        judge=work.judge,
        judge_hash=work.judge_hash,
        model=work.model,
        order=work.order,
        repeat=work.repeat,
        status=reply.status,
        reason=reply.reason,
        text=reply.text or None,
        replied=replied,
        latency_s=reply.latency_s,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        cost=bill.cost,
        currency=bill.currency,
        cost_source=bill.source,
        started=started,
        cached=cached,
    )
