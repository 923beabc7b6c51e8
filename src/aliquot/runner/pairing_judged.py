"""Answers of two systems that a judge compares: what it is asked, its votes, and the preference they come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.assembly import conform
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, Evidence
from aliquot.files.judgements import Judgement, JudgeQuestion
from aliquot.files.records import Response
from aliquot.files.run_directory import RunDirectory
from aliquot.files.writing import write_whole
from aliquot.item_sets.items import Item
from aliquot.runner.judge_specs import KeptJudge
from aliquot.runner.rescoring import with_notes
from aliquot.runner.scoring import NO_CONTEXT, NOT_JUDGED, Judged, Whole, as_recorded, retrieved_for
from aliquot.scorers.judge_conclusions import Conclusion
from aliquot.scorers.judge_prompts import JudgePrompt, Retrieved
from aliquot.scorers.judge_rules import conclude_pair, pair_questions, scored
from aliquot.scorers.judges import Judge
from aliquot.scorers.scores import Score

PAIRINGS: Final = "pairings.jsonl"
"""The file of a run directory that holds which of its systems were compared by which judge, one comparison a line."""

_VERDICTS: Final = {"first": "b", "second": "a", "tie": "tie", "both_bad": "both_bad"}
"""The verdict of a vote, by who was found better: the candidate is what the judge is given as the first."""

_SHOWN: Final = {"as_given": "b", "swapped": "a"}
"""Which of the two stood first, by the order of the question."""


class Paired(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate that a judge compares with a baseline, item by item.

    Attributes:
        task: the task.
        baseline: ``system_a`` of its votes.
        candidate: ``system_b`` of its votes.
        judge: the judge.
    """

    task: str
    baseline: str
    candidate: str
    judge: KeptJudge

    @property
    def metric(self) -> str:
        """The metric of the candidate: how far it is preferred."""
        return f"{self.judge.judge.name} to {self.baseline},{self.judge.asked}"

    @property
    def prompt(self) -> JudgePrompt:
        """The judge's compiled questions."""
        return _prompt_of(msgspec.json.encode(self.judge.judge))

    def pairs(self, responses: Iterable[Response]) -> Iterator[tuple[Response, Response]]:
        """Yield the answers of both, the candidate's first, attempt by attempt, where the other has one."""
        own: dict[tuple[str, int], Response] = {}
        other: dict[tuple[str, int], Response] = {}
        for one in responses:
            if one.task == self.task and one.system in {self.baseline, self.candidate}:
                (own if one.system == self.candidate else other)[one.item, one.attempt] = one
        yield from ((one, other[key]) for key, one in own.items() if key in other)

    def questions(
        self, item: Item, pair: tuple[Response, Response], whole: Whole = as_recorded
    ) -> tuple[JudgeQuestion, ...]:
        """Return what the judge is asked about a pair, with what each side's system retrieved where that is shown.

        Nothing where one of them is no answer, or the judge shows a context and nobody tells any.

        Raises:
            InputError: the item lacks what the judge shows.
        """
        if any(one.status != "ok" or not one.text for one in pair):
            return ()
        if not self.prompt.shows_retrieved:
            return self._asked(item, pair, ((), ()))
        own = (retrieved_for(whole(pair[0])), retrieved_for(whole(pair[1])))
        try:
            return self._asked(item, pair, own)
        except InputError:
            if any(own):
                raise
            self._asked(item, pair, (("a text",), ("a text",)))  # raises what else is amiss
            return ()

    def _asked(
        self, item: Item, pair: tuple[Response, Response], retrieved: Retrieved
    ) -> tuple[JudgeQuestion, ...]:
        first, second = (one.text or "" for one in pair)
        return pair_questions(self.prompt, item, first, second, models=self.judge.models, retrieved=retrieved)

    def conclude(
        self, item: Item, pair: tuple[Response, Response], judged: Judged, whole: Whole = as_recorded
    ) -> tuple[Conclusion, tuple[Judgement, ...]] | None:
        """Return what the judge's replies come to, and the replies; None where it was not asked."""
        found = [judged(question) for question in self.questions(item, pair, whole)]
        replies = tuple(one for one in found if one is not None)
        if not replies or len(replies) < len(found):
            return None
        return conclude_pair(self.prompt, item, replies, models=self.judge.models), replies


@lru_cache(maxsize=16)
def _prompt_of(judge: bytes) -> JudgePrompt:
    return JudgePrompt(msgspec.json.decode(judge, type=Judge))


