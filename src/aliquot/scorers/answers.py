"""Rules that compare a short answer with the reference: exact, words, number."""

from __future__ import annotations

import re
from typing import Final

from aliquot.errors import InputError
from aliquot.item_sets.items import Item
from aliquot.scorers.sameness import Sameness, comparable
from aliquot.scorers.scores import Score, unparsed, verdict
from aliquot.scorers.texts import EDGES, as_number, numbers, plain, standing

_LEAD: Final = re.compile(r"(?:\banswer\b(?:\s+is\b|\s*[:=])|=)\s*(.*)")
_WORD: Final = re.compile(r"\w")


def score_exact(item: Item, text: str, settings: Sameness) -> Score:
    """1 when the whole answer is the reference, or an accepted one, once what is ignored is made equal.

    Raises:
        InputError: nothing of a right answer is left to compare.
    """
    wanted = {comparable(one, settings): one for one in right_answers(item)}
    if "" in wanted:
        raise InputError(
            f"item {item.id!r}: nothing of the right answer {wanted['']!r} is left to compare",
            row=item.row,
            field="reference",
            remedy='Ignore less: exact(punctuation="kept")',
        )
    answer = comparable(text, settings)
    return verdict(right=answer in wanted, label=answer)


def score_words(item: Item, text: str) -> Score:
    """1 when the reference, or an accepted answer, stands in the text as whole words."""
    wanted = right_answers(item)
    if not _WORD.search(text):
        return unparsed("the answer holds no word")
    said = plain(text)
    found = standing(said, wanted)
    return verdict(right=bool(found), label=found[0] if found else said.strip(EDGES)[:80])


def score_number(item: Item, text: str) -> Score:
    """1 when the number the text settles on equals the reference exactly.

    That is the first number after the last "answer is", "answer:" or "="; without these, the last number.
    """
    wanted = [number for answer in right_answers(item) if (number := as_number(answer)) is not None]
    if not wanted:
        raise InputError("the rule 'number' needs a number as reference", field="reference", row=item.row)
    found = numbers(text)
    if not found:
        return unparsed("no number in the answer")
    led = [numbers(match) for match in led_parts(plain(text))]
    settled = next((part[0] for part in reversed(led) if part), found[-1])
    return verdict(right=settled in wanted, label=str(settled))


def right_answers(item: Item) -> tuple[str, ...]:
    """Return the reference and what else is accepted, as texts.

    Raises:
        InputError: the item has no reference.
    """
    reference = item.reference
    if reference is None or reference == "":
        raise InputError(f"item {item.id!r} has no reference", row=item.row, field="reference")
    return (str(reference), *item.accept)


def led_parts(text: str) -> list[str]:
    """Return what follows each "answer is", "answer:" or "=", shortest part last."""
    parts: list[str] = []
    match = _LEAD.search(text)
    while match:
        parts.append(match[1])
        match = _LEAD.search(text, match.start(1))
    return parts
