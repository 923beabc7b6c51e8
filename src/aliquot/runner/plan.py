"""What a run will ask, settled and checked before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeAlias

import msgspec

from aliquot.analysis.majority import label_of
from aliquot.errors import InputError, UsageError, excerpt, nearest
from aliquot.item_sets.items import Item, ItemSet, digest
from aliquot.item_sets.option_order import OptionOrder, arranged, listed_options
from aliquot.item_sets.samples import Selection, count_of, sample
from aliquot.item_sets.sources import load
from aliquot.runner.evaluation import Evaluation, SampleSpec, ScorerSpec
from aliquot.runner.judge_specs import JudgeSpec, kept_as
from aliquot.runner.order import group_units, ordered, smoke_first, smoke_threads, threads_of
from aliquot.runner.prompts import Prompt
from aliquot.runner.rescoring import Rescored, require_one_metric
from aliquot.runner.scoring import with_retrieved
from aliquot.runner.shots import Shots
from aliquot.runner.stored import StoredRun
from aliquot.scorers.rule import NEEDS, RATE, Reads, Rule
from aliquot.scorers.rules import RULES
from aliquot.scorers.scoring import score
from aliquot.systems.requests import fingerprint


class Question(msgspec.Struct, frozen=True):
    """One attempt of one system at one item."""

    system: str
    item: Item
    attempt: int


Thread: TypeAlias = tuple[Question, ...]
"""Questions that are asked one after the other: the turns of one conversation, or a single question."""


@dataclass(frozen=True)
class Plan:
    """What is asked, of whom, in which order.

    Attributes:
        evaluation: what was asked for.
        item_set: the whole set.
        items: the chosen items in the order in which they are asked, those of the smoke test first; turns of a
            conversation follow each other.
        selection: how they were chosen.
        prompts: the compiled prompt of each system that is asked; stored answers need none.
        rules: the rule of each item, by id.
        alternatives: the rules of each item in the further ways to score, by id.
    """

    evaluation: Evaluation
    item_set: ItemSet
    items: tuple[Item, ...]
    selection: Selection
    prompts: Mapping[str, Prompt]
    rules: Mapping[str, Rule]
    alternatives: tuple[Mapping[str, Rule], ...] = ()

    @property
    def task(self) -> str:
        """The task's name: the evaluation's, else the item set's."""
        return self.evaluation.task or self.item_set.name

    @property
    def total(self) -> int:
        """Number of answers the run needs."""
        return len(self.evaluation.systems) * len(self.items) * self.evaluation.attempts

    @property
    def is_headline(self) -> bool:
        """Whether the items stand for the set; those asked again because two systems differ on them do not."""
        return not self.selection.how.startswith("only ")

    @property
    def metric(self) -> str:
        """The metric of the headline."""
        return next(iter(self.rules.values())).metric

    @property
    def smoke(self) -> tuple[Item, ...]:
        """The items that every system is asked before any is asked the rest; conversations are whole."""
        threads = threads_of(self.items)
        count = smoke_threads(threads, self.evaluation.guards.first)
        return tuple(item for thread in threads[:count] for item in thread)

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """What the right answer of each item is called, by id, where it is a word or two that others may share."""
        wanted = {item.id: label_of(self.rules[item.id].wanted(item)) for item in self.items}
        return {item: label for item, label in wanted.items() if label is not None}

    @property
    def every_rule(self) -> Iterator[Rule]:
        """The rules of all items, in every way to score."""
        return (rule for rules in (self.rules, *self.alternatives) for rule in rules.values())

    @property
    def judge_specs(self) -> tuple[JudgeSpec, ...]:
        """The judges among the scorers."""
        specs = (self.evaluation.scorer, *self.evaluation.alternatives)
        return tuple(spec.judge for spec in specs if spec.judge is not None)

    def rescored(self) -> tuple[Rescored, ...]:
        """Return the further ways to score, in the form in which their outcomes are made."""
        return tuple(
            Rescored(
                task=self.task,
                base=self.metric if self.evaluation.scorer.judge is None else RATE,
                rules={item: kept_as(rule) for item, rule in rules.items()},
                judge=None if spec.judge is None else spec.judge.kept,
            )
            for spec, rules in zip(self.evaluation.alternatives, self.alternatives, strict=True)
        )

    def questions(self, system: str) -> Iterator[Question]:
        """Return what a system is asked, in order: every item once, then all again for the next attempt.

        An item comes with its options in the order in which this system is shown them, its reference with them.
        """
        return (question for thread in self.threads(system) for question in thread)

    def threads(self, system: str) -> Iterator[Thread]:
        """Return the same questions as the threads in which they are asked; each attempt is a conversation anew."""
        order = self.evaluation.systems[system].option_order
        items = [arranged(item, order) for item in self.items]
        threads = threads_of(items)
        for attempt in range(1, self.evaluation.attempts + 1):
            for together in threads:
                yield tuple(Question(system, item, attempt) for item in together)


