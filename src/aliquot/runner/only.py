"""Asking again only those items of a run on which two systems differ, apart from the run and its headline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import polars as pl

from aliquot.errors import NothingToJudgeError, UsageError, nearest
from aliquot.evidence.contents import headline_metric
from aliquot.evidence.matching import pair
from aliquot.evidence.status import resolve
from aliquot.evidence.tables import Evidence
from aliquot.item_sets.items import digest
from aliquot.item_sets.samples import Selection
from aliquot.runner.evaluation import Guards
from aliquot.runner.plan import Plan
from aliquot.runner.results import METRIC
from aliquot.runner.stored import StoredRun

Differing: TypeAlias = Literal["broke", "fixed", "differ"]

CHANGES: Final = ("broke", "fixed", "differ")
"""What can be asked again: items the second system gets wrong and the first not, the reverse, or both."""

ATTEMPTS: Final = 5
"""Answers asked of each system when none are said."""

Came: TypeAlias = Literal["stable", "flaky", "gone", "unanswered"]
"""Every answer says again what the run said; attempts of a system disagree; the difference is not there; no answers."""


@dataclass(frozen=True, slots=True)
class Only:
    """Which items are asked again.

    Attributes:
        change: how the two systems differ on them.
        systems: the two, the baseline first.
    """

    change: Differing
    systems: tuple[str, str]

    def __str__(self) -> str:
        return f"{self.change}:{','.join(self.systems)}"


@dataclass(frozen=True, slots=True)
class ItemAgain:
    """How one item came out.

    Attributes:
        item: its id.
        before: share of right answers of both systems in the run.
        right: right answers of both systems now.
        of: answers with a value of both systems now.
        came: what to think of the difference.
    """

    item: str
    before: tuple[float, float]
    right: tuple[int, int]
    of: tuple[int, int]
    came: Came


def read_only(text: str, known: Sequence[str]) -> Only:
    """Return what ``broke:A,B`` says.

    Args:
        text: a change, a colon, and two systems with a comma between them.
        known: the evaluation's systems.

    Raises:
        UsageError: anything else, or an unknown system.

    Examples:
        >>> read_only("broke:main,pr", ["main", "pr"]).systems
        ('main', 'pr')
    """
    change, colon, named = text.partition(":")
    if change not in CHANGES or not colon:
        raise UsageError(f"--only takes broke:A,B with two systems, not {text!r}. {nearest(change, CHANGES)}")
    cuts = [place for place, letter in enumerate(named) if letter == ","]
    pairs = [(named[:cut].strip(), named[cut + 1 :].strip()) for cut in cuts]
    found = [one for one in pairs if set(one) <= set(known)]
    if not found:
        wrong = next((name.strip() for name in named.split(",") if name.strip() not in known), named)
        raise UsageError(f"--only {text}: there is no system {wrong!r}. {nearest(wrong, known)}")
    if found[0][0] == found[0][1]:
        raise UsageError(f"--only {text}: give two systems")
    return Only(change, found[0])


def differing_items(evidence: Evidence, only: Only, *, task: str) -> dict[str, tuple[float, float]]:
    """Return the items on which the two differ that way, with the share of right answers of both.

    Raises:
        UsageError: answers of the run are not right or wrong.
        NothingToJudgeError: there is none.
    """
    first, second = only.systems
    if METRIC not in evidence.metrics["metric"]:
        raise UsageError(
            f"--only {only} asks again where one answer is right and the other wrong; this run measures "
            f"{headline_metric(evidence, task)}, which makes no answer right or wrong"
        )
    frame = pair(evidence, first, second, task=task, metric=METRIC).frame.drop_nulls(["a", "b"])
    chosen = {
        "broke": pl.col("b") < pl.col("a"),
        "fixed": pl.col("b") > pl.col("a"),
        "differ": pl.col("b") != pl.col("a"),
    }[only.change]
    found = {item: (a, b) for item, a, b in frame.filter(chosen).select("item", "a", "b").iter_rows()}
    if not found:
        said = "differ on no item" if only.change == "differ" else f"have no item that {only.change}"
        raise NothingToJudgeError(f"{first!r} and {second!r} {said}; there is nothing to ask again")
    return found


def narrowed(plan: Plan, only: Only, items: Sequence[str], *, attempts: int) -> tuple[Plan, str]:
    """Return the plan of asking again, and the folder of its own within the run's.

    The folder is named by the systems and the items, so that the same question goes on where it stopped and another
    one begins anew. Of a conversation the turns before are asked again too, as each attempt is a conversation answered
    anew from its beginning. The guards on answers are off: these items are chosen because they fail.

    Args:
        plan: the run's plan.
        only: what was asked for.
        items: the ids of the items.
        attempts: answers asked of each system for each item.

    Raises:
        UsageError: one of the systems cannot be asked.
    """
    for name in only.systems:
        if isinstance(plan.evaluation.systems[name].model, StoredRun):
            raise UsageError(f"--only {only}: the answers of {name!r} are stored; it cannot be asked again")
    wanted = set(items)
    before = {turn.id for item in plan.items if item.id in wanted for turn in item.earlier}
    chosen = tuple(item for item in plan.items if item.id in wanted | before)
    folder = f"only-{only.change}-{digest([*only.systems, *sorted(wanted)])[:8]}"
    evaluation = replace(
        plan.evaluation,
        name=f"{plan.evaluation.name[:70]}-{folder}",
        systems={name: plan.evaluation.systems[name] for name in only.systems},
        attempts=attempts,
        sample=None,
        guards=Guards(parse_rate=0.0, truncated=1.0),
    )
    selection = Selection(how=f"only {only}", n=len(chosen), of=len(plan.item_set))
    rules, *alternatives = (
        {item.id: way[item.id] for item in chosen} for way in (plan.rules, *plan.alternatives)
    )
    narrow = replace(
        plan,
        evaluation=evaluation,
        items=chosen,
        selection=selection,
        rules=rules,
        alternatives=tuple(alternatives),
    )
    return narrow, folder


def how_they_came(
    evidence: Evidence, only: Only, before: dict[str, tuple[float, float]], *, task: str
) -> tuple[ItemAgain, ...]:
    """Return how each item came out when it was asked again, by id."""
    counted = resolve(
        evidence.rows("outcomes", task=task, metric=METRIC), evidence.responses, evidence.metrics
    )
    sums = counted.group_by("item", "system").agg(
        right=pl.col("value").sum().cast(pl.Int64), of=pl.col("value").count().cast(pl.Int64)
    )
    found = {(item, system): (right, of) for item, system, right, of in sums.iter_rows()}
    return tuple(
        _came(item, share, *(found.get((item, system), (0, 0)) for system in only.systems))
        for item, share in sorted(before.items())
    )


def _came(
    item: str, before: tuple[float, float], first: tuple[int, int], second: tuple[int, int]
) -> ItemAgain:
    right, of = (first[0], second[0]), (first[1], second[1])
    if not all(of):
        came: Came = "unanswered"
    elif any(0 < one < total for one, total in zip(right, of, strict=True)):
        came = "flaky"
    else:
        again = right[0] / of[0] - right[1] / of[1]
        came = "stable" if again * (before[0] - before[1]) > 0 else "gone"
    return ItemAgain(item, before, right, of, came)
