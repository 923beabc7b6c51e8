"""Counterfactual pairs: the same question with one thing swapped, turned into two systems that are asked the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import polars as pl

from aliquot.errors import InputError, UsageError, nearest
from aliquot.evidence.tables import Evidence, Note, Texts
from aliquot.evidence.told_options import ToldOptions
from aliquot.evidence.transcripts import Turn

MOST_LEVELS: Final = 20
"""Versions of a question, at most."""

KEY: Final = ("system", "task", "item", "attempt")

Place: TypeAlias = tuple[str, str, str, int]
"""System, task, item and attempt."""


def counterfactual(evidence: Evidence, *, by: str, pair: str) -> Evidence:
    """Return evidence in which each version of a question is a system of its own, and what they share is the item.

    ``compare`` then says whether answers differ with what was swapped (a name, a gender, a dialect), within pairs, by
    the same exact tests, and its table of fixed and broken items is that of pairs whose outcome changed with it.
    Several versions of one level in a pair (three names of one group) are averaged as attempts are.

    Args:
        evidence: the tables; items have the two fields.
        by: the field that says which version an item is: a segment, as ``gender``.
        pair: the field that versions of one question share: a segment, or ``cluster``.

    Returns:
        Evidence of the systems ``system: level``; items without one of the two fields are left out and counted.

    Raises:
        UsageError: there is no such field, or the rows are elsewhere.
        InputError: the field has one value only, or too many.

    Examples:
        >>> from aliquot.evidence.assembly import assemble
        >>> names = {"item": ["1f", "1m", "2f", "2m"]}
        >>> rows = pl.DataFrame({"system": ["bot"] * 4, **names, "value": [1.0, 0.0, 1.0, 1.0]})
        >>> told = {"segment.gender": ["f", "m", "f", "m"], "segment.question": ["1", "1", "2", "2"]}
        >>> items = pl.DataFrame({**names, **told})
        >>> swapped = counterfactual(assemble(rows, items=items), by="gender", pair="question")
        >>> swapped.outcomes.select("system", "item", "value").rows()
        [('bot: f', '1', 1.0), ('bot: f', '2', 1.0), ('bot: m', '1', 0.0), ('bot: m', '2', 1.0)]
    """
    if evidence.is_lazy:
        raise UsageError("pairs are made of rows that are here; read the table from a file")
    columns = [_column(evidence, name) for name in (by, pair)]
    told = evidence.items.select(
        "task", "item", level=pl.col(columns[0]), whole=pl.col(columns[1])
    ).drop_nulls()
    levels = told["level"].unique().sort().to_list()
    if not 2 <= len(levels) <= MOST_LEVELS:
        many = "one value" if len(levels) == 1 else "no value" if not levels else f"{len(levels)} values"
        raise InputError(f"the field {by!r} has {many} here; pairs need from 2 to {MOST_LEVELS}", field=by)
    places = _places(evidence.responses, told)
    left = evidence.items.height - told.height
    notes = (
        (Note("unpaired_items", f"{left} items lack {by!r} or {pair!r} and are left out"),) if left else ()
    )
    return evidence.revise(
        items=_items(evidence.items, told, without=columns),
        responses=_moved(evidence.responses, places),
        outcomes=_moved(evidence.outcomes, places),
        stages=_moved(evidence.stages, places),
        settings=_settings(evidence.settings, levels),
        reported=evidence.reported.clear(),
        votes=evidence.votes.clear(),
        notes=(*evidence.notes, *notes),
        texts=None if evidence.texts is None else SwappedTexts(evidence.texts, _origins(places)),
    )


def _column(evidence: Evidence, name: str) -> str:
    """Return the column of a field of the items."""
    columns = {column.removeprefix("segment."): column for column in evidence.items.columns}
    known = [one for one, column in columns.items() if column.startswith("segment.") or one == "cluster"]
    if name not in known:
        raise UsageError(
            f"items have no field {name!r}. {nearest(name, known)} An evaluation names fields of its items under "
            "segments"
        )
    return columns[name]


def _places(responses: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """Return where each answer goes: its system with its level, the pair as item, and a place among its attempts."""
    rows = responses.select(KEY).join(told, on=["task", "item"], how="inner").sort(KEY)
    system = pl.concat_str("system", pl.lit(": "), "level")
    return rows.select(
        *KEY,
        new_system=system,
        new_item="whole",
        new_attempt=pl.int_range(1, pl.len() + 1).over("system", "task", "level", "whole"),
    )


def _moved(rows: pl.DataFrame, places: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of a table at their new places."""
    found = rows.join(places, on=list(KEY), how="inner", maintain_order="left")
    new = found.with_columns(
        system="new_system", item="new_item", attempt=pl.col("new_attempt").cast(pl.Int64)
    )
    if "content" in new.columns:  # other inputs than the item's: versions differ by design
        new = new.with_columns(content=pl.lit(None, dtype=pl.String))
    return new.select(rows.columns).sort("system", "task", "item", "attempt", maintain_order=True)


