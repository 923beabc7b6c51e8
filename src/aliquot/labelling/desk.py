"""What a rater's page is told and tells: the next answers without what would give them away, and what was said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec
import numpy as np

from aliquot.errors import InputError
from aliquot.labelling.events import Event, checked
from aliquot.labelling.exports import said_label, value_of
from aliquot.labelling.form import Form, Question, options_of
from aliquot.labelling.project import ADJUDICATOR, MAIN, ROUND, Answer, Rater
from aliquot.labelling.project_file import Place
from aliquot.labelling.store import Store
from aliquot.labelling.views import View, unpack

AHEAD: Final = 20
"""Answers that a page is given at once, so that it goes on while the network is away."""

AHEAD_CHARACTERS: Final = 1_000_000
"""Characters of what is given at once, but for the first."""

MOST_EVENTS: Final = 500
"""Events of one message."""


class Desk:
    """Between the pages and the store."""

    def __init__(self, store: Store, *, clock: Callable[[], datetime]) -> None:
        """Take the project.

        Args:
            store: its file.
            clock: the time now, with its zone.
        """
        self.store = store
        self.clock = clock

    def work(self, rater: Rater, *, skip: Sequence[int] = ()) -> dict[str, Any]:
        """Return where a rater stands, and the next answers nothing is said of.

        Args:
            rater: who asks.
            skip: places of which the page has something to tell that has not arrived yet.
        """
        form = self.store.form
        low, high = _bounds(rater)
        done, total = self.store.counts(rater.name, low=low, high=high)
        ahead = self.store.open_places(rater.name, after=low, before=high, count=AHEAD + len(skip))
        places = [one for one in ahead if one.place not in skip][:AHEAD]
        return {
            "rubric": form.rubric,
            "stage": "training" if low < MAIN else "settle" if rater.role == "adjudicator" else "main",
            "round": rater.round + 1,
            "done": done,
            "total": total,
            "kinds": self.store.kinds(),
            "tasks": list(self._ahead(rater, places, form, low=low)),
        }

    def _ahead(
        self, rater: Rater, places: Sequence[Place], form: Form, *, low: int
    ) -> Iterator[dict[str, Any]]:
        """Yield the first of the places, as many as a page holds at once."""
        shown = self.store.shown([one.answer for one in places])
        room = AHEAD_CHARACTERS
        for at, one in enumerate(places):
            view = unpack(shown[one.answer].view)
            room -= view.characters
            if at and room < 0:
                return
            yield self._task(rater, one, view, form, low=low)

    def task(self, rater: Rater, place: int, *, step: str) -> dict[str, Any] | None:
        """Return one place of a rater's list, or the one before or after it; None when there is none."""
        low, high = _bounds(rater)
        wanted = place if step == "here" else self.store.neighbour(rater.name, place, back=step == "back")
        found = None if wanted is None or not low <= wanted < high else self.store.place(rater.name, wanted)
        if found is None:
            return None
        before = self.store.live_at(rater.name, found.place)
        view = unpack(self.store.answer(found.answer).view)
        task = self._task(rater, found, view, self.store.form, low=low)
        return task | {"before": None if before is None or before.kind == "undo" else _before(before)}

    def take(self, rater: Rater, events: Sequence[Event]) -> dict[str, Any]:
        """Keep what a page tells, and say what was kept and what cannot be.

        An event that was told before is acknowledged again; one that is no answer to the form is refused and named.
        """
        forms = {one.rubric: one for one in self.store.forms()}
        good: list[Event] = []
        refused: list[dict[str, str]] = []
        for event in events:
            try:
                good.append(self._checked(rater, event, forms))
            except InputError as error:
                refused.append({"id": event.id, "why": str(error)})
        self.store.record(rater.name, good, now=self.clock())
        told: dict[str, Any] = {"kept": [one.id for one in good], "refused": refused}
        if rater.role == "rater" and not rater.passed:
            told |= {"feedback": self._feedback(rater, good), "training": self._advance(rater)}
        return told

    def _checked(self, rater: Rater, event: Event, forms: dict[str, Form]) -> Event:
        place = self.store.place(rater.name, event.place) if 0 <= event.place < 2**63 else None
        if place is None:
            raise InputError(f"place {event.place} is none of this list", field="place")
        before = self.store.event(rater.name, event.id)
        if before is not None and (before.place, before.kind) != (event.place, event.kind):
            raise InputError("another step was told under this id", field="id")
        form = forms.get(event.rubric)
        if form is None:
            raise InputError(f"there is no form {event.rubric[:40]!r}", field="rubric")
        view = unpack(self.store.answer(place.answer).view)
        points = max(
            (len(_points(one, view)) for one in form.questions if one.kind == "checklist"), default=0
        )
        first = form.writes_reference and event.kind == "label"
        if first and self.store.live_at(rater.name, event.place, "reference") is None:
            raise InputError("the answer has not been shown yet: its reference comes first", field="kind")
        return checked(event, form, points=points)

    def _task(self, rater: Rater, place: Place, view: View, form: Form, *, low: int) -> dict[str, Any]:
        """Return what a page shows of a place of which nothing is said."""
        written = self.store.live_at(rater.name, place.place, "reference") if form.writes_reference else None
        held = form.writes_reference and written is None
        answers = view.answers[::-1] if place.swapped else view.answers
        return {
            "place": place.place,
            "number": place.place - low + 1,
            "asks": msgspec.to_builtins(view.asks),
            "held": held,
            "answers": [] if held else msgspec.to_builtins(answers),
            "expects": view.expects if form.shows_reference and not held else "",
            "written": "" if written is None else str(next(iter(written.said.values()), "")),
            "points": {one.name: _points(one, view) for one in form.questions if one.kind == "checklist"},
            "before": None,
            "others": self._others(place) if place.role == "settle" else [],
        }

    def _others(self, place: Place) -> list[dict[str, Any]]:
        """Return what raters said of an answer on which they differ, without their names."""
        said: list[dict[str, Any]] = []
        form = self.store.form
        for told in self.store.live(answer=place.answer):
            if told.rater == ADJUDICATOR or told.event.kind != "label":
                continue
            labels = {
                question.name: _shown(question, value, swapped=told.place.swapped, here=place.swapped)
                for question in form.questions
                if (value := told.event.said.get(question.name)) is not None
            }
            said.append({"who": f"Rater {chr(65 + len(said) % 26)}", "said": labels, "note": told.event.note})
        return said

    # the training round

    def _feedback(self, rater: Rater, events: Sequence[Event]) -> list[dict[str, Any]]:
        """Return for each training answer that was labelled what would have been right."""
        found: list[dict[str, Any]] = []
        for event in events:
            place = self.store.place(rater.name, event.place)
            if place is not None and place.role == "training" and event.kind in {"label", "skip"}:
                answer = self.store.answer(place.answer)
                found.append(
                    {"place": event.place, "right": self._right(event, answer), "known": answer.known}
                )
        return found

    def _right(self, event: Event, answer: Answer) -> bool:
        return event.kind == "label" and agrees_with_known(self.store.form, event, answer, swapped=False)

    def _advance(self, rater: Rater) -> dict[str, Any] | None:
        """End a training round that is complete: the labelling begins, or another round does."""
        low, high = _bounds(rater)
        done, total = self.store.counts(rater.name, low=low, high=high)
        if done < total:
            return None
        live = [told for told in self.store.live(rater=rater.name) if low <= told.place.place < high]
        right = sum(self._right(told.event, self.store.answer(told.place.answer)) for told in live)
        passed = right >= self.store.project.pass_mark * total
        next_round = rater.round if passed else rater.round + 1
        if not passed:
            answers = [told.place.answer for told in live]
            order = (
                np.random.default_rng([self.store.project.seed, 3, next_round])
                .permutation(len(answers))
                .tolist()
            )
            self.store.add_places(
                rater.name, training_places([answers[at] for at in order], round_=next_round)
            )
        self.store.set_rater(msgspec.structs.replace(rater, round=next_round, passed=passed))
        return {"right": right, "of": total, "mark": self.store.project.pass_mark, "passed": passed}


