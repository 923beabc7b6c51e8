"""From the answers of a run to its evidence, again and again from the same journal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import starmap
from typing import Any, Final

import msgspec
import polars as pl

from aliquot.analysis.sequence import STOPPING
from aliquot.analysis.settings import COST
from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.identity import inputs_text, text_of
from aliquot.evidence.tables import METRICS, OUTCOMES, RESPONSES, Evidence, Note, Source
from aliquot.files.judgements import Judgement
from aliquot.files.manifest import Manifest
from aliquot.files.records import SYSTEM, Response, settle, spending
from aliquot.files.run_directory import FORMAT, ITEMS, MANIFEST, RunDirectory
from aliquot.files.stored_items import ShownItem, StoredItem, order_key
from aliquot.files.told_stages import told_stages
from aliquot.files.whole_records import WholeRecords
from aliquot.findings.numbers import write_money
from aliquot.item_sets.items import Item
from aliquot.item_sets.option_order import AS_GIVEN, OptionOrder, arranged
from aliquot.runner.evaluation import CHOICE
from aliquot.runner.executions import Executions, unconfined_note
from aliquot.runner.executor import Key, Scored
from aliquot.runner.judge_manifest import kept_judges
from aliquot.runner.judge_specs import KeptJudge, kept_as
from aliquot.runner.judging import Judging, as_response
from aliquot.runner.pairing_judged import read_pairings, with_paired
from aliquot.runner.rescoring import Rescored, describe_metric, read_rescorings, with_notes, with_rescored
from aliquot.runner.scoring import score_response
from aliquot.scorers.rule import RATE, Rule, shortened
from aliquot.scorers.rules import rule_named
from aliquot.scorers.scores import Score

METRIC: Final = RATE
"""The headline metric of right and wrong: 1 when the answer is right by its rule."""


class KeptItem(StoredItem, frozen=True, kw_only=True, omit_defaults=True):
    """An item as a run keeps it, with all its source says: enough to score the run again without the source.

    Attributes:
        fields: the item's fields.
        rule: the rule that scores it.
        alternatives: the rules of the further ways to score it, in their order.
    """

    fields: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    rule: str = ""
    alternatives: tuple[str, ...] = ()

    def as_asked(self) -> Item:
        """Return the item; what was asked before it in its conversation is not with it."""
        return Item(self.item, self.fields, conversation=self.conversation)


def keep_item(
    item: Item,
    *,
    task: str,
    rule: Rule,
    alternatives: tuple[str, ...] = (),
    orders: Iterable[OptionOrder] = (),
) -> KeptItem:
    """Return an item in the form a run directory keeps.

    Args:
        item: the item.
        task: its task.
        rule: the rule that scores it.
        alternatives: the rules of the further ways to score it.
        orders: the orders in which systems are shown its options.
    """
    shown = {order_key(order.how, order.by): _shown(item, order) for order in orders}
    return KeptItem(
        task=task,
        item=item.id,
        inputs=inputs_text(item.inputs),
        reference=text_of(item.reference) or rule.wanted(item),
        content=item.content,
        conversation=item.conversation,
        said=None if item.before is None else inputs_text(item.said),
        fields=dict(item.fields),
        rule=kept_as(rule),
        alternatives=alternatives,
        shown={key: texts for key, texts in shown.items() if texts is not None},
    )


def _shown(item: Item, order: OptionOrder) -> ShownItem | None:
    """Return an item's texts with its options in an order; None when that is the order they have."""
    other = arranged(item, order)
    if other.fields == item.fields:
        return None
    moved = text_of(other.reference) if other.reference != item.reference else None
    said = None if item.before is None else inputs_text(other.said)
    return ShownItem(inputs=inputs_text(other.inputs), reference=moved, said=said)


def read_kept_items(run: RunDirectory) -> tuple[KeptItem, ...]:
    """Return the items of a run in the order in which they are asked; empty when none are kept yet.

    Raises:
        InputError: the file cannot be read.
    """
    path = run.path / ITEMS
    if not path.exists():
        return ()
    try:
        return tuple(msgspec.json.Decoder(KeptItem).decode_lines(path.read_bytes()))
    except msgspec.MsgspecError as error:
        raise InputError(f"not a run's items: {error}", file=str(path)) from error


