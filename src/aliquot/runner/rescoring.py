"""Scoring stored answers by another rule: nothing is asked, nothing is overwritten, both outcomes stay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
import polars as pl

from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import conform
from aliquot.evidence.identity import inputs_text
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, Evidence, Texts
from aliquot.evidence.texts import HeldTexts, MergedTexts
from aliquot.files.records import Response
from aliquot.files.run_directory import RunDirectory
from aliquot.files.writing import write_whole
from aliquot.item_sets.items import Item
from aliquot.item_sets.option_order import AS_GIVEN, OptionOrder, arranged
from aliquot.runner.evaluation import ScorerSpec
from aliquot.runner.judge_specs import KeptJudge, kept_as
from aliquot.runner.scoring import (
    Executed,
    Judged,
    Whole,
    as_recorded,
    not_executed,
    not_judged,
    read_by,
    score_attempts,
    score_response,
)
from aliquot.scorers.rule import NEEDS, RATE, Rule
from aliquot.scorers.rules import rule_named

RESCORINGS: Final = "rescorings.jsonl"
"""The file of a run directory that holds by which further rules its answers are scored, one a line."""

_NAMED: Final = 5
"""Items named in a message."""


class Rescored(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A further way to score the answers of a task.

    Attributes:
        task: the task.
        base: the metric that is read anew; the name of the new one begins with it.
        rules: the rule of each item.
        items: the first 8 digits of the item set's hash when references and options are not the run's own.
        fields: the items' fields then, by item.
        judge: the judge that scores all of them; None where rules do.
    """

    task: str
    base: str
    rules: dict[str, str]
    items: str = ""
    fields: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict[str, dict[str, Any]])
    judge: KeptJudge | None = None

    def rule_of(self, item: str) -> Rule:
        """Return the rule of an item."""
        return self.judge.rule if self.judge is not None else rule_named(self.rules[item])

    def item_of(self, response: Response, items: Mapping[str, Item]) -> Item:
        """Return the item that a response is scored by."""
        return Item(response.item, self.fields.get(response.item) or items[response.item].fields)

    @property
    def scorer(self) -> str:
        """The rules with their versions, and the items where they are other ones: ``words/1@3f9a12bc``."""
        if self.judge is not None:
            return f"{self.judge.label}@{self.items}" if self.items else self.judge.label
        rules = (rule_named(name) for name in sorted(set(self.rules.values())))
        named = "+".join(f"{rule.label}/{rule.version}" for rule in rules)
        return f"{named}@{self.items}" if self.items else named

    @property
    def metric(self) -> str:
        """The metric's name: what is read anew, and by which rule; or what a rule measures that has its own metric."""
        own = self.measures.metric
        if self.judge is not None:
            named = f"{own},{self.judge.asked}"
            return f"{named}@{self.items}" if self.items else named
        if own in {RATE, self.base}:
            return f"{self.base},{self.scorer}"
        return f"{own}@{self.items}" if self.items else own

    @property
    def measures(self) -> Rule:
        """The first of the rules, which says what the values of all are."""
        return self.judge.rule if self.judge is not None else rule_named(min(self.rules.values()))


def rules_of(scorer: ScorerSpec, items: Iterable[Item], *, file: str) -> dict[str, str]:
    """Return the rule of each item, after checking that it can score the item.

    Args:
        scorer: one rule, or the field that names each item's.
        items: what was asked.
        file: where the items come from, for messages.

    Raises:
        InputError: an item names no rule, or lacks what its rule needs.
        UsageError: a rule that does not exist.
    """
    found: dict[str, str] = {}
    for item in items:
        try:
            rule = scorer.rule_of(item)
            rule.try_on(item)
        except InputError as error:
            remedy = error.remedy or "Give items that have it: --evaluation FILE"
            problem = error.problem if item.id in error.problem else f"item {item.id!r}: {error.problem}"
            raise InputError(problem, file=file, row=error.row, field=error.field, remedy=remedy) from error
        found[item.id] = kept_as(rule)
    if scorer.judge is None:
        require_one_metric(rule_named(name) for name in found.values())
    return found


