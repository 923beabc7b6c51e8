"""Grids as LaTeX tables (booktabs): names and numbers escaped, nothing else is needed to compile them."""

from __future__ import annotations

import unicodedata
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
    '"': "''",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}

_ACCENTS: Final = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
}
"""Combining marks and the commands that set them."""


def escape_latex(text: str, *, limit: int = 200) -> str:
    r"""Return text that LaTeX sets as it stands.

    Letters with accents are set by their commands, other characters outside ASCII as their escapes.

    Examples:
        >>> print(escape_latex("50% of a_b\\input{x}"))
        50\% of a\_b\textbackslash{}input\{x\}
    """
    return "".join(_set_char(char) for char in neutralise(text, limit=limit))


def _set_char(char: str) -> str:
    """Return one character for any LaTeX engine and encoding: accents by their commands, others written out."""
    if char.isascii():
        return _ESCAPES.get(char, char)
    letter, *marks = unicodedata.normalize("NFD", char)
    if len(marks) == 1 and letter.isascii() and letter.isalpha() and marks[0] in _ACCENTS:
        base = f"\\{letter}" if letter in "ij" else letter
        return f"\\{_ACCENTS[marks[0]]}{{{base}}}"
    written = char.encode("ascii", "backslashreplace").decode("ascii")
    return "".join(_ESCAPES.get(part, part) for part in written)


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