def build_evidence(run: RunDirectory, *, scored: Mapping[Key, Scored] | None = None) -> Evidence:
    """Score every answer on record and return the tables; nothing is asked.

    Attempts that were never answered are rows with status ``missing``, so that an unfinished run cannot pass for a
    smaller one.

    Args:
        run: the directory.
        scored: answers whose score is known already; what stands otherwise in the journal is scored anew.

    Raises:
        InputError: the directory holds no run.
    """
    manifest = run.manifest
    kept = read_kept_items(run)
    if manifest is None or not kept:
        raise InputError("holds no run yet", file=str(run.path), remedy="Start it: aliquot run FILE")
    stopping = manifest.stopping
    kept = kept[: stopping.get("items", 0)] if stopping.get("settled") else kept
    contents = run.read_journal()
    responses = {record.key: record for record in settle(contents.records)}
    items = {item.item: item.as_asked() for item in kept}
    orders = {system: order_of(manifest, system) for system in manifest.systems}
    judges = kept_judges(manifest.judges, file=str(run.path / MANIFEST))
    headline = judges.get(kept[0].rule)
    rules = {item.item: headline.rule if headline else rule_named(item.rule) for item in kept}
    whole = WholeRecords(run.journal_path, contents)
    executed, judged = Executions(contents.programs), Judging(contents.judgements)
    rows = [_response(responses, key) for key in _attempts(manifest, kept)]
    scores = [
        _known(scored or {}, row)
        or score_response(
            rules[row.item],
            arranged(items[row.item], orders[row.system]),
            row,
            whole=whole,
            executed=executed,
            judged=judged,
        )
        for row in rows
    ]
    unfinished = sum(row.status == "missing" for row in rows)
    notes = [Note(note.code, note.text) for note in contents.notes] + list(_notes(manifest))
    if unfinished:
        notes.append(Note("unfinished", f"{unfinished} of {len(rows)} answers are not given yet"))
    if note := unconfined_note(executed.records):
        notes.append(note)
    rule = rules[kept[0].item]
    answers = _answers(rows, scores, judged=headline is not None)
    scorer = _scorer_name(manifest) if headline is None else headline.label
    outcomes = _outcomes(answers, scores, metric=rule.metric, scorer=scorer, judged=headline is not None)
    described = describe_metric(rule, rule.metric, outcomes["value"], headline=True, judge=headline)
    evidence = assemble(
        outcomes,
        items=pl.DataFrame(
            [
                _item_row(manifest, item, items[item.item], place=place)
                for place, item in enumerate(kept, start=1)
            ],
            infer_schema_length=None,
        ),
        responses=answers,
        metrics=pl.DataFrame([described], schema=dict(METRICS)),
        settings=pl.DataFrame(
            [*_settings(manifest), *_cost_settings(contents.records, contents.judgements)],
            schema=["system", "name", "value"],
            orient="row",
        ),
        stages=told_stages(run.journal_path, contents),
        sources=(Source(path=str(run.path), format=FORMAT),),
        notes=notes,
        texts=run.texts if headline is None else with_notes(run.texts, _noted(rows, scores, rule.metric)),
    )
    for rescored in (*_alternatives(kept, rules, judges), *read_rescorings(run)):
        evidence = with_rescored(
            evidence,
            rescored,
            responses.values(),
            items,
            orders=orders,
            whole=whole,
            executed=executed,
            judged=judged,
        )
    for paired in read_pairings(run):
        evidence = with_paired(evidence, paired, responses.values(), items, judged=judged, whole=whole)
    return evidence


def _noted(rows: Iterable[Response], scores: Iterable[Score], metric: str) -> Iterator[dict[str, Any]]:
    """Yield what a judge said of each answer."""
    for row, score in zip(rows, scores, strict=True):
        yield {name: getattr(row, name) for name in ("system", "task", "item", "attempt")} | {
            "metric": metric,
            "note": score.note,
        }


