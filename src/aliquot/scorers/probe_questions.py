"""What a judge is asked when it is probed, and what its reply says of the answers it was shown."""

from __future__ import annotations

from typing import cast

from aliquot.files.judgements import Judgement, JudgeQuestion
from aliquot.scorers.judge_conclusions import conclude
from aliquot.scorers.judge_prompts import JudgePrompt
from aliquot.scorers.probes import Heard, Said, Shown
from aliquot.scorers.verdicts import read_verdict


def probe_question(prompt: JudgePrompt, shown: Shown, *, model: str) -> JudgeQuestion:
    """Return what a judge is asked of one answer or two: what is first stands first.

    Args:
        prompt: of the judge.
        shown: what it is shown.
        model: who is asked.

    Raises:
        InputError: the item lacks what the template shows.
    """
    judge = prompt.judge
    answers = {"answer": shown.first}
    if shown.second is not None:
        answers = {"first": shown.first, "second": shown.second}
    return JudgeQuestion(
        judge=judge.name,
        judge_hash=judge.hash,
        model=model,
        messages=prompt.messages(shown.item, answers),
        schema=prompt.schema(prompt.points(shown.item)),
        order="single" if shown.second is None else "as_given",
        repeat=shown.repeat,
        max_tokens=judge.max_tokens,
    )


def heard_of(prompt: JudgePrompt, shown: Shown, judgement: Judgement | None) -> Heard:
    """Return what a reply says, and nothing by default.

    Args:
        prompt: of the judge.
        shown: what it was shown.
        judgement: its reply; None when it was not asked.
    """
    if judgement is None:
        return Heard(status="missing")
    if judgement.status != "ok" or judgement.text is None:
        return Heard(status=judgement.status if judgement.status != "ok" else "unparsed")
    if shown.second is not None:
        found = read_verdict(prompt.judge, judgement.text)
        return Heard(status="unparsed") if found.verdict is None else Heard(said=cast("Said", found.verdict))
    alone = Judgement(
        question=judgement.question, judge=judgement.judge, judge_hash=judgement.judge_hash, model=judgement.model,
        text=judgement.text,
    )  # fmt: skip
    points = prompt.points(shown.item)
    told = conclude(prompt.judge, [alone], models=[judgement.model], points=points, seed=shown.item.id)
    return Heard(status="unparsed") if told.value is None else Heard(worth=told.value)
