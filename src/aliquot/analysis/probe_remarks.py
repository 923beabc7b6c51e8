"""What must be said beside the probes of a judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aliquot.evidence.tables import Note
from aliquot.files.probe_records import ProbeRecord
from aliquot.findings.probe import ProbeLine

FEW: Final = 20
"""Items below which a probe hardly shows anything."""


def find_probe_warnings(
    record: ProbeRecord, lines: Sequence[ProbeLine], against: ProbeRecord | None
) -> list[Note]:
    """Return what must be said, the most important first.

    Args:
        record: the judge's verdicts.
        lines: its probes.
        against: another judge's.
    """
    notes: list[Note] = []
    lost = sum(one.verdict is None for one in record.verdicts)
    if lost:
        states = sorted({one.status for one in record.verdicts if one.verdict is None})
        text = f"{lost} of {len(record.verdicts)} verdicts are missing ({', '.join(states)}); their items are left out"
        notes.append(Note("unread_verdicts", text))
    if few := [one.probe for one in lines if 0 < one.items < FEW]:
        notes.append(
            Note("few_items", f"fewer than {FEW} items: {', '.join(few)}; small shares cannot be seen")
        )
    if without := [one for one in lines if not one.items and one.declined]:
        for one in without:
            why = "; ".join(f"{count}: {reason}" for reason, count in one.declined.items())
            notes.append(Note("not_probed", f"{one.probe} was not asked on any item ({why})"))
    if against is not None and against.items_hash != record.items_hash:
        text = "the other judge was probed on other items; only those with the same id are held against each other"
        notes.append(Note("other_items", text))
    return notes
