"""Asking judges about answers that are on record, with progress, a cache and a limit of the cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from aliquot.errors import UsageError
from aliquot.files.judgements import Judgement, JudgeQuestion
from aliquot.runner.cache import AnswerCache
from aliquot.runner.judge_guard import judge_words, require_no_self_judge
from aliquot.runner.judge_manifest import describe_judges
from aliquot.runner.judge_specs import JudgeSpec
from aliquot.runner.judging import JudgeTerms, Judging, as_response, request_of
from aliquot.runner.progress import Observer, Tally
from aliquot.runner.till import Due, Till
from aliquot.runner.workers import PATIENCE_S
from aliquot.systems.opening import open_systems
from aliquot.systems.system import System


@dataclass(frozen=True, slots=True, kw_only=True)
class AskTerms:
    """How judges are asked about stored answers.

    Attributes:
        models: systems that are there already, by name; they are not closed.
        observer: whom to tell.
        seconds: a clock that never goes back.
        now: the time of day with its zone.
        cache: a file of replies kept between runs; None for none.
        max_cost: money that the judges may cost, earlier sessions included; None for no limit.
        concurrency: questions in flight; None for what each model says it can take.
        threads: computing threads of the embedded model; None for the cores available.
        allow_self_judge: whether a judge may judge its own model or family, unprobed.
        probing: whether it is being probed, so that nobody has to be told that it was not.
    """

    observer: Observer
    seconds: Callable[[], float]
    now: Callable[[], datetime]
    models: Mapping[str, System]
    cache: str | Path | None = None
    max_cost: float | None = None
    concurrency: int | None = None
    threads: int | None = None
    allow_self_judge: bool = False
    probing: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What is on record of judges, and of those that were asked just now what a manifest says of them."""

    records: Sequence[Judgement]
    about: Mapping[str, dict[str, Any]]


async def ask_judges(
    spec: JudgeSpec,
    questions: Sequence[JudgeQuestion],
    *,
    systems: Mapping[str, Mapping[str, str]],
    records: Sequence[Judgement],
    keep: Callable[[Judgement], None] | None,
    terms: AskTerms,
) -> Asked:
    """Ask what is not on record yet, and return all that is.

    Args:
        spec: the judge, its file read.
        questions: all that it is to be asked.
        systems: the components of the systems whose answers are judged, by name.
        records: what is on record.
        keep: puts a reply on record; None where there is no place for it.
        terms: how it is asked.

    Raises:
        UsageError: an unknown model, or a limit of the cost without prices.
        RunStoppedError: a judge of its own kind, or the limit of the cost; what was judged is kept.
        MachineError: a model cannot be opened, or the machine refuses.
    """
    wanted = list({question.key: question for question in questions}.values())
    if not Judging(records).lacking(wanted):
        return Asked(records, {})
    prices = {one.name: one.stated for one in spec.panel}
    if terms.max_cost is not None and not any(prices.values()):
        raise UsageError("--max-cost needs prices: --model '{model: …, prices: {input: …, output: …}}'")
    opened = await open_systems([one.model for one in spec.panel], terms.models, threads=terms.threads)
    models = {one.name: ({**terms.models, **opened})[one.model] for one in spec.panel}
    try:
        if not terms.allow_self_judge:
            require_no_self_judge([spec], systems, models)
        for words in () if terms.probing else judge_words([spec]):
            terms.observer.noted(words)
        with ExitStack() as stack:
            kept = None if terms.cache is None else stack.enter_context(AnswerCache(terms.cache))
            till = Till(None, limit=terms.max_cost, judges=prices)
            asked = JudgeTerms(now=terms.now, till=till, cache=kept, concurrency=terms.concurrency)
            judging = Judging(records, models=models, terms=asked, keep=keep)
            await _ask(judging, wanted, till, terms)
            return Asked(judging.records, describe_judges([spec], {**terms.models, **opened}))
    finally:
        for model in opened.values():
            await model.close()


async def _ask(judging: Judging, wanted: Sequence[JudgeQuestion], till: Till, terms: AskTerms) -> None:
    """Ask, with everything that is said of it."""
    owed = judging.lacking(wanted)
    tally = Tally(len(wanted), observer=terms.observer, clock=terms.seconds, what="judgements")
    lacking = {question.key for question in owed}
    till.keep(map(as_response, judging.records))
    till.foresee({}, map(as_response, judging.records), {}, judging=_dues(owed, till))
    for question in wanted:
        if question.key not in lacking:
            tally.keep(question.model, "ok")
    till.tell(tally)
    tally.start()
    till.require_room()
    if text := till.outlook():
        tally.note(text)

    def count(question: JudgeQuestion) -> None:
        made = judging(question)
        till.judged({question.model: Due(1, till.thought(question.model, request_of(question)))})
        till.tell(tally)
        tally.add(question.model, "missing" if made is None else made.status)

    try:
        for question in owed:
            judging.follow([question], lambda question=question: count(question))
        await judging.drain()
    except BaseException:
        till.close()
        judging.close()
        await judging.settle(PATIENCE_S)
        await judging.cancel()
        raise
    if judging.lost_words:
        tally.note(judging.lost_words)


def _dues(owed: Sequence[JudgeQuestion], till: Till) -> Mapping[str, Due]:
    found: dict[str, Due] = {}
    for question in owed:
        due = Due(1, till.thought(question.model, request_of(question)))
        found[question.model] = found.get(question.model, Due()) + due
    return found
