"""What a rater does, one event a step; the history of a project is all of them, and none is ever changed."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeAlias

import msgspec

from aliquot.errors import InputError
from aliquot.labelling.form import MOST_TEXT, Form, Value, read_value
from aliquot.reports.inert_text import inert_lines

EventKind: TypeAlias = Literal["label", "skip", "undo", "reference"]
"""A label; a skip with its reason; what was said is taken back; a reference written before the answer is seen."""

_ID: Final = re.compile(r"[\w-]{8,64}", re.ASCII)
_LONGEST_AGE_MS: Final = 100 * 365 * 24 * 3600 * 1000
_LONGEST_S: Final = 24 * 3600.0
_REASON: Final = 500


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A step as a page, a sheet or another tool tells it.

    Attributes:
        id: made where the step was made, so that telling it twice is telling it once.
        place: the place in the rater's list.
        kind: what it is.
        said: question → what was answered.
        unsure: whether the rater was.
        note: in the rater's own words.
        reason: why it was skipped.
        seconds: how long it took, where that is known.
        age_ms: how long before it was told it was made: a page without a network keeps it.
        rubric: the version of the form it was made under.
        origin: whether it came from the page, a sheet, or another tool.
    """

    id: str
    place: int
    kind: EventKind
    said: dict[str, Any] = {}
    unsure: bool = False
    note: str = ""
    reason: str = ""
    seconds: float | None = None
    age_ms: float = 0.0
    rubric: str = ""
    origin: Literal["page", "sheet", "import"] = "page"

    def made(self, now: datetime) -> datetime:
        """Return when it was made, by the clock of the server."""
        return now - timedelta(milliseconds=min(max(self.age_ms, 0.0), _LONGEST_AGE_MS))


def checked(event: Event, form: Form, *, points: int) -> Event:
    """Return an event whose answers are those of the form.

    Args:
        event: as it was told.
        form: what was asked.
        points: questions of the answer's checklist.

    Raises:
        InputError: it is none of this form.
    """
    if not _ID.fullmatch(event.id):
        raise InputError("an event has no usable id", field="id")
    if len(event.note) > MOST_TEXT or len(event.reason) > _REASON:
        raise InputError(f"a note has at most {MOST_TEXT:,} characters, a reason {_REASON}", field="note")
    event = msgspec.structs.replace(event, note=inert_lines(event.note), reason=inert_lines(event.reason))
    if event.seconds is not None and not 0 <= event.seconds <= _LONGEST_S:
        event = msgspec.structs.replace(event, seconds=None)
    if event.kind in {"skip", "undo"}:
        if event.kind == "skip" and not event.reason.strip():
            raise InputError("a skip has no reason", field="reason", remedy="Say why in a few words")
        return msgspec.structs.replace(event, said={})
    wanted = [one for one in form.questions if (one.kind == "reference") == (event.kind == "reference")]
    said: dict[str, Value] = {}
    for question in wanted:
        if question.name not in event.said:
            raise InputError(f"{question.name!r} is not answered", field=question.name)
        said[question.name] = read_value(question, event.said[question.name], points=points)
    return msgspec.structs.replace(event, said=said)
