"""What raters said as tables: labels, votes, failure codes, references, what was settled, and the whole history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.labels import Labels
from aliquot.evidence.tables import Source
from aliquot.files.table_writing import csv_bytes, write_table
from aliquot.files.tables import table_of
from aliquot.labelling.form import Form, Question, Value, grade_of, label_of
from aliquot.labelling.project import ADJUDICATOR, Answer
from aliquot.labelling.store import Store, Told
from aliquot.readers.labels import labels_of
from aliquot.readers.options import ReadOptions

LABELS: Final[Mapping[str, pl.DataType]] = {
    "item": pl.String(), "system": pl.String(), "task": pl.String(), "attempt": pl.Int64(), "rater": pl.String(),
    "metric": pl.String(), "label": pl.String(), "repeat": pl.Int64(), "at": pl.String(), "rubric": pl.String(),
    "probability": pl.Float64(),
}  # fmt: skip
"""Columns of a table of labels, as ``agree``, ``calibrate`` and ``--labels`` read it."""

VOTES: Final[Mapping[str, pl.DataType]] = {
    "item": pl.String(), "task": pl.String(), "model_a": pl.String(), "model_b": pl.String(), "winner": pl.String(),
    "rater": pl.String(), "by": pl.String(), "repeat": pl.Int64(), "timestamp": pl.String(), "rubric": pl.String(),
    "probability": pl.Float64(),
}  # fmt: skip
"""Columns of a table of votes; ``model_a`` was shown first."""

CODES: Final[Mapping[str, pl.DataType]] = {
    "item": pl.String(), "system": pl.String(), "task": pl.String(), "attempt": pl.Int64(), "rater": pl.String(),
    "codes": pl.String(), "note": pl.String(), "at": pl.String(),
}  # fmt: skip

REFERENCES: Final[Mapping[str, pl.DataType]] = {
    "item": pl.String(), "task": pl.String(), "rater": pl.String(), "reference": pl.String(), "at": pl.String(),
}  # fmt: skip

HISTORY: Final[Mapping[str, pl.DataType]] = {
    "event": pl.Int64(), "at": pl.String(), "rater": pl.String(), "kind": pl.String(), "stands": pl.Boolean(),
    "role": pl.String(), "item": pl.String(), "system": pl.String(), "task": pl.String(), "attempt": pl.Int64(),
    "against": pl.String(), "shown_first": pl.String(), "repeat": pl.Int64(), "question": pl.String(),
    "said": pl.String(), "unsure": pl.Boolean(), "note": pl.String(), "reason": pl.String(),
    "seconds": pl.Float64(), "rubric": pl.String(), "origin": pl.String(),
}  # fmt: skip

DRAWN: Final = ("shared", "own", "repeat", "import")
"""Roles of places whose labels count: drawn, and not there to train or to check a rater."""

_WINNERS: Final = {"first": "model_a", "second": "model_b", "tie": "tie", "both_bad": "tie (bothbad)"}
_TURNED: Final = {"first": "second", "second": "first"}


def value_of(said: Any) -> Value:
    """Return what was said, as it is stored, in the form in which questions take it."""
    return tuple(said) if isinstance(said, list) else said


def said_label(question: Question, value: Value, answer: Answer, *, swapped: bool) -> str | None:
    """Return a rater's answer as a label; of a pair the name of the better system, ``tie`` or ``both_bad``."""
    if question.kind != "pair":
        return label_of(question, value)
    better = _TURNED.get(str(value), str(value)) if swapped else str(value)
    return {"first": answer.system, "second": answer.other}.get(better) or better