def make_plan(evaluation: Evaluation, *, limit: int | str | None = None, whole_units: bool = False) -> Plan:
    """Load the items, choose and order them, render every prompt and try every reference.

    Args:
        evaluation: what is to be run.
        limit: ask this many items only, or a share like ``50%``, rounded up: a seeded part, stratified by the
            sample's field or the first segment, and never the first rows.
        whole_units: let clusters stand whole in the order that is drawn, with no smoke test drawn along strata before
            it, so that the run may stop after any of them.

    Raises:
        UsageError: an unknown item set or field, or a sample that cannot be drawn.
        InputError: an item that cannot be asked or scored, or a prompt that cannot be filled.
    """
    evaluation, item_set = evaluation.with_judges(), load(evaluation.items)
    _require_fields(evaluation, item_set)
    _require_whole(evaluation.cluster, item_set)
    part = _part(evaluation, limit=limit)
    chosen, selection = item_set.items, Selection(how="all", n=len(item_set), of=len(item_set))
    wanted = len(item_set) if part is None else count_of(part.items, of=len(item_set))
    if part is not None and wanted < len(item_set):
        chosen, selection = sample(
            item_set, wanted, by=part.by, cluster=evaluation.cluster, seed=evaluation.seed
        )
        if not chosen:
            raise UsageError(
                f"no whole {selection.cluster or 'cluster'} fits into a sample of {wanted} items; "
                "ask for more items"
            )
    elif wanted > len(item_set):
        raise UsageError(f"the sample asks for {wanted} items; {item_set.name!r} has {len(item_set)}")
    prompts = _prompts(evaluation, item_set)
    _require_fillable(evaluation, prompts, chosen)
    orders = tuple(dict.fromkeys(spec.option_order for spec in evaluation.systems.values()))
    told = any(spec.may_tell_stages for spec in evaluation.systems.values())
    tried = tuple(with_retrieved(item, ("a text",)) for item in chosen) if told else chosen
    rules, *alternatives = (
        _rules(spec, tried, orders, file=item_set.source)
        for spec in (evaluation.scorer, *evaluation.alternatives)
    )
    plan = Plan(
        evaluation=evaluation,
        item_set=item_set,
        items=ordered(chosen, seed=evaluation.seed),
        selection=selection,
        prompts=prompts,
        rules=rules,
        alternatives=tuple(alternatives),
    )
    _require_read(plan)
    if whole_units:
        return replace(plan, items=group_units(plan.items, evaluation.cluster))
    by, guards = _strata(evaluation), evaluation.guards
    labels = {} if by else plan.labels
    return replace(
        plan, items=smoke_first(plan.items, first=guards.first, seed=evaluation.seed, by=by, labels=labels)
    )


def _strata(evaluation: Evaluation) -> str | None:
    """Return the field along which a part of the items is drawn: the sample's, else the first segment."""
    by = evaluation.sample.by if evaluation.sample else None
    return by or next(iter(evaluation.segments), None)


def _part(evaluation: Evaluation, *, limit: int | str | None) -> SampleSpec | None:
    return evaluation.sample if limit is None else SampleSpec(items=limit, by=_strata(evaluation))


def _require_fields(evaluation: Evaluation, item_set: ItemSet) -> None:
    by = None if evaluation.sample is None else evaluation.sample.by
    named = {"cluster": evaluation.cluster, "scorer": evaluation.scorer.field, "sample (by)": by}
    named |= {f"scorers ({spec.field})": spec.field for spec in evaluation.alternatives}
    named |= {f"segments ({name})": name for name in evaluation.segments}
    for key, name in named.items():
        if name is not None and name not in item_set.field_names:
            raise UsageError(
                f"{key}: items of {item_set.name!r} have no field {name!r}. "
                f"{nearest(name, item_set.field_names)}"
            )


def _require_whole(cluster: str | None, item_set: ItemSet) -> None:
    """Refuse a cluster field that tells turns of one conversation apart, which are not independent."""
    shared: dict[str, Item] = {}
    for item in item_set.items if cluster else ():
        first = shared.setdefault(item.conversation, item) if item.conversation else item
        if first.text(cluster or "") != item.text(cluster or ""):
            raise InputError(
                f"the cluster {cluster!r} is another in {item.id!r} than in {first.id!r} of the same conversation",
                file=item_set.source,
                row=item.row,
                field=cluster,
                remedy="Write it beside the turns, or leave cluster out: turns are clustered by conversation",
            )


def _prompts(evaluation: Evaluation, item_set: ItemSet) -> dict[str, Prompt]:
    found: dict[str, Prompt] = {}
    for name, spec in evaluation.systems.items():
        if isinstance(spec.model, StoredRun):
            continue
        shots = None
        if spec.shots is not None:
            shots = Shots(spec.shots, item_set, cluster=evaluation.cluster, order=spec.option_order)
        found[name] = Prompt(name, spec, file=evaluation.file, shots=shots)
    return found


