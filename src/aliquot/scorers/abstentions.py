"""Whether an answer says that it does not know, and the rule that scores it against what the item expects."""

from __future__ import annotations

import re
from typing import Final

from aliquot.item_sets.items import Item
from aliquot.scorers.expectations import expected_of, opening_says
from aliquot.scorers.scores import Score, verdict

OPENING: Final = 300
"""Letters of the answer in which an abstention must stand."""

_NOT: Final = r"(?:do not|don't|does not|doesn't|did not|didn't)"
_CANNOT: Final = r"(?:cannot|can't|can not|am unable to|am not able to|could not|couldn't)"
_FIND: Final = r"(?:answer|determine|find|tell|say|know|verify|confirm)"
_TELL: Final = r"(?:say|mention|state|contain|provide|specify|tell|give|include|indicate|answer)"
_MATERIAL: Final = (
    r"(?:passage|context|text|document|article|source|information|page|excerpt|material|question)s?"
)
_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"\bi (?:\w+ )?(?:do not|don't) (?:\w+ )?(?:know\b|have (?:\w+ )?(?:information|data|context|knowledge)\b)",
        r"\bi(?:'m| am) (?:not (?:sure|certain|aware)|unsure|uncertain)\b",
        rf"\b(?:i|we) {_CANNOT} (?:\w+ )?{_FIND}\b",
        r"\b(?:cannot|can't|can not|could not) be (?:determined|answered|known|inferred|found)\b",
        r"\b(?:not enough|insufficient) (?:information|context|evidence|data)\b",
        rf"\b{_MATERIAL}\b[^.!?]{{0,60}} {_NOT} {_TELL}\b",
        r"\b(?:is|are|was|were) not (?:mentioned|stated|specified|provided|given|known|answerable)\b",
        r"\bthere (?:is|are) no (?:information|mention|answer|evidence|data|details?)\b",
        r"^\W*(?:unknown|unanswerable|no answer|not answerable|not enough information|no idea|n/a)\W*$",
    )
)


def is_abstention(text: str) -> bool:
    """Whether the answer says that it does not know, or that what it was given does not tell.

    Read from fixed English phrases in the first 300 letters. The phrases are this rule's version.

    Examples:
        >>> is_abstention("The passage does not mention a king."), is_abstention("It is not Oslo but Bergen.")
        (True, False)
    """
    return opening_says(text, _PATTERNS, letters=OPENING)


def score_abstention(item: Item, text: str) -> Score:
    """1 when the answer says that it does not know exactly if the item expects it (``expect``, else the reference).

    Raises:
        InputError: the item does not say what it expects.
    """
    expected = expected_of(item, among=("abstain", "answer"), rule="the rule 'abstention'")
    said = "abstain" if is_abstention(text) else "answer"
    return verdict(right=said == expected and bool(text.strip()), label=said)
