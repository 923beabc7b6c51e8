"""What a run will ask, settled and checked before anything is spent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from aliquot.analysis.majority import label_of
from aliquot.errors import InputError, UsageError, excerpt, nearest
from aliquot.item_sets.items import Item, ItemSet
from aliquot.item_sets.samples import Selection, sample
from aliquot.item_sets.sources import load
from aliquot.runner.evaluation import Evaluation, SampleSpec
from aliquot.runner.prompts import Prompt
from aliquot.scorers.rules import Rule, rule_named, score

ORDER: Final = (
    "numpy default_rng([seed, 1]) permutation of the ids in byte order, the items of the smoke test first: "
    "every item as likely, a systematic draw along the strata by default_rng([seed, 2])"
)
"""How the order of a run comes about; recorded with it."""


@dataclass(frozen=True, slots=True)
class Question:
    """One attempt of one system at one item."""

    system: str
    item: Item
    attempt: int


@dataclass(frozen=True)
class Plan:
    """What is asked, of whom, in which order.

    Attributes:
        evaluation: what was asked for.
        item_set: the whole set.
        items: the chosen items in the order in which they are asked, those of the smoke test first.
        selection: how they were chosen.
        prompts: the compiled prompt of each system.
        rules: the rule of each item, by id.
    """

    evaluation: Evaluation
    item_set: ItemSet
    items: tuple[Item, ...]
    selection: Selection
    prompts: Mapping[str, Prompt]
    rules: Mapping[str, Rule]

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
    def smoke(self) -> tuple[Item, ...]:
        """The items that every system is asked before any is asked the rest."""
        return self.items[: self.evaluation.guards.first]

    @property
    def labels(self) -> Mapping[str, str]:
        """What the right answer of each item is called, by id, where it is a word or two that others may share."""
        wanted = {item.id: label_of(self.rules[item.id].wanted(item)) for item in self.items}
        return {item: label for item, label in wanted.items() if label is not None}

    def questions(self, system: str) -> Iterator[Question]:
        """Return what a system is asked, in order: every item once, then all again for the next attempt."""
        for attempt in range(1, self.evaluation.attempts + 1):
            for item in self.items:
                yield Question(system, item, attempt)


def make_plan(evaluation: Evaluation, *, limit: int | None = None) -> Plan:
    """Load the items, choose and order them, render every prompt and try every reference.

    Args:
        evaluation: what is to be run.
        limit: ask this many items only: a seeded part, stratified by the sample's field or the first segment,
            and never the first rows.

    Raises:
        UsageError: an unknown item set or field, or a sample that cannot be drawn.
        InputError: an item that cannot be asked or scored, or a prompt that cannot be filled.
    """
    item_set = load(evaluation.items)
    _require_fields(evaluation, item_set)
    part = _part(evaluation, limit=limit)
    chosen, selection = item_set.items, Selection(how="all", n=len(item_set), of=len(item_set))
    if part is not None and part.items < len(item_set):
        chosen, selection = sample(
            item_set, part.items, by=part.by, cluster=evaluation.cluster, seed=evaluation.seed
        )
        if not chosen:
            raise UsageError(f"no whole cluster fits into a sample of {part.items} items; ask for more items")
    elif part is not None and part.items > len(item_set):
        raise UsageError(f"the sample asks for {part.items} items; {item_set.name!r} has {len(item_set)}")
    prompts = {name: Prompt(name, spec, file=evaluation.file) for name, spec in evaluation.systems.items()}
    fields = tuple(dict.fromkeys(name for item in chosen for name in item.inputs))
    for prompt in prompts.values():
        prompt.require_field(fields)
        for item in chosen:
            prompt.request(item)
    plan = Plan(
        evaluation=evaluation,
        item_set=item_set,
        items=_ordered(chosen, seed=evaluation.seed),
        selection=selection,
        prompts=prompts,
        rules={item.id: _rule(evaluation, item) for item in chosen},
    )
    return replace(plan, items=_smoke_first(plan, by=_strata(evaluation)))


def _strata(evaluation: Evaluation) -> str | None:
    """Return the field along which a part of the items is drawn: the sample's, else the first segment."""
    by = evaluation.sample.by if evaluation.sample else None
    return by or next(iter(evaluation.segments), None)


def _part(evaluation: Evaluation, *, limit: int | None) -> SampleSpec | None:
    return evaluation.sample if limit is None else SampleSpec(items=limit, by=_strata(evaluation))


def _require_fields(evaluation: Evaluation, item_set: ItemSet) -> None:
    named = {"cluster": evaluation.cluster, "scorer": evaluation.scorer.field}
    named |= {f"segments ({name})": name for name in evaluation.segments}
    for key, name in named.items():
        if name is not None and name not in item_set.field_names:
            raise UsageError(
                f"{key}: items of {item_set.name!r} have no field {name!r}. "
                f"{nearest(name, item_set.field_names)}"
            )


def _rule(evaluation: Evaluation, item: Item) -> Rule:
    """Return the item's rule, after checking that it can score the item."""
    name = evaluation.scorer.rule or item.text(evaluation.scorer.field or "")
    if name is None:
        raise InputError(
            f"item {item.id!r} names no rule", row=item.row, field=evaluation.scorer.field, remedy="Name one"
        )
    rule = rule_named(name)
    rule.require(item)
    for place, answer in enumerate(rule.right_answers(item)):
        if score(rule, item, answer).value != 1.0:
            what, so = ("the reference", ", so no answer could be") if not place else (excerpt(answer), "")
            raise InputError(
                f"{what} of item {item.id!r} is not right by its own rule {rule.name!r}{so}",
                row=item.row,
                field="accept" if place else "reference",
                remedy=f"Correct {'it' if place else 'the reference'}, or name another rule",
            )
    return rule


def _ordered(items: tuple[Item, ...], *, seed: int) -> tuple[Item, ...]:
    by_id = sorted(items, key=lambda item: item.id.encode("utf-8", "surrogatepass"))
    return tuple(by_id[index] for index in np.random.default_rng([seed, 1]).permutation(len(by_id)))


def _smoke_first(plan: Plan, *, by: str | None) -> tuple[Item, ...]:
    """Return the items in order with those of the smoke test first, both parts in the order that was drawn.

    The smoke test is a systematic draw: the items stand by stratum and at random within it, and every n/k-th is taken
    from a random start. So each item is as likely to be in it, and each stratum has its share to within one item.
    Without a field to draw by, the strata are the right answers that several items share.
    """
    items, first = plan.items, plan.evaluation.guards.first
    if not 0 < first < len(items):
        return items
    labels = {} if by else plan.labels
    shared = {label for label, count in Counter(labels.values()).items() if count > 1}
    name = {item.id: item.text(by) if by else labels.get(item.id) for item in items}
    strata: dict[str, str] = {item: label or "" for item, label in name.items() if by or label in shared}
    ranks = {name: rank for rank, name in enumerate(sorted(set(strata.values()) | {""}))}
    along = sorted(
        items, key=lambda item: ranks[strata.get(item.id, "")]
    )  # stable: at random within a stratum
    start = np.random.default_rng([plan.evaluation.seed, 2]).random()
    chosen = {along[int((start + k) * len(along) / first)].id for k in range(first)}
    return (
        *(item for item in items if item.id in chosen),
        *(item for item in items if item.id not in chosen),
    )
