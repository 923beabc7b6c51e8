"""Summaries, tables and noise in every form: the same digits, 80 columns, inert names, JSON without NaN."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot import noise, summarize, table, variants
from aliquot.errors import UsageError
from aliquot.evidence.assembly import rename
from aliquot.findings.finding import Finding
from aliquot.reports.grid_terminal import grid_lines
from aliquot.reports.plain import WIDTH
from aliquot.reports.render import render
from aliquot.reports.sheet import Grid, Sheet
from aliquot.reports.sheet_markdown import render_sheet_markdown
from aliquot.reports.sheet_terminal import MAX_ROWS, render_sheet
from tests.evidence_of import evidence_of

HOSTILE = '<script>alert(1)</script><img src=x>\x1b[31m\u202e`|*@team,"=cmd\\input{x}\r\n# no heading'
LONG = "a-system-whose-name-goes-on-and-on-and-on-and-differs-only-at-the-very-end-"

KINDS = ("summary", "table", "noise", "variants")
UNSAFE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def finding(kind: str, name: str = "main") -> Finding:
    """Return a finding of some size whose systems carry a name."""
    others = {f"{name}{tail}": [[float((i * 5 + k * 3 + place) % 7 > 2) for k in range(3)] for i in range(40)]
              for place, tail in enumerate(("", "x", "y"))}  # fmt: skip
    evidence = evidence_of(others, clusters=[f"{name}-doc-{i // 4}" for i in range(40)])
    if kind == "noise":
        return noise(evidence, system=name, memory=None)
    return {"summary": summarize, "table": table, "variants": variants}[kind](evidence)


@pytest.fixture(scope="module", params=KINDS)
def found(request: pytest.FixtureRequest) -> Finding:
    return finding(request.param)


def test_the_answer_comes_first_in_every_form(found: Finding):
    start = found.verdict.text.split(";")[0][:40]
    assert render(found).startswith(start)
    assert render(found, form="markdown").startswith("**")
    assert start.split(":")[0] in render(found, form="html")
    assert json.loads(render(found, form="json"))["verdict"]["text"] == found.verdict.text


def test_json_is_json_without_nan_and_names_its_kind(found: Finding):
    document = json.loads(
        render(found, form="json"), parse_constant=lambda name: pytest.fail(f"{name} in JSON")
    )
    assert document["schema"] == f"aliquot.{found.kind}/1"
    assert {"verdict", "warnings", "why", "seed", "versions", "command"} <= set(document)


def test_the_digits_of_the_terminal_stand_in_every_form(found: Finding):
    digits = set(re.findall(r"[+-]?\d+\.\d+", render(found, verbose=True)))
    for form in ("markdown", "html"):
        text = render(found, form=form).replace("\\", "")
        assert {number for number in digits if number not in text} == set()


@pytest.mark.parametrize("verbose", [False, True])
def test_it_fits_80_columns_of_an_old_console(found: Finding, verbose: bool):
    text = render(found, verbose=verbose)
    assert max(map(len, text.splitlines())) <= WIDTH
    text.encode("cp1252")
    assert "None" not in text
    assert "nan" not in text.lower().split()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("verbose", [False, True])
def test_long_names_are_wrapped_and_whole_where_they_do_not_fit(kind: str, verbose: bool):
    text = render(finding(kind, LONG), verbose=verbose)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "..." not in text
    if kind != "noise":
        assert "end-x" in text  # what tells the systems apart is kept
        assert "end-y" in text


NAMES = (
    "accuracy of critical items that must never fail",
    "accuracy of critical items that may fail",
    "x" * 90,
)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_grid_holds_whole_names_in_lines_of_any_width(width: int):
    head = ("condition", f"{LONG}main", f"{LONG}pr", "estimate")
    numbers = ("75.3%", "79.1%", "+3.8 [-0.5, +8.4]")
    lines = grid_lines(Grid("", head, tuple((name, *numbers) for name in NAMES)), most=None, width=width)
    assert max(map(len, lines)) <= width
    assert sum(numbers[2] in line for line in lines) == len(NAMES)  # numbers stay in one piece
    edge = next(line.index("75.3%") for line in lines if "75.3%" in line) - 1
    names = "".join(line[2:edge].replace(" ", "") for line in lines)
    for name in NAMES:
        assert name.replace(" ", "") in names.replace("a-system-", "")


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_are_inert_everywhere(kind: str):
    hostile = finding(kind, HOSTILE)
    for text in (render(hostile), render(hostile, verbose=True)):
        assert not UNSAFE.search(text)
        assert max(map(len, text.splitlines())) <= WIDTH
    markdown = render(hostile, form="markdown")
    assert not any(bad in markdown for bad in ("<script", "<img", "@team", "\x1b", "\u202e", "\n# no"))
    page = render(hostile, form="html")
    assert not any(bad in page for bad in ("<script", "<img", "\x1b", "\u202e"))
    assert not re.search(r"src\s*=|href\s*=\s*.[^#]|url\(|@import", re.sub(r"&lt;.*?&gt;", "", page))
    json.loads(render(hostile, form="json"))


names = st.text(min_size=1, max_size=80).filter(lambda text: text.strip() != "")


@settings(max_examples=10)
@given(names)
def test_no_name_breaks_a_sheet(name: str):
    evidence = rename(evidence_of({"main": [1.0, 0.0, 1.0], "other": [1.0, 1.0, 0.0]}), {"main": name})
    if name == "other":
        return
    for found in (summarize(evidence), table(evidence), variants(evidence)):
        text = render(found, verbose=True)
        assert not UNSAFE.search(text)
        assert max(map(len, text.splitlines())) <= WIDTH
        render(found, form="html")
        render(found, form="markdown")


def sheet(*blocks: Grid | str, warnings: tuple[str, ...] = (), details: tuple[Grid | str, ...] = ()) -> Sheet:
    return Sheet("HEADLINE.", blocks, warnings, details, "Seed 1.")


def test_a_long_grid_is_cut_and_counted_and_whole_with_v():
    grid = Grid("", ("item", "n"), tuple((f"q{i}", str(i)) for i in range(MAX_ROWS + 7)))
    text = render_sheet(sheet(grid))
    assert "... 7 more rows (-v)" in text
    assert f"q{MAX_ROWS}" not in text
    assert f"q{MAX_ROWS + 6}" in render_sheet(sheet(grid), verbose=True)


def test_one_warning_is_shown_and_the_others_counted():
    text = render_sheet(sheet(warnings=("first", "second", "third")))
    assert "! first (+2 more, -v)" in text
    assert "second" not in text
    assert "third" in render_sheet(sheet(warnings=("first", "second", "third")), verbose=True)


def test_details_are_folded_in_markdown_and_hidden_in_the_terminal():
    found = sheet("shown", details=("behind",))
    assert "behind" not in render_sheet(found)
    assert "<details><summary>details</summary>\n\nbehind" in render_sheet_markdown(found)


def test_a_pipe_in_a_cell_makes_no_column():
    text = render_sheet_markdown(sheet(Grid("", ("a", "b"), (("x|y", "1"),))))
    (row,) = [line for line in text.splitlines() if "x" in line]
    assert len(re.findall(r"(?<!\\)\|", row)) == 3


cells = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=50)


@given(
    st.integers(1, 3),
    st.lists(st.tuples(cells, cells, cells, st.integers(0, 10**6).map(str)), max_size=6),
    cells,
)
def test_grids_line_up_within_the_width(names: int, rows: list[tuple[str, str, str, str]], heading: str):
    short = tuple((*row[:names], *(cell[:9] for cell in row[names:])) for row in rows)
    lines = render_sheet(sheet(Grid("", (heading, "b", "c", "d"), short, names=names))).splitlines()
    assert max(map(len, lines)) <= WIDTH


def test_an_unknown_form_names_the_nearest(found: Finding):
    with pytest.raises(UsageError, match="markdown"):
        render(found, form="markdwn")


def test_names_that_differ_in_their_middle_alone_are_told_apart() -> None:
    ends = [
        'class_score(measure="precision", positive="phish")',
        'class_score(measure="recall", positive="phish")',
    ]
    columns = ("system", "metric", "items", "rate or mean", "95% interval", "answered")
    rows = tuple(("a system", one, "1,500", "47.1%", "23.5 to 71.4", "92%") for one in ends)
    text = render_sheet(Sheet("x", (Grid("", columns, rows, names=2),), (), (), (), ""))
    assert "..." not in text
    assert '"precision", positive=' in text
    assert '"recall", positive=' in text
