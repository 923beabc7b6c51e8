"""Labels that people gave elsewhere, taken into a project under their names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from aliquot.errors import InputError, UsageError
from aliquot.evidence.labels import Labels
from aliquot.labelling.events import checked
from aliquot.labelling.form import Question
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
    judged = [
        one for one in form.questions if one.judge is not None and one.kind in {"choice", "scale", "number"}
    ]
    if not judged:
        raise UsageError(
            "labels of other tools are taken in where a question has labels or numbers to choose from"
        )
    numbers = {_key(one): number for number, one in store.answers().items() if one.other is None}
    before = store.steps
    for name in labels.raters:
        own = labels.by([name]).frame.sort("at", nulls_last=False, maintain_order=True)
        rater = _rater(store, name)
        said: dict[tuple[int, int], dict[str, object]] = {}
        places = {
            (one.answer, one.repeat): one.place for one in store.places(rater.name) if one.place >= MAIN
        }
        for row in own.iter_rows(named=True):
            key = (row["system"], row["task"], row["item"], row["attempt"])
            if key not in numbers:
                numbers[key] = store.add_answer(answer_of(row))
            where = (numbers[key], row["repeat"])
            if where not in places:
                places[where] = max(places.values(), default=MAIN - 1) + 1
                store.add_places(
                    rater.name, [Place(places[where], where[0], "import", swapped=False, repeat=where[1])]
                )
            question = _question(judged, row["metric"], str(row["place"]))
            told = "\n".join(str(row[column]) for column in ("rater", "metric", "label", "at", "repeat"))
            event = event_of_label(
                question,
                str(row["label"]),
                id=hashlib.sha256(f"{where}\n{told}".encode()).hexdigest()[:32],
                place=places[where],
                rubric=row["rubric"]
                if row["rubric"] in {one.rubric for one in store.forms()}
                else form.rubric,
            )
            alone = msgspec.structs.replace(form, questions=(question,))
            try:
                event = checked(event, alone, points=0)
            except InputError as error:
                raise InputError(f"{error.problem} ({row['place']})", remedy=error.remedy) from error
            said[where] = (
                said.get(where, {}) | event.said
            )  # a place has one event that stands: for all questions
            event = msgspec.structs.replace(event, said=said[where], age_ms=_age(row["at"], now))
            store.record(rater.name, [event], now=now)
    return store.steps - before


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
