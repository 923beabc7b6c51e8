"""From the answers of a run to its evidence, again and again from the same journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.identity import inputs_text, text_of
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, Evidence, Note, Source
from aliquot.files.manifest import Manifest
from aliquot.files.records import Response, settle
from aliquot.files.run_directory import FORMAT, ITEMS, RunDirectory, StoredItem
from aliquot.item_sets.items import Item
from aliquot.runner.executor import Key
from aliquot.runner.rescoring import read_rescorings, with_rescored
from aliquot.runner.scoring import score_response
from aliquot.scorers.rules import rule_named

METRIC: Final = "success"
"""The headline metric: 1 when the answer is right by its rule."""


class KeptItem(StoredItem, frozen=True, kw_only=True, omit_defaults=True):
    """An item as a run keeps it, with all its source says: enough to score the run again without the source.

    Attributes:
        fields: the item's fields.
        rule: the rule that scores it.
    """

    fields: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    rule: str = ""


def keep_item(item: Item, *, task: str, rule: str) -> KeptItem:
    """Return an item in the form a run directory keeps."""
    return KeptItem(
        task=task,
        item=item.id,
        inputs=inputs_text(item.inputs),
        reference=text_of(item.reference) or rule_named(rule).wanted(item),
        content=item.content,
        fields=dict(item.fields),
        rule=rule,
    )


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


def build_evidence(run: RunDirectory) -> Evidence:
    """Score every answer on record and return the tables; nothing is asked.

    Attempts that were never answered are rows with status ``missing``, so that an unfinished run cannot pass for a
    smaller one.

    Raises:
        InputError: the directory holds no run.
    """
    manifest = run.manifest
    kept = read_kept_items(run)
    if manifest is None or not kept:
        raise InputError("holds no run yet", file=str(run.path), remedy="Start it: aliquot run FILE")
    contents = run.read_journal()
    responses = {record.key: record for record in settle(contents.records)}
    rows = [_row(manifest, *attempt, responses=responses) for attempt in _attempts(manifest, kept)]
    unfinished = sum(response["status"] == "missing" for response, _ in rows)
    notes = [Note(note.code, note.text) for note in contents.notes]
    if unfinished:
        notes.append(Note("unfinished", f"{unfinished} of {len(rows)} answers are not given yet"))
    outcomes = pl.DataFrame([outcome for _, outcome in rows], infer_schema_length=None)
    headline = metric_row(METRIC, outcomes["value"].cast(pl.Float64), kind="binary", headline=True)
    evidence = assemble(
        outcomes,
        items=pl.DataFrame([_item_row(manifest, item) for item in kept], infer_schema_length=None),
        responses=pl.DataFrame([response for response, _ in rows], infer_schema_length=None),
        metrics=pl.DataFrame([headline], schema=dict(METRICS)),
        settings=pl.DataFrame(list(_settings(manifest)), schema=["system", "name", "value"], orient="row"),
        sources=(Source(path=str(run.path), format=FORMAT),),
        notes=notes,
        texts=run.texts,
    )
    items = {item.item: Item(item.item, item.fields) for item in kept}
    for rescored in read_rescorings(run):
        evidence = with_rescored(evidence, rescored, responses.values(), items)
    return evidence


def _attempts(manifest: Manifest, kept: Iterable[KeptItem]) -> list[tuple[str, KeptItem, int]]:
    items = list(kept)
    return [
        (system, item, attempt)
        for system in manifest.systems
        for item in items
        for attempt in range(1, manifest.attempts + 1)
    ]


def _row(
    manifest: Manifest, system: str, kept: KeptItem, attempt: int, *, responses: Mapping[Key, Response]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the response and the outcome of one attempt."""
    response = responses.get((system, kept.task, kept.item, attempt)) or Response(
        system=system,
        task=kept.task,
        item=kept.item,
        attempt=attempt,
        status="missing",
        reason="not asked yet",
    )
    score = score_response(rule_named(kept.rule), Item(kept.item, kept.fields), response)
    answer = msgspec.structs.asdict(response)
    answer |= {"status": score.status, "reason": response.reason or score.note}
    outcome = {name: answer[name] for name in ("system", "task", "item", "attempt", "status")}
    outcome |= {"metric": METRIC, "scorer": _scorer_name(manifest), "by": "rule"}
    return answer, outcome | {"value": score.value, "label": score.label}


def _scorer_name(manifest: Manifest) -> str:
    """Return the name under which outcomes are kept: the one rule, or the field that names each item's rule."""
    return next(iter(manifest.scorers)) if len(manifest.scorers) == 1 else "rule of the item"


def _item_row(manifest: Manifest, kept: KeptItem) -> dict[str, Any]:
    item = Item(kept.item, kept.fields)
    row = {"task": kept.task, "item": kept.item, "content": kept.content, "stratum": _stratum(manifest, item)}
    row["cluster"] = item.text(manifest.cluster) if manifest.cluster else None
    return row | {f"segment.{name}": item.text(name) for name in manifest.segments}


def _stratum(manifest: Manifest, item: Item) -> str | None:
    by = manifest.item_set.get("selection", {}).get("by")
    return item.text(by) if by else None


def _settings(manifest: Manifest) -> Iterable[tuple[str, str, str]]:
    """Return what made each system, in the names that comparisons print."""
    shared = {
        "items": _joined(manifest.item_set, "name", "version", "hash"),
        "selection": str(manifest.item_set.get("selected", "")),
        "scorer": "; ".join(_rule_text(name, about) for name, about in manifest.scorers.items()),
        "seed": str(manifest.seed),
        "attempts": str(manifest.attempts),
        "harness": f"aliquot {manifest.versions.get('aliquot', '')}",
        "asked": manifest.started[:10],
    }
    for system, about in manifest.systems.items():
        parts = about["components"] | about.get("observed", {})
        own = {name: str(value) for name, value in parts.items()}
        own["prompt"] = f"{about['mode']}, sha256:{about['prompt_sha256'][:20]}"
        own |= {
            f"decoding.{name}": text_of(value)
            for name, value in about["decoding"].items()
            if value is not None
        }
        yield from ((system, name, value) for name, value in (own | shared).items() if value)


def _rule_text(name: str, about: Mapping[str, Any]) -> str:
    return f"{name}/{about['version']} ({about['normalisation']})"


def _joined(record: Mapping[str, Any], *names: str) -> str:
    return " ".join(str(record[name])[:20] for name in names if record.get(name))
