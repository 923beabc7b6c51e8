"""Making evidence: from loose rows with checks, from several sources, from a part of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import narwhals as nw
import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.contents import require
from aliquot.evidence.contents import systems as systems_of
from aliquot.evidence.contents import tasks as tasks_of
from aliquot.evidence.metrics import derive_metrics
from aliquot.evidence.status import FALLIBLE, STATUSES
from aliquot.evidence.tables import (
    ITEMS,
    METRICS,
    ORDERED,
    OUTCOMES,
    REPORTED,
    RESPONSES,
    SETTINGS,
    STAGES,
    VOTES,
    Evidence,
    LazyTable,
    Note,
    RowsOf,
    Source,
    Texts,
)
from aliquot.evidence.texts import RenamedTexts
from aliquot.evidence.votes import KEY as VOTE_KEY
from aliquot.evidence.votes import check_votes, renamed_votes, voted_systems, votes_on

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "items": ("task", "item"),
    "responses": ("system", "task", "item", "attempt"),
    "outcomes": ("system", "task", "item", "attempt", "metric", "scorer", "repeat"),
    "metrics": ("metric",),
    "reported": ("system", "task", "metric", "statistic"),
    "settings": ("system", "name"),
    "votes": VOTE_KEY,
    "stages": ("system", "task", "item", "attempt", "place"),
}
"""The columns that make a row of each table unique."""

ROWS: Final[tuple[RowsOf, ...]] = ("responses", "outcomes")
"""The tables whose rows may be elsewhere."""

SCHEMAS: Final[Mapping[str, Mapping[str, pl.DataType]]] = {
    "items": ITEMS,
    "responses": RESPONSES,
    "outcomes": OUTCOMES,
    "metrics": METRICS,
    "reported": REPORTED,
    "settings": SETTINGS,
    "votes": VOTES,
    "stages": STAGES,
}

DEFAULTS: Final[Mapping[str, object]] = {
    "task": "task",
    "attempt": 1,
    "metric": "value",
    "scorer": "recorded",
    "repeat": 1,
    "by": "rule",
    "weight": 1.0,
    "rater": "recorded",
}
"""What a column holds when a source does not have it."""

REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    "items": ("item",),
    "responses": ("system", "item"),
    "outcomes": ("system", "item", "value"),
    "metrics": ("metric", "kind"),
    "reported": (),
    "settings": (),
    "votes": (),
    "stages": (),
}
"""The columns a source must have."""


def assemble(
    outcomes: pl.DataFrame,
    *,
    items: pl.DataFrame | None = None,
    responses: pl.DataFrame | None = None,
    metrics: pl.DataFrame | None = None,
    reported: pl.DataFrame | None = None,
    settings: pl.DataFrame | None = None,
    votes: pl.DataFrame | None = None,
    stages: pl.DataFrame | None = None,
    sources: Sequence[Source] = (),
    notes: Sequence[Note] = (),
    texts: Texts | None = None,
) -> Evidence:
    """Return checked evidence from loose rows.

    Columns a source does not have are filled (``DEFAULTS``, else null); columns that belong to no table are
    left out, except ``segment.*`` of the items. Items and responses that only the outcomes know are added;
    the status of such a response is that of its outcome. Items that only the votes know are added; their systems
    are not, as a vote tells nothing of a response.

    Args:
        outcomes: at least system, item and value.
        items: at least item.
        responses: at least system and item.
        metrics: at least metric; derived from the values when not given.
        reported: what the log's own tool printed.
        settings: what made each system.
        votes: preferences between two systems: at least item, system_a and system_b.
        stages: what the stages of pipelines did: at least system, item, place, stage and status.
        sources: where the rows came from.
        notes: what the reader had to say.
        texts: the texts held apart.

    Raises:
        InputError: a key that is empty or repeated, a value that is not finite, a status that does not exist,
            a column of the wrong type.

    Examples:
        >>> assemble(pl.DataFrame({"system": ["a"], "item": ["1"], "value": [1.0]})).metrics["kind"].to_list()
        ['binary']
    """
    outcomes = conform("outcomes", _with_status(outcomes, known_by="value"))
    responses = conform("responses", _all_responses(responses, outcomes))
    votes = conform("votes", _with_status(votes if votes is not None else pl.DataFrame(), known_by="verdict"))
    return Evidence(
        items=conform("items", _all_items(items, responses, votes)),
        responses=responses,
        outcomes=outcomes,
        metrics=conform("metrics", metrics if metrics is not None else derive_metrics(outcomes)),
        reported=conform("reported", reported if reported is not None else pl.DataFrame()),
        settings=conform("settings", settings if settings is not None else pl.DataFrame()),
        votes=votes,
        stages=conform("stages", stages if stages is not None else pl.DataFrame()),
        sources=tuple(sources),
        notes=tuple(notes),
        texts=texts,
    )


def select(
    evidence: Evidence, *, systems: Sequence[str] | None = None, tasks: Sequence[str] | None = None
) -> Evidence:
    """Return the part of the evidence that belongs to some systems and tasks.

    Raises:
        UsageError: an unknown system or task.
    """
    names: Mapping[str, Sequence[str] | None] = {"system": systems, "task": tasks}
    known = {
        "system": (*systems_of(evidence), *voted_systems(evidence.votes)),
        "task": (*tasks_of(evidence), *evidence.votes["task"].unique(maintain_order=True)),
    }
    for column, wanted in names.items():
        for name in wanted or ():
            require(name, dict.fromkeys(known[column]), what=column)
    tables: dict[str, Any] = {}
    for table in SCHEMAS:
        held = evidence.held(table) if table in ROWS else getattr(evidence, table)
        columns = held.names.columns if isinstance(held, LazyTable) else held.columns
        chosen = {name: wanted for name, wanted in names.items() if wanted is not None and name in columns}
        tables[table] = _chosen(held, chosen) if chosen else held
    if systems is not None:
        tables["votes"] = votes_on(tables["votes"], systems, others=_choosable(evidence))
    return replace(evidence, **tables)


def _choosable(evidence: Evidence) -> tuple[str, ...]:
    """Return the systems one can choose among: those with responses, else all that were voted on."""
    return systems_of(evidence) or voted_systems(evidence.votes)


def rename(evidence: Evidence, names: Mapping[str, str]) -> Evidence:
    """Return the evidence with systems renamed.

    Raises:
        UsageError: an unknown system.
        InputError: two systems would have one name.
    """
    known = tuple(dict.fromkeys((*systems_of(evidence), *voted_systems(evidence.votes))))
    for name in names:
        require(name, known, what="system")
    after = [names.get(name, name) for name in known]
    if len(set(after)) < len(after):
        raise InputError(
            f"renaming {dict(names)} would give two systems one name", remedy="Choose different names"
        )
    tables: dict[str, Any] = {
        table: _renamed(evidence.held(table) if table in ROWS else getattr(evidence, table), names)
        for table in ("responses", "outcomes", "reported", "settings", "stages")
    }
    texts = RenamedTexts(evidence.texts, {new: old for old, new in names.items()}) if evidence.texts else None
    return replace(evidence, texts=texts, votes=renamed_votes(evidence.votes, names), **tables)


def _chosen(held: pl.DataFrame | LazyTable, wanted: Mapping[str, Sequence[str]]) -> pl.DataFrame | LazyTable:
    if isinstance(held, pl.DataFrame):
        return held.filter(*(pl.col(name).is_in(values) for name, values in wanted.items()))
    rows = held.rows.filter(*(nw.col(name).is_in(values) for name, values in wanted.items()))
    return replace(held, rows=rows, names=_chosen(held.names, wanted))


def _renamed(held: pl.DataFrame | LazyTable, names: Mapping[str, str]) -> pl.DataFrame | LazyTable:
    if isinstance(held, pl.DataFrame):
        return held.with_columns(pl.col("system").replace(dict(names)))
    system = nw.col("system")
    for old, new in names.items():
        system = nw.when(nw.col("system") == old).then(nw.lit(new)).otherwise(system)
    return replace(
        held, rows=held.rows.with_columns(system.alias("system")), names=_renamed(held.names, names)
    )


def conform(table: str, frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with exactly the columns of its table, typed and checked.

    Raises:
        InputError: as in ``assemble``.
    """
    lacking = [name for name in REQUIRED[table] if name not in frame.columns]
    if lacking:
        raise InputError(
            f"the table of {table} has no column {lacking[0]!r}", remedy=f"It has {frame.columns}"
        )
    schema = dict(SCHEMAS[table])
    if table == "items":
        schema |= dict.fromkeys((name for name in frame.columns if name.startswith("segment.")), pl.String())
        schema |= {name: kind for name, kind in ORDERED.items() if name in frame.columns}
    columns = [_column(name, kind, frame) for name, kind in schema.items()]
    try:
        typed = frame.select(columns) if frame.width else pl.DataFrame(schema=schema)
    except pl.exceptions.PolarsError as error:
        raise InputError(
            f"the table of {table} holds a value of the wrong type: {_first_line(error)}"
        ) from error
    if typed.height:
        _check_keys(table, typed)
        _check_values(table, typed)
    return typed


