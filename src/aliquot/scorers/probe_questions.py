"""What a judge is asked when it is probed, and what its replies say of the answers it was shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import msgspec

from aliquot.files.judgements import Judgement, JudgeQuestion
from aliquot.scorers.judge_conclusions import conclude_shown
from aliquot.scorers.judge_prompts import JudgePrompt
from aliquot.scorers.judges import Judge
from aliquot.scorers.probes import Heard, Said, Shown


def winning_words(judge: Judge) -> tuple[str, str]:
    """Return the verdicts by which the answer in the first slot wins, and that in the second; of one answer the best.

    Examples:
        >>> winning_words(Judge(name="p", asks="", pairwise=True, names=("A", "B")))
        ('A', 'B')
        >>> winning_words(Judge(name="tone", asks="", labels=(("fits", ""), ("grates", "")), passes=("fits",)))
        ('fits', 'fits')
    """
    if judge.pairwise:
        return judge.words[0], judge.words[1]
    if judge.scale is not None:
        best = f"{judge.scale.low if judge.better == 'lower' else judge.scale.high:g}"
    else:
        best = next(iter(judge.passes), "yes")
    return best, best


def probe_questions(prompt: JudgePrompt, shown: Shown, *, models: Sequence[str]) -> tuple[JudgeQuestion, ...]:
    """Return what a judge is asked of one answer or two: what is first stands first.

    Args:
        prompt: of the judge.
        shown: what it is shown.
        models: who is asked; several are a panel.

    Raises:
        InputError: the item lacks what the template shows.
    """
    judge = prompt.judge
    answers = {"answer": shown.first}
    if shown.second is not None:
        answers = {"first": shown.first, "second": shown.second}
    messages, schema = prompt.messages(shown.item, answers), prompt.schema(prompt.points(shown.item))
    return tuple(
        JudgeQuestion(
            judge=judge.name,
            judge_hash=judge.hash,
            model=model,
            messages=messages,
            schema=schema,
            order="single" if shown.second is None else "as_given",
            repeat=_before(judge, shown) + time,
            max_tokens=judge.max_tokens,
        )
        for model in models
        for time in range(1, judge.repeats + 1)
    )


def heard_of(
    prompt: JudgePrompt, shown: Shown, judgements: Sequence[Judgement], *, models: Sequence[str]
) -> Heard:
    """Return what the replies say, and nothing by default; those of a panel, or of repeats, as the judge makes them one.

    Args:
        prompt: of the judge.
        shown: what it was shown.
        judgements: the replies there are to its questions.
        models: who was asked.
    """
    judge, before = prompt.judge, _before(prompt.judge, shown)
    own = [msgspec.structs.replace(one, repeat=one.repeat - before) for one in judgements]
    points = None if judge.pairwise else prompt.points(shown.item)
    found = conclude_shown(judge, own, models=models, points=points)
    if found.value is None:
        return Heard(status=found.status)
    if shown.second is None:
        return Heard(worth=found.value)
    if isinstance(found.verdict, str):
        return Heard(said=cast("Said", found.verdict))
    return Heard(said="tie" if found.value == 0.5 else "first" if found.value > 0.5 else "second")


def _before(judge: Judge, shown: Shown) -> int:
    """Return how many repeats stand before those of this time of asking."""
    return (shown.repeat - 1) * judge.repeats