def training_places(answers: Sequence[int], *, round_: int) -> list[Place]:
    """Return the places of a training round."""
    return [
        Place(round_ * ROUND + at, one, "training", swapped=False, repeat=1) for at, one in enumerate(answers)
    ]


def agrees_with_known(form: Form, event: Event, answer: Answer, *, swapped: bool) -> bool:
    """Tell whether a label is the known one, on every question whose right label is known."""
    for name, right in answer.known.items():
        question = form.question(name)
        if question is None or name not in event.said:
            return False
        value = value_of(event.said[name])
        said = {
            said_label(question, value, answer, swapped=swapped),
            str(value),
            f"{value:g}" if isinstance(value, float) else "",
        }
        if right.casefold() not in {one.casefold() for one in said if one}:
            return False
    return bool(answer.known)


def _bounds(rater: Rater) -> tuple[int, int]:
    """Return which places a rater is at: those of a training round, or the list."""
    if rater.role == "rater" and not rater.passed:
        return rater.round * ROUND, (rater.round + 1) * ROUND
    return MAIN, 1 << 40


def _points(question: Question, view: View) -> list[str]:
    judge = question.judge
    if judge is None or question.kind != "checklist":
        return []
    return list(view.points) if judge.each else [point.says for point in judge.points]


def _before(event: Event) -> dict[str, Any]:
    told = msgspec.to_builtins(event)
    return {name: told.get(name) for name in ("kind", "said", "unsure", "note", "reason")}


def _shown(question: Question, value: Any, *, swapped: bool, here: bool) -> str:
    """Return what another rater said, a pair as it stands on this page."""
    if question.kind == "pair":
        turned = {"first": "second", "second": "first"}
        side = turned.get(str(value), str(value)) if swapped != here else str(value)
        return {"first": "the first is better", "second": "the second is better", "both_bad": "both bad"}.get(
            side, side
        )
    known = dict(options_of(question))
    if isinstance(value, list | tuple):
        return ", ".join(("yes" if one else "no") if isinstance(one, bool) else str(one) for one in value)
    text = f"{value:g}" if isinstance(value, float | int) else str(value)
    return f"{text}: {known[text]}" if known.get(text) else text
