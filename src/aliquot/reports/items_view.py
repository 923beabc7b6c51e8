"""Items as data of a page: an index that is read at once, and the texts of each that are read on demand."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from markupsafe import Markup

from aliquot.evidence.transcripts import Turn
from aliquot.findings.rows import Change, Row, Rows, SideOfRow
from aliquot.reports.changes import change_titles
from aliquot.reports.inert_text import anchor, inert_lines
from aliquot.reports.rows import strip

SHOWN: Final = 4_000
"""Characters of a text that are shown at once."""

IN_ALL: Final = 60_000_000
"""Characters of texts shown at once in the whole page; beyond, only their beginnings are."""

BEGINNING: Final = 200
"""Characters of a text beyond that."""

KEPT: Final = 24_000_000
"""Characters that the packed rests of long texts take up in the page at most."""

STATIC: Final = 100
"""Items shown where scripts do not run."""


@dataclass(frozen=True, slots=True)
class ItemsView:
    """Items as a page holds them.

    Attributes:
        sentence: how many of each there are.
        index: JSON of everything but texts.
        texts: JSON of each item's texts, in the order of the index.
        rests: name and packed rest of texts that are cut.
        static: the first items, for a page without scripts.
        left_out: items that are not among them.
    """

    sentence: str
    index: Markup
    texts: tuple[Markup, ...]
    rests: tuple[tuple[str, Markup], ...]
    static: tuple[StaticItem, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class StaticSide:
    """One system's side of an item, cut."""

    system: str
    strip: str
    unusual: tuple[str, ...]
    text: str
    turns: tuple[Turn, ...]
    notes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StaticItem:
    """One item without a script."""

    id: str
    anchor: str
    change: Change
    title: str
    asks: str
    expects: str
    sides: tuple[StaticSide, ...]


@dataclass(slots=True)
class _Rests:
    """Ends of long texts, packed until there is no room."""

    packed: list[tuple[str, Markup]] = field(default_factory=list[tuple[str, Markup]])
    room: int = KEPT
    shown: int = IN_ALL

    def keep(self, text: str) -> dict[str, Any]:
        """Return a text as the page holds it: its beginning, how much more there is, and where that is kept."""
        limit = SHOWN if self.shown > 0 else BEGINNING
        shown = inert_lines(text[:limit])
        self.shown -= len(shown)
        if len(text) <= limit:
            return {"text": shown}
        held: dict[str, Any] = {"text": shown, "more": len(text) - limit}
        if self.room > 0:
            rest = inert_lines(text[limit:]).encode()
            packed = base64.b64encode(zlib.compress(rest, 1)).decode()
            if len(packed) <= self.room:
                self.room -= len(packed)
                held["rest"] = f"r{len(self.packed)}"
                self.packed.append((held["rest"], Markup(packed)))  # noqa: S704 - base64
        return held


def items_view(rows: Rows) -> ItemsView:
    """Return items as data of a page.

    Args:
        rows: the items, in the order in which they are to be read.
    """
    rests = _Rests()
    texts = tuple(_json(_texts(row, rests)) for row in rows.rows)
    return ItemsView(
        sentence=_sentence(rows),
        index=_json(_index(rows)),
        texts=texts,
        rests=tuple(rests.packed),
        static=tuple(_static(row, rows) for row in rows.rows[:STATIC]),
        left_out=max(0, len(rows.rows) - STATIC),
    )


def _sentence(rows: Rows) -> str:
    titles = change_titles(rows)
    counts = ", ".join(
        f"{rows.counts[change]:,} {titles[change]}" for change in titles if rows.counts.get(change)
    )
    cut = f" {rows.left_out:,} of them are not in this page." if rows.left_out else ""
    return f"{counts}, under {rows.metric}.{cut}"


def _index(rows: Rows) -> dict[str, Any]:
    return {
        "titles": change_titles(rows),
        "order": list(rows.reading_order),
        "items": [_entry(row) for row in rows.rows],
    }


def _entry(row: Row) -> dict[str, Any]:
    return {
        "id": inert_lines(row.item),
        "change": row.change,
        "labels": {inert_lines(name): inert_lines(value) for name, value in row.labels.items()},
        "strips": [strip(side.values) for side in _sides(row)],
        "statuses": sorted({status for side in _sides(row) for status in side.statuses}),
    }


def _sides(row: Row) -> Iterator[SideOfRow]:
    if row.baseline is not None:
        yield row.baseline
    yield row.candidate


def _texts(row: Row, rests: _Rests) -> dict[str, Any]:
    held: dict[str, Any] = {"sides": [_side(side, rests) for side in _sides(row)]}
    if row.asks:
        held["asks"] = {"turns": _turns(row.asks, rests)}
    elif row.inputs is not None:
        held["asks"] = rests.keep(row.inputs)
    if row.reference is not None:
        held["expects"] = rests.keep(row.reference)
    if row.metadata:
        held["metadata"] = {inert_lines(name): rests.keep(value) for name, value in row.metadata.items()}
    return held


def _side(side: SideOfRow, rests: _Rests) -> dict[str, Any]:
    held: dict[str, Any] = {
        "system": inert_lines(side.system),
        "attempt": side.attempt,
        "attempts": len(side.values),
    }
    if side.turns:
        held["turns"] = _turns(side.turns, rests)
    if side.text is not None:
        held |= rests.keep(side.text)
    if side.notes:
        held["notes"] = {inert_lines(name): rests.keep(text) for name, text in side.notes.items()}
    if side.scores:
        held["scores"] = {inert_lines(name): f"{value:.4g}" for name, value in side.scores.items()}
    if side.facts:
        held["facts"] = {name: inert_lines(text) for name, text in side.facts.items()}
    return held


def _turns(turns: tuple[Turn, ...], rests: _Rests) -> list[dict[str, Any]]:
    return [
        {
            "role": inert_lines(f"{turn.role} {turn.tool}".strip()),
            **rests.keep(turn.text),
            "calls": [{"name": inert_lines(call.name), **rests.keep(call.arguments)} for call in turn.calls],
        }
        for turn in turns
    ]


def _json(value: object) -> Markup:
    """Return JSON that no HTML parser takes for anything else."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 - no character of it is markup any more


def _static(row: Row, rows: Rows) -> StaticItem:
    return StaticItem(
        id=row.item,
        anchor=anchor(row.item),
        change=row.change,
        title=change_titles(rows)[row.change],
        asks=_cut(
            "\n\n".join(f"{turn.role}: {turn.text}" for turn in row.asks) if row.asks else row.inputs or ""
        ),
        expects=_cut(row.reference or ""),
        sides=tuple(_static_side(side) for side in _sides(row)),
    )


def _static_side(side: SideOfRow) -> StaticSide:
    return StaticSide(
        system=side.system,
        strip=strip(side.values),
        unusual=tuple(sorted({status for status in side.statuses if status != "ok"})),
        text=_cut(side.text) if side.text is not None else "(answer not kept)",
        turns=tuple(
            Turn(turn.role, _cut(turn.text), turn.calls[:20], turn.tool) for turn in (side.turns or ())[:20]
        ),
        notes={name: _cut(text) for name, text in side.notes.items()},
    )


def _cut(text: str) -> str:
    left = len(text) - SHOWN
    return text if left <= 0 else f"{text[:SHOWN]}\n({left:,} more characters)"
