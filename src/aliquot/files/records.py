"""What the journal of a run records, and which of several tries counts.

No record can be part of a cycle, so the garbage collector need not follow them (``gc=False``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from aliquot.evidence.stages import Stage
from aliquot.evidence.status import MEASUREMENT_SIDE
from aliquot.evidence.token_logprobs import TokenLogprob
from aliquot.evidence.transcripts import Turn

SYSTEM: Final = "system"
"""Scope of what the systems under test were asked; what a judge is asked has a scope of its own."""

JUDGE: Final = "judge"
"""Scope of what judges were asked."""


class OptionLikelihood(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """How probable one option of a choice was after its question.

    Attributes:
        option: the option's text.
        log_probability: natural logarithm, summed over the tokens of the continuation that stood for the option.
        tokens: number of those tokens; 0 where a log does not tell.
        characters: number of characters of what was written for it (its text, or its letter), without separator.
        bytes: number of its bytes in UTF-8.
        greedy: whether every token was the most probable one at its place.
        unconditional: log-probability of the same continuation without the question; None when it was not asked for.
    """

    option: str
    log_probability: float
    tokens: int
    characters: int
    bytes: int
    greedy: bool = False
    unconditional: float | None = None


class TextLikelihood(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """How probable a whole text was.

    Attributes:
        log_probability: natural logarithm, summed over its tokens.
        tokens: number of its tokens.
        words: number of its words: what stands between runs of white space.
        bytes: number of its bytes in UTF-8.
    """

    log_probability: float
    tokens: int
    words: int
    bytes: int


class Response(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag_field="kind", tag="response"
):
    """What came back for one try of an attempt.

    Attributes:
        system: the system's name.
        task: the task.
        item: the item's id.
        attempt: which of the repeated answers, from 1.
        try_: which request for this attempt, from 1 (``try`` in the file).
        status: a status word; speaks of the system.
        reason: why, in words, when the status is not ok.
        stage: where in a pipeline it happened.
        text: what the system returned.
        latency_s: seconds from request to the whole answer.
        first_token_s: seconds to the first token.
        tokens_in: tokens of the request.
        tokens_out: tokens of the answer.
        tokens_reasoning: tokens spent thinking.
        tokens_cached: tokens of the request served from a provider's cache.
        cost: what it cost.
        currency: in which currency.
        cost_source: by whose word: the evaluation file's prices, a dated price list, or the system's own.
        scope: for whom it was asked and paid: ``system``, or a judge. Only ``system`` is an answer under test.
        started: ISO 8601 time of the request.
        request: SHA-256 of the canonical request.
        cached: whether the answer came from our cache.
        steps: steps an agent took.
        tool_calls: tools it called.
        tool_errors: of those, calls that failed.
        faults: what went wrong with the requests of this try that brought no answer.
        options: how probable each option of a choice was, in the order of the item.
        likelihood: how probable the whole text was.
        log_probability: natural logarithm of how probable the written answer was, summed over its tokens.
        log_probability_tokens: how many those are.
    """

    system: str
    task: str
    item: str
    attempt: int = 1
    try_: int = msgspec.field(default=1, name="try")
    status: str
    reason: str | None = None
    stage: str | None = None
    text: str | None = None
    latency_s: float | None = None
    first_token_s: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_reasoning: int | None = None
    tokens_cached: int | None = None
    cost: float | None = None
    currency: str | None = None
    cost_source: str | None = None
    scope: str = SYSTEM
    started: str | None = None
    request: str | None = None
    cached: bool = False
    steps: int | None = None
    tool_calls: int | None = None
    tool_errors: int | None = None
    faults: tuple[str, ...] = ()
    options: tuple[OptionLikelihood, ...] = ()
    likelihood: TextLikelihood | None = None
    log_probability: float | None = None
    log_probability_tokens: int | None = None

    @property
    def key(self) -> tuple[str, str, str, int]:
        """System, task, item and attempt: what the try was made for."""
        return (self.system, self.task, self.item, self.attempt)

    def told(
        self,
        transcript: tuple[Turn, ...],
        stages: tuple[Stage, ...],
        token_logprobs: tuple[TokenLogprob, ...] = (),
    ) -> Response:
        """Return the record with how the system came to its answer; the same when nothing of it is told."""
        if not (transcript or stages or token_logprobs):
            return self
        return ToldResponse(
            **msgspec.structs.asdict(self),
            transcript=transcript,
            stages=stages,
            token_logprobs=token_logprobs,
        )

    def light(self) -> Response:
        """Return the record without what is read on demand: this one has nothing of the kind."""
        return self


class ToldResponse(
    Response, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag_field="kind", tag="response"
):
    """The same with how the system came to its answer: what a line of the journal can hold, and is read on demand.

    Attributes:
        transcript: what was said and called for this answer, in order; empty when the system tells nothing.
        stages: the stages of its pipeline.
        token_logprobs: the first tokens of the written answer.
    """

    transcript: tuple[Turn, ...] = ()
    stages: tuple[Stage, ...] = ()
    token_logprobs: tuple[TokenLogprob, ...] = ()

    def light(self) -> Response:
        """Return the record without what is read on demand."""
        return Response(**{name: getattr(self, name) for name in Response.__struct_fields__})


def settle(records: Iterable[Response]) -> tuple[Response, ...]:
    """Return the try that counts for each attempt, in the order in which the attempts were first tried.

    The last complete try counts. A try that brought an answer stands above one the system failed, and both
    above one the measurement lost, so that a failed retry hides no answer. What was asked in another scope than
    ``system`` is no answer of a system and is left out.

    Examples:
        >>> ok = Response(system="a", task="t", item="1", status="ok", text="4")
        >>> retry = Response(system="a", task="t", item="1", try_=2, status="error")
        >>> settle([ok, retry])[0].text
        '4'
    """
    best: dict[tuple[str, str, str, int], Response] = {}
    for record in records:
        if record.scope != SYSTEM:
            continue
        standing = best.get(record.key)
        if standing is None or _completeness(record) >= _completeness(standing):
            best[record.key] = record
    return tuple(best.values())


def spending(records: Iterable[Response]) -> dict[tuple[str, str, str], float]:
    """Return what every try cost together, by scope, currency and source; an answer of our cache cost nothing again.

    Examples:
        >>> one = Response(system="a", task="t", item="1", status="ok", cost=0.5, currency="USD", cost_source="list")
        >>> spending([one, one])
        {('system', 'USD', 'list'): 1.0}
    """
    spent: dict[tuple[str, str, str], float] = {}
    for record in records:
        if record.cost is not None and not record.cached:
            key = (record.scope, record.currency or "", record.cost_source or "")
            spent[key] = spent.get(key, 0.0) + record.cost
    return spent


def _completeness(record: Response) -> int:
    if record.status in MEASUREMENT_SIDE:
        return 0
    return 1 if record.status in {"timeout", "failed"} else 2
