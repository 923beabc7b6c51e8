"""Several sources made one: systems stay apart, equal items are one, contradictions are named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import narwhals as nw
import polars as pl

from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import KEYS, ROWS, SCHEMAS, select
from aliquot.evidence.contents import systems
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, ORDERED, Evidence, LazyTable, Note, RowsOf
from aliquot.evidence.texts import MergedTexts
from aliquot.evidence.votes import merge_votes

_SYSTEM_TABLES: Final = ("reported", "settings", "stages")


def merge(*evidences: Evidence) -> Evidence:
    """Return one evidence of several sources.

    A system found in two sources with the same rows is kept once and noted. An item whose inputs differ
    between sources keeps the first source's row, and the other source's responses carry their own content, so
    that matching can refuse the id. A metric described differently is described anew from all its values.

    Raises:
        UsageError: nothing to merge.
        InputError: two sources hold different rows of a system of one name, or read a metric in opposite ways.

    Examples:
        >>> from aliquot.evidence.assembly import assemble
        >>> rows = {"item": ["1"], "value": [1.0]}
        >>> a, b = (assemble(pl.DataFrame({"system": [name], **rows})) for name in "ab")
        >>> systems(merge(a, b))
        ('a', 'b')
    """
    if not evidences:
        raise UsageError("there is no evidence to merge")
    merged = evidences[0]
    for other in evidences[1:]:
        merged = _merge_two(merged, other)
    return merged


def _merge_two(first: Evidence, other: Evidence) -> Evidence:
    votes = merge_votes(first.votes, other.votes)
    other, identical = _without_identical(first, other)
    items, other, notes = _merge_items(first, other)
    tables: dict[str, Any] = {
        table: pl.concat([getattr(first, table), getattr(other, table)]) for table in _SYSTEM_TABLES
    }
    tables |= {table: _stack(first, other, table) for table in ROWS}
    texts = tuple(source.texts for source in (first, other) if source.texts is not None)
    return replace(
        first,
        items=items,
        metrics=_merge_metrics(first, other),
        votes=votes,
        sources=first.sources + other.sources,
        notes=tuple(dict.fromkeys((*first.notes, *other.notes, *identical, *notes))),
        texts=MergedTexts(texts) if texts else None,
        **tables,
    )


def _stack(first: Evidence, other: Evidence, table: RowsOf) -> pl.DataFrame | LazyTable:
    """Return the rows of both; rows that one engine holds stay there, else they are brought here."""
    a, b = first.held(table), other.held(table)
    if (
        isinstance(a, LazyTable)
        and isinstance(b, LazyTable)
        and a.rows.implementation == b.rows.implementation
    ):
        return replace(
            a, rows=nw.concat([a.rows, b.rows], how="vertical"), names=pl.concat([a.names, b.names])
        )
    return pl.concat([first.rows(table), other.rows(table)])


def _without_identical(first: Evidence, other: Evidence) -> tuple[Evidence, tuple[Note, ...]]:
    """Return the other source without the systems both hold with the same rows."""
    known = systems(first)
    common = [name for name in systems(other) if name in known]
    for name in common:
        if not same_system(first, other, name):
            raise InputError(
                f"two sources hold a system {name!r} with different rows",
                remedy="Give the sources different names (names=, or --names on the command line)",
            )
    if not common:
        return other, ()
    rest = select(other, systems=[name for name in systems(other) if name not in common])
    text = f"held by two sources with the same rows, kept once: {', '.join(common)}"
    return rest, (Note("identical_system", text),)


def same_system(first: Evidence, other: Evidence, system: str) -> bool:
    """Tell whether two sources hold the same rows of a system; rows left where they are (lazy) count as different."""
    if first.is_lazy or other.is_lazy:
        return False
    return _same(select(first, systems=[system]), select(other, systems=[system]))


def _same(first: Evidence, other: Evidence) -> bool:
    """Tell whether two sources hold the same responses and outcomes, to the byte."""

    def ordered(evidence: Evidence, table: str) -> pl.DataFrame:
        return getattr(evidence, table).sort(KEYS[table])

    return all(ordered(first, table).equals(ordered(other, table)) for table in ("responses", "outcomes"))


def _merge_items(first: Evidence, other: Evidence) -> tuple[pl.DataFrame, Evidence, tuple[Note, ...]]:
    """Return the items of both, and the other source with its own content where that differs."""
    key = list(KEYS["items"])
    pairs = first.items.select(*key, "content").join(other.items, on=key, how="inner", suffix="_other")
    differing = pairs.filter(pl.col("content") != pl.col("content_other")).select(*key, own="content_other")
    if differing.height:
        responses = other.responses.join(differing, on=key, how="left", maintain_order="left")
        content = pl.coalesce("content", "own").alias("content")
        other = replace(other, responses=responses.with_columns(content).drop("own"))
    both = pl.concat([first.items, other.items], how="diagonal")
    described = [pl.col(name).drop_nulls().first() for name in both.columns if name not in key]
    contradicted = [
        name
        for name in both.columns
        if name not in {*key, "content", *ORDERED}
        and both.group_by(key).agg(pl.col(name).drop_nulls().n_unique())[name].max() not in {None, 0, 1}
    ]
    text = f"sources disagree on {', '.join(contradicted)} of some items; the first source's is used"
    notes = (Note("items_disagree", text),) if contradicted else ()
    return both.group_by(key, maintain_order=True).agg(described).select(both.columns), other, notes


def _merge_metrics(first: Evidence, other: Evidence) -> pl.DataFrame:
    """Return the metrics of both; one that the two describe differently is derived from all its values."""
    both = pl.concat([first.metrics, other.metrics]).unique(maintain_order=True)
    clashing = both.filter(pl.col("metric").is_duplicated())["metric"].unique(maintain_order=True)
    rows = both.filter(~pl.col("metric").is_in(clashing.implode())).to_dicts()
    for name in clashing:
        given = both.filter(pl.col("metric") == name)
        directions = given["better"].drop_nulls().unique(maintain_order=True).to_list()
        if len(directions) > 1:
            raise InputError(
                f"the sources read the metric {name!r} in opposite ways: {' and '.join(directions)} is better",
                remedy="Say which it is: --better higher, lower or none",
            )
        values = pl.concat([source.rows("outcomes", metric=name)["value"] for source in (first, other)])
        row = metric_row(name, values)
        settled = {column: given[column][0] for column in METRICS if given[column].n_unique() == 1}
        rows.append(row | settled | {"headline": bool(given["headline"].fill_null(value=False).any())})
    order = {name: place for place, name in enumerate(both["metric"].unique(maintain_order=True))}
    return pl.DataFrame(sorted(rows, key=lambda row: order[row["metric"]]), schema=dict(SCHEMAS["metrics"]))
