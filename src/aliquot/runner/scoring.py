"""From what came back to what it is worth: one rule for the live counts and for the evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias, cast

import msgspec

from aliquot.errors import InputError
from aliquot.evidence.stages import retrieved_texts
from aliquot.evidence.status import MEASUREMENT_SIDE, SYSTEM_SIDE, resolve_value
from aliquot.files.judgements import Judgement, JudgeQuestion
from aliquot.files.programs import Program, ProgramRecord
from aliquot.files.records import Response, ToldResponse
from aliquot.item_sets.items import Item
from aliquot.scorers.judge_prompts import RETRIEVED
from aliquot.scorers.refusals import REFUSAL, is_refusal
from aliquot.scorers.rule import NEEDS, Rule
from aliquot.scorers.scores import EMPTY, Score, ScoreStatus, unparsed
from aliquot.scorers.scoring import score

NO_CONTEXT: Final = (
    "the judge is to be shown a context, and neither the item nor the stages of the answer tell one"
)
"""Note on an answer that a judge cannot be asked about."""

NOT_JUDGED: Final = "not judged yet"
"""Note on an answer that a judge is still to be asked about."""

Whole: TypeAlias = Callable[[Response], Response]
"""Reads an answer whole, with how it came about."""

Executed: TypeAlias = Callable[[Program], ProgramRecord | None]
"""Finds how a program ended; None when it has not been executed."""


Judged: TypeAlias = Callable[[JudgeQuestion], Judgement | None]
"""Finds what a judge replied; None when it has not been asked."""


def as_recorded(response: Response) -> Response:
    """Return an answer as it is: how it came about is told already, or is not on record."""
    return response


def not_executed(program: Program) -> ProgramRecord | None:  # noqa: ARG001 - one signature
    """Return that a program has not been executed."""
    return None


def not_judged(question: JudgeQuestion) -> Judgement | None:  # noqa: ARG001 - one signature
    """Return that a judge has not been asked."""
    return None


def read_by(rule: Rule, response: Response, whole: Whole) -> Any:
    """Return what of an answer a rule reads, None when it holds nothing of the kind; read whole where it has to be."""
    return rule.read(whole(response) if rule.reads_whole else response)


def counted_value(rule: Rule, score: Score, response: Response) -> float | None:
    """Return the value an answer counts with, as the evidence resolves it; None where the measurement lost it."""
    return resolve_value(
        score.value,
        status=score.status,
        by="judge" if rule.reads == "judgement" else "rule",
        response_status=response.status,
        on_failure=rule.high if rule.better == "lower" else rule.low,
    )


def score_attempts(rule: Rule, item: Item, responses: Sequence[Response]) -> Score:
    """Return the score of all attempts at an item together; what the measurement lost does not take part.

    Args:
        rule: a rule that pools attempts.
        item: what was asked.
        responses: what came back, in the order of the attempts; at least one.
    """
    there = [one for one in responses if one.status not in MEASUREMENT_SIDE]
    if not there:
        return Score(None, status=cast("ScoreStatus", responses[0].status), note=responses[0].reason)
    return rule.apply(item, [(one.text or "") if one.status == "ok" else "" for one in there])


def _score_whole(rule: Rule, item: Item, response: Response) -> Score:
    """Return the score of how an answer came about: what a pipeline had done before it failed counts as done."""
    status = cast("ScoreStatus", response.status)
    if status in MEASUREMENT_SIDE:
        return Score(None, status=status, note=response.reason)
    scored = _score_read(rule, item, response)
    return scored if status == "ok" else msgspec.structs.replace(scored, status=status)


def _score_read(rule: Rule, item: Item, response: Response) -> Score:
    """Return the score of what else than text a rule reads; there is none where the response holds nothing of it."""
    found = rule.read(response)
    if found is None:
        return Score(None, status="missing", note=f"{rule.label} reads {NEEDS[rule.reads]}")
    return rule.apply(item, found)


def _score_program(rule: Rule, item: Item, text: str, executed: Executed) -> Score:
    """Return the score of the program that an answer holds, by how it ended."""
    if not text.strip():
        return unparsed(EMPTY)
    program = rule.program_of(item, text)
    if program is None:
        return (
            Score(None, label="refuse", status="refused") if is_refusal(text) else unparsed("no code found")
        )
    found = executed(program)
    if found is None:
        return Score(None, status="missing", note="its program has not been executed: --execute-code")
    return rule.apply(item, found)


def asked_of_judges(
    rule: Rule, item: Item, response: Response, whole: Whole = as_recorded
) -> tuple[JudgeQuestion, ...] | None:
    """Return what judges are asked about an answer, with what its system retrieved where they are shown that.

    None where they are to be shown a context, and neither the item nor the stages of the answer tell any.

    Raises:
        InputError: the item lacks what the rule needs.
    """
    if not rule.shows_retrieved:
        return rule.questions_of(item, response.text or "")
    texts = retrieved_for(whole(response))
    try:
        return rule.questions_of(with_retrieved(item, texts), response.text or "")
    except InputError:
        if texts:
            raise
        rule.questions_of(with_retrieved(item, ("a text",)), response.text or "")  # raises what else is amiss
        return None


def retrieved_for(told: Response) -> tuple[str, ...]:
    """Return the texts that a system retrieved for an answer that was read whole; none where nobody tells."""
    return retrieved_texts(told.stages) if isinstance(told, ToldResponse) else ()


def with_retrieved(item: Item, texts: Sequence[str]) -> Item:
    """Return an item with what a system retrieved for it; the same without any."""
    return replace(item, fields={**item.fields, RETRIEVED: list(texts)}) if texts else item


def _score_judged(rule: Rule, item: Item, response: Response, whole: Whole, judged: Judged) -> Score:
    """Return the score that judges give an answer; none before each of them was asked."""
    questions = asked_of_judges(rule, item, response, whole)
    if questions is None:
        return Score(None, status="missing", note=NO_CONTEXT)
    replies = [judged(question) for question in questions]
    found = [reply for reply in replies if reply is not None]
    if not found or len(found) < len(replies):
        return Score(None, status="missing", note=NOT_JUDGED)
    return rule.apply(item, found)


def _score_answer(
    rule: Rule, item: Item, response: Response, *, whole: Whole, executed: Executed, judged: Judged
) -> Score:
    """Return the score of an answer that came whole."""
    text = response.text or ""
    if rule.reads == "execution":
        return _score_program(rule, item, text, executed)
    if rule.reads == "judgement":
        return _score_judged(rule, item, response, whole, judged)
    return score(rule, item, text) if rule.reads == "text" else _score_read(rule, item, response)


def score_response(
    rule: Rule,
    item: Item,
    response: Response,
    *,
    whole: Whole = as_recorded,
    executed: Executed = not_executed,
    judged: Judged = not_judged,
) -> Score:
    """Return the score of one response.

    A response that is no answer (truncated, timed out, failed, lost) has no value and keeps its status; under
    a rate the system's own failures count as 0. Two exceptions, where a value wins over the status: an answer
    that was cut is scored by a rule that its opening decides, and a refusal by the system itself is right on an
    item that expects one, and by a rule of what must not be said. To a number of the whole corpus the system's own
    failures add what an empty text does, and its refusals what a refusal in words does. A rule that reads how an
    answer came about gives a value whatever became of the answer.

    Args:
        rule: how to score.
        item: what was asked.
        response: what came back.
        whole: reads the answer whole, for a rule that reads how it came about.
        executed: finds how a program ended, for a rule that reads that.
        judged: finds what a judge replied, for a rule that reads that.
    """
    text = response.text or ""
    status = cast("ScoreStatus", response.status)
    if rule.reads_whole:
        return _score_whole(rule, item, whole(response))
    if status == "ok":
        return _score_answer(rule, item, response, whole=whole, executed=executed, judged=judged)
    if status == "truncated" and rule.reads_cut and text.strip():
        cut = score(rule, item, text)
        return msgspec.structs.replace(cut, status=status, note="scored by the opening of a cut answer")
    says_nothing = rule.forbids and rule.wants == "nothing"
    if status == "refused" and rule.kind == "binary" and (item.expect == "refuse" or says_nothing):
        return Score(1.0, label="refuse", status=status)
    parts = None
    if rule.combine and rule.reads == "text" and status in SYSTEM_SIDE:
        parts = rule.apply(item, REFUSAL if status == "refused" else "").parts
    return Score(None, status=status, note=response.reason, parts=parts)
