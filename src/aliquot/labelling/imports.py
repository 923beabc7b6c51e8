"""Labels that people gave elsewhere, taken into a project under their names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from aliquot.errors import InputError, UsageError
from aliquot.evidence.labels import ANSWER, Labels
from aliquot.labelling.events import Event, checked
from aliquot.labelling.form import Form, Question
from aliquot.labelling.label_events import event_of_label
from aliquot.labelling.project import MAIN, Answer, Rater, check_names, new_token
from aliquot.labelling.project_file import Place
from aliquot.labelling.store import Store


def take_labels(
    store: Store, labels: Labels, answer_of: Callable[[Mapping[str, Any]], Answer], *, now: datetime
) -> int:
    """Take in labels, and return how many were new; taken in twice they are there once.

    Args:
        store: the project.
        labels: with the key of the answers.
        answer_of: the answer of a row, with what raters see of it, for those that were not drawn.
        now: the time now.

    Raises:
        InputError: a label that is no answer to the form.
        UsageError: there is no question that such labels answer.
    """
    form = store.form
    rows = [_read(row, form) for row in labels.frame.iter_rows(named=True)]
    numbers = {_key(one): number for number, one in store.answers().items() if one.other is None}
    missing = {
        row.key: answer_of(row.told) for row in rows if row.key not in numbers
    }  # all is read before any is kept
    numbers |= {key: store.add_answer(answer) for key, answer in missing.items()}
    before = store.steps
    for name in labels.raters:
        own = sorted((row for row in rows if row.told["rater"] == name), key=lambda row: row.told["at"] or "")
        _take(store, _rater(store, name), own, numbers, now=now)
    return store.steps - before


@dataclass(frozen=True, slots=True)
class _Row:
    """A label of a table, read as an answer to a question of the form."""

    told: Mapping[str, Any]
    event: Event

    @property
    def key(self) -> tuple[str, str, str, int]:
        """The answer it is of."""
        return self.told["system"], self.told["task"], self.told["item"], self.told["attempt"]


def _read(row: Mapping[str, Any], form: Form) -> _Row:
    judged = [
        one for one in form.questions if one.judge is not None and one.kind in {"choice", "scale", "number"}
    ]
    if not judged:
        raise UsageError(
            "labels of other tools are taken in where a question has labels or numbers to choose from"
        )
    question = _question(judged, row["metric"], row["place"])
    told = "\n".join(str(row[name]) for name in (*ANSWER, "rater", "metric", "label", "at", "repeat"))
    name = hashlib.sha256(told.encode()).hexdigest()[:32]
    event = event_of_label(question, row["label"], id=name, place=0, rubric=row["rubric"] or form.rubric)
    try:
        alone = msgspec.structs.replace(form, questions=(question,))
        return _Row(row, checked(event, alone, points=0))
    except InputError as error:
        raise InputError(f"{error.problem} ({row['place']})", remedy=error.remedy) from error


def _take(
    store: Store,
    rater: Rater,
    rows: Sequence[_Row],
    numbers: Mapping[tuple[str, str, str, int], int],
    *,
    now: datetime,
) -> None:
    """Keep one rater's labels in their order; a place has one event that stands, so it says all questions so far."""
    known = {one.rubric for one in store.forms()}
    places = {(one.answer, one.repeat): one.place for one in store.places(rater.name) if one.place >= MAIN}
    said: dict[int, dict[str, Any]] = {}
    new: list[Place] = []
    events: list[Event] = []
    for row in rows:
        where = (numbers[row.key], row.told["repeat"])
        if where not in places:
            places[where] = max(places.values(), default=MAIN - 1) + 1
            new.append(Place(places[where], where[0], "import", swapped=False, repeat=where[1]))
        place = places[where]
        said[place] = said.get(place, {}) | row.event.said
        rubric = row.event.rubric if row.event.rubric in known else store.form.rubric
        events.append(
            msgspec.structs.replace(
                row.event, place=place, said=said[place], age_ms=_age(row.told["at"], now), rubric=rubric
            )
        )
    store.add_places(rater.name, new)
    store.record(rater.name, events, now=now)


def _key(answer: Answer) -> tuple[str, str, str, int]:
    return answer.system, answer.task, answer.item, answer.attempt


def _rater(store: Store, name: str) -> Rater:
    """Return the rater of a name; one who is not here comes in without a link."""
    there = next((one for one in store.raters() if one.name.casefold() == name.strip().casefold()), None)
    if there is None:
        [name] = check_names([name])
        there = Rater(name=name, token=new_token("imported"), role="imported")
        store.add_rater(there)
    return there


def _question(judged: list[Question], metric: str, place: str) -> Question:
    found = next((one for one in judged if one.name == metric), judged[0] if len(judged) == 1 else None)
    if found is None:
        listed = ", ".join(one.name for one in judged)
        raise InputError(
            f"no question is called {metric!r} ({place})", field="metric", remedy=f"Known: {listed}"
        )
    return found


def _age(at: str | None, now: datetime) -> float:
    """Return how long ago a label was given, in milliseconds; 0 where that is not known."""
    try:
        then = datetime.fromisoformat(at or "")
    except ValueError:
        return 0.0
    then = then if then.tzinfo is not None else then.replace(tzinfo=UTC)
    return max(0.0, (now - then).total_seconds() * 1000)
