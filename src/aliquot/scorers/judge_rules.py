"""The rule that a judge is: what it asks about an answer, and the score that the replies come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from aliquot.errors import UsageError
from aliquot.evidence.tables import Kind
from aliquot.files.judgements import Judgement, JudgeQuestion, Order
from aliquot.item_sets.items import Item
from aliquot.scorers.judge_conclusions import FLIP, Conclusion, conclude, orders_asked, written
from aliquot.scorers.judge_prompts import RETRIEVED, JudgePrompt, Retrieved, reference_answer
from aliquot.scorers.judges import Judge
from aliquot.scorers.rule import Rule
from aliquot.scorers.scores import Score

MOST_NOTE: Final = 1_000
"""Letters of an evaluation that are kept with a score."""

_WORDS: Final = ("no", "yes")
_SINGLE: Final[Mapping[str, str]] = {"first": "better", "second": "worse"}
"""Words for an answer that is compared with the one its item holds."""


def judge_rule(judge: Judge, models: Sequence[str], *, file: str | None = None) -> Rule:
    """Return the rule of a judge that some models are.

    Args:
        judge: the judge.
        models: who is asked, as the runner tells models apart; several are a panel.
        file: the judge's file, for messages.

    Raises:
        InputError: its template is not valid.
        UsageError: no model is named, or one twice.
    """
    if not models or len(set(models)) < len(models):
        raise UsageError(f"the judge {judge.name!r} needs models to ask, each once")
    prompt, asked = JudgePrompt(judge, file=file), tuple(models)
    kind, low, high = _numbers(judge)
    return Rule(
        judge.name,
        judge.hash,
        "verdicts are read from their place in the reply: case, look-alike letters and mark-up made equal",
        partial(_score, prompt, asked),
        "A judge errs, more on some answers than on others: nothing is known of how often until labels are joined.",
        reads="judgement",
        wants="nothing",
        metric=judge.name,
        kind=kind,
        low=low,
        high=high,
        better=judge.better,
        questions=partial(_ask, prompt, asked),
        shows_retrieved=prompt.shows_retrieved,
        judge=f"{judge.name} {judge.hash} by {', '.join(asked)}",
    )


def pair_questions(
    prompt: JudgePrompt,
    item: Item,
    first: str,
    second: str,
    *,
    models: Sequence[str],
    seed: str | None = None,
    retrieved: Retrieved = ((), ()),
) -> tuple[JudgeQuestion, ...]:
    """Return what a judge is asked about two answers to an item, in the orders that its rule needs.

    Args:
        prompt: of a judge that compares.
        item: what was asked.
        first: an answer; ``first`` in a conclusion is this one, whatever stood first.
        second: another.
        models: who is asked.
        seed: what draws the order under the rule ``random``; the item's id when None.
        retrieved: what the systems of ``first`` and ``second`` retrieved: shown as one where it is the same, else each
            side's own as its own.

    Raises:
        InputError: the item lacks what the template shows.
    """
    questions, apart = list[JudgeQuestion](), tuple(retrieved[0]) != tuple(retrieved[1])
    if retrieved[0] and not apart:
        item = replace(item, fields={**item.fields, RETRIEVED: list(retrieved[0])})
    for order in orders_asked(prompt.judge, item.id if seed is None else seed):
        turned = order == "swapped"
        answers = {"first": second, "second": first} if turned else {"first": first, "second": second}
        own = None if not apart else (retrieved[1], retrieved[0]) if turned else retrieved
        questions += _questions(prompt, item, answers, models=models, order=order, retrieved=own)
    return tuple(questions)


def conclude_pair(
    prompt: JudgePrompt,
    item: Item,
    judgements: Sequence[Judgement],
    *,
    models: Sequence[str],
    seed: str | None = None,
) -> Conclusion:
    """Return what the judgements of ``pair_questions`` come to; each vote says what every order rule concludes."""
    return conclude(prompt.judge, judgements, models=models, seed=item.id if seed is None else seed)


def scored(judge: Judge, found: Conclusion) -> Score:
    """Return the score of a conclusion: with a threshold 1 or 0, else what it is worth.

    The label is the verdict, of several votes with their split. The parts of a checklist with a fixed number of
    questions are its verdicts, 1 for yes. A judge without a verdict gives no value, and its status says why.
    """
    note = _note(judge, found)
    if found.value is None:
        flipped = found.problem is not None and set(found.split) == {FLIP}
        return Score(None, label=FLIP if flipped else None, status=found.status, note=note)
    value = found.value if judge.pass_from is None else float(found.value >= judge.pass_from)
    told = written(found.verdict) or ""
    label = _SINGLE.get(told, told) if judge.pairwise else told
    if len(found.votes) > 1:
        label = (
            f"{label} ({', '.join(f'{count} {_SINGLE.get(one, one)}' for one, count in found.split.items())})"
        )
    parts = found.verdict if judge.points and isinstance(found.verdict, tuple) else None
    return Score(value, label=label, note=note, parts=None if parts is None else tuple(map(float, parts)))


def _ask(prompt: JudgePrompt, models: Sequence[str], item: Item, text: str) -> tuple[JudgeQuestion, ...]:
    if prompt.judge.pairwise:
        return pair_questions(prompt, item, text, reference_answer(prompt.judge, item), models=models)
    return tuple(_questions(prompt, item, {"answer": text}, models=models, order="single"))


def _questions(
    prompt: JudgePrompt,
    item: Item,
    answers: Mapping[str, str],
    *,
    models: Sequence[str],
    order: Order,
    retrieved: Retrieved | None = None,
) -> list[JudgeQuestion]:
    judge, schema = prompt.judge, prompt.schema(prompt.points(item))
    messages = prompt.messages(item, answers, retrieved=retrieved)
    return [
        JudgeQuestion(
            judge=judge.name,
            judge_hash=judge.hash,
            model=model,
            messages=messages,
            schema=schema,
            order=order,
            repeat=repeat,
            max_tokens=judge.max_tokens,
        )
        for model in models
        for repeat in range(1, judge.repeats + 1)
    ]


def _score(prompt: JudgePrompt, models: Sequence[str], item: Item, judgements: Sequence[Judgement]) -> Score:
    points = None if prompt.judge.pairwise else prompt.points(item)
    return scored(
        prompt.judge, conclude(prompt.judge, judgements, models=models, points=points, seed=item.id)
    )


def _numbers(judge: Judge) -> tuple[Kind, float, float]:
    """Return which numbers the values are, and their bounds."""
    if judge.scale is not None and judge.pass_from is None:
        whole = not judge.scale.continuous and (judge.pooled == "majority" or judge.repeats == 1)
        return ("ordinal" if whole else "bounded"), judge.scale.low, judge.scale.high
    if judge.pass_from is not None or (judge.form == "labels" and judge.pooled == "majority"):
        return "binary", 0.0, 1.0
    return "bounded", 0.0, 1.0


def _note(judge: Judge, found: Conclusion) -> str | None:
    """Return in one line why: what is wrong, questions that were no, what each order rule concludes, the evaluation."""
    parts = [found.problem or ""]
    if isinstance(found.verdict, tuple) and judge.points:
        no = [f"{at}. {point.says}" for at, (point, yes) in enumerate(zip(judge.points, found.verdict, strict=True), 1)
              if not yes]  # fmt: skip
        parts.append(f"no: {'; '.join(no)}" if no else "")
    elif isinstance(found.verdict, tuple):
        parts.append(", ".join(f"{at} {_WORDS[yes]}" for at, yes in enumerate(found.verdict, 1)))
    if judge.pairwise and len(found.votes) == 1 and len(found.votes[0].under) > 1:
        under = found.votes[0].under
        parts.append(", ".join(f"{rule}: {_said(verdict)}" for rule, verdict in under.items()))
    parts += [vote.reasoning for vote in found.votes[:1]]
    return " ".join("; ".join(filter(None, parts)).split())[:MOST_NOTE] or None


def _said(verdict: str | float | None) -> str:
    told = "none" if verdict is None else written(verdict) or ""
    return _SINGLE.get(told, told)
