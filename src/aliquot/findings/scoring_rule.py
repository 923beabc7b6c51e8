"""What becomes of a difference when the same responses are scored by another rule, and what of it is format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from aliquot.findings.verdict import Word
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

Relation: TypeAlias = Literal["chosen", "scorer", "filter", "variant", "rule"]
"""How a rule is related to the chosen one: it itself, another scorer of the same metric, the same metric behind another
filter, a metric whose name extends it (or is extended by it), any other pass-or-fail rule on the same responses."""


@dataclass(frozen=True, slots=True)
class RuleReading:
    """The difference under one scoring rule.

    Attributes:
        metric: the metric.
        scorer: whose outcomes.
        relation: how this rule is related to the chosen one.
        n: shared items with a value on both sides under this rule.
        fixed: items on which the candidate did better under it.
        broke: items on which it did worse.
        difference: candidate minus baseline under it.
        test: its deciding test.
        word: its verdict.
        change: difference under this rule minus that under the chosen one, on the items both have; None for the chosen.
        change_test: test of no change.
    """

    metric: str
    scorer: str
    relation: Relation
    n: int
    fixed: int
    broke: int
    difference: Estimate | Undefined
    test: HypothesisTest | None
    word: Word
    change: Estimate | Undefined | None
    change_test: HypothesisTest | None

    @property
    def related(self) -> bool:
        """Whether its name says that it asks the same as the chosen rule."""
        return self.relation != "rule"


@dataclass(frozen=True, slots=True)
class FormatSplit:
    """The difference as the sum of a format part and a content part.

    Attributes:
        format: the part on items whose share of unparsed, refused or truncated answers differs between the systems.
        content: the part on all others; the two points add up to the difference.
        lost: items on which the candidate has more such answers than the baseline.
        won: items on which it has fewer.
        statuses: the statuses taken as format.
    """

    format: Estimate | Undefined
    content: Estimate | Undefined
    lost: int
    won: int
    statuses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScoringRules:
    """The same responses under several rules.

    Attributes:
        chosen: the finding's own rule.
        others: the other rules, related ones first.
        sign_changes: the difference has the opposite sign under a related rule, or under another one whose change is
            more than the smallest of chance (``analysis.scoring_rule.WARNED``).
        verdict_changes: the verdict is another under a related rule, or under another one whose change is established.
        split: format part and content part; None when no item's parse status differs or nothing could be judged.
        left_out: rules beyond the most that are compared.
        comparisons: tests made here.
    """

    chosen: RuleReading
    others: tuple[RuleReading, ...]
    sign_changes: bool
    verdict_changes: bool
    split: FormatSplit | None
    left_out: int
    comparisons: int
