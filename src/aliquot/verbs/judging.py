"""Judges of stored answers, as ``rescore`` names and asks them."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import msgspec

from aliquot.errors import RunStoppedError, UsageError
from aliquot.files.judgements import JudgeQuestion
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.evaluation import Evaluation, ScorerSpec
from aliquot.runner.judge_keys import judge_model_of
from aliquot.runner.judge_specs import JudgeModel, JudgeSpec
from aliquot.runner.judging_stored import Asked, AskTerms, ask_judges
from aliquot.runner.price_list import judge_with_listed_prices
from aliquot.scorers.judges import Judge
from aliquot.verbs.stored_answers import Answers

Made = TypeVar("Made")


def scoring_of(
    scorer: str | None,
    judge: str | Judge | None,
    model: str | JudgeModel | Sequence[str | JudgeModel] | None,
    evaluation: Evaluation | None,
) -> ScorerSpec:
    """Return how stored answers are to be scored, the file of a judge read.

    Raises:
        UsageError: neither a rule, a judge nor an evaluation is named, or more than one; or a judge without a model.
        InputError: the judge's file cannot be used.
    """
    if scorer is not None and judge is not None:
        raise UsageError("scorer and judge exclude each other: a rule scores the answers, or a judge does")
    asked = panel_of(model)
    if asked and judge is None:
        raise UsageError("model names whom a judge asks: --judge FILE --model MODEL")
    if scorer is not None:
        return ScorerSpec(rule=scorer)
    if judge is not None:
        if not asked:
            raise UsageError(
                "say which model is asked as the judge: --model embedded, or --model '{base_url: …, model: …}'"
            )
        panel = tuple(judge_model_of(one) if isinstance(one, str) else one for one in asked)
        return ScorerSpec(judge=JudgeSpec(judge=judge, models=panel).read(judge_with_listed_prices))
    if evaluation is None:
        raise UsageError(
            "say by which rule: --scorer RULE, --judge FILE --model MODEL, or --evaluation FILE for the scorer of "
            "a file"
        )
    spec = evaluation.scorer
    return spec if spec.judge is None else ScorerSpec(judge=spec.judge.read(judge_with_listed_prices))


def panel_of(model: str | JudgeModel | Sequence[str | JudgeModel] | None) -> tuple[str | JudgeModel, ...]:
    """Return the models that a judge asks: none, one, or a panel."""
    return (model,) if isinstance(model, str | JudgeModel) else tuple(model or ())


def replied(
    answers: Answers, spec: JudgeSpec, questions: Sequence[JudgeQuestion], before: Asked, *, terms: AskTerms
) -> Asked:
    """Return what is on record of judges once these questions were asked too.

    Args:
        answers: what the questions are about.
        spec: the judge.
        questions: what it is asked; those that it has replied to are not asked again.
        before: what was on record.
        terms: how it is asked.

    Raises:
        RunStoppedError: the judging was stopped.
    """
    found = waited_for(
        ask_judges(
            spec,
            questions,
            systems=answers.components,
            records=before.records,
            keep=answers.keep,
            terms=terms,
        )
    )
    return Asked(found.records, {**before.about, **found.about})


def keep_about(run: RunDirectory, asked: Asked) -> None:
    """Write into a run's manifest which judges its answers were shown.

    Raises:
        MachineError: the machine refuses.
    """
    manifest = run.manifest
    if manifest is not None and asked.about:
        run.write_manifest(msgspec.structs.replace(manifest, judges={**manifest.judges, **asked.about}))


def waited_for(work: Coroutine[Any, Any, Made]) -> Made:
    """Return what asynchronous work comes to, also inside a running event loop (a notebook).

    Raises:
        RunStoppedError: it was interrupted.
    """
    try:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(work)
        with ThreadPoolExecutor(max_workers=1) as pool:
            return pool.submit(asyncio.run, work).result()
    except KeyboardInterrupt as interrupt:
        raise RunStoppedError(
            "interrupted: what the judge has said of a run's answers, or when it is probed, is kept (of a log's only "
            "with --cache). Run the same command again to go on"
        ) from interrupt