def _alternatives(
    kept: Sequence[KeptItem], rules: Mapping[str, Rule], judges: Mapping[str, KeptJudge]
) -> list[Rescored]:
    """Return the further ways to score that the evaluation names."""
    ways = zip(*(item.alternatives for item in kept), strict=True)
    return [
        Rescored(
            task=kept[0].task,
            base=RATE if kept[0].rule in judges else rules[kept[0].item].metric,
            rules={item.item: name for item, name in zip(kept, names, strict=True)},
            judge=judges.get(names[0]),
        )
        for names in ways
    ]


def _notes(manifest: Manifest) -> Iterable[Note]:
    """Say which part of the item set was asked, and what went on at the same time."""
    chosen: Mapping[str, Any] = manifest.item_set.get("selection", {})
    if chosen.get("n", 0) < chosen.get("of", 0):
        yield Note(
            "part_of_items", f"a part of the item set was asked: {manifest.item_set.get('selected', '')}"
        )
    if manifest.stopping.get("said"):
        yield Note("stopped_early", manifest.stopping["said"])
    if manifest.beside:
        others = ", ".join(manifest.beside[:3]) + (" …" if len(manifest.beside) > 3 else "")
        text = f"asked while other runs were going on ({others}): times may be theirs too"
        yield Note("overlapping_runs", text)


def _attempts(manifest: Manifest, kept: Iterable[KeptItem]) -> list[Key]:
    items = list(kept)
    return [
        (system, item.task, item.item, attempt)
        for system in manifest.systems
        for item in items
        for attempt in range(1, manifest.attempts + 1)
    ]


def _response(of: Mapping[Key, Response], key: Key) -> Response:
    """Return the answer that counts; one that was never given is a row all the same."""
    system, task, item, attempt = key
    return of.get(key) or Response(
        system=system, task=task, item=item, attempt=attempt, status="missing", reason="not asked yet"
    )


def _known(scored: Mapping[Key, Scored], response: Response) -> Score | None:
    """Return the score that is known of just this answer."""
    answer, score = scored.get(response.key, (None, None))
    return score if answer == response else None


def _answers(responses: Sequence[Response], scores: Sequence[Score], *, judged: bool) -> pl.DataFrame:
    """Return the table of responses; its statuses are those of the scores, but never those of a judge."""
    schema = {name: kind for name, kind in RESPONSES.items() if name in Response.__struct_fields__}
    columns: dict[str, list[Any]] = {name: [getattr(one, name) for one in responses] for name in schema}
    if judged:
        return pl.DataFrame(columns, schema=schema)
    columns["status"] = [score.status for score in scores]
    columns["reason"] = [one.reason or score.note for one, score in zip(responses, scores, strict=True)]
    return pl.DataFrame(columns, schema=schema)


def _outcomes(
    answers: pl.DataFrame, scores: Sequence[Score], *, metric: str, scorer: str, judged: bool
) -> pl.DataFrame:
    """Return the table of outcomes: a row for each response."""
    named = {"metric": metric, "scorer": scorer, "by": "judge" if judged else "rule"}
    return answers.select("system", "task", "item", "attempt").with_columns(
        pl.Series("status", [score.status for score in scores], dtype=pl.String),
        *(pl.lit(text).alias(name) for name, text in named.items()),
        value=pl.Series([score.value for score in scores], dtype=pl.Float64),
        label=pl.Series([score.label for score in scores], dtype=pl.String),
        parts=pl.Series([score.parts for score in scores], dtype=OUTCOMES["parts"]),
    )


def order_of(manifest: Manifest, system: str) -> OptionOrder:
    """Return the order in which a system of a run was shown options."""
    about = manifest.systems.get(system, {})
    return OptionOrder(**about["option_order"]) if "option_order" in about else AS_GIVEN


def _scorer_name(manifest: Manifest) -> str:
    """Return the name under which outcomes are kept: the one rule, or the field that names each item's rule."""
    return shortened(next(iter(manifest.scorers))) if len(manifest.scorers) == 1 else "rule of the item"


