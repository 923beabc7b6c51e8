"""What somebody typed into a cell as one of a form's choices: the word, the page's key, or true and false."""

from __future__ import annotations

import re
from typing import Final

from aliquot.labelling.form import Question, options_of
from aliquot.readers.cells import FALSE, TRUE

PAIR_KEYS: Final = {"a": "first", "b": "second", "t": "tie", "x": "both_bad"}
"""Letters of the page for pairs (``label.js``)."""

MOST_KEYS: Final = 9
"""Choices that have a number as their key on the page."""


def choice_typed(question: Question, cell: str) -> str:
    """Return the choice that a cell means; the cell as it stands when it means none, or might mean two.

    The word itself wins, in any case. Else the page's key (the number of the choice, or the letter only it begins with)
    and, between two choices of which one says yes and one no, true or false. Where these differ nothing is guessed.

    Args:
        question: what was asked.
        cell: what stands in the cell.

    Examples:
        >>> from aliquot.labelling.form import form_of
        >>> [choice_typed(form_of([]).questions[0], cell) for cell in (" PASS", "1.0", "2", "FALSE", "3")]
        ['pass', 'pass', 'fail', 'fail', '3']
    """
    names = [name for name, _ in options_of(question)]
    typed = _folded(re.sub(r"(?<=\d)\.0+$", "", cell.strip()))
    words = [name for name in names if _folded(name) == typed]
    meant = set(words) or {
        name for name in (_by_key(question, names, typed), _by_truth(names, typed)) if name
    }
    return meant.pop() if len(meant) == 1 else cell


def _folded(text: str) -> str:
    return " ".join(re.split(r"[\s_]+", text.strip().casefold()))


def _by_key(question: Question, names: list[str], typed: str) -> str | None:
    """Return the choice of a key of the page; a number is none where choices are numbers themselves."""
    if question.kind == "scale" or any(re.fullmatch(r"[+-]?[\d.]+", name.strip()) for name in names):
        return None
    if typed.isdecimal():
        place = int(typed)
        return names[place - 1] if 1 <= place <= min(len(names), MOST_KEYS) else None
    if question.kind == "pair":
        return PAIR_KEYS.get(typed)
    begins = [name for name in names if _folded(name).startswith(typed)]
    return begins[0] if len(typed) == 1 and len(begins) == 1 else None


def _by_truth(names: list[str], typed: str) -> str | None:
    """Return which of two choices says yes, or no, when the cell does."""
    said = {True: TRUE | {"1"}, False: FALSE | {"0"}}
    read = {truth: [name for name in names if _folded(name) in words] for truth, words in said.items()}
    if len(names) != 2 or any(len(found) != 1 for found in read.values()):
        return None
    return next((read[truth][0] for truth, words in said.items() if typed in words), None)
