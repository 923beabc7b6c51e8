"""The finding of a rescoring: the same answers under another rule, and which of them count otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from aliquot.findings.finding import Finding
from aliquot.findings.numbers import write_percent
from aliquot.findings.scale import Scale
from aliquot.findings.verdict import Verdict, Word
from aliquot.stats.results import Estimate, Undefined


@dataclass(frozen=True, slots=True)
class RescoredSystem:
    """One system's answers to a task under both rules.

    Attributes:
        system: the system's name.
        task: the task.
        metric: the metric it was scored under before.
        answers: answers that both rules scored.
        before: its rate under that metric.
        after: its rate under the new rule.
        difference: new minus old, on the items that have both.
        word: ``higher``, ``lower`` or ``undecided``, read from the difference.
        to_right: answers that were wrong and are right, by item (with the attempt where there are several).
        to_wrong: answers that were right and are wrong.
        one_sided: answers that only one of the rules scored.
        statuses: number of answers by their status under the new rule.
    """

    system: str
    task: str
    metric: str
    answers: int
    before: Estimate | Undefined
    after: Estimate | Undefined
    difference: Estimate | Undefined
    word: Word
    to_right: tuple[str, ...]
    to_wrong: tuple[str, ...]
    one_sided: int
    statuses: Mapping[str, int]


@dataclass(frozen=True, slots=True, repr=False)
class Rescoring(Finding):
    """What changes when the same answers are scored by another rule.

    Attributes:
        metrics: the names under which the new outcomes are kept, one for each metric that was read anew.
        scorer: the rules with their versions.
        systems: each system and task.
        scale: how the rates are read.
        level: confidence level.
        written: where the outcomes are kept; empty when nowhere.
        seed: seed of everything random.
    """

    kind: ClassVar[str] = "rescoring"

    metrics: tuple[str, ...]
    scorer: str
    systems: tuple[RescoredSystem, ...]
    scale: Scale
    level: float
    written: str
    seed: int


def write_preferences(scorer: str, systems: Sequence[RescoredSystem], others: Sequence[str]) -> Verdict:
    """Return the verdict on systems that a judge compared: how far each is preferred, ties and both bad as half.

    Args:
        scorer: the judge.
        systems: each candidate.
        others: what each was compared with.
    """
    said = [
        f"{one.system} is preferred to {other} on {write_percent(one.after.point)}% of {one.after.n} pairs "
        f"({write_percent(one.after.low)} to {write_percent(one.after.high)})"
        for one, other in zip(systems, others, strict=True)
        if isinstance(one.after, Estimate)
    ]
    if not said:
        return Verdict("nothing_to_judge", text=f"NOTHING TO JUDGE: no pair has a verdict of {scorer}.")
    return Verdict("estimated", text=f"JUDGED by {scorer}: {'; '.join(said)}.")


def write_rescoring(scorer: str, systems: tuple[RescoredSystem, ...]) -> Verdict:
    """Return the verdict: how many answers count otherwise, and the word when all systems share one.

    Args:
        scorer: the rules with their versions.
        systems: each system and task.
    """
    answers = sum(one.answers for one in systems)
    right, wrong = (sum(len(getattr(one, side)) for one in systems) for side in ("to_right", "to_wrong"))
    words: set[Word] = {one.word for one in systems}
    word: Word = words.pop() if len(words) == 1 else "estimated"
    if not answers:
        scored = sum(isinstance(one.after, Estimate) for one in systems)
        if not scored:
            return Verdict(
                "nothing_to_judge", text=f"NOTHING TO JUDGE: no answer has a value under {scorer}."
            )
        return Verdict(
            "estimated",
            text=f"RESCORED by {scorer}; nothing to hold it against, no earlier rule is pass or fail.",
        )
    if not right + wrong:
        return Verdict(word, text=f"RESCORED by {scorer}: none of {answers:,} answers counts otherwise.")
    verb = "counts" if right + wrong == 1 else "count"
    return Verdict(
        word,
        text=f"RESCORED by {scorer}: {right + wrong:,} of {answers:,} answers {verb} otherwise, "
        f"{right:,} from wrong to right and {wrong:,} from right to wrong.",
    )
