"""The one door through which the text of a response is scored."""

from __future__ import annotations

import msgspec

from aliquot.item_sets.items import Item
from aliquot.scorers.refusals import is_refusal
from aliquot.scorers.rule import Rule
from aliquot.scorers.scores import EMPTY, Score, unparsed


def score(rule: Rule, item: Item, text: str) -> Score:
    """Return what a rule that reads texts says about the text of a response.

    An answer without text is ``unparsed`` under every rule: a rule that reads no refusal in it, or finds nothing
    forbidden, would call it right. One that is wrong because it refuses is ``refused`` and has no value of its own:
    under a rate it counts as failed, and the finding counts it among the refusals.

    Args:
        rule: how to score.
        item: what was asked, with its reference.
        text: what was answered.

    Raises:
        InputError: the item lacks what the rule needs (reference, options, expectation).

    Examples:
        >>> from aliquot.scorers.rules import rule_named
        >>> item, words = Item("capital", {"reference": "Oslo"}), rule_named("words")
        >>> score(words, item, "It is Oslo.").value, score(words, item, "Bergen").value
        (1.0, 0.0)
    """
    if not text.strip():
        return msgspec.structs.replace(
            unparsed(EMPTY), parts=rule.apply(item, "").parts if rule.combine else None
        )
    result = rule.apply(item, text)
    if result.status == "error" or rule.forbids or result.value == 1.0 or not is_refusal(text):
        return result
    return Score(None, label="refuse", status="refused", parts=result.parts)