class Exports:
    """Tables of a project, each made of what is said at the moment it is asked for."""

    def __init__(self, store: Store) -> None:
        """Take the project."""
        self._store = store
        self._answers = store.answers()
        self._forms: dict[str, Form] = {one.rubric: one for one in store.forms()}
        self._form = store.form

    def _each(self, roles: tuple[str, ...] = DRAWN) -> Iterator[tuple[Told, Answer]]:
        """Yield the labels that stand, skips left out."""
        for told in self._store.live():
            if told.event.kind == "label" and told.place.role in roles:
                yield told, self._answers[told.place.answer]

    def _said(self, told: Told) -> Iterator[tuple[Question, Value]]:
        """Yield the questions of an event's own form with what was said."""
        form = self._forms.get(told.event.rubric, self._form)
        for question in form.questions:
            if question.name in told.event.said:
                yield question, value_of(told.event.said[question.name])

    def labels(self) -> pl.DataFrame:
        """Return a row a label: what stands, of answers that were drawn."""
        return self._labels(drawn=True)

    def undrawn(self) -> pl.DataFrame:
        """Return the labels of answers that were not drawn: from other tools, they speak for no other answers."""
        return self._labels(drawn=False)

    def _labels(self, *, drawn: bool) -> pl.DataFrame:
        rows = [
            _key(answer) | _of(told, answer) | {"metric": question.name, "label": label}
            for told, answer in self._each()
            if (answer.probability is not None) is drawn
            for question, value in self._said(told)
            if (label := said_label(question, value, answer, swapped=told.place.swapped)) is not None
        ]
        return pl.DataFrame(rows, schema=dict(LABELS))

    def grades(self) -> pl.DataFrame:
        """Return what was said before any threshold, where that is more than the label: grades, words, points."""
        rows: list[dict[str, Any]] = []
        for told, answer in self._each():
            for question, value in self._said(told):
                base = _key(answer) | _of(told, answer)
                if (grade := grade_of(question, value)) is not None:
                    rows.append(base | {"metric": question.name, "label": grade})
                if question.kind == "checklist" and isinstance(value, tuple):
                    rows += [
                        base | {"metric": f"{question.name} {at}", "label": "yes" if yes else "no"}
                        for at, yes in enumerate(value, 1)
                    ]
        return pl.DataFrame(rows, schema=dict(LABELS))

    def votes(self) -> pl.DataFrame:
        """Return a row a vote on a pair, the system shown first as ``model_a``."""
        rows: list[dict[str, Any]] = []
        for told, answer in self._each():
            for question, value in self._said(told):
                if question.kind != "pair" or answer.other is None:
                    continue
                a, b = (answer.other, answer.system) if told.place.swapped else (answer.system, answer.other)
                more = {
                    "model_a": a,
                    "model_b": b,
                    "winner": _WINNERS[str(value)],
                    "by": "person",
                    "timestamp": told.at,
                }
                rows.append({"item": answer.item, "task": answer.task} | _of(told, answer) | more)
        return pl.DataFrame([{name: row[name] for name in VOTES} for row in rows], schema=dict(VOTES))

    def codes(self) -> pl.DataFrame:
        """Return a row for each answer that somebody read for failures, as ``failures --codes`` reads it."""
        rows = [
            _key(answer)
            | {"rater": told.rater, "at": told.at, "note": told.event.note or None}
            | {"codes": "; ".join(map(str, value))}
            for told, answer in self._each()
            if told.place.repeat == 1
            for question, value in self._said(told)
            if question.kind == "codes" and isinstance(value, tuple)
        ]  # fmt: skip
        return pl.DataFrame(rows, schema=dict(CODES))

    def references(self) -> pl.DataFrame:
        """Return what raters wrote before they saw an answer, the last version of each."""
        last: dict[tuple[str, int], Told] = {}
        for told in self._store.history():
            if told.event.kind == "reference" and told.place.role in DRAWN:
                last[told.rater, told.place.place] = told
        rows = [
            {"item": answer.item, "task": answer.task, "rater": told.rater, "at": told.at,
             "reference": str(next(iter(told.event.said.values())))}
            for told in last.values()
            for answer in (self._answers[told.place.answer],)
        ]  # fmt: skip
        return pl.DataFrame(rows, schema=dict(REFERENCES))

    def adjudicated(self) -> pl.DataFrame:
        """Return one label an answer: as it was settled, else as all its raters say; what is open is left out."""
        given: dict[tuple[int, str], dict[str, tuple[Told, str]]] = defaultdict(dict)
        for told, answer in self._each((*DRAWN, "settle")):
            if told.place.repeat != 1:
                continue
            for question, value in self._said(told):
                label = said_label(question, value, answer, swapped=told.place.swapped)
                if label is not None:
                    given[told.place.answer, question.name][told.rater] = (told, label)
        rows: list[dict[str, Any]] = []
        for (number, name), by in sorted(given.items()):
            if ADJUDICATOR not in by and len({label for _, label in by.values()}) > 1:
                continue
            told, label = by.get(ADJUDICATOR) or next(iter(by.values()))
            answer = self._answers[number]
            own = _key(answer) | _of(told, answer)
            rows.append(
                own
                | {"rater": "adjudicated", "metric": name, "label": label, "probability": answer.probability}
            )
        return pl.DataFrame(rows, schema=dict(LABELS))

    def history(self) -> pl.DataFrame:
        """Return every event, a row a question: also what was changed, taken back, skipped, or there to train."""
        standing = {told.seq for told in self._store.live()}
        rows: list[dict[str, Any]] = []
        for told in self._store.history():
            answer, event = self._answers[told.place.answer], told.event
            swapped = told.place.swapped
            first = None if answer.other is None else answer.other if swapped else answer.system
            base = _key(answer) | {
                "event": told.seq, "at": told.at, "rater": told.rater, "kind": event.kind,
                "stands": told.seq in standing, "role": told.place.role, "against": answer.other, "shown_first": first,
                "system": answer.system, "attempt": answer.attempt, "repeat": told.place.repeat,
                "unsure": event.unsure, "note": event.note or None, "reason": event.reason or None,
                "seconds": event.seconds, "rubric": event.rubric, "origin": event.origin,
            }  # fmt: skip
            said = [(question.name, _written(value)) for question, value in self._said(told)] or [
                (None, None)
            ]
            rows += [base | {"question": name, "said": text} for name, text in said]
        return pl.DataFrame(rows, schema=dict(HISTORY))

    def write(self, folder: Path) -> dict[str, int]:
        """Write every table that has rows as CSV, and return how many rows each has.

        Raises:
            MachineError: the machine refuses.
        """
        written: dict[str, int] = {}
        for name in TABLES:
            frame = self.table(name)
            if frame.height or name == "labels":
                write_table(folder / f"{name}.csv", frame)
                written[f"{name}.csv"] = frame.height
        return written

    def table(self, name: str) -> pl.DataFrame:
        """Return a table by the name of its file."""
        return TABLES[name](self)

    def csv(self, name: str) -> bytes:
        """Return a table as the bytes of its file."""
        return csv_bytes(self.table(name), file=f"{name}.csv")


