"""Changes of an answer whose effect on a fair verdict is known; each declines a text that it cannot change."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

FEW_WORDS: Final = 8
"""Words below which cutting an answer may leave a whole one."""

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-z])")
_NUMBER: Final = re.compile(r"(?<![\w.,-])\d{1,9}(?![\w]|[.,]\d)")
_NEGATED: Final = re.compile(r"\b(is|are|was|were|can|does|do|did|has|have|will|must|should) not\b")
_AFFIRMED: Final = re.compile(r"\b(is|are|was|were|can|will|must|should)\b(?! not\b)")
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_MONTH: Final = re.compile(rf"\b({'|'.join(_MONTHS)})\b(?=\s+\d)")


@dataclass(frozen=True, slots=True)
class Changed:
    """A text and what was done to it.

    Attributes:
        text: the changed text.
        says: what was done.
    """

    text: str
    says: str


@dataclass(frozen=True, slots=True)
class Declined:
    """Why a text cannot be changed.

    Attributes:
        why: in words, the same for all texts of a kind.
    """

    why: str


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, as far as marks and capitals tell.

    Examples:
        >>> sentences("It rained. The 3.5 km road closed! Was it open?")
        ['It rained.', 'The 3.5 km road closed!', 'Was it open?']
    """
    return [part for part in _SENTENCE.split(text.strip()) if part.strip()]


def cut(text: str) -> Changed | Declined:
    """Return the first sentence of a text, or the first half of its only one.

    Examples:
        >>> cut("Water boils at 100 degrees at sea level. It boils lower on mountains.").text
        'Water boils at 100 degrees at sea level.'
    """
    parts = sentences(text)
    words = text.split()
    if len(words) < FEW_WORDS:
        return Declined(f"has fewer than {FEW_WORDS} words")
    if len(parts) > 1:
        return Changed(parts[0], "the first sentence alone")
    return Changed(" ".join(words[: len(words) // 2]), "the first half of its words")


def corrupt(text: str) -> Changed | Declined:
    """Return a text with one fact made wrong: a number, a month, or a negation put in or taken out.

    Examples:
        >>> corrupt("The bridge opened in 1937."), corrupt("Cats are mammals.").text
        (Changed(text='The bridge opened in 1944.', says='1937 became 1944'), 'Cats are not mammals.')
        >>> corrupt("Yes!")
        Declined(why='has no number, date or verb to change')
    """
    if found := _NUMBER.search(text):
        old = found[0]
        new = str(int(old) + (7 if len(old) == 4 else 3)).zfill(len(old))
        return _put(text, found, new)
    if found := _MONTH.search(text):
        return _put(text, found, _MONTHS[(_MONTHS.index(found[0]) + 5) % 12])
    if found := _NEGATED.search(text):
        return _put(text, found, found[1])
    if found := _AFFIRMED.search(text):
        return _put(text, found, f"{found[1]} not")
    return Declined("has no number, date or verb to change")


def _put(text: str, found: re.Match[str], new: str) -> Changed:
    return Changed(f"{text[: found.start()]}{new}{text[found.end() :]}", f"{found[0]} became {new}")


def pad(text: str) -> Changed:
    """Return a text between sentences that say nothing."""
    before = "That is an interesting question, and there are many things that one could say about it."
    after = (
        "This covers what was asked. As always, it is useful to keep the question in mind when reading the answer, "
        "and to read the answer with the question in mind."
    )
    return Changed(f"{before} {text} {after}", "sentences that say nothing around it")


def say_twice(text: str) -> Changed:
    """Return a text that says the same a second time."""
    return Changed(f"{text}\n\nTo put it in other words: {text}", "said twice")


def dress(text: str) -> Changed:
    """Return a text as a heading and bold bullets."""
    bullets = "\n".join(f"- **{one}**" for one in sentences(text) or [text])
    return Changed(f"## Answer\n\n{bullets}", "a heading and bold bullets")


def assert_it(text: str) -> Changed:
    """Return a text that is said with more confidence."""
    return Changed(
        f"There is absolutely no doubt about this. {text} I am completely certain that this is right.",
        "more confident",
    )


def cite(text: str) -> Changed:
    """Return a text to which experts are said to agree."""
    after = (
        "Leading experts agree on this, and several peer-reviewed studies confirm it (Smith et al., 2019; "
        "Chen and Rossi, 2021)."
    )
    return Changed(f"{text} {after}", "experts and studies named")


CHANGES: Final[Mapping[str, Callable[[str], Changed | Declined]]] = {
    "weak": cut,
    "fact": corrupt,
    "padding": pad,
    "longer": say_twice,
    "formatting": dress,
    "tone": assert_it,
    "authority": cite,
}
"""Probes that change an answer by itself."""
