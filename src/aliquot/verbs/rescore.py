"""``rescore``: another rule, or a judge, over answers that are on record, without asking any system."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from aliquot.analysis.rescoring import compare_rules
from aliquot.analysis.scales import scale_of
from aliquot.analysis.software import versions
from aliquot.evidence.contents import headline_metric, metrics, systems, tasks
from aliquot.evidence.tables import Evidence, Note
from aliquot.files.journal import Journal
from aliquot.files.judgements import Judgement, JudgeQuestion
from aliquot.files.run_directory import RunDirectory
from aliquot.findings.rescoring import RescoredSystem, Rescoring, write_preferences, write_rescoring
from aliquot.findings.verdict import Verdict
from aliquot.readers.options import ReadOptions
from aliquot.runner.evaluation import Evaluation, ScorerSpec
from aliquot.runner.evaluation_python import load_evaluation
from aliquot.runner.judge_specs import JudgeModel, JudgeSpec
from aliquot.runner.judging_stored import Asked, AskTerms
from aliquot.runner.notebook_progress import own_observer
from aliquot.runner.pairing_judged import keep_pairing
from aliquot.runner.progress import Observer
from aliquot.runner.rescoring import (
    Rescored,
    keep_rescoring,
)
from aliquot.runner.votes_known import as_judgements, note_of_known, votes_known
from aliquot.scorers.judges import Judge
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.stats.results import Estimate, Undefined
from aliquot.systems.system import System
from aliquot.verbs.judging import keep_about, panel_of, replied, scoring_of
from aliquot.verbs.judging_pairs import compared, compares, in_both_orders, pairings_of
from aliquot.verbs.read import convert
from aliquot.verbs.reproduce import command_line, given_options
from aliquot.verbs.scoring_anew import scored_anew
from aliquot.verbs.stored_answers import Answers, of_log, of_run, run_of


def rescore(
    source: str | Path | Evidence,
    *,
    scorer: str | None = None,
    judge: str | Judge | None = None,
    model: str | JudgeModel | Sequence[str | JudgeModel] | None = None,
    swapped: bool = False,
    evaluation: str | Path | Evaluation | None = None,
    output: str | Path | None = None,
    level: float = 0.95,
    options: ReadOptions | None = None,
    execute_code: bool = False,
    models: Mapping[str, System] | None = None,
    observer: Observer | None = None,
    cache: str | Path | None = None,
    max_cost: float | None = None,
    concurrency: int | None = None,
    threads: int | None = None,
    allow_self_judge: bool = False,
) -> Rescoring:
    """Score stored answers by another rule, or by a judge, and keep both outcomes; no system is asked.

    The new outcomes go into the evidence of a run, or with ``output`` into a long table, under a metric that names what
    was read anew and by which rule in which version (``success,words/1``); ``compare`` shows it as another scoring
    rule. A judge that compares is shown the first system's answers beside each other one's, and its votes are kept. No
    answer in the journal of a run is touched; programs that are executed, and judgements, are added to it.

    Args:
        source: a run's directory, or a log or evidence that keeps the answers.
        scorer: the rule; by default the scorer of ``evaluation``.
        judge: a judge in its place: a file that describes one, or the name of one that comes with this package.
        model: the model that is asked as the judge: its name, or a mapping in YAML; several are a panel.
        swapped: ask a comparison in its other order too, where the judge's file draws one of them.
        evaluation: an evaluation file whose items give references, accepted answers and options, by id.
        output: write a long table there (``.parquet``, ``.csv``, ``.jsonl``) and leave a run as it is.
        level: confidence level.
        options: how a log is read.
        execute_code: let programs in the answers be executed, in the sandbox, where they have not been yet.
        models: models that a judge may ask, by name; they are not closed.
        observer: receives progress of the judging; in a notebook a line shows it when none is given.
        cache: a file of replies kept between runs.
        max_cost: money that the judge may cost, in the currency of its prices.
        concurrency: questions to the judge in flight; None for what the model says it can take.
        threads: computing threads of the embedded model; None for the cores available.
        allow_self_judge: let a judge judge answers of its own model or family, though it was not probed on that.

    Returns:
        The finding: which answers count otherwise, and each system's rate under both rules.

    Raises:
        UsageError: neither a scorer nor an evaluation, or an unknown rule.
        InputError: the source keeps no answers, or an item lacks what the rule needs.
        MachineError: another process works on the run, or the machine refuses.
        RunStoppedError: the judging was stopped by an interrupt, its limit, or as the judge would judge its own kind.
    """
    asking = ["models", "observer", "cache", "max_cost", "concurrency", "threads", "allow_self_judge"]
    given = given_options(rescore, locals(), named={"output": "-o"}, unsaid=asking)
    described = load_evaluation(evaluation).evaluation if isinstance(evaluation, str | Path) else evaluation
    given |= {"--evaluation": None if described is None else described.file, "--model": panel_of(model)}
    given |= {"--judge": judge if isinstance(judge, str) else None}
    spec = scoring_of(scorer, judge, model, described)
    if swapped:
        spec = ScorerSpec(judge=in_both_orders(spec.judge))
    terms = AskTerms(
        models=models or {},
        observer=observer or own_observer(),
        seconds=time.monotonic,
        now=lambda: datetime.now().astimezone(),
        cache=cache,
        max_cost=max_cost,
        concurrency=concurrency,
        threads=threads,
        allow_self_judge=allow_self_judge,
    )
    work = partial(_scored, spec=spec, given=described, execute_code=execute_code, terms=terms, level=level)
    run = run_of(source)
    if run is not None:
        with Journal.open(run.journal_path) as journal:
            made = work(of_run(run, journal, keep=output is None))
            if output is None:
                keep_about(run, made.asked)
                made.keep(run)
                run.write_evidence(made.evidence)
    else:
        made = work(of_log(source, options))
    written = str(convert(made.evidence, output).path) if output is not None else str(run.path) if run else ""
    return Rescoring(
        metrics=made.metrics,
        scorer=made.scorer,
        systems=made.systems,
        scale=scale_of(made.evidence, made.metrics[0]),
        level=level,
        written=written,
        warnings=made.warnings,
        verdict=made.verdict,
        seed=DEFAULT_SEED,
        versions=versions(),
        command=command_line("rescore", [source], given, reading=options),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """What came out, and how a run keeps it."""

    evidence: Evidence
    asked: Asked
    metrics: tuple[str, ...]
    scorer: str
    systems: tuple[RescoredSystem, ...]
    warnings: tuple[Note, ...]
    verdict: Verdict
    keep: Callable[[RunDirectory], None]


def _scored(
    answers: Answers,
    *,
    spec: ScorerSpec,
    given: Evaluation | None,
    execute_code: bool,
    terms: AskTerms,
    level: float,
) -> _Made:
    """Return stored answers scored anew: each by itself, or those of two systems held against each other."""
    several = len(systems(answers.evidence)) > 1 or _voted(answers)
    if spec.judge is not None and compares(spec.judge) and several:
        return _compared(answers, spec.judge, terms=terms, level=level)
    evidence, made, asked = scored_anew(answers, spec, given, execute_code=execute_code, terms=terms)
    found = tuple(_systems(answers.evidence, evidence, made, level=level))

    def keep(run: RunDirectory) -> None:
        for one in made:
            keep_rescoring(run, one)

    return _Made(
        evidence=evidence,
        asked=asked,
        metrics=tuple(dict.fromkeys(one.metric for one in made)),
        scorer=made[0].scorer,
        systems=found,
        warnings=tuple(_warnings(found)),
        verdict=write_rescoring(made[0].scorer, found),
        keep=keep,
    )


def _voted(answers: Answers) -> bool:
    """Tell whether answers are of a log that votes on pairs of systems; a run's own votes are made by its judges."""
    return not answers.inputs_known and not answers.evidence.votes.is_empty()