def require_one_metric(rules: Iterable[Rule]) -> None:
    """Refuse rules whose values are not of one kind.

    Raises:
        UsageError: some are of another metric than others.
    """
    metrics = {rule.metric: rule.name for rule in sorted(set(rules), key=lambda rule: rule.name)}
    if len(metrics) > 1:
        one, other, *_ = metrics.values()
        raise UsageError(
            f"the rules {one!r} and {other!r} measure different things, which make no one metric"
        )


def require_items(
    wanted: Mapping[str, Item | None],
    given: Mapping[str, Item],
    *,
    file: str,
    apart: frozenset[str] = frozenset(),
) -> None:
    """Refuse items that are not those that were asked.

    Args:
        wanted: the items that were asked, by id; None where what they asked is not known.
        given: the items to score by.
        file: where they come from.
        apart: fields that may be others: those that the rule reads to score.

    Raises:
        InputError: an item is not there, or asks something else.
    """
    lacking = [item for item in wanted if item not in given]
    if lacking:
        raise InputError(
            f"{len(lacking)} of {len(wanted)} items that were asked are not in it: {_some(lacking)}",
            file=file,
            remedy="Give the item set that was asked, with the same ids",
        )
    other = [
        item
        for item, asked in wanted.items()
        if asked is not None and _asks(asked, apart) != _asks(given[item], apart)
    ]
    if other:
        raise InputError(
            f"{len(other)} of {len(wanted)} items ask something else than was asked: {_some(other)}",
            file=file,
            remedy="A changed question needs a new run; references, accepted answers and options may change",
        )


def with_rescored(
    evidence: Evidence,
    rescored: Rescored,
    responses: Iterable[Response],
    items: Mapping[str, Item],
    *,
    orders: Mapping[str, OptionOrder] | None = None,
    whole: Whole = as_recorded,
    executed: Executed = not_executed,
    judged: Judged = not_judged,
) -> Evidence:
    """Return the evidence with one more metric: the same responses scored by other rules.

    A metric of the same name, made earlier, is replaced.

    Args:
        evidence: the tables.
        rescored: the rules.
        responses: what came back; those of other tasks are left out.
        items: what was asked, by id; fields that ``rescored`` keeps stand above them.
        orders: in which order each system was shown options, where not as given.
        whole: reads an answer whole, for rules that read how it came about.
        executed: finds how a program ended, for rules that read that.
        judged: finds what judges replied, for rules that read that.
    """
    shown = orders or {}
    concerned = [one for one in responses if one.task == rescored.task and one.item in rescored.rules]
    able = systems_read(rescored, concerned, whole=whole)
    rows = [
        _outcome(
            rescored,
            together,
            items,
            order=shown.get(together[0].system, AS_GIVEN),
            whole=whole,
            executed=executed,
            judged=judged,
        )
        for together in _together(rescored, concerned)
        if together[0].system in able
    ]
    if not rows:
        return evidence
    fresh = conform("outcomes", pl.DataFrame(rows, infer_schema_length=None))
    described = describe_metric(
        rescored.measures, rescored.metric, fresh["value"], headline=False, judge=rescored.judge
    )
    earlier = (pl.col("metric") == rescored.metric) & (pl.col("task") == rescored.task)
    return evidence.revise(
        texts=with_notes(evidence.texts, rows),
        outcomes=pl.concat([evidence.outcomes.filter(~earlier), fresh], how="diagonal"),
        metrics=pl.concat(
            [
                evidence.metrics.filter(pl.col("metric") != rescored.metric),
                pl.DataFrame([described], schema=dict(METRICS)),
            ]
        ),
    )


def with_notes(texts: Texts | None, outcomes: Iterable[Mapping[str, Any]]) -> Texts | None:
    """Return texts with what judges said of outcomes: those that hold a note."""
    notes = {
        (one["system"], one["task"], one["item"], one["attempt"], one["metric"]): one["note"]
        for one in outcomes
        if one["note"]
    }
    if not notes:
        return texts
    return MergedTexts((HeldTexts(notes=notes), *((texts,) if texts is not None else ())))


def systems_read(
    rescored: Rescored, responses: Iterable[Response], *, whole: Whole = as_recorded
) -> frozenset[str]:
    """Return the systems whose responses hold what the rules read; a choice by likelihoods reads no written answer."""
    return frozenset(
        response.system
        for response in responses
        if read_by(rescored.rule_of(response.item), response, whole) is not None
    )


