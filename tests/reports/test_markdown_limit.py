"""GitHub refuses a comment over 65,536 characters: no finding gives one, however many names it holds."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot import compare
from aliquot.evidence.assembly import assemble
from aliquot.evidence.tables import Note
from aliquot.evidence.texts import HeldTexts
from aliquot.findings.noise import Flipped
from aliquot.findings.verification import Check
from aliquot.reports.markdown_limit import GITHUB_LIMIT, LIMIT, fit_markdown
from aliquot.reports.render import render
from tests.reports.every_kind import HOSTILE, KINDS, every_kind

LONG = "&<@*" * 60
MANY = 3000


def swollen(kind: str) -> Any:  # noqa: C901, PLR0911, PLR0912 - a kind each
    """A finding of the kind with thousands of long names that all grow when they are escaped."""
    found: Any = every_kind()[kind]
    names = tuple(f"{LONG}{place}" for place in range(MANY))
    notes = tuple(Note(f"code_{place}", LONG * 3) for place in range(100))
    if kind == "comparison":
        field = found.segments.fields[0]
        levels = tuple(replace(field.levels[0], level=name) for name in names[:300])
        fields = tuple(replace(field, field=f"{LONG}{place}", levels=levels) for place in range(12))
        segments = replace(found.segments, fields=fields)
        return replace(found, broke=names, fixed=names, segments=segments, warnings=notes, same=names)
    if kind == "summary":
        lines = tuple(replace(found.lines[0], system=name) for name in names)
        return replace(found, lines=lines, others=lines, warnings=notes)
    if kind == "table":
        return replace(found, rows=tuple(replace(found.rows[0], task=name) for name in names), warnings=notes)
    if kind == "noise":
        flipped = tuple(Flipped(name, (0.0, 1.0), 1, 1) for name in names)
        return replace(found, flipped=flipped, warnings=notes)
    if kind == "plan":
        return replace(found, at=found.at * MANY, needed=found.needed * MANY, warnings=notes)
    if kind == "verification":
        checks = tuple(Check(name, "22.4", LONG, "cannot_be", LONG) for name in names)
        return replace(found, checks=checks, remarks=names, warnings=notes)
    if kind == "variants":
        return replace(found, groups=found.groups * MANY, contrasts=found.contrasts * MANY, warnings=notes)
    if kind == "failures":
        return replace(found, kinds=found.kinds * MANY, warnings=notes)
    if kind == "agreement":
        raters = tuple(replace(found.raters[0], name=name) for name in names)
        differ = tuple(replace(found.disagreements[0], answer=name, labels=names[:2]) for name in names)
        return replace(
            found, raters=raters, disagreements=differ, pairs=(), confusion=(), classes=(), warnings=notes
        )
    if kind == "calibration":
        corrected = tuple(replace(found.corrected[0], what=name) for name in names)
        return replace(
            found, corrected=corrected, let_through=names, lines=found.lines * MANY, warnings=notes
        )
    if kind == "gate":
        flips = tuple(replace(found.flips[0], item=name) for name in names)
        conditions = tuple(replace(found.conditions[0], name=name) for name in names)
        return replace(found, flips=flips, conditions=conditions, same=names, warnings=notes)
    if kind == "probe":
        return replace(found, lines=found.lines * MANY, warnings=notes)
    if kind == "monitor":
        segments = tuple(replace(found.segments[0], kind=name) for name in names)
        return replace(found, channels=found.channels * MANY, segments=segments, warnings=notes)
    if kind == "trend":
        points = tuple(replace(found.points[0], run=name) for name in names)
        return replace(found, points=points, changes=found.changes * MANY, warnings=notes)
    if kind == "rescoring":
        systems = tuple(replace(found.systems[0], system=name, to_right=names[:20]) for name in names)
        return replace(found, systems=systems, warnings=notes)
    return replace(found, limitations=names, methods=found.methods * MANY)


@pytest.mark.parametrize("kind", KINDS)
def test_no_finding_is_longer_than_github_takes(kind: str):
    found = replace(swollen(kind), command=f"aliquot {found_verb(kind)} '{LONG}'")
    text = render(found, form="markdown")
    assert len(text) <= LIMIT < GITHUB_LIMIT
    assert text.startswith("**")
    assert re.search(r"\d+ parts? are left out|is left out|\d+ more", text)
    assert text.count("<details>") == text.count("</details>")
    assert text.rstrip().endswith("</sub>")


def found_verb(kind: str) -> str:
    return {"comparison": "compare", "summary": "summarize"}.get(kind, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_a_finding_of_usual_size_is_whole(kind: str):
    assert "left out here" not in render(every_kind()[kind], form="markdown")


block = st.text("ab ", min_size=1, max_size=3).map(lambda text: text * 9000)


@settings(max_examples=50)
@given(st.lists(block, min_size=1, max_size=12), st.lists(block, max_size=12))
def test_blocks_are_whole_or_counted(shown: list[str], folded: list[str]):
    head = "**WORD: text.**"
    text = fit_markdown(
        [head, *shown], warnings="- w", folded=folded, footer="<sub>f</sub>", command="aliquot x"
    )
    assert len(text) <= LIMIT
    kept = sum(1 for part in text.split("\n\n") if len(part.strip("\n")) >= 9000)
    left = re.search(r"(\d+) parts? ", text)
    assert kept + (int(left[1]) if left else 0) == len(shown) + len(folded)
    assert ("<code>aliquot x -v</code>" in text) == (left is not None)
    assert text.startswith(head)
    assert "- w" in text


def test_the_command_in_it_is_no_markup():
    blocks = ["**WORD.**", *["x" * 30_000] * 3]
    command = f"aliquot compare '{HOSTILE}' `a` *b* </code>"
    text = fit_markdown(blocks, warnings="", folded=[], footer="", command=command)
    inside = text.partition("<code>")[2].partition("</code>")[0]
    assert inside.endswith(" -v")
    assert not re.search(r"[<>`*_\[\]@]", inside)


@pytest.mark.parametrize("form", ["markdown", "csv", "latex", "junit"])
def test_texts_of_items_and_answers_are_no_part_of_it(form: str):
    places = range(30)
    rows = [
        {"system": system, "item": f"q{place}", "value": float((place + shift) % 3 > 0)}
        for shift, system in enumerate(("main", "pr"))
        for place in places
    ]
    texts = HeldTexts(
        items={("task", f"q{place}"): ("SECRET asked", "SECRET expected") for place in places},
        responses={(row["system"], "task", row["item"], 1): "SECRET answer" for row in rows},
    )
    found = compare(assemble(pl.DataFrame(rows), texts=texts), noise=None)
    assert found.broke
    assert "SECRET" not in render(found, form=form, verbose=True)