def _column(name: str, kind: pl.DataType, frame: pl.DataFrame) -> pl.Expr:
    default = DEFAULTS.get(name)
    if name not in frame.columns:
        return pl.lit(default, dtype=kind).alias(name)
    column = pl.col(name).cast(kind)
    return column if default is None else column.fill_null(pl.lit(default, dtype=kind))


def _check_keys(table: str, frame: pl.DataFrame) -> None:
    keys = KEYS[table]
    for name in keys:
        if frame[name].null_count() or (frame.schema[name] == pl.String and (frame[name] == "").any()):
            raise InputError(f"the table of {table} has a row without {name}", field=name)
    repeated = frame.filter(frame.select(keys).is_duplicated())
    if repeated.height:
        key = ", ".join(f"{name} {repeated[name][0]!r}" for name in keys)
        raise InputError(
            f"the table of {table} holds {key} more than once",
            remedy="Name the column that tells the rows apart, such as attempt",
        )


def _check_values(table: str, frame: pl.DataFrame) -> None:
    if "status" in frame.columns:
        unknown = frame.filter(~pl.col("status").is_in(STATUSES))
        if unknown.height:
            raise InputError(
                f"there is no status {unknown['status'][0]!r}",
                field="status",
                remedy=f"Known: {', '.join(STATUSES)}",
            )
    if table == "outcomes" and not frame["value"].is_finite().all():
        raise InputError(
            "a value is not a finite number", field="value", remedy="Leave it empty when it is missing"
        )
    if table == "votes":
        check_votes(frame)
    if table == "items" and not ((frame["weight"] > 0) & frame["weight"].is_finite()).all():
        raise InputError("a weight is not a positive number", field="weight")


