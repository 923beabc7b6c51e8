"""Names in evidence replaced by salted ones: the same rows, and the same numbers, for those who may not know them.

A name becomes its rank among its like and a keyed hash of it. The rank keeps the order of units, on which draws depend,
so that a finding comes out the same to the bit; the hash lets whoever holds the salt find the name again.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from aliquot.evidence.tables import Evidence, Texts
from aliquot.evidence.told_options import ToldOptions
from aliquot.evidence.transcripts import Turn

NAMES: Final = ("item", "cluster")
"""What can be concealed beside the segments' fields."""

_DIGITS: Final = 12


def concealable(evidence: Evidence) -> tuple[str, ...]:
    """Return the names of what can be concealed: items, clusters, and each segment's field."""
    fields = [name.removeprefix("segment.") for name in evidence.items.columns if name.startswith("segment.")]
    return (*NAMES, *fields)


def conceal(evidence: Evidence, fields: Collection[str], *, salt: bytes) -> Evidence:
    """Return evidence with names replaced by salted ones, in every table.

    What an item's content hashes to is hashed once more with the salt, as a plain hash lets anyone confirm a guess.

    Args:
        evidence: the tables.
        fields: of ``concealable(evidence)``.
        salt: the key; keep it apart from what is given away.
    """
    items = evidence.items
    texts = evidence.texts
    named: dict[str, pl.DataFrame] = {}
    for field in fields:
        column = field if field in NAMES else f"segment.{field}"
        if column not in items.columns:
            continue
        if field == "cluster":
            items = items.with_columns(_lone_items_named())
        new = _salted(items[column].drop_nulls().unique().to_list(), field, salt)
        items = items.with_columns(_replaced(column, new))
        if field == "item":
            named = {
                name: getattr(evidence, name).with_columns(_replaced("item", new))
                for name in ("responses", "outcomes", "votes", "stages")
            }
            texts = (
                None if texts is None else ConcealedTexts(texts, {shown: name for name, shown in new.items()})
            )
    contents = _salted(items["content"].drop_nulls().unique().to_list(), "content", salt)
    items = items.with_columns(_replaced("content", contents))
    responses = named.pop("responses", evidence.responses)
    others = _salted(responses["content"].drop_nulls().unique().to_list(), "content", salt)
    return evidence.revise(
        items=items, responses=responses.with_columns(_replaced("content", others)), texts=texts, **named
    )


def _lone_items_named() -> pl.Expr:
    """Return the clusters with items that alone lack one named as the analysis names them: ranks keep their order."""
    clustered = pl.col("cluster").is_not_null().any().over("task")
    own = pl.when(clustered).then(pl.format("item {}", pl.col("item")))
    return pl.coalesce("cluster", own).alias("cluster")


def _salted(names: Iterable[str], field: str, salt: bytes) -> dict[str, str]:
    ranked = sorted(names)
    wide = len(str(len(ranked)))
    return {name: f"{place:0{wide}}-{_hash(field, name, salt)}" for place, name in enumerate(ranked, start=1)}


def _hash(field: str, name: str, salt: bytes) -> str:
    return hmac.new(salt, f"{field}\0{name}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[
        :_DIGITS
    ]


def _replaced(column: str, new: Mapping[str, str]) -> pl.Expr:
    return pl.col(column).replace_strict(new, default=None, return_dtype=pl.String)


@dataclass(frozen=True, slots=True)
class ConcealedTexts:
    """Texts of items that go by other names.

    Attributes:
        texts: the source's texts.
        names: the new name → the source's own.
    """

    texts: Texts
    names: Mapping[str, str]

    def inputs(self, task: str, item: str) -> str | None:
        """Return what an item asks."""
        return self.texts.inputs(task, self.names.get(item, item))

    def reference(self, task: str, item: str) -> str | None:
        """Return an item's reference."""
        return self.texts.reference(task, self.names.get(item, item))

    def response(self, system: str, task: str, item: str, attempt: int) -> str | None:
        """Return what a system answered."""
        return self.texts.response(system, task, self.names.get(item, item), attempt)

    def note(self, system: str, task: str, item: str, attempt: int, metric: str) -> str | None:
        """Return what a scorer said of one outcome."""
        return self.texts.note(system, task, self.names.get(item, item), attempt, metric)

    def transcript(self, system: str, task: str, item: str, attempt: int) -> tuple[Turn, ...] | None:
        """Return an attempt as a conversation."""
        return self.texts.transcript(system, task, self.names.get(item, item), attempt)

    def options(self, system: str, task: str, item: str, attempt: int) -> ToldOptions | None:
        """Return how probable each option was."""
        return self.texts.options(system, task, self.names.get(item, item), attempt)

    def metadata(self, task: str, item: str) -> Mapping[str, str]:
        """Return what else the log tells of an item."""
        return self.texts.metadata(task, self.names.get(item, item))
