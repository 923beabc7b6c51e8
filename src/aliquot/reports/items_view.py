"""Items as data of a page: an index that is read at once, and the texts of each that are read on demand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from aliquot.evidence.transcripts import LEFT_OUT, Turn
from aliquot.findings.numbers import write_count
from aliquot.findings.rows import Change, Row, Rows, SideOfRow
from aliquot.reports.changes import change_titles
from aliquot.reports.inert_text import anchor, inert_lines
from aliquot.reports.long_texts import SHOWN, LongTexts
from aliquot.reports.rows import strip

STATIC: Final = 100
"""Items shown where scripts do not run."""

STATIC_TURNS: Final = 20
"""Turns of an answer shown there, and tool calls of a turn."""


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


def items_view(rows: Rows) -> ItemsView:
    """Return items as data of a page.

    Args:
        rows: the items, in the order in which they are to be read.
    """
    long = LongTexts()
    texts = [_texts(row, long) for row in rows.rows]
    rests = long.pack()
    return ItemsView(
        sentence=_sentence(rows),
        index=_json(_index(rows) | {"rests": len(rests)}),
        texts=tuple(map(_json, texts)),
        rests=rests,
        static=tuple(_static(row, rows) for row in rows.rows[:STATIC]),
        left_out=max(0, len(rows.rows) - STATIC),
    )


def _sentence(rows: Rows) -> str:
    titles = change_titles(rows)
    counts = ", ".join(
        f"{rows.counts[change]:,} {titles[change]}" for change in titles if rows.counts.get(change)
    )
    cut = f" {rows.left_out:,} of them are not in this page." if rows.left_out else ""
    return f"By {rows.metric}: {counts}.{cut}"


def _index(rows: Rows) -> dict[str, Any]:
    return {
        "titles": change_titles(rows),
        "order": list(rows.reading_order),
        "items": [
            _entry(row, name)
            for row, name in zip(rows.rows, _names(row.item for row in rows.rows), strict=True)
        ],
    }


def _names(items: Iterable[str]) -> list[str]:
    """Return ids as they are shown; of those that look the same once written out, the later ones are numbered."""
    shown: dict[str, None] = {}
    for item in items:
        name = own = inert_lines(item)
        number = 1
        while name in shown:
            number += 1
            name = f"{own} ({number})"
        shown[name] = None
    return list(shown)


def _entry(row: Row, name: str) -> dict[str, Any]:
    return {
        "id": name,
        "change": row.change,
        "labels": {inert_lines(name): inert_lines(value) for name, value in row.labels.items()},
        "strips": [strip(side.values) for side in _sides(row)],
        "statuses": sorted({status for side in _sides(row) for status in side.statuses}),
    }


def _sides(row: Row) -> Iterator[SideOfRow]:
    if row.baseline is not None:
        yield row.baseline
    yield row.candidate


def _texts(row: Row, long: LongTexts) -> dict[str, Any]:
    held: dict[str, Any] = {"sides": [_side(side, long) for side in _sides(row)]}
    if row.asks:
        held["asks"] = {"turns": _turns(row.asks, long)}
    elif row.inputs is not None:
        held["asks"] = long.keep(row.inputs)
    if row.reference is not None:
        held["expects"] = long.keep(row.reference)
    if row.metadata:
        held["metadata"] = {inert_lines(name): long.keep(value) for name, value in row.metadata.items()}
    return held


def _side(side: SideOfRow, long: LongTexts) -> dict[str, Any]:
    held: dict[str, Any] = {
        "system": inert_lines(side.system),
        "attempt": side.attempt,
        "attempts": len(side.values),
    }
    if side.turns:
        held["turns"] = _turns(side.turns, long)
    if side.text is not None:
        long.keep(side.text, held)
    if side.notes:
        held["notes"] = {inert_lines(name): long.keep(text) for name, text in side.notes.items()}
    if side.scores:
        held["scores"] = {inert_lines(name): f"{value:.4g}" for name, value in side.scores.items()}
    if side.facts:
        held["facts"] = {name: inert_lines(text) for name, text in side.facts.items()}
    return held


def _turns(turns: tuple[Turn, ...], long: LongTexts) -> list[dict[str, Any]]:
    return [
        long.keep(
            turn.text,
            {
                "role": inert_lines(f"{turn.role} {turn.tool}".strip()),
                "calls": [long.keep(call.arguments, {"name": inert_lines(call.name)}) for call in turn.calls],
            },
        )
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
        turns=tuple(_static_turns(side.turns or ())),
        notes={name: _cut(text) for name, text in side.notes.items()},
    )


def _static_turns(turns: Sequence[Turn]) -> Iterator[Turn]:
    """Yield the first turns with their first calls; a last one says how much more there is."""
    for turn in turns[:STATIC_TURNS]:
        yield Turn(turn.role, _cut(turn.text), turn.calls[:STATIC_TURNS], turn.tool)
    calls = sum(len(turn.calls[STATIC_TURNS:]) for turn in turns[:STATIC_TURNS])
    left = ((len(turns[STATIC_TURNS:]), "turn"), (calls, "tool call"))
    if said := [write_count(n, noun) for n, noun in left if n]:
        yield Turn(LEFT_OUT, f"{' and '.join(said)} more")


def _cut(text: str) -> str:
    left = len(text) - SHOWN
    return text if left <= 0 else f"{text[:SHOWN]}\n({left:,} more characters)"
