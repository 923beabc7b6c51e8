"""The rule of a text, and the one door through which a response is scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from aliquot.errors import UsageError, excerpt, nearest
from aliquot.item_sets.items import Item
from aliquot.scorers.catalogue import RULES
from aliquot.scorers.refusals import is_refusal
from aliquot.scorers.rule import Rule
from aliquot.scorers.rule_texts import read_rule, write_rule
from aliquot.scorers.scores import EMPTY, Score, unparsed

__all__ = ["RULES", "rule_named", "rule_text", "score"]


@lru_cache(maxsize=4096)
def rule_named(text: str) -> Rule:
    """Return the rule of a text.

    Args:
        text: a name, and settings in brackets where there are any: ``number_near(relative=0.01)``.

    Raises:
        UsageError: there is no such rule, or it cannot have these settings.
        MachineError: what a setting needs is not installed.

    Examples:
        >>> rule_named('exact( case = "kept" )').name
        'exact(case="kept")'
    """
    name, settings = read_rule(text)
    if name not in RULES:
        raise UsageError(f"there is no rule {excerpt(name)}. {nearest(name, RULES)}")
    plain = RULES[name]
    return plain.with_settings(settings) if settings or plain.needs else plain


def rule_text(told: object) -> str:
    """Return the text of a rule that is named by a text, or by a mapping with ``rule`` and its settings.

    Raises:
        UsageError: it is neither, or names no rule.

    Examples:
        >>> rule_text({"rule": "number_near", "relative": 0.01})
        'number_near(relative=0.01)'
    """
    if isinstance(told, Mapping):
        settings = {str(name): value for name, value in told.items()}
        name = settings.pop("rule", None)
        if not isinstance(name, str):
            raise UsageError("a rule with settings is written {rule: NAME, SETTING: VALUE}")
        return rule_named(write_rule(name, settings)).name
    if not isinstance(told, str):
        raise UsageError(f"{excerpt(told)} names no rule")
    return rule_named(told).name


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
        >>> item = Item("capital", {"question": "Capital of Norway?", "reference": "Oslo"})
        >>> score(RULES["words"], item, "It is Oslo.").value, score(RULES["words"], item, "Bergen").value
        (1.0, 0.0)
    """
    if not text.strip():
        return replace(unparsed(EMPTY), parts=rule.apply(item, "").parts if rule.combine else None)
    result = rule.apply(item, text)
    if rule.forbids or result.value == 1.0 or not is_refusal(text):
        return result
    return Score(None, label="refuse", status="refused", parts=result.parts)
