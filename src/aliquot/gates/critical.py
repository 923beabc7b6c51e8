"""Items that must pass, each by itself, and how often that alone would block a system that did not change."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aliquot.analysis.scales import scale_of
from aliquot.errors import UsageError, nearest
from aliquot.evidence.contents import headline_metric
from aliquot.findings.gate import Condition, CriticalItems, Decision
from aliquot.findings.item_tests import Strip
from aliquot.findings.numbers import write_count, write_percent
from aliquot.gates.flips import strips
from aliquot.gates.held import RATE, Sides
from aliquot.stats.proportions import clopper_pearson
from aliquot.stats.results import Undefined

_NAMED = 5


def judge_critical(sides: Sides, items: Sequence[str], *, metric: str) -> tuple[CriticalItems, Condition]:
    """Return how the critical items came out: each must pass on every attempt of the candidate.

    Args:
        sides: who is held against whom.
        items: their ids.
        metric: the metric; empty for the headline.

    Raises:
        UsageError: an id that the candidate was not asked, or a metric that is not passed or failed.
    """
    metric = metric or headline_metric(sides.evidence, sides.task)
    scale = scale_of(sides.evidence, metric)
    if scale.kind != "binary":
        raise UsageError(f"critical items pass or fail, and {metric!r} is {scale.kind}")
    known = sides.evidence.items["item"].to_list()
    for item in items:
        if item not in set(known):
            raise UsageError(f"there is no critical item {item!r}. {nearest(item, known[:1000])}")
    right = 0.0 if scale.better == "lower" else 1.0
    after = _strips(sides, sides.candidate, metric, items)
    failed = tuple(item for item in items if any(value != right for value in after.get(item, ())))
    absent = tuple(item for item in items if not after.get(item))
    attempts = max((len(strip) for strip in after.values()), default=0)
    before = _strips(sides, sides.baseline, metric, items) if sides.baseline else {}
    found = CriticalItems(
        items=len(items),
        failed=failed,
        absent=absent,
        attempts=attempts,
        false_block=false_block(list(before.values()), right=right, items=len(items), attempts=attempts),
    )
    return found, _condition(found)


def false_block(
    before: Sequence[Strip], *, right: float, items: int, attempts: int
) -> tuple[float, float] | Undefined:
    """Return the chance that an unchanged system fails on some critical item, and its upper limit.

    The chance is 1 − Π(1 − f_i)^k with the baseline's own failure shares f_i. Its limit is the expected number of
    failures at the upper 95% limit of their pooled share (Clopper–Pearson; Boole), which holds whatever the items are.

    Args:
        before: the baseline's values at each critical item.
        right: the value that passes.
        items: critical items.
        attempts: the candidate's attempts at each.

    Examples:
        >>> point, most = false_block([(1.0,) * 10] * 5, right=1.0, items=5, attempts=1)
        >>> point, round(most, 2)
        (0.0, 0.36)
    """
    runs = sum(map(len, before))
    if not runs or not attempts:
        return Undefined("the baseline has no attempts at these items, so their own failures cannot be seen")
    shares = [sum(value != right for value in strip) / len(strip) for strip in before if strip]
    point = 1 - math.prod((1 - share) ** attempts for share in shares)
    failures = sum(value != right for strip in before for value in strip)
    most = min(1.0, items * attempts * clopper_pearson(failures, runs).high)
    return point, max(point, most)


def _strips(sides: Sides, system: str, metric: str, items: Sequence[str]) -> dict[str, Strip]:
    return strips(sides.evidence, system, sides.task, metric, items=items, cluster=sides.choices.cluster)


def _condition(found: CriticalItems) -> Condition:
    decision: Decision = "fail" if found.failed else "undecided" if found.absent else "pass"
    if len(found.absent) == found.items:
        decision = "nothing_to_judge"
    return Condition(
        name="critical items",
        of="items",
        blocks=True,
        decision=decision,
        within_margin=False,
        n=found.items,
        n_clusters=None,
        scale=RATE,
        unit="",
        margin=None,
        asked=None,
        baseline=None,
        candidate=None,
        estimate=Undefined("each item is judged by itself"),
        test=None,
        p_holm=None,
        if_failed=None if not found.absent else "fail",
        text=_text(found),
    )


def _text(found: CriticalItems) -> str:
    said = f"{len(found.failed)} of {write_count(found.items, 'critical item')} failed"
    if found.failed:
        more = f" +{len(found.failed) - _NAMED}" if len(found.failed) > _NAMED else ""
        said += f": {' '.join(found.failed[:_NAMED])}{more}"
    if found.absent:
        said += f"; {len(found.absent)} without a value"
    if isinstance(found.false_block, Undefined):
        return said
    point, most = (write_percent(share) for share in found.false_block)
    return f"{said} (they would block {point}% of unchanged merges, {most}% at most)"