def _compared(answers: Answers, spec: JudgeSpec, *, terms: AskTerms, level: float) -> _Made:
    """Return what a judge makes of the answers of two systems, item by item."""
    pairings = pairings_of(spec, answers.evidence, list(answers.items), voted=_voted(answers))
    votes = answers.evidence.votes if _voted(answers) else answers.evidence.votes.clear()
    known = votes_known(votes, spec.kept)
    questions, stand = list[JudgeQuestion](), list[Judgement]()
    for one in pairings:
        for pair in one.pairs(answers.responses):
            mine = one.questions(answers.items[one.task][pair[0].item], pair, answers.whole)
            questions += mine
            stand += as_judgements(known, one, pair, mine)
    asked = replied(answers, spec, questions, Asked((*answers.judgements, *stand), {}), terms=terms)
    found = compared(
        answers.evidence,
        pairings,
        answers.responses,
        answers.items,
        asked,
        whole=answers.whole,
        level=level,
    )

    left = len({question.key for question in questions}) - len({one.question for one in stand})
    notes = () if votes.is_empty() else (note_of_known(votes, spec.kept, known=len(stand), asked=left),)

    def keep(run: RunDirectory) -> None:
        for one in pairings:
            keep_pairing(run, one)

    return _Made(
        evidence=found.evidence,
        asked=asked,
        metrics=tuple(dict.fromkeys(one.metric for one in pairings)),
        scorer=spec.kept.label,
        systems=found.systems,
        warnings=(*notes, *found.warnings),
        verdict=write_preferences(spec.kept.label, found.systems, [one.baseline for one in pairings]),
        keep=keep,
    )


def _systems(
    before: Evidence, after: Evidence, made: tuple[Rescored, ...], *, level: float
) -> Iterator[RescoredSystem]:
    for one in made:
        headline = headline_metric(before, one.task)
        for system in systems(after):
            named = metrics(after, one.task, system=system) if one.task in tasks(after, system=system) else ()
            if headline in named and one.metric in named:
                yield compare_rules(
                    after,
                    system,
                    task=one.task,
                    before=headline,
                    after=one.metric,
                    level=level,
                    seed=DEFAULT_SEED,
                )


def _warnings(found: tuple[RescoredSystem, ...]) -> Iterator[Note]:
    for task in dict.fromkeys(one.task for one in found):
        rates = [(one.before, one.after) for one in found if one.task == task]
        scored = any(isinstance(after, Estimate) for _, after in rates)
        if scored and _right(before for before, _ in rates) and not _right(after for _, after in rates):
            text = f"No answer to {task} is right by this rule: its references may hold more than the right answer. "
            yield Note("none_right", f"{text}--evaluation FILE scores by other references.")
    lost = sum(one.statuses.get("missing", 0) for one in found)
    if lost:
        yield Note(
            "no_text",
            f"{lost} answers are not on record, or do not tell what the new rule reads, and have no value under it.",
        )
    one_sided = sum(one.one_sided for one in found) - lost
    if one_sided > 0:
        yield Note("one_sided", f"{one_sided} answers have a value under one of the rules only.")


def _right(rates: Iterable[Estimate | Undefined]) -> bool:
    return any(isinstance(rate, Estimate) and rate.point > 0 for rate in rates)