TABLES: Final[Mapping[str, Callable[[Exports], pl.DataFrame]]] = {
    "labels": Exports.labels,
    "undrawn": Exports.undrawn,
    "grades": Exports.grades,
    "votes": Exports.votes,
    "codes": Exports.codes,
    "references": Exports.references,
    "adjudicated": Exports.adjudicated,
    "history": Exports.history,
}
"""The tables of a project, by the names of their files."""


def labels_now(store: Store) -> Labels | None:
    """Return the labels as evidence, read as the exported table is; None before there is one."""
    frame = Exports(store).labels()
    if frame.is_empty():
        return None
    try:
        found = labels_of(table_of(frame), ReadOptions(), file="labels.csv")
    except InputError:
        return None
    return Labels(found.frame, (Source(str(store.path), "labels"),))


def _key(answer: Answer) -> dict[str, Any]:
    """Return what names an answer; a pair is of no one system."""
    pair = answer.other is not None
    return {
        "item": answer.item,
        "system": None if pair else answer.system,
        "task": answer.task,
        "attempt": None if pair else answer.attempt,
    }


def _of(told: Told, answer: Answer) -> dict[str, Any]:
    return {
        "rater": told.rater,
        "repeat": told.place.repeat,
        "at": told.at,
        "rubric": told.event.rubric or None,
        "probability": answer.probability,
    }


def _written(value: Value) -> str:
    if isinstance(value, tuple):
        return "; ".join(("yes" if one else "no") if isinstance(one, bool) else str(one) for one in value)
    return f"{value:.6g}" if isinstance(value, float | int) else value
