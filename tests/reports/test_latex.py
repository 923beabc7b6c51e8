"""Tables for a paper: whatever the names hold, LaTeX sets them as they stand, and the file compiles."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.reports.latex import escape_latex, render_latex
from aliquot.reports.sheet import Grid

HOSTILE = (
    r"\input{/etc/passwd}", r"\write18{id}", "a_b$%&#~^", "{", "}", "[10pt] x", "*star", "--|`'\"<>", "=cmd|'/c'!A1",
    "\x1b[31mred", "n\u202ea", "caf\u00e9 na\u00efve \u0160", "\u0416 \u4e2d \u00df", "@team", "", " ", "\\", "?`",
    "a,b;c", "<script>alert(1)</script>", "% not a comment", "line\nbreak", "50%", "^^M", "\\\\[1cm]",
)  # fmt: skip


def document(grid: Grid, *, caption: str = "A table.", notes: str = "A note.") -> str:
    text = render_latex(grid, caption=caption, notes=notes)
    return (
        "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n" + text + "\\end{document}\n"
    )


def grid_of(names: tuple[str, ...]) -> Grid:
    return Grid(
        "", ("task", *names[:2], "diff."), tuple((name, "1.0", name, "+1.0 to -2.5") for name in names)
    )


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not on this machine")
def test_a_table_of_hostile_names_compiles(tmp_path: Path):
    source = document(grid_of(HOSTILE), caption=" ".join(HOSTILE), notes=" ".join(HOSTILE))
    (tmp_path / "table.tex").write_text(source, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "table.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "table.pdf").stat().st_size > 0


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
