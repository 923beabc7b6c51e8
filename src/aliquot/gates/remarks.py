"""What must be said beside a decision: the baseline's age, quarantine, tests that could not have failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from aliquot.evidence.tables import Note
from aliquot.findings.gate import BaselineFacts
from aliquot.findings.numbers import write_count
from aliquot.gates.answers import SameAnswers
from aliquot.gates.decision import passes
from aliquot.gates.held import Held
from aliquot.gates.policy import Policy

OLD_DAYS: Final = 30
"""Days after which the age of a baseline is said."""

_NAMED: Final = 5


def find_remarks(
    held: Sequence[Held],
    policy: Policy,
    quarantined: Sequence[str],
    *,
    against: BaselineFacts | None,
    same_answers: SameAnswers | None,
) -> Iterator[Note]:
    """Yield what must be said, the most important first.

    Args:
        held: the conditions.
        policy: what the candidate was held to.
        quarantined: items that were left out.
        against: the baseline; None for floors alone.
        same_answers: answers that are byte for byte the baseline's; None when unknown.
    """
    if against is not None:
        yield from _of_baseline(against, held)
    yield from _of_quarantine(policy, quarantined)
    if policy.merges is not None and policy.merges.share != "equal":
        text = f"the year is simulated with the share of this merge; {policy.merges.share} gives each merge its own"
        yield Note("year_share", text)
    if same_answers is not None and same_answers.kept:
        text = (
            f"{same_answers.kept:,} of {same_answers.of:,} answers are byte for byte answers of the baseline that were "
            "judged: that judgement stays"
        )
        yield Note("same_answers", text)
    for one in held:
        if not passes(one.shown.estimate, margin=one.shown.margin or 0.0, better=one.shown.better):
            yield from _of_test(one, alpha=policy.alpha)
    seen: set[str] = set()
    for comparison in (one.comparison for one in held):
        for note in comparison.warnings if comparison is not None else ():
            if note.text not in seen:
                seen.add(note.text)
                yield note


def _of_baseline(against: BaselineFacts, held: Sequence[Held]) -> Iterator[Note]:
    found = next((one.comparison for one in held if one.comparison is not None), None)
    mine, theirs = (0, 0) if found is None else found.attempts
    if 0 < mine < theirs:
        text = f"the baseline has {write_count(mine, 'attempt')} an item and the candidate {theirs}"
        yield Note(
            "baseline_attempts", f"{text}: run it as often, as its luck stays in every merge held against it"
        )
    if against.age_days is not None and against.age_days >= OLD_DAYS:
        yield Note(
            "baseline_old", f"the baseline {against.name!r} is {against.age_days:.0f} days old; refresh it"
        )


def _of_quarantine(policy: Policy, quarantined: Sequence[str]) -> Iterator[Note]:
    if quarantined:
        reasons = ((item, policy.quarantine[item]) for item in quarantined[:_NAMED])
        named = ", ".join(f"{item} ({why})" if why else item for item, why in reasons)
        more = f" and {len(quarantined) - _NAMED} more" if len(quarantined) > _NAMED else ""
        items = write_count(len(quarantined), "item")
        yield Note("quarantined", f"{items} in quarantine and out of every condition: {named}{more}")
    unknown = [item for item in policy.quarantine if item not in set(quarantined)]
    if unknown:
        named = ", ".join(unknown[:_NAMED])
        yield Note("quarantine_unknown", f"in quarantine and not among the items: {named}")


def _of_test(one: Held, *, alpha: float) -> Iterator[Note]:
    """Say that a blocking condition could not have failed, whatever the candidate did."""
    test = one.shown.test
    if test is None or not one.shown.blocks:
        return
    smallest = test.floor or (1 / (test.n_resamples + 1) if test.n_resamples else 0.0)
    if smallest > alpha:
        text = f"{one.name} cannot fail: the smallest possible p of {test.name} is {smallest:.2g}"
        yield Note("cannot_fail", f"{text}, and the tests of one merge have {alpha:.2g}")