def with_paired(
    evidence: Evidence,
    paired: Paired,
    responses: Iterable[Response],
    items: Mapping[str, Item],
    *,
    judged: Judged,
    whole: Whole = as_recorded,
) -> Evidence:
    """Return the evidence with a judge's votes on two systems, and what they come to as a metric of the candidate.

    Votes are kept as they were given, in each order; the metric follows the judge's rule for both. Of a pair in which
    the candidate gave no answer the status is the candidate's.

    Args:
        evidence: the tables.
        paired: who is compared by whom.
        responses: the answers.
        items: what was asked, by id.
        judged: finds what judges replied.
        whole: reads an answer whole, with what its system retrieved.
    """
    votes, outcomes = list[dict[str, Any]](), list[dict[str, Any]]()
    for pair in paired.pairs(responses):
        found = paired.conclude(items[pair[0].item], pair, judged, whole)
        if found is not None:
            votes += _votes(paired, pair[0], *found)
        score = (
            Score(None, status="missing", note=_why(paired, pair, items[pair[0].item], whole))
            if found is None
            else scored(paired.judge.judge, found[0])
        )
        outcomes.append(_outcome(paired, pair[0], score))
    if not outcomes:
        return evidence
    fresh = conform("outcomes", pl.DataFrame(outcomes, infer_schema_length=None))
    row = metric_row(paired.metric, fresh["value"], kind="bounded", low=0.0, high=1.0, headline=False)
    row |= {"judge": paired.judge.asked, "on_failure": 0.0}
    earlier = (
        (pl.col("metric") == paired.metric)
        & (pl.col("task") == paired.task)
        & (pl.col("system") == paired.candidate)
    )
    raters = {one["rater"] for one in votes}
    again = (
        (pl.col("task") == paired.task)
        & (pl.col("system_a") == paired.baseline)
        & (pl.col("system_b") == paired.candidate)
        & pl.col("rater").is_in(list(raters))
    )
    kept = [evidence.votes.filter(~again)]
    kept += [conform("votes", pl.DataFrame(votes, infer_schema_length=None))] if votes else []
    metrics = evidence.metrics.filter(pl.col("metric") != paired.metric)
    return evidence.revise(
        votes=pl.concat(kept, how="diagonal"),
        outcomes=pl.concat([evidence.outcomes.filter(~earlier), fresh], how="diagonal"),
        metrics=pl.concat([metrics, pl.DataFrame([row], schema=dict(METRICS))]),
        texts=with_notes(evidence.texts, outcomes),
    )


def read_pairings(run: RunDirectory) -> tuple[Paired, ...]:
    """Return the comparisons of a run, in the order in which they were asked for.

    Raises:
        InputError: the file cannot be read.
    """
    path = run.path / PAIRINGS
    if not path.exists():
        return ()
    try:
        return tuple(msgspec.json.Decoder(Paired).decode_lines(path.read_bytes()))
    except msgspec.MsgspecError as error:
        raise InputError(
            f"not a run's comparisons: {error}", file=str(path), remedy="Take it away and judge again"
        ) from error


def keep_pairing(run: RunDirectory, paired: Paired) -> None:
    """Keep a comparison with the run, in the place of an earlier one of the same name.

    Raises:
        MachineError: the machine refuses.
    """
    mine = (paired.task, paired.candidate, paired.metric)
    others = [one for one in read_pairings(run) if (one.task, one.candidate, one.metric) != mine]
    write_whole(run.path / PAIRINGS, b"".join(msgspec.json.encode(one) + b"\n" for one in (*others, paired)))


def _why(paired: Paired, pair: tuple[Response, Response], item: Item, whole: Whole) -> str:
    lost = next((one for one in pair if one.status != "ok" or not one.text), None)
    if lost is not None:
        return f"{lost.system} gave no answer ({lost.status})"
    return NOT_JUDGED if paired.questions(item, pair, whole) else NO_CONTEXT


def _outcome(paired: Paired, response: Response, score: Score) -> dict[str, Any]:
    key = {name: getattr(response, name) for name in ("system", "task", "item", "attempt")}
    named = {"metric": paired.metric, "scorer": paired.judge.label, "by": "judge"}
    return key | named | {name: getattr(score, name) for name in ("value", "label", "status", "note")}


def _votes(
    paired: Paired, response: Response, found: Conclusion, replies: Iterable[Judgement]
) -> Iterator[dict[str, Any]]:
    """Yield a vote for each model, repeat and order, as it was given."""
    said = {
        (vote.model, vote.repeat, order): one for vote in found.votes for order, one in vote.orders.items()
    }
    repeats = paired.judge.judge.repeats
    for reply in replies:
        verdict = said.get((reply.model, reply.repeat, reply.order))
        before = ((response.attempt - 1) * repeats + reply.repeat - 1) * len(_SHOWN)
        yield {
            "task": response.task,
            "item": response.item,
            "system_a": paired.baseline,
            "system_b": paired.candidate,
            "rater": f"{paired.judge.judge.name} by {reply.model}",
            "repeat": before + list(_SHOWN).index(reply.order) + 1,
            "verdict": None if verdict is None else _VERDICTS[verdict],
            "status": "ok" if verdict is not None else "unparsed" if reply.status == "ok" else reply.status,
            "by": "judge",
            "shown_first": _SHOWN[reply.order],
            "at": reply.started,
        }
