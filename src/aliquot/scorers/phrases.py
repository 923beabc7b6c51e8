"""Rules that look for phrases and patterns: what an answer must hold, and what it must never hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, cast

from aliquot.errors import InputError, UsageError
from aliquot.item_sets.items import Item
from aliquot.scorers.answers import right_answers
from aliquot.scorers.extraction import compiled
from aliquot.scorers.rule import Settings
from aliquot.scorers.scores import Score, verdict
from aliquot.scorers.texts import plain, present, trimmed


class Phrases(Settings, frozen=True):
    """Which phrases.

    Attributes:
        texts: the phrases; without any the item's reference and accepted answers.
        of: whether any of them is enough, or all must be there.
        ignore_case: compare normalised texts, or letter by letter.
    """

    texts: tuple[str, ...] = ()
    of: Literal["any", "all"] = "any"
    ignore_case: bool = True

    def __post_init__(self) -> None:
        _require_said(self.texts)


class Never(Settings, frozen=True):
    """What must never stand in an answer, beside what the item's field ``never`` lists.

    Attributes:
        texts: phrases, compared normalised.
        patterns: regular expressions.
        whole_words: whether phrases count as whole words only: "ass" is not said in "class".
    """

    texts: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    whole_words: bool = True

    def __post_init__(self) -> None:
        _require_said(self.texts)
        for pattern in self.patterns:
            compiled(pattern)


class Pattern(Settings, frozen=True):
    """A regular expression that must be found.

    Attributes:
        pattern: the expression.
        whole: whether it must cover the whole answer, white space at the ends aside.
    """

    pattern: str
    whole: bool = False

    def __post_init__(self) -> None:
        compiled(self.pattern)


def score_contains(item: Item, text: str, settings: Phrases) -> Score:
    """1 when the phrases stand in the answer, as parts of words too."""
    wanted = settings.texts or right_answers(item)
    found = [one for one in wanted if _within(one, text, ignore_case=settings.ignore_case)]
    right = len(found) == len(wanted) if settings.of == "all" else bool(found)
    return verdict(right=right, label=found[0] if found else "none of them")


def score_never(item: Item, text: str, settings: Never) -> Score:
    """1 when nothing of what must never stand in an answer stands in it."""
    phrases = (*settings.texts, *listed_phrases(item))
    if not (phrases or settings.patterns):
        raise InputError(
            f"item {item.id!r}: the rule 'never' needs texts, patterns, or a field never",
            row=item.row,
            field="never",
            remedy="List what must not be said",
        )
    said = (
        present(text, phrases)
        if settings.whole_words
        else [one for one in phrases if plain(one) in plain(text)]
    )
    said += [one for one in settings.patterns if compiled(one).search(text)]
    note = f"holds {', '.join(repr(one[:40]) for one in said[:5])}" if said else None
    return verdict(right=not said, label="said" if said else "none", note=note)


def score_regex(item: Item, text: str, settings: Pattern) -> Score:  # noqa: ARG001 - one signature for every rule
    """1 when the pattern is found; no reference is needed."""
    pattern = compiled(settings.pattern)
    match = pattern.fullmatch(text.strip()) if settings.whole else pattern.search(text)
    return verdict(right=match is not None, label="found" if match else "not found")


def listed_phrases(item: Item) -> tuple[str, ...]:
    """Return what the item lists under ``never``.

    Raises:
        InputError: a phrase of it without a letter or digit.
    """
    given = item.fields.get("never")
    if given is None or given == "":
        return ()
    every = tuple(str(one) for one in (cast("list[Any]", given) if isinstance(given, list) else [given]))
    try:
        _require_said(every)
    except UsageError as error:
        raise InputError(f"item {item.id!r}: {error}", row=item.row, field="never") from error
    return every


def _require_said(phrases: Iterable[str]) -> None:
    """Refuse phrases of which nothing is left after normalisation: they would stand in every answer, or in none."""
    for phrase in phrases:
        if not trimmed(phrase):
            raise UsageError(f"{phrase!r} is no phrase that can be looked for; write a pattern for it")


def _within(phrase: str, text: str, *, ignore_case: bool) -> bool:
    return plain(phrase) in plain(text) if ignore_case else phrase in text
