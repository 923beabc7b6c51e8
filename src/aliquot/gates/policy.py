"""What a gate holds a candidate to; read from a policy file, or made of the options of one command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, get_args

from aliquot.analysis.margins import check_level
from aliquot.errors import UsageError
from aliquot.findings.side_metrics import Statistic

Effect: TypeAlias = Literal["blocks", "investigates"]
"""Whether a condition counts for the decision, or is shown for whoever investigates."""

EFFECTS: Final = get_args(Effect)

Undecided: TypeAlias = Literal["fail", "pass", "rerun"]
"""What to do when the data do not decide: exit with 4, pass and say so, or ask what changed again first."""

UNDECIDED: Final = get_args(Undecided)

MergeShare: TypeAlias = Literal["equal", "lord", "addis"]
"""How the merges of a year share its error."""

SHARES: Final = get_args(MergeShare)

QUANTILES: Final[tuple[Statistic, ...]] = ("median", "p95", "p99")
"""Statistics of times; everything else that answering takes is told by its mean an item."""

TIMES: Final = ("latency", "first token")
MEANS: Final = ("cost", "tokens in", "tokens out", "reasoning tokens", "cached tokens", "steps", "tool calls",
                "tool errors")  # fmt: skip
COSTS: Final = (*(f"{name} {statistic}" for name in TIMES for statistic in QUANTILES), *MEANS)
"""What may stand under ``costs``."""


@dataclass(frozen=True, slots=True)
class MetricRule:
    """A metric and what its loss and its rate may be.

    Attributes:
        metric: its name; empty for the log's own headline.
        no_worse_than: largest loss that passes: ``2pt``, or in its own units; None when only a floor is set.
        at_least: floor of the candidate's pass rate, a share; None for none.
        effect: whether it blocks.
        segments: field of the items → the rule for each of its levels.
    """

    metric: str = ""
    no_worse_than: float | str | None = None
    at_least: float | None = None
    effect: Effect = "blocks"
    segments: Mapping[str, SegmentRule] = field(default_factory=dict[str, "SegmentRule"])


@dataclass(frozen=True, slots=True)
class SegmentRule:
    """The margin on each level of a field; by default it does not block, as segments are many and small."""

    no_worse_than: float | str
    effect: Effect = "investigates"


@dataclass(frozen=True, slots=True)
class CostRule:
    """What answering may take more: ``20%`` of the baseline's, or an amount in its own unit."""

    no_worse_than: float | str
    effect: Effect = "blocks"


@dataclass(frozen=True, slots=True)
class BaselineRule:
    """Which blessed baseline the candidate is held against, and how old it may be.

    Attributes:
        name: its name; None for whatever the command names.
        oldest_days: days after which it is refused until it is refreshed; None for any age.
    """

    name: str | None = None
    oldest_days: float | None = None


@dataclass(frozen=True, slots=True)
class Merges:
    """How many merges a year share how many false fails.

    Attributes:
        a_year: merges a year.
        false_fails_a_year: expected number of false fails a year in all; None gives each merge the level to itself.
        share: ``equal`` parts; or by ``lord`` or ``addis`` (``stats``) what the merges before left and earned, which
            holds the expected share of false ones among the fails at 1 − level.
        history: file of the merges before; ``lord`` and ``addis`` need it.
    """

    a_year: int
    false_fails_a_year: float | None = None
    share: MergeShare = "equal"
    history: str | None = None

    def __post_init__(self) -> None:
        if self.share != "equal" and self.history is None:
            raise UsageError(
                f"{self.share} goes by the merges before: name the file that holds them (history: gates.jsonl)"
            )
        if self.share != "equal" and self.false_fails_a_year is not None:
            raise UsageError(
                f"{self.share} holds the share of false fails; false_fails_a_year goes with equal parts"
            )
        if self.a_year < 1:
            raise UsageError(f"merges a year are at least 1; got {self.a_year}")
        wanted = self.false_fails_a_year
        if wanted is not None and not 0 < wanted <= self.a_year:
            raise UsageError(
                f"false fails a year lie above 0 and up to the {self.a_year} merges; got {wanted:g}"
            )


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything a gate goes by.

    Attributes:
        metrics: the metrics, the first of which is the headline.
        costs: what answering may take, by the names of ``COSTS``.
        critical: items that must pass on every attempt.
        quarantine: items left out of every condition, by id with the reason.
        baseline: the baseline.
        merges: the year; None for one merge by itself.
        undecided: what to do when the data do not decide.
        level: confidence level of the intervals.
        source: where it was read; empty for the command line.
    """

    metrics: tuple[MetricRule, ...] = ()
    costs: Mapping[str, CostRule] = field(default_factory=dict[str, CostRule])
    critical: tuple[str, ...] = ()
    quarantine: Mapping[str, str] = field(default_factory=dict[str, str])
    baseline: BaselineRule = BaselineRule()
    merges: Merges | None = None
    undecided: Undecided = "fail"
    level: float = 0.95
    source: str = ""

    def __post_init__(self) -> None:
        check_level(self.level)
        both = sorted(set(self.critical) & set(self.quarantine))
        if both:
            raise UsageError(f"{both[0]!r} is critical and quarantined; it can be one of the two")

    @property
    def alpha(self) -> float:
        """Level of the tests of one merge: its equal share of the year's error, or 1 − level to itself."""
        if self.merges is None or self.merges.false_fails_a_year is None:
            return 1 - self.level
        return min(1 - self.level, self.merges.false_fails_a_year / self.merges.a_year)

    @property
    def compares(self) -> bool:
        """Whether anything in it needs a baseline."""
        return bool(self.costs) or any(
            rule.no_worse_than is not None or rule.segments for rule in self.metrics
        )