def _item_row(manifest: Manifest, kept: KeptItem, item: Item, *, place: int) -> dict[str, Any]:
    row = {"task": kept.task, "item": kept.item, "content": kept.content, "stratum": _stratum(manifest, item)}
    row["cluster"] = item.cluster(manifest.cluster)
    if manifest.stopping:
        row |= {"place": place, "largest": manifest.stopping["largest"]}
    return row | {f"segment.{name}": item.text(name) for name in manifest.segments}


def _stratum(manifest: Manifest, item: Item) -> str | None:
    by = manifest.item_set.get("selection", {}).get("by")
    return item.text(by) if by else None


def _settings(manifest: Manifest) -> Iterable[tuple[str, str, str]]:
    """Return what made each system, in the names that comparisons print."""
    shared = {
        "items": _joined(manifest.item_set, "name", "version", "hash"),
        "selection": str(manifest.item_set.get("selected", "")),
        "scorer": "; ".join(
            _rule_text(name, about) for name, about in manifest.scorers.items() if name not in manifest.judges
        ),
        "judge": "; ".join(map(_judge_text, manifest.judges.values())),
        "seed": str(manifest.seed),
        "attempts": str(manifest.attempts),
        "harness": f"aliquot {manifest.versions.get('aliquot', '')}",
        "asked": manifest.started[:10],
        STOPPING: str(manifest.stopping.get("rule", "")),
    }
    for system, about in manifest.systems.items():
        parts = about["components"] | about.get("observed", {})
        own = {name: str(value) for name, value in parts.items()}
        if about["prompt_sha256"]:  # stored answers of a log may come without one
            own["prompt"] = f"{about['mode']}, sha256:{about['prompt_sha256'][:20]}"
        own |= {name: repr(about[name]) for name in CHOICE if about.get(name) is not None}
        own |= {
            f"decoding.{name}": text_of(value)
            for name, value in (about["decoding"] or {}).items()
            if value is not None
        }
        when = {"asked": about["asked"][:10]} if "asked" in about else {}
        stated = own | shared | _showing(about) | when
        yield from ((system, name, value) for name, value in stated.items() if value)


def _showing(about: Mapping[str, Any]) -> dict[str, str]:
    """Return how options and shots were shown, and which variant of which system this is."""
    found: dict[str, str] = {}
    if "option_order" in about:
        found["option_order"] = str(OptionOrder(**about["option_order"]))
    if "shots" in about:
        found["shots"] = about["shots"]["said"]
    if "variant" in about:
        found["variant.of"] = about["variant"]["of"]
        found |= {f"variant.{factor}": level for factor, level in about["variant"]["levels"].items()}
    return found


def _judge_text(about: Mapping[str, Any]) -> str:
    return f"{about['name']}/{about['hash'][:8]} by {' + '.join(about['models'])}"


def _cost_settings(
    records: Sequence[Response], judgements: Sequence[Judgement]
) -> Iterable[tuple[str, str, str]]:
    """Yield by whose word each system's costs are known, and what was paid in other scopes: judges are the run's."""
    paid_to_judges = [as_response(one) for one in judgements]
    for system in dict.fromkeys(record.system for record in records):
        spent = spending((*(record for record in records if record.system == system), *paid_to_judges))
        sources = sorted({source for scope, _, source in spent if scope == SYSTEM and source})
        if sources:
            yield system, f"{COST}source", ", ".join(sources)
        for scope in sorted({scope for scope, _, _ in spent if scope != SYSTEM}):
            paid = [(cost, money, source) for (of, money, source), cost in spent.items() if of == scope]
            yield system, f"{COST}{scope}", ", ".join(starmap(_paid, paid))


def _paid(cost: float, currency: str, source: str) -> str:
    return write_money(cost, currency) + (f" ({source})" if source else "")


def _rule_text(name: str, about: Mapping[str, Any]) -> str:
    return f"{shortened(name)}/{about['version']} ({about['normalisation']})"


def _joined(record: Mapping[str, Any], *names: str) -> str:
    return " ".join(str(record[name])[:20] for name in names if record.get(name))
