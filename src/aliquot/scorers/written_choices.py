"""The rule that reads a written choice: which option an answer names, by its text or by its letter."""

from __future__ import annotations

import re
from typing import Final, cast

from aliquot.errors import InputError
from aliquot.item_sets.items import Item
from aliquot.item_sets.options import LETTERS
from aliquot.scorers.answers import led_parts, right_answers
from aliquot.scorers.scores import Score, unparsed, verdict
from aliquot.scorers.texts import plain, present, trimmed

FAMILIES: Final = (("yes", "no"), ("true", "false"), ("positive", "negative"), tuple("abcdefghij"))
"""Options a choice is made among when the item names none: the family of its reference."""

_LETTER: Final = re.compile(r"\W*([b-hj-z](?![\w'+#-])|[ai](?=[^\w\s'+#-]|\s*$))")
"""A letter at the beginning that names an option; "A dog", "I think", "C'est" and "C++" name none."""


def score_choice(item: Item, text: str) -> Score:
    """1 when exactly one option is named, as whole words or by its letter, and it is the reference.

    The first line that names an option decides; when it names several, the answer is unparsed, never a guess. A letter
    stands at the beginning of the line, or behind "answer is". What was read is told as the reference is spelled.
    """
    options = _options(item)
    right = {_meant(trimmed(one), options) for one in right_answers(item)}
    for line in text.splitlines():
        found = _named(line, options)
        if len(found) == 1:
            return verdict(right=found[0] in right, label=_spelled(found[0], options, item))
        if found:
            return unparsed(f"several options named: {', '.join(found)}")
    return unparsed(f"none of the options named: {', '.join(options)}")


def _options(item: Item) -> tuple[str, ...]:
    given = item.fields.get("options", item.fields.get("choices"))
    if isinstance(given, list | tuple):
        return tuple(trimmed(str(option)) for option in cast("list[object]", given))
    reference = trimmed(right_answers(item)[0])
    for family in FAMILIES:
        if reference in family:
            return family
    raise InputError(
        f"item {item.id!r} has no options and its reference {reference!r} belongs to no known family",
        row=item.row,
        field="options",
        remedy="List the options in the field options",
    )


def _lettered(options: tuple[str, ...]) -> bool:
    """Whether letters can stand for the options: none is a letter that stands for another one."""
    return len(options) <= len(LETTERS) and all(
        len(option) != 1 or not option.isalpha() or option == letter.lower()
        for option, letter in zip(options, LETTERS, strict=False)
    )


def _meant(name: str, options: tuple[str, ...]) -> str:
    """Return the option that a text or letter names; the text itself where it names none."""
    if name in options or len(name) != 1 or not _lettered(options):
        return name
    place = LETTERS.lower().find(name)
    return options[place] if 0 <= place < len(options) else name


def _spelled(option: str, options: tuple[str, ...], item: Item) -> str:
    """Return an option as the item's reference spells it: by its text, or by its letter."""
    reference = trimmed(right_answers(item)[0])
    by_letter = _meant(reference, options) != reference
    return LETTERS[options.index(option)].lower() if by_letter else option


def _named(line: str, options: tuple[str, ...]) -> list[str]:
    """Return the options that a line names; those that are letters of a list only by their letter."""
    led = led_parts(plain(line))
    letter = _LETTER.match(led[0] if led else plain(line))
    if set(options) <= set(FAMILIES[-1]):
        return [letter[1]] if letter and letter[1] in options else []
    texts = present(line, options)
    meant = _meant(letter[1], options) if letter else ""
    return list(dict.fromkeys([meant, *texts])) if meant in options else texts
