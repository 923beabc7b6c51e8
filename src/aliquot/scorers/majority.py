"""The rule of self-consistency: of several attempts the answer that most of them agree on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

import msgspec

from aliquot.errors import UsageError
from aliquot.item_sets.items import Item
from aliquot.scorers.catalogue import SINGLE, rule_among
from aliquot.scorers.rule import Rule, Settings
from aliquot.scorers.scores import Score
from aliquot.scorers.scoring import score
from aliquot.scorers.texts import as_number


class Vote(Settings, frozen=True):
    """What the attempts vote on.

    Attributes:
        of: the rule whose reading of each attempt is its vote; one that finds an answer right or wrong.
    """

    of: str

    def __post_init__(self) -> None:
        rule = self.rule
        if rule.reads != "text" or rule.kind != "binary" or rule.pools:
            raise UsageError(
                f"the rule {rule.name!r} reads no answer of one attempt that attempts could agree on"
            )

    @property
    def pools(self) -> bool:
        """It looks at all attempts."""
        return True

    @property
    def rule(self) -> Rule:
        """The rule that reads each attempt."""
        return rule_among(SINGLE, self.of)


def score_majority(item: Item, found: str | Sequence[str], settings: Vote) -> Score:
    """1 when the answer that most attempts give is right; of several as frequent the one given first.

    Attempts without an answer (empty, refused, not to be read) vote together for none.
    """
    rule = settings.rule
    rule.try_on(item)
    scored = [score(rule, item, text) for text in ([found] if isinstance(found, str) else found)]
    votes = [_vote(one) for one in scored]
    lost = next((one for one in scored if one.status == "error"), None)
    if lost is not None:
        return lost
    most, count = Counter(votes).most_common(1)[0]  # of equals the one counted first
    return msgspec.structs.replace(scored[votes.index(most)], note=f"{count} of {len(votes)} attempts")


def _vote(scored: Score) -> str | Decimal | None:
    """Return what an attempt votes for; 7 and 7.0 are one vote."""
    if scored.value is None or scored.label is None:
        return None
    number = as_number(scored.label)
    return scored.label if number is None else number


MAJORITY: Final = Rule(
    "majority",
    "1",
    "as the rule whose readings are counted",
    score_majority,
    "It measures the system together with its repetition: a rate to beat only for one that is repeated as often.",
    settings=Vote,
    wants="nothing",
)
"""The rule."""
