"""Grids as LaTeX tables (booktabs): names and numbers escaped, nothing else is needed to compile them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from aliquot.reports.plain import neutralise
from aliquot.reports.sheet import Block, Grid, Sheet

PAGE_ROWS = 40
"""Rows of one table; a longer one is continued in the next, as a float ends with its page."""

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


_LETTERS: Final = {
    "α": r"\ensuremath{\alpha}",
    "κ": r"\ensuremath{\kappa}",
    "λ": r"\ensuremath{\lambda}",
    "π": r"\ensuremath{\pi}",
    "τ": r"\ensuremath{\tau}",
    "±": r"\ensuremath{\pm}",
    "−": r"\ensuremath{-}",
}
"""Letters and signs of our own tables, and the mathematics that sets them."""

_LONGEST_NOTES = 20_000
"""Characters of the notes below a table, of a paragraph and of a comment."""


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
    if char in _LETTERS:
        return _LETTERS[char]
    written = char.encode("ascii", "backslashreplace").decode("ascii")
    return "".join(_ESCAPES.get(part, part) for part in written)


def render_sheet_latex(sheet: Sheet, *, command: str, verbose: bool = False) -> str:
    """Return a sheet as tables: its sentences are the notes of its first grid, or paragraphs when there is none.

    Args:
        sheet: the sheet of a finding.
        command: the command that makes the finding again; may be empty.
        verbose: also the details, a sentence there as a note of the grid before it.
    """
    about = [sheet.headline, *sheet.warnings, sheet.footer, *([command] if command else [])]
    parts = ["% Needs \\usepackage{booktabs}", *map(_comment, about)]
    sentences, grids = _apart(sheet.blocks)
    if not grids:
        parts.append(_paragraphs(sentences))
    for place, grid in enumerate(grids):
        parts += _pages(grid, notes="" if place else " ".join(sentences), untitled=sheet.headline)
    if verbose:
        parts += _details(sheet.details, untitled=sheet.headline)
    return "\n".join(part.rstrip("\n") for part in parts if part) + "\n"


def _apart(blocks: Sequence[Block]) -> tuple[list[str], list[Grid]]:
    sentences = [block for block in blocks if isinstance(block, str)]
    return sentences, [block for block in blocks if isinstance(block, Grid)]


def _details(blocks: Sequence[Block], *, untitled: str) -> Iterator[str]:
    starts = [place for place, block in enumerate(blocks) if isinstance(block, Grid)]
    yield _paragraphs(_apart(blocks[: starts[0] if starts else len(blocks)])[0])
    for start, end in pairwise([*starts, len(blocks)]):
        sentences, (grid,) = _apart(blocks[start:end])
        yield from _pages(grid, notes=" ".join(sentences), untitled=untitled)


def _paragraphs(sentences: Sequence[str]) -> str:
    return "\n\n".join(escape_latex(text, limit=_LONGEST_NOTES) for text in sentences)


def _pages(grid: Grid, *, notes: str, untitled: str) -> Iterator[str]:
    """Set a grid as one table, or as several that each fit a page."""
    for place in range(0, max(len(grid.rows), 1), PAGE_ROWS):
        part = replace(grid, rows=grid.rows[place : place + PAGE_ROWS])
        caption = (grid.title or untitled) + " (continued)" * (place > 0)
        if place:
            yield r"\clearpage"
        yield render_latex(part, caption=caption, notes="" if place else notes)


def _comment(text: str) -> str:
    shown = neutralise(text, limit=_LONGEST_NOTES).encode("ascii", "backslashreplace").decode("ascii")
    return f"% {shown}"


def render_latex(grid: Grid, *, caption: str, notes: str) -> str:
    r"""Return a table for a paper that loads ``booktabs``.

    Args:
        grid: the table.
        caption: its caption.
        notes: sentences set below it; may be empty.
    """
    columns = "l" * grid.names + "r" * (len(grid.columns) - grid.names)
    below = ["", rf"\smallskip{{\footnotesize {escape_latex(notes, limit=_LONGEST_NOTES)}}}"] if notes else []
    lines = [
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
        *below,
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
