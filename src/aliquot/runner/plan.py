"""What a run will ask, settled and checked before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from aliquot.errors import InputError, UsageError, nearest
from aliquot.item_sets.items import Item, ItemSet
from aliquot.item_sets.samples import Selection, sample
from aliquot.item_sets.sources import load
from aliquot.runner.evaluation import Evaluation, SampleSpec
from aliquot.runner.prompts import Prompt
from aliquot.runner.stored import StoredRun
from aliquot.scorers.rules import Rule, rule_named, score

ORDER: Final = "numpy default_rng([seed, 1]) permutation of the ids in byte order"
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
        items: the chosen items in the order in which they are asked.
        selection: how they were chosen.
        prompts: the compiled prompt of each system that is asked; stored answers need none.
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
    prompts = {
        name: Prompt(name, spec, file=evaluation.file)
        for name, spec in evaluation.systems.items()
        if not isinstance(spec.model, StoredRun)
    }
    fields = tuple(dict.fromkeys(name for item in chosen for name in item.inputs))
    for prompt in prompts.values():
        prompt.require_field(fields)
        for item in chosen:
            prompt.request(item)
    return Plan(
        evaluation=evaluation,
        item_set=item_set,
        items=_ordered(chosen, seed=evaluation.seed),
        selection=selection,
        prompts=prompts,
        rules={item.id: _rule(evaluation, item) for item in chosen},
    )


def _part(evaluation: Evaluation, *, limit: int | None) -> SampleSpec | None:
    if limit is None:
        return evaluation.sample
    by = evaluation.sample.by if evaluation.sample else next(iter(evaluation.segments), None)
    return SampleSpec(items=limit, by=by)


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
    score(rule, item, "")
    own = rule.right_answer(item)
    if own is not None and score(rule, item, own).value != 1.0:
        raise InputError(
            f"the reference of item {item.id!r} is not right by its own rule {rule.name!r}, so no answer could be",
            row=item.row,
            field="reference",
            remedy="Correct the reference, or name another rule",
        )
    return rule


def _ordered(items: tuple[Item, ...], *, seed: int) -> tuple[Item, ...]:
    by_id = sorted(items, key=lambda item: item.id.encode("utf-8", "surrogatepass"))
    return tuple(by_id[index] for index in np.random.default_rng([seed, 1]).permutation(len(by_id)))
