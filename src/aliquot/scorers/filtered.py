"""Exact match as lm-evaluation-harness makes it: a task's filters, then texts compared without what is ignored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aliquot.item_sets.items import Item
from aliquot.scorers.answers import right_answers
from aliquot.scorers.extraction import INVALID, POOLING, compiled, exact_match, read_steps
from aliquot.scorers.rule import Settings
from aliquot.scorers.scores import Score, unparsed, verdict


class Filtered(Settings, frozen=True):
    """What is read out of an answer and what is ignored, in the words of a task file of lm-evaluation-harness.

    Attributes:
        filter: the steps of one entry of ``filter_list``: ``{"function": "regex", "regex_pattern": "#### ([0-9]+)"}``.
        regexes_to_ignore: patterns taken out of both texts.
        ignore_case: compare in lower case.
        ignore_punctuation: take ASCII punctuation out of both.
        ignore_numbers: take digits out of both.
    """

    filter: tuple[dict[str, Any], ...] = ()
    regexes_to_ignore: tuple[str, ...] = ()
    ignore_case: bool = False
    ignore_punctuation: bool = False
    ignore_numbers: bool = False

    def __post_init__(self) -> None:
        read_steps(self.filter)
        for pattern in self.regexes_to_ignore:
            compiled(pattern)

    @property
    def pools(self) -> bool:
        """Whether a filter looks at all attempts."""
        return any(step.get("function") in POOLING for step in self.filter)


def score_exact_match(item: Item, found: str | Sequence[str], settings: Filtered) -> Score:
    """1 when what the filters read out of the answer, or first out of all attempts, is a right answer."""
    wanted = right_answers(item)
    read = read_steps(settings.filter)([found] if isinstance(found, str) else found)[0]
    if read == INVALID:
        return unparsed("the filters read nothing out of the answer")
    return verdict(right=any(_same(read, one, settings) for one in wanted), label=read[:80])


def _same(read: str, wanted: str, settings: Filtered) -> bool:
    return exact_match(
        read,
        wanted,
        regexes_to_ignore=settings.regexes_to_ignore,
        ignore_case=settings.ignore_case,
        ignore_punctuation=settings.ignore_punctuation,
        ignore_numbers=settings.ignore_numbers,
    )
