"""Stored answers scored one by one by another rule, or by a judge that is asked about them."""

from __future__ import annotations

from collections.abc import Mapping

from aliquot.analysis.scales import scale_of
from aliquot.evidence.contents import headline_metric
from aliquot.evidence.tables import Evidence
from aliquot.item_sets.items import Item, ItemSet
from aliquot.item_sets.option_order import AS_GIVEN, arranged
from aliquot.item_sets.sources import load as load_items
from aliquot.runner.evaluation import Evaluation, ScorerSpec
from aliquot.runner.executions import programs_of, require_on
from aliquot.runner.judge_specs import JudgeSpec
from aliquot.runner.judging import Judging, questions_of
from aliquot.runner.judging_stored import Asked, AskTerms
from aliquot.runner.rescoring import Rescored, require_items, require_read, rules_of, with_rescored
from aliquot.runner.scoring import with_retrieved
from aliquot.scorers.code import SETUP_FIELDS, TEST_FIELDS, UnitTests
from aliquot.scorers.rule import RATE
from aliquot.scorers.rules import rule_named
from aliquot.verbs.judging import replied, waited_for
from aliquot.verbs.stored_answers import Answers


def scored_anew(
    answers: Answers,
    spec: ScorerSpec,
    evaluation: Evaluation | None,
    *,
    execute_code: bool,
    terms: AskTerms,
) -> tuple[Evidence, tuple[Rescored, ...], Asked]:
    """Return the evidence with a new metric for each task, how it came about, and what judges said.

    Args:
        answers: what is on record.
        spec: the rule or the judge.
        evaluation: whose items give references, accepted answers and options; None for the answers' own.
        execute_code: whether programs in answers may be executed.
        terms: how a judge is asked.

    Raises:
        UsageError: a rule executes what a model wrote, and that is off.
        InputError: an item lacks what the rule needs, or the answers do not tell it.
        RunStoppedError: the judging was stopped.
    """
    listed = load_items(evaluation.items) if evaluation is not None else None
    evidence, made, asked = answers.evidence, list[Rescored](), Asked(answers.judgements, {})
    for task in answers.items:
        one, items = _planned(answers, evidence, task, spec=spec, listed=listed)
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


def _planned(
    answers: Answers, evidence: Evidence, task: str, *, spec: ScorerSpec, listed: ItemSet | None
) -> tuple[Rescored, Mapping[str, Item]]:
    """Return how the answers to a task are scored anew, and the items that say what is right."""
    items, file = _items(answers, task, spec=spec, listed=listed)
    told = not evidence.stages.is_empty()
    tried = [with_retrieved(item, ("a text",)) for item in items.values()] if told else items.values()
    rules = rules_of(spec, tried, file=file)
    one = Rescored(
        task=task,
        base=RATE if spec.judge is not None else _base(evidence, task, rules),
        rules=rules,
        items="" if listed is None else listed.hash[:8],
        fields={} if listed is None else {item: dict(about.fields) for item, about in items.items()},
        judge=None if spec.judge is None else spec.judge.kept,
    )
    require_read(one, answers.responses, file=file, whole=answers.whole)
    return one, items


def _items(
    answers: Answers, task: str, *, spec: ScorerSpec, listed: ItemSet | None
) -> tuple[Mapping[str, Item], str]:
    """Return the items of a task, of the evaluation's own where there is one, and where they stand."""
    own = answers.items[task]
    if listed is None:
        return own, f"{answers.file}, task {task}" if len(answers.items) > 1 else answers.file
    known = {item.id: item for item in listed.items}
    asked = own if answers.inputs_known else dict.fromkeys(own)
    require_items(asked, known, file=listed.source, apart=_tests_of(spec))
    return {item: known[item] for item in own}, listed.source


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
    return replied(answers, spec, questions, before, terms=terms)


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
