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
from aliquot.item_sets.items import Item
from aliquot.item_sets.option_order import AS_GIVEN, arranged
from aliquot.item_sets.sources import load as load_items
from aliquot.readers.options import ReadOptions
from aliquot.runner.evaluation import Evaluation, ScorerSpec
from aliquot.runner.evaluation_python import load_evaluation
from aliquot.runner.executions import programs_of, require_on
from aliquot.runner.judge_specs import JudgeModel, JudgeSpec
from aliquot.runner.judging import Judging, questions_of
from aliquot.runner.judging_stored import Asked, AskTerms, ask_judges
from aliquot.runner.notebook_progress import own_observer
from aliquot.runner.pairing_judged import keep_pairing
from aliquot.runner.progress import Observer
from aliquot.runner.rescoring import (
    Rescored,
    keep_rescoring,
    require_items,
    require_read,
    rules_of,
    with_rescored,
)
from aliquot.runner.scoring import with_retrieved
from aliquot.runner.votes_known import as_judgements, note_of_known, votes_known
from aliquot.scorers.code import SETUP_FIELDS, TEST_FIELDS, UnitTests
from aliquot.scorers.judges import Judge
from aliquot.scorers.rule import RATE
from aliquot.scorers.rules import rule_named
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.stats.results import Estimate, Undefined
from aliquot.systems.system import System
from aliquot.verbs.judging import keep_about, panel_of, scoring_of, waited_for
from aliquot.verbs.judging_pairs import compared, compares, in_both_orders, pairings_of
from aliquot.verbs.read import convert
from aliquot.verbs.reproduce import command_line
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
    given = load_evaluation(evaluation).evaluation if isinstance(evaluation, str | Path) else evaluation
    spec = scoring_of(scorer, judge, model, given)
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
    work = partial(_scored, spec=spec, given=given, execute_code=execute_code, terms=terms, level=level)
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
    named = {"--scorer": scorer, "--evaluation": None if given is None else given.file, "-o": output}
    named |= {
        "--judge": judge if isinstance(judge, str) else None,
        "--model": panel_of(model),
    }
    named |= {"--swapped": True} if swapped else {}
    named |= {"--execute-code": True} if execute_code else {}
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
        command=command_line("rescore", [source], named, reading=options),
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
    evidence, made, asked = _rescored(answers, spec, given, execute_code=execute_code, terms=terms)
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
    asked = _replied(answers, spec, questions, Asked((*answers.judgements, *stand), {}), terms=terms)
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


def _rescored(
    answers: Answers, spec: ScorerSpec, given: Evaluation | None, *, execute_code: bool, terms: AskTerms
) -> tuple[Evidence, tuple[Rescored, ...], Asked]:
    """Return the evidence with a new metric for each task, how it came about, and what judges said."""
    item_set = load_items(given.items) if given is not None else None
    evidence, made, asked = answers.evidence, list[Rescored](), Asked(answers.judgements, {})
    for task, own in answers.items.items():
        several = len(answers.items) > 1
        items, fields, file = own, {}, f"{answers.file}, task {task}" if several else answers.file
        if item_set is not None:
            listed, file = {item.id: item for item in item_set.items}, item_set.source
            known = answers.inputs_known
            require_items(own if known else dict.fromkeys(own), listed, file=file, apart=_tests_of(spec))
            items = {item: listed[item] for item in own}
            fields = {item: dict(about.fields) for item, about in items.items()}
        told = not evidence.stages.is_empty()
        tried = [with_retrieved(item, ("a text",)) for item in items.values()] if told else items.values()
        rules = rules_of(spec, tried, file=file)
        one = Rescored(
            task=task,
            base=RATE if spec.judge is not None else _base(evidence, task, rules),
            rules=rules,
            items=item_set.hash[:8] if item_set is not None else "",
            fields=fields,
            judge=None if spec.judge is None else spec.judge.kept,
        )
        require_read(one, answers.responses, file=file, whole=answers.whole)
        if spec.judge is None:
            _execute(answers, one, items, on=execute_code)
        else:
            asked = _asked(answers, one, items, asked, spec=spec.judge, terms=terms)
        evidence = with_rescored(
            evidence,
            one,
            answers.responses,
            items,
            orders=answers.orders,
            whole=answers.whole,
            executed=answers.code,
            judged=Judging(asked.records),
        )
        made.append(one)
    return evidence, tuple(made), asked


def _asked(
    answers: Answers,
    rescored: Rescored,
    items: Mapping[str, Item],
    before: Asked,
    *,
    spec: JudgeSpec,
    terms: AskTerms,
) -> Asked:
    """Return what is on record of judges after they were asked about every answer to a task."""
    questions = [
        question
        for response in answers.responses
        if response.task == rescored.task and response.item in rescored.rules
        for question in questions_of(
            [spec.kept.rule],
            arranged(rescored.item_of(response, items), answers.orders.get(response.system, AS_GIVEN)),
            response,
            answers.whole,
        )
    ]
    return _replied(answers, spec, questions, before, terms=terms)


def _replied(
    answers: Answers, spec: JudgeSpec, questions: Sequence[JudgeQuestion], before: Asked, *, terms: AskTerms
) -> Asked:
    """Return what is on record of judges once these questions were asked too."""
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


def _execute(answers: Answers, rescored: Rescored, items: Mapping[str, Item], *, on: bool) -> None:
    """Execute the programs that the rules read and that have not been executed.

    Raises:
        UsageError: that is off, and a rule executes what a model wrote.
    """
    concerned = [one for one in answers.responses if one.task == rescored.task and one.item in rescored.rules]
    rules = {item: rescored.rule_of(item) for item in rescored.rules}
    owed = [
        program
        for response in concerned
        for program in answers.code.lacking(
            programs_of([rules[response.item]], rescored.item_of(response, items), response)
        )
    ]
    if not owed:
        return
    require_on(rules.values(), on=on)
    waited_for(answers.code.complete(owed))


def _tests_of(spec: ScorerSpec) -> frozenset[str]:
    """Return the fields of items that a rule reads as tests: other tests are no other question."""
    if spec.rule is None:
        return frozenset((*TEST_FIELDS, *SETUP_FIELDS))
    rule = rule_named(spec.rule)
    own = {rule.given.field} if isinstance(rule.given, UnitTests) and rule.given.field else set[str]()
    return frozenset((*TEST_FIELDS, *SETUP_FIELDS, *own)) if rule.program else frozenset()


def _base(evidence: Evidence, task: str, rules: Mapping[str, str]) -> str:
    """Return the metric that is read anew: the headline without its filter; success where it is no pass or fail.

    A rule that measures what the headline measures reads that anew, whatever it is.
    """
    headline = headline_metric(evidence, task)
    if headline in {rule_named(rule).metric for rule in rules.values()}:
        return headline
    return headline.split(",")[0] if scale_of(evidence, headline).kind == "binary" else "success"


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
