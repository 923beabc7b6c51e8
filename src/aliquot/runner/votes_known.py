"""Votes of a log that a judge need not be asked for again: those whose rater is that very judge, by file and model."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
import polars as pl

from aliquot.evidence.tables import Note
from aliquot.files.judgements import Judgement, JudgeQuestion
from aliquot.files.records import Response
from aliquot.findings.numbers import write_count
from aliquot.runner.judge_specs import KeptJudge
from aliquot.runner.pairing_judged import Paired

Key = tuple[str, str, str, str, str]
"""Task, item, who stood first, who second, and the model that was asked."""


def votes_known(votes: pl.DataFrame, judge: KeptJudge) -> Mapping[Key, list[str]]:
    """Return what a judge said of each pair in each order, by the votes of a log: the slot that won, or the tie.

    A judge is known again by the label that outcomes give it, ``name/hash by model``: the hash is over everything that
    changes what is asked, its template first. Any other name tells neither template nor model.

    Args:
        votes: of the log.
        judge: the judge.
    """
    raters = {msgspec.structs.replace(judge, models=(model,)).label: model for model in judge.models}
    known = votes.filter(
        pl.col("rater").is_in(list(raters)),
        pl.col("verdict").is_not_null(),
        pl.col("shown_first").is_not_null(),
    )
    found = defaultdict[Key, list[str]](list)
    for row in known.sort("repeat", maintain_order=True).iter_rows(named=True):
        first, second = (row["system_a"], row["system_b"])[:: 1 if row["shown_first"] == "a" else -1]
        key = (row["task"], row["item"], first, second, raters[row["rater"]])
        found[key].append(_slot(row))
    return found


def _slot(vote: Mapping[str, Any]) -> str:
    """Return a vote as the judge said it: the first or the second that it was shown."""
    if vote["verdict"] not in {"a", "b"}:
        return vote["verdict"]
    return "first" if vote["verdict"] == vote["shown_first"] else "second"


def as_judgements(
    known: Mapping[Key, list[str]],
    paired: Paired,
    pair: tuple[Response, Response],
    questions: Iterable[JudgeQuestion],
) -> Iterator[Judgement]:
    """Yield the replies that the log's votes stand for.

    Args:
        known: from ``votes_known``.
        paired: who is compared by whom.
        pair: the answers, the candidate's first.
        questions: what the judge would be asked about them.
    """
    new, old = paired.candidate, paired.baseline
    for question in questions:
        first, second = (new, old) if question.order == "as_given" else (old, new)
        said = known.get((paired.task, pair[0].item, first, second, question.model), [])
        if question.repeat <= len(said):
            verdict = paired.judge.judge.called(said[question.repeat - 1])
            yield Judgement(
                question=question.key,
                judge=question.judge,
                judge_hash=question.judge_hash,
                model=question.model,
                order=question.order,
                repeat=question.repeat,
                text=json.dumps({"verdict": verdict}),
            )


def note_of_known(votes: pl.DataFrame, judge: KeptJudge, *, known: int, asked: int) -> Note:
    """Return what is said of a log's own votes: which of them stand, or why all is asked.

    Args:
        votes: of the log.
        judge: the judge.
        known: questions that the votes answer.
        asked: questions that are left.
    """
    if known:
        text = (
            f"{write_count(known, 'vote')} of the log are by {judge.label} itself and stand; the other "
            f"{write_count(asked, 'question')} were asked, the orders that the log lacks"
        )
        return Note("votes_stand", text)
    raters: list[str] = votes["rater"].unique().sort().to_list()
    named = ", ".join(raters[:3]) + (f" and {len(raters) - 3} more" if len(raters) > 3 else "")
    text = (
        f"every order was asked: the log's votes are by {named}, which does not tell that they are by this judge, with "
        f"this template and model ({judge.label})"
    )
    return Note("votes_not_known", text)