def _require_fillable(evaluation: Evaluation, prompts: Mapping[str, Prompt], items: tuple[Item, ...]) -> None:
    """Fill every prompt for every item, and refuse two variants of a system that ask all of them the same."""
    fields = tuple(dict.fromkeys(name for item in items for name in item.inputs))
    asked: dict[tuple[str, str], str] = {}
    for name, prompt in prompts.items():
        spec = evaluation.systems[name]
        prompt.require_field(fields)
        if spec.option_order.how != "as_given" and not any(map(listed_options, items)):
            raise UsageError(f"option_order of {name!r}: no item lists options in a field options or choices")
        requests = [prompt.check(arranged(item, spec.option_order)) for item in items]
        if spec.variant is not None:
            twin = asked.setdefault((spec.variant.of, digest([fingerprint(one) for one in requests])), name)
            if twin != name:
                raise UsageError(
                    f"the variants {twin!r} and {name!r} ask every item the same. Change one, or leave it out; "
                    "attempts: 2 shows what one prompt moves by itself"
                )


def _rules(
    spec: ScorerSpec, items: tuple[Item, ...], orders: tuple[OptionOrder, ...], *, file: str
) -> dict[str, Rule]:
    """Return the rule of each item, after checking that it can score the item and that all measure the same.

    An error of an item names the file it comes from.
    """
    try:
        found = {item.id: _rule(spec, item, orders) for item in items}
    except InputError as error:
        if error.file is not None:
            raise
        raise InputError(
            error.problem, file=file, row=error.row, field=error.field, remedy=error.remedy
        ) from error
    require_one_metric(found.values())
    return found


def _require_read(plan: Plan) -> None:
    """Refuse rules that the answers hold nothing for: the headline's for every system, others for all of them.

    Raises:
        UsageError: there is nothing to read, or two ways to score would go by one name.
    """
    systems = plan.evaluation.systems
    for rule in sorted(set(plan.rules.values()), key=lambda rule: rule.name):
        for name, spec in systems.items():
            if rule.reads not in spec.gives:
                raise UsageError(
                    f"the rule {rule.name!r} reads {NEEDS[rule.reads]}; {name!r} has mode: {spec.mode}. "
                    f"{_fitting(spec.gives)}"
                )
        if rule.pools:
            raise UsageError(
                f"{rule.label} scores all attempts at an item together, so it makes no headline. Put a rule of each "
                f"attempt first: scorers: [words, {rule.label}]"
            )
        if rule.whole_only:
            raise UsageError(
                f"{rule.name} is a number of all texts together and no one text has it, so it makes no headline. Put "
                f"one of each text first: scorers: [{_BESIDE[rule.reads]}, {rule.name}]"
            )
    for rules in plan.alternatives:
        for rule in sorted(set(rules.values()), key=lambda rule: rule.name):
            if not any(rule.reads in spec.gives for spec in systems.values()):
                raise UsageError(
                    f"scorers: the rule {rule.name!r} reads {NEEDS[rule.reads]}; no system has that"
                )
    names = [plan.metric, *(one.metric for one in plan.rescored())]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"scorers holds two ways to score that would both be called {twice!r}")


_BESIDE: Final[Mapping[Reads, str]] = {"text": "token_f1", "likelihood": "bits_per_byte"}
"""A rule with a value of each text, by what it reads."""


_PROBABILITIES: Final[tuple[Reads, ...]] = ("options", "unconditional", "tokens", "likelihood")
"""What only some modes of asking give."""


def _fitting(gives: tuple[Reads, ...]) -> str:
    """Return the sentence that names the rules which read what a system gives, its own first."""
    fitting = [rule for rule in RULES.values() if rule.reads in gives]
    own = [rule.name for rule in fitting if rule.reads in _PROBABILITIES]
    return f"Rules that can read it: {', '.join(own or [rule.name for rule in fitting])}"


def _rule(spec: ScorerSpec, item: Item, orders: tuple[OptionOrder, ...]) -> Rule:
    """Return the item's rule, after checking that it can score the item in every order of its options."""
    rule = spec.rule_of(item)
    for order in orders:
        _require_right(rule, arranged(item, order))
    return rule


def _require_right(rule: Rule, item: Item) -> None:
    answers = rule.right_answers(item)
    if not answers:
        rule.try_on(item)
    for place, answer in enumerate(answers):
        scored = score(rule, item, answer)
        if scored.value != 1.0:
            why = f" ({scored.note})" if scored.status == "error" else ""
            what, so = ("the reference", ", so no answer could be") if not place else (excerpt(answer), "")
            raise InputError(
                f"{what} of item {item.id!r} is not right by its own rule {rule.name!r}{so}{why}",
                row=item.row,
                field="accept" if place else "reference",
                remedy=f"Correct {'it' if place else 'the reference'}, or name another rule",
            )
