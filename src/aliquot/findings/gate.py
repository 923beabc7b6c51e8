"""The finding of a gate: may this candidate be merged, by which conditions, and what would settle what is open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from aliquot.findings.comparison import Settlement
from aliquot.findings.finding import Finding
from aliquot.findings.item_tests import Strip
from aliquot.findings.noise import RememberedNoise
from aliquot.findings.scale import Scale
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

Decision: TypeAlias = Literal["pass", "fail", "undecided", "nothing_to_judge"]
"""What a condition, or the whole gate, comes to."""

EXIT_CODES: Mapping[Decision, int] = {"pass": 0, "fail": 3, "undecided": 4, "nothing_to_judge": 5}
"""The code a command exits with."""

Of: TypeAlias = Literal["difference", "floor", "items"]
"""What a condition is about: the loss against the baseline, a rate that must be reached, items that must pass."""

Came: TypeAlias = Literal["", "stable", "flaky", "gone", "unanswered"]
"""How a change came out when both sides were asked again; empty when they were not."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing the candidate is held to.

    Attributes:
        name: the metric, with its statistic or segment: ``passed``, ``passed, lang=de``, ``latency p95``.
        of: whether it is about a loss, a floor or critical items.
        blocks: whether it counts for the decision; one that does not is shown for whoever investigates.
        decision: what it comes to.
        within_margin: whether the candidate is worse, by less than the margin.
        n: items it rests on.
        n_clusters: the clusters they share, which are then what is counted; None without any.
        scale: how the numbers are read.
        unit: of the numbers, where they are no points and no metric's own: ``s``, a currency, ``%`` of the baseline's.
        margin: the largest loss that passes, in the units of ``estimate``; None for a floor and for critical items.
        asked: the floor; None for the others.
        baseline: the baseline's own number; None for a floor.
        candidate: the candidate's.
        estimate: what is read: candidate minus baseline (or their ratio minus 1), or the candidate's rate at a floor.
        test: the deciding test; None for critical items, and where there is none.
        p_holm: its p by Holm over the blocking conditions; None where it does not block or there is no test.
        if_failed: what it comes to when every row without a value counts as failed; None when no row is missing.
        text: what it comes to, in a sentence.
    """

    name: str
    of: Of
    blocks: bool
    decision: Decision
    within_margin: bool
    n: int
    n_clusters: int | None
    scale: Scale
    unit: str
    margin: float | None
    asked: float | None
    baseline: Estimate | Undefined | None
    candidate: Estimate | Undefined | None
    estimate: Estimate | Undefined
    test: HypothesisTest | None
    p_holm: float | None
    if_failed: Decision | None
    text: str


@dataclass(frozen=True, slots=True)
class Flip:
    """An item on which the two sides differ.

    Attributes:
        item: its id.
        change: ``broke`` when the candidate does worse, ``fixed`` when it does better.
        before: the baseline's value of each attempt.
        after: the candidate's.
        again_before: the baseline's values when it was asked again.
        again_after: the candidate's.
        came: what asking again says; it labels and changes no decision.
        often_flaky: whether it flipped in most of the stored measurements of the suite's own noise.
    """

    item: str
    change: Literal["broke", "fixed"]
    before: Strip
    after: Strip
    again_before: Strip = ()
    again_after: Strip = ()
    came: Came = ""
    often_flaky: bool = False


@dataclass(frozen=True, slots=True)
class CriticalItems:
    """Items that must pass, each by itself.

    Attributes:
        items: how many.
        failed: those that failed, with their values.
        absent: those without a value.
        attempts: the candidate's attempts at each (the most).
        false_block: chance that a system as good as the baseline is blocked by them, and its upper limit; Undefined
            without attempts of the baseline at them.
    """

    items: int
    failed: tuple[str, ...]
    absent: tuple[str, ...]
    attempts: int
    false_block: tuple[float, float] | Undefined


@dataclass(frozen=True, slots=True)
class BaselineFacts:
    """What the candidate was held against.

    Attributes:
        name: of a blessed baseline, or the system's name.
        blessed: when it was blessed, in ISO 8601; empty when it is none.
        commit: the commit it was blessed at; empty when unknown.
        age_days: since then, in days; None when unknown.
        attempts: its attempts an item, the most.
    """

    name: str
    blessed: str
    commit: str
    age_days: float | None
    attempts: int


@dataclass(frozen=True, slots=True)
class Year:
    """What the chosen policy would do in a year of merges, by simulation on this suite.

    Attributes:
        merges: merges a year.
        error: expected false fails a year that the policy allows; None when each merge has the level to itself.
        alpha: level of one merge's tests before Holm.
        unchanged: share of merges that pass, stay undecided and fail when nothing changed.
        at_margin: the same when the candidate is worse by exactly the margin in every blocking condition.
        beyond: the same when it is worse by twice the margin.
        false_fails: false fails a year when nothing changes.
        any_false: chance of at least one.
        n_simulated: simulated merges of each kind.
        method: how they were made.
        left_out: conditions that are no part of it.
    """

    merges: int
    error: float | None
    alpha: float
    unchanged: tuple[float, float, float]
    at_margin: tuple[float, float, float]
    beyond: tuple[float, float, float]
    false_fails: float
    any_false: float
    n_simulated: int
    method: str
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Gate(Finding):
    """A release decision.

    Attributes:
        baseline: name of the baseline; empty when only floors were asked for.
        candidate: name of the candidate.
        task: the task.
        decision: by the rule, whatever is done about it.
        exit_code: what the command exits with: the decision's, unless it was told to do otherwise.
        acted: why the exit code is not the decision's; empty when it is.
        level: confidence level of the intervals.
        alpha: level of the blocking tests together: what this merge gets of the year's error.
        p: smallest p by Holm of the blocking conditions on the side of a loss; 1 where none is.
        digest: of what was judged: the candidate's answers and values, and the conditions.
        place: which merge of its history this is; None without a history.
        conditions: what the candidate was held to, the blocking ones first.
        flips: items on which the two differ under the first condition, the broken ones first.
        n_items: items under the first condition.
        critical: the critical items; None without any.
        quarantined: items that were left out of every blocking condition, by the policy.
        to_settle: items that would settle what is open, and the price of those that lack; None when nothing is open.
        against: what the candidate was held against; None for floors alone.
        policy: where the policy came from; empty for the command line alone.
        year: what the policy does in a year; None when that was not asked for.
        noise: what the suite was seen to move by itself.
        identical: whether every answer of the candidate is byte for byte one that was judged before.
        same: components equal on both sides.
        differs: components that differ.
        why: one line on the rule.
        seed: seed of everything random.
    """

    kind: ClassVar[str] = "gate"

    baseline: str
    candidate: str
    task: str
    decision: Decision
    exit_code: int
    acted: str
    level: float
    alpha: float
    p: float
    digest: str
    place: int | None
    conditions: tuple[Condition, ...]
    flips: tuple[Flip, ...]
    n_items: int
    critical: CriticalItems | None
    quarantined: tuple[str, ...]
    to_settle: Settlement | Undefined | None
    against: BaselineFacts | None
    policy: str
    year: Year | None
    noise: RememberedNoise | None
    identical: bool
    same: tuple[str, ...]
    differs: tuple[str, ...]
    why: str
    seed: int

    @property
    def broke(self) -> tuple[Flip, ...]:
        """Items on which the candidate does worse."""
        return tuple(flip for flip in self.flips if flip.change == "broke")

    @property
    def fixed(self) -> tuple[Flip, ...]:
        """Items on which it does better."""
        return tuple(flip for flip in self.flips if flip.change == "fixed")

    @property
    def quiet(self) -> bool:
        """Whether there is nothing to tell: it passes, no item moved, and nothing is worse within its margin."""
        worse = any(one.within_margin or one.decision != "pass" for one in self.conditions)
        return self.decision == "pass" and not self.flips and not worse