def _items(items: pl.DataFrame, told: pl.DataFrame, *, without: Sequence[str]) -> pl.DataFrame:
    """Return an item for each pair, with what its versions share; what they ask differs by design and has no hash."""
    rows = items.join(told, on=["task", "item"], how="inner")
    shared = [name for name in items.columns if name not in {"task", "item", "content", *without}]
    alike = [
        pl.when(pl.col(name).n_unique() == 1).then(pl.col(name).first()).otherwise(None).alias(name)
        for name in shared
        if name != "weight"
    ]
    weight = [pl.col("weight").mean()] if "weight" in shared else []
    made = rows.group_by("task", "whole", maintain_order=True).agg(*alike, *weight).rename({"whole": "item"})
    kept = {name: kind for name, kind in items.schema.items() if name == "cluster" or name not in without}
    lacking = [
        pl.lit(None, dtype=kind).alias(name) for name, kind in kept.items() if name not in made.columns
    ]
    return made.with_columns(lacking).select(*kept)


def _settings(settings: pl.DataFrame, levels: Sequence[str]) -> pl.DataFrame:
    """Return the settings of each system for each of its versions."""
    parts = [settings.with_columns(system=pl.concat_str("system", pl.lit(f": {level}"))) for level in levels]
    return pl.concat(parts)


def _origins(places: pl.DataFrame) -> dict[Place, Place]:
    return {
        (new_system, task, new_item, new_attempt): (system, task, item, attempt)
        for system, task, item, attempt, new_system, new_item, new_attempt in places.iter_rows()
    }


@dataclass(frozen=True)
class SwappedTexts:
    """Texts of a source whose items are pairs now.

    Attributes:
        texts: the source's texts.
        origins: where each answer came from. What an item asks is what its first version asks.
    """

    texts: Texts
    origins: Mapping[Place, Place]

    def inputs(self, task: str, item: str) -> str | None:
        """Return what the versions of a question ask, each once."""
        asked = (self.texts.inputs(task, one) for one in self._items(task, item))
        return "\n---\n".join(dict.fromkeys(text for text in asked if text is not None)) or None

    def reference(self, task: str, item: str) -> str | None:
        """Return the reference of the first version that has one."""
        told = (self.texts.reference(task, one) for one in self._items(task, item))
        return next((text for text in told if text is not None), None)

    def response(self, system: str, task: str, item: str, attempt: int) -> str | None:
        """Return what a system answered."""
        place = self.origins.get((system, task, item, attempt))
        return None if place is None else self.texts.response(*place)

    def note(self, system: str, task: str, item: str, attempt: int, metric: str) -> str | None:
        """Return what a scorer said of one outcome."""
        place = self.origins.get((system, task, item, attempt))
        return None if place is None else self.texts.note(*place, metric)

    def transcript(self, system: str, task: str, item: str, attempt: int) -> tuple[Turn, ...] | None:
        """Return an attempt as a conversation."""
        place = self.origins.get((system, task, item, attempt))
        return None if place is None else self.texts.transcript(*place)

    def options(self, system: str, task: str, item: str, attempt: int) -> ToldOptions | None:
        """Return how probable each option was."""
        place = self.origins.get((system, task, item, attempt))
        return None if place is None else self.texts.options(*place)

    def metadata(self, task: str, item: str) -> Mapping[str, str]:
        """Return what else is known of the first version."""
        return next((self.texts.metadata(task, one) for one in self._items(task, item)), {})

    def _items(self, task: str, item: str) -> tuple[str, ...]:
        """Return the items that a pair was made of."""
        return tuple(self._versions.get((task, item), ()))

    @cached_property
    def _versions(self) -> dict[tuple[str, str], dict[str, None]]:
        found: dict[tuple[str, str], dict[str, None]] = {}
        for new, old in self.origins.items():
            found.setdefault((new[1], new[2]), {})[old[2]] = None
        return found