def _with_status(rows: pl.DataFrame, *, known_by: str) -> pl.DataFrame:
    """Fill the status of an outcome or vote from whether it has a value."""
    if known_by not in rows.columns:
        return rows
    given = pl.col("status").cast(pl.String) if "status" in rows.columns else pl.lit(None, dtype=pl.String)
    derived = pl.when(pl.col(known_by).is_null()).then(pl.lit("missing")).otherwise(pl.lit("ok"))
    return rows.with_columns(status=pl.coalesce(given, derived))


def _all_responses(responses: pl.DataFrame | None, outcomes: pl.DataFrame) -> pl.DataFrame:
    """Return the responses, and one for every attempt that only the outcomes know."""
    key = list(KEYS["responses"])
    by_rule = ~pl.col("by").is_in(FALLIBLE)
    scored = (pl.col("status") == "ok") | ~by_rule
    attempts = outcomes.group_by(key, maintain_order=True).agg(
        status=pl.when(scored.any()).then(pl.lit("ok")).otherwise(pl.col("status").first())
    )
    if responses is None:
        return attempts
    known = responses.with_columns(
        _column(name, RESPONSES[name], responses) for name in key if name in DEFAULTS
    )
    if "status" not in known.columns:
        known = known.join(attempts, on=key, how="left").with_columns(pl.col("status").fill_null("ok"))
    added = attempts.join(
        known.select(pl.col(name).cast(RESPONSES[name]) for name in key), on=key, how="anti"
    )
    return pl.concat([known, added], how="diagonal_relaxed") if added.height else known


def _all_items(items: pl.DataFrame | None, responses: pl.DataFrame, votes: pl.DataFrame) -> pl.DataFrame:
    """Return the items, and one row for every item that only the responses or the votes know."""
    key = list(KEYS["items"])
    answered = pl.concat([responses.select(key), votes.select(key)]).unique(maintain_order=True)
    if items is None:
        return answered
    known = items.with_columns(_column(name, ITEMS[name], items) for name in ("task",))
    added = answered.join(known.select(pl.col(name).cast(pl.String) for name in key), on=key, how="anti")
    return pl.concat([known, added], how="diagonal_relaxed") if added.height else known


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
