"""Tables for a paper: whatever the names hold, LaTeX sets them as they stand, and the file compiles."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.reports.latex import PAGE_ROWS, escape_latex, render_latex, render_sheet_latex
from aliquot.reports.render import render
from aliquot.reports.sheet import Grid, Sheet
from aliquot.reports.sheets import sheet_of
from tests.reports.every_kind import HOSTILE as HOSTILE_NAME
from tests.reports.every_kind import KINDS, every_kind

HOSTILE = (
    r"\input{/etc/passwd}", r"\write18{id}", "a_b$%&#~^", "{", "}", "[10pt] x", "*star", "--|`'\"<>", "=cmd|'/c'!A1",
    "\x1b[31mred", "n\u202ea", "caf\u00e9 na\u00efve \u0160", "\u0416 \u4e2d \u00df", "@team", "", " ", "\\", "?`",
    "a,b;c", "<script>alert(1)</script>", "% not a comment", "line\nbreak", "50%", "^^M", "\\\\[1cm]",
)  # fmt: skip


def document(text: str) -> str:
    return (
        "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n" + text + "\\end{document}\n"
    )


def grid_of(names: tuple[str, ...]) -> Grid:
    return Grid(
        "", ("task", *names[:2], "diff."), tuple((name, "1.0", name, "+1.0 to -2.5") for name in names)
    )


def compile_latex(text: str, folder: Path) -> None:
    (folder / "table.tex").write_text(document(text), encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "table.tex"],
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (folder / "table.pdf").stat().st_size > 0


needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not on this machine")


@needs_latex
def test_a_table_of_hostile_names_compiles(tmp_path: Path):
    text = render_latex(grid_of(HOSTILE), caption=" ".join(HOSTILE), notes=" ".join(HOSTILE))
    compile_latex(text, tmp_path)


@needs_latex
@pytest.mark.parametrize("name", ["main", HOSTILE_NAME])
def test_all_of_every_kind_compiles(name: str, tmp_path: Path):
    parts = [render(found, form="latex", verbose=True) for found in every_kind(name).values()]
    compile_latex("\n\\clearpage\n".join(parts), tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_every_grid_of_a_finding_is_a_table_with_all_its_rows(kind: str):
    found = every_kind()[kind]
    sheet = sheet_of(found)
    grids = [block for block in (*sheet.blocks, *sheet.details) if isinstance(block, Grid)]
    text = render(found, form="latex", verbose=True)
    pages = sum(max(1, -(-len(grid.rows) // PAGE_ROWS)) for grid in grids)
    assert text.count(r"\begin{tabular}") == pages
    lines = [line for line in text.splitlines() if line.endswith(r" \\")]
    assert len(lines) == pages + sum(len(grid.rows) for grid in grids)
    assert f"% {found.verdict.text[:20]}" in text


def test_a_comparison_gives_the_table_that_carries_its_claim():
    text = render(every_kind()["comparison"], form="latex")
    assert r"system & passed & rate & 95\% interval & answered & p \\" in text
    row = next(line for line in text.splitlines() if line.startswith("difference"))
    assert row.startswith("difference & 27 better, 9 worse & $+10.2$ & ")
    assert text.count(r"\begin{tabular}") == 1
    assert "Tests" not in text


def test_a_grid_longer_than_a_page_is_continued_and_loses_nothing():
    rows = tuple((f"q{place}", str(place)) for place in range(2 * PAGE_ROWS + 1))
    sheet = Sheet("WORD.", (Grid("Items", ("item", "n"), rows), "A note."), (), (), "Seed 1.")
    text = render_sheet_latex(sheet, command="")
    assert text.count(r"\clearpage") == 2
    assert text.count("(continued)") == 2
    assert all(f"{name} & {number} " in text for name, number in rows)
    assert text.count("A note.") == 1


def test_nothing_of_a_comment_reaches_the_page():
    sheet = Sheet("bad\n\\input{x}", ("A sentence.",), ("warn\r\\input{y}",), (), "")
    text = render_sheet_latex(sheet, command="aliquot\n\\input{z}")
    assert [line for line in text.splitlines() if "input" in line and not line.startswith("% ")] == []
    assert "A sentence." in text.splitlines()


@pytest.mark.parametrize(
    ("text", "set_as"),
    [
        ("50% of a_b", r"50\% of a\_b"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("[1] *", r"{[}1{]} {*}"),
        ("caf\u00e9", r"caf\'{e}"),
        ("\u0160", r"\v{S}"),
        ("\u00ef", '\\"{\\i}'),
        ("\u4e2d", r"\textbackslash{}u4e2d"),
        ("a\nb", r"a\textbackslash{}nb"),
    ],
)
def test_each_kind_of_character_has_its_way(text: str, set_as: str):
    assert escape_latex(text) == set_as


@given(st.text(max_size=80))
def test_no_text_leaves_a_special_character_bare(text: str):
    shown = escape_latex(text)
    assert shown.isascii()
    for command in (
        r"\\ensuremath\{(?:\\[a-z]+|-)\}",
        r"\\text[a-z]+\{\}",
        r"\\[{}$&#%_]",
        r"\{[\[\]*]\}",
        r"\\[`'^~=u.\"rHvc]\{(?:[A-Za-z]|\\[ij])\}",
    ):
        shown = re.sub(command, "", shown)
    assert not re.search(r"[\\{}$&#%_^~<>|\"`*\[\]]", shown), shown


def test_signed_numbers_get_a_true_minus_and_names_do_not():
    text = render_latex(Grid("", ("task", "diff."), (("-x", "-1.5 to +2.0"),)), caption="c", notes="n")
    assert r"-x & $-1.5$ to $+2.0$ \\" in text


def test_columns_of_names_stand_left_and_of_numbers_right():
    text = render_latex(
        Grid("", ("task", "system", "a"), (("t", "s", "1"),), names=2), caption="c", notes="n"
    )
    assert r"\begin{tabular}{llr}" in text
    assert text.count("{") == text.count("}")


def test_greek_letters_of_our_own_tables_are_mathematics() -> None:
    assert escape_latex("κ ±1") == r"\ensuremath{\kappa} \ensuremath{\pm}1"
