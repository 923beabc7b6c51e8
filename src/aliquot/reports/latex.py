"""Grids as LaTeX tables (booktabs): names and numbers escaped, nothing else is needed to compile them."""

from __future__ import annotations

from typing import Final

from aliquot.reports.plain import neutralise
from aliquot.reports.sheet import Grid

_ESCAPES: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}


def escape_latex(text: str, *, limit: int = 200) -> str:
    r"""Return text that LaTeX sets as it stands; characters outside ASCII are written as their escapes.

    Examples:
        >>> print(escape_latex("50% of a_b\\input{x}"))
        50\% of a\_b\textbackslash{}input\{x\}
    """
    shown = neutralise(text, limit=limit).encode("ascii", "backslashreplace").decode("ascii")
    return "".join(_ESCAPES.get(char, char) for char in shown)


def render_latex(grid: Grid, *, caption: str, notes: str) -> str:
    r"""Return a table for a paper that loads ``booktabs``.

    Args:
        grid: the table.
        caption: its caption.
        notes: sentences set below it.
    """
    columns = "l" * grid.names + "r" * (len(grid.columns) - grid.names)
    lines = [
        "% Needs \\usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape_latex(caption, limit=1000)}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _line(grid.columns),
        r"\midrule",
        *map(_line, grid.rows),
        r"\bottomrule",
        r"\end{tabular}",
        "",
        rf"\smallskip{{\footnotesize {escape_latex(notes, limit=2000)}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _line(cells: tuple[str, ...]) -> str:
    return " & ".join(_cell(cell) for cell in cells) + r" \\"


def _cell(text: str) -> str:
    """Return a cell; a signed number is set with a true minus."""
    shown = escape_latex(text)
    return " ".join(f"${word}$" if _is_number(word) else word for word in shown.split(" "))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return word[:1] in "+-"
