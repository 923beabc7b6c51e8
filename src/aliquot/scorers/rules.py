"""Every rule by name, and the rule of a text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from aliquot.errors import UsageError, excerpt
from aliquot.scorers.catalogue import SINGLE, rule_among
from aliquot.scorers.checklists import CHECKLISTS
from aliquot.scorers.classes import CLASS_RULES
from aliquot.scorers.majority import MAJORITY
from aliquot.scorers.rule import Rule
from aliquot.scorers.rule_texts import write_rule

RULES: Final[Mapping[str, Rule]] = SINGLE | {rule.name: rule for rule in (*CLASS_RULES, MAJORITY, CHECKLISTS)}
"""Every rule by its name without settings; one that needs some is as yet without them."""


@lru_cache(maxsize=4096)
def rule_named(text: str) -> Rule:
    """Return the rule of a text.

    Args:
        text: a name, and settings in brackets where there are any: ``number_near(relative=0.01)``; or a name that
            lm-evaluation-harness has for it (``ALIASES``).

    Raises:
        UsageError: there is no such rule, or it cannot have these settings.
        MachineError: what a setting needs is not installed.

    Examples:
        >>> rule_named('exact( case = "kept" )').name, rule_named("acc_norm").name
        ('exact(case="kept")', 'choice_by_characters')
    """
    return rule_among(RULES, text)


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
