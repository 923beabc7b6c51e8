"""A label of a table as an event: the spellings that other tools have for the words of a form."""

from __future__ import annotations

from typing import Final

from aliquot.labelling.events import Event
from aliquot.labelling.form import Question, options_of

ALIKE: Final = {
    **dict.fromkeys(("1", "1.0", "yes", "true", "correct", "passed", "good", "accept", "accepted"), "pass"),
    **dict.fromkeys(("0", "0.0", "no", "false", "incorrect", "failed", "bad", "reject", "rejected"), "fail"),
}
"""What other tools write for pass and fail."""


def event_of_label(question: Question, label: str, *, id: str, place: int, rubric: str) -> Event:  # noqa: A002 - the event's own word
    """Return the event that says a label of a table.

    Args:
        question: what was asked.
        label: as the table has it.
        id: of the event.
        place: in the rater's list.
        rubric: the version of the form.
    """
    known = {name.casefold(): name for name, _ in options_of(question)}
    folded = label.strip().casefold()
    said = known.get(folded) or known.get(ALIKE.get(folded, "")) or label
    return Event(id=id, place=place, kind="label", said={question.name: said}, rubric=rubric, origin="import")
