"""Which answers of earlier sessions stand, so that they need not be asked again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import TypeAlias

from aliquot.evidence.status import MEASUREMENT_SIDE
from aliquot.files.records import Response, settle
from aliquot.runner.plan import Plan

Key: TypeAlias = tuple[str, str, str, int]
"""System, task, item and attempt."""


def standing_answers(plan: Plan, records: Iterable[Response]) -> dict[Key, Response]:
    """Return the answers that count: of a conversation those up to the first turn that has none.

    A later turn that has one all the same (a line of the journal was damaged) followed an answer that is no longer
    known.
    """
    answered, kept = _answered(records), dict[Key, Response]()
    if not answered:
        return kept
    for thread in (one for system in plan.evaluation.systems for one in plan.threads(system)):
        keys = ((one.system, plan.task, one.item.id, one.attempt) for one in thread)
        kept |= {key: answered[key] for key in takewhile(answered.__contains__, keys)}
    return kept


def _answered(records: Iterable[Response]) -> Mapping[Key, Response]:
    """Return the attempts that need not be asked again: those the measurement did not lose."""
    return {record.key: record for record in settle(records) if record.status not in MEASUREMENT_SIDE}
