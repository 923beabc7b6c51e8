"""Rows in the terminal: newly failing, newly fixed and still failing apart, both answers side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import asdict
from itertools import zip_longest
from typing import Any

from aliquot.findings.redaction import REASON
from aliquot.findings.rows import Row, Rows, SideOfRow
from aliquot.reports.changes import change_titles
from aliquot.reports.plain import WIDTH, neutralise, short_name, wrap
from aliquot.reports.turns import one_line, turn_lines

_SHOWN_CHARACTERS = 1200
"""Characters of an answer shown; the rest is counted."""

_NOTE_CHARACTERS = 600
_NOTE_LINES = 5
"""How much of what a scorer said is shown."""

_ASKED_CHARACTERS = 600
_ASKED_LINES = 6
"""How much of what was asked or expected is shown."""

_BESIDE = " " * 10
"""What a line of it begins with, under its title."""

_COLUMN = (WIDTH - 5) // 2


def render_rows(rows: Rows) -> str:
    """Return rows as plain text of 80 columns; a bar marks the lines on which the two answers differ."""
    titles = change_titles(rows)
    counts = ", ".join(f"{count} {titles[change]}" for change, count in sorted(rows.counts.items()))
    against = "" if rows.baseline is None else f" against {neutralise(rows.baseline)}"
    lines = wrap(f"{neutralise(rows.candidate)}{against}: {counts}.", indent="")
    title = None
    for row in rows.rows:
        if row.change != title:
            title = row.change
            lines += ["", f"{titles[title].upper()} ({rows.counts[title]})"]
        lines += ["", *_row(row, metric=rows.metric)]
    if rows.left_out:
        lines += ["", f"{rows.left_out} more; -n {len(rows.rows) + rows.left_out} shows them."]
    return "\n".join(lines) + "\n"


def rows_document(rows: Rows) -> Mapping[str, Any]:
    """Return rows as JSON values by the contract ``aliquot.rows/1``."""
    return {"schema": "aliquot.rows/1", **asdict(rows), "counts": dict(rows.counts)}


def _row(row: Row, *, metric: str) -> list[str]:
    labels = ", ".join(f"{neutralise(name)} {neutralise(value)}" for name, value in row.labels.items())
    lines = wrap(f"{neutralise(row.item)}{f' ({labels})' if labels else ''}", indent="  ", first="")
    asked = row.inputs if row.asks is None else one_line(row.asks)
    for title, text in (("asks", asked), ("expects", row.reference)):
        if text is not None:
            lines += _labelled(title, text)
    if row.baseline is None:
        lines += [f"  {_side_title(row.candidate)}"]
        lines += [f"  {line}".rstrip() for line in _text(row.candidate, wide=WIDTH - 2)]
    else:
        lines.append(_pair(_side_title(row.baseline), _side_title(row.candidate), mark=" "))
        left, right = (_text(side) for side in (row.baseline, row.candidate))
        lines += [_pair(a, b, mark=" " if a == b else "|") for a, b in zip_longest(left, right, fillvalue="")]
    for side in filter(None, (row.baseline, row.candidate)):
        note, what = side.notes.get(metric), "scored"
        if not note:
            note, what = side.facts.get(REASON), REASON
        if note:
            words = " ".join(note[: 2 * _NOTE_CHARACTERS].split())
            said = f"{short_name(side.system)}, {what}: {neutralise(words, limit=_NOTE_CHARACTERS)}"
            lines += wrap(said, indent="    ", first="  ", lines=_NOTE_LINES)
    return lines


def _labelled(title: str, text: str) -> list[str]:
    """Return a text beside its title, its lines kept; a text of many fields has a line for each."""
    parts = [part.strip() for part in text[:_ASKED_CHARACTERS].split("\n") if part.strip()]
    lines = [
        line
        for part in parts
        for line in wrap(neutralise(part, limit=_ASKED_CHARACTERS), indent=_BESIDE, lines=_ASKED_LINES)
    ] or [_BESIDE]
    shown = lines[:_ASKED_LINES]
    more = len(lines) > len(shown) or len(text) > _ASKED_CHARACTERS
    shown[0] = f"  {title:<8}{shown[0][len(_BESIDE) :]}".rstrip()
    return [*shown, f"{_BESIDE}..."] if more and not shown[-1].endswith("...") else shown


def _side_title(side: SideOfRow) -> str:
    statuses = sorted({status for status in side.statuses if status != "ok"})
    shown = f" (attempt {side.attempt})" if len(side.values) > 1 else ""
    return (
        f"{short_name(side.system)} {strip(side.values)}{shown}{' ' + ','.join(statuses) if statuses else ''}"
    )


def strip(values: tuple[float | None, ...]) -> str:
    """Write one mark an attempt: + passed, - failed, ? no value; scores between are written out.

    Examples:
        >>> strip((1.0, 1.0, 0.0)), strip((None,)), strip((0.25, 1.0))
        ('++-', '?', '0.25 1')
    """
    marks = {1.0: "+", 0.0: "-", None: "?"}
    if not values:
        return "not asked"
    if all(value in marks for value in values):
        return "".join(marks[value] for value in values)
    return " ".join("?" if value is None else f"{value:.3g}" for value in values)


def _text(side: SideOfRow, *, wide: int = _COLUMN) -> list[str]:
    if side.turns:
        return turn_lines(side.turns, width=wide)
    if side.text is None:
        return ["(answer not kept)"]
    cut = side.text[:_SHOWN_CHARACTERS]
    lines = [
        part
        for line in cut.split("\n")
        for part in (textwrap.wrap(neutralise(line, limit=len(line) * 10 + 10), wide) or [""])
    ]
    left = len(side.text) - len(cut)
    return [*(lines or ["(empty)"]), *([f"({left} more characters)"] if left else [])]


def _pair(left: str, right: str, *, mark: str) -> str:
    return f"  {left[:_COLUMN]:<{_COLUMN}} {mark} {right[:_COLUMN]}".rstrip()