def _asks(item: Item, apart: frozenset[str]) -> str | None:
    return inputs_text({name: value for name, value in item.inputs.items() if name not in apart})


def require_read(
    rescored: Rescored, responses: Iterable[Response], *, file: str, whole: Whole = as_recorded
) -> None:
    """Refuse rules that read what no response holds.

    Raises:
        InputError: there is nothing for them to read.
    """
    concerned = [one for one in responses if one.task == rescored.task and one.item in rescored.rules]
    if concerned and not systems_read(rescored, concerned, whole=whole):
        rule = rescored.measures
        raise InputError(f"no answer holds what the rule {rule.name!r} reads: {NEEDS[rule.reads]}", file=file)


def describe_metric(
    rule: Rule, name: str, values: pl.Series, *, headline: bool, judge: KeptJudge | None = None
) -> dict[str, Any]:
    """Return the row of the table ``metrics`` for a rule's values.

    Args:
        rule: the rule, or one of several that measure the same.
        name: the metric's name.
        values: its values.
        headline: whether it is the run's main metric.
        judge: the judge that gave them; None where a rule did.
    """
    bounds = {} if rule.kind == "real" else {"low": rule.low, "high": rule.high}
    row = metric_row(name, values, kind=rule.kind, better=rule.better, headline=headline, **bounds)
    failed = row["low"] if rule.better == "higher" else row["high"]
    about = {"combine": rule.combine, "judge": None if judge is None else judge.asked}
    return row | about | {"on_failure": None if rule.whole_only else failed}


def read_rescorings(run: RunDirectory) -> tuple[Rescored, ...]:
    """Return the further rules of a run, in the order in which they were given.

    Raises:
        InputError: the file cannot be read.
    """
    path = run.path / RESCORINGS
    if not path.exists():
        return ()
    try:
        return tuple(msgspec.json.Decoder(Rescored).decode_lines(path.read_bytes()))
    except msgspec.MsgspecError as error:
        raise InputError(
            f"not a run's rescorings: {error}", file=str(path), remedy="Take it away and rescore again"
        ) from error


def keep_rescoring(run: RunDirectory, rescored: Rescored) -> None:
    """Keep a further rule with the run, in the place of an earlier one of the same name.

    Raises:
        MachineError: the machine refuses.
    """
    others = [
        one for one in read_rescorings(run) if (one.task, one.metric) != (rescored.task, rescored.metric)
    ]
    lines = (msgspec.json.encode(one) + b"\n" for one in (*others, rescored))
    write_whole(run.path / RESCORINGS, b"".join(lines))


def _together(rescored: Rescored, responses: Iterable[Response]) -> Iterator[tuple[Response, ...]]:
    """Yield each response, and where a rule pools them all attempts at an item at once."""
    pooled: dict[tuple[str, str], list[Response]] = {}
    for response in responses:
        if rescored.rule_of(response.item).pools:
            pooled.setdefault((response.system, response.item), []).append(response)
        else:
            yield (response,)
    for attempts in pooled.values():
        yield tuple(sorted(attempts, key=lambda one: one.attempt))


def _outcome(
    rescored: Rescored,
    together: tuple[Response, ...],
    items: Mapping[str, Item],
    *,
    order: OptionOrder,
    whole: Whole,
    executed: Executed,
    judged: Judged,
) -> dict[str, Any]:
    """Return the outcome of a response, or of several attempts together, which is that of the first."""
    response = together[0]
    item = arranged(rescored.item_of(response, items), order)
    rule = rescored.rule_of(response.item)
    found = (
        score_attempts(rule, item, together)
        if rule.pools
        else score_response(rule, item, response, whole=whole, executed=executed, judged=judged)
    )
    key = {name: getattr(response, name) for name in ("system", "task", "item", "attempt")}
    scored = {"value": found.value, "label": found.label, "status": found.status, "parts": found.parts}
    by = "rule" if rescored.judge is None else "judge"
    note = None if rescored.judge is None else found.note
    return key | scored | {"by": by, "note": note} | {"metric": rescored.metric, "scorer": rescored.scorer}


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"
