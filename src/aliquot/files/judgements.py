"""Questions put to model judges, and what the journal of a run records of each that was asked.

A question is known by its content: the same question to the same judge is asked once, and its record found again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Final, Literal, TypeAlias, cast

import msgspec

VERSION: Final = 1
"""Changes whenever the same question could be answered otherwise by the way in which it is asked."""

Order: TypeAlias = Literal["single", "as_given", "swapped"]
"""Which answer stands first: there is one alone; the first of a pair; the second of it."""


class JudgeMessage(msgspec.Struct, frozen=True):
    """One message of what a judge is asked."""

    role: Literal["system", "user", "assistant"]
    content: str


class JudgeQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge is asked about one answer, or one pair of them.

    Attributes:
        judge: the judge's name.
        judge_hash: its identity, over everything that changes what is asked or concluded.
        model: who is asked, as the runner tells models apart; one question goes to each of a panel.
        messages: the rendered messages; the name of the system that answered is in none of them.
        schema: JSON Schema of the reply as JSON, for servers that can hold a reply to one; None for a reply in text.
        order: which answer of a pair stands first.
        repeat: which of the repeated questions, from 1.
        temperature: 0 takes the most probable token each time.
        max_tokens: the reply's budget.
    """

    judge: str
    judge_hash: str
    model: str
    messages: tuple[JudgeMessage, ...]
    schema: str | None = None
    order: Order = "single"
    repeat: int = 1
    temperature: float = 0.0
    max_tokens: int = 1024

    @property
    def key(self) -> str:
        """What it is known by: what is asked of whom; a new threshold over the same question asks nothing anew."""
        told = cast("dict[str, Any]", msgspec.to_builtins(self))
        told = {name: value for name, value in told.items() if name not in {"judge", "judge_hash"}}
        return hashlib.sha256(json.dumps([VERSION, told]).encode()).hexdigest()[
            :32
        ]  # escapes lone surrogates


class Judgement(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag_field="kind", tag="judgement"
):
    """What a judge replied; its verdict is read out of the text anew each time.

    Attributes:
        question: the key of the question.
        judge: the judge's name.
        judge_hash: its identity when it was asked.
        model: who was asked, as the question says.
        order: which answer of a pair stood first.
        repeat: which of the repeated questions, from 1.
        status: ``ok`` with a reply; else why there is none: truncated, timeout, refused, error.
        reason: why, in words.
        text: the reply.
        replied: the model by the name that the reply gives it.
        latency_s: seconds from question to the whole reply.
        tokens_in: tokens of the question.
        tokens_out: tokens of the reply.
        cost: what it cost.
        currency: in which currency.
        cost_source: by whose word.
        started: ISO 8601 time of the question.
        request: SHA-256 of the canonical request.
        cached: whether the reply came from our cache.
    """

    question: str
    judge: str
    judge_hash: str
    model: str
    order: Order = "single"
    repeat: int = 1
    status: str = "ok"
    reason: str | None = None
    text: str | None = None
    replied: str | None = None
    latency_s: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    currency: str | None = None
    cost_source: str | None = None
    started: str | None = None
    request: str | None = None
    cached: bool = False


def settle_judgements(records: Iterable[Judgement]) -> dict[str, Judgement]:
    """Return the record that counts of each question, by key: the last one, and none lost above one that was not.

    Examples:
        >>> said = Judgement(question="q", judge="tone", judge_hash="a1", model="m", text="VERDICT: fits")
        >>> lost = Judgement(question="q", judge="tone", judge_hash="a1", model="m", status="error")
        >>> settle_judgements([said, lost])["q"].status
        'ok'
    """
    found: dict[str, Judgement] = {}
    for record in records:
        if record.status != "error" or found.get(record.question, record).status == "error":
            found[record.question] = record
    return found
