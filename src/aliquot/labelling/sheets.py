"""Sheets for raters who are elsewhere: a workbook or a CSV file each, filled in with any spreadsheet, and read back.

Each row brings its key, so that rows may be sorted, left out or sent twice; nothing in a cell is a formula.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec
import polars as pl

from aliquot.errors import InputError, UsageError, excerpt
from aliquot.files.table_writing import csv_bytes
from aliquot.files.tables import read_table
from aliquot.files.writing import machine_errors, write_whole
from aliquot.labelling.events import Event, checked
from aliquot.labelling.form import Form, Question, options_of
from aliquot.labelling.project import ADJUDICATOR, MAIN
from aliquot.labelling.project_file import Place
from aliquot.labelling.store import Store
from aliquot.labelling.typed_choices import choice_typed
from aliquot.labelling.views import Part, View, unpack
from aliquot.labelling.workbooks import Column, read_workbook, write_workbook

KEY: Final = "key (leave as it is)"
RUBRIC: Final = "rubric (leave as it is)"
UNSURE, SKIP, NOTE = "unsure (x)", "skip, because", "note"

MOST_CELL: Final = 30_000
"""Characters of a text in a cell; a workbook holds 32,767."""

_YES: Final = {"yes", "y", "x", "1", "true", "ja", "oui"}
_NO: Final = {"", "no", "n", "0", "false", "nein", "non"}
_KEY: Final = re.compile(r"([0-9a-f]{12})-([0-9a-f]{8})-(\d{1,12})-([0-9a-f]{8})-([0-9a-f]{4})")
"""Project, rater, place, what stood in the row when it was written, and a sum that shows when the key was touched."""


def write_sheets(store: Store, folder: Path, *, form: str) -> list[Path]:
    """Write a sheet for each rater, in the order of their list.

    Args:
        store: the project.
        folder: where; made when it is not there.
        form: ``xlsx`` or ``csv``.

    Raises:
        UsageError: another form, or a project whose answers are not to be seen beforehand.
        MachineError: the extra is missing, or the machine refuses.
    """
    if form not in {"xlsx", "csv"}:
        raise UsageError(f"{form!r} is neither xlsx nor csv")
    asked = store.form
    if asked.writes_reference:
        raise UsageError(
            "references are written before an answer is seen, which a sheet cannot hold back: use the page"
        )
    raters = [one for one in store.raters() if one.role == "rater"]
    if any(not one.passed for one in raters):
        raise UsageError(
            "the training round is done on the page: sheets can be written when everybody has passed"
        )
    with machine_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for rater in raters:
        path = folder / f"{re.sub(r'[^A-Za-z0-9_-]+', '-', rater.name) or 'rater'}.{form}"
        if path in written:
            path = path.with_name(f"{path.stem}-{_short(rater.name)[:4]}.{form}")
        rows = list(_rows(store, asked, rater.name))
        columns = list(_columns(asked, most_points=max((len(row.points) for row in rows), default=0)))
        table = {one.name: [_cut(row.cells.get(one.name, "")) for row in rows] for one in columns}
        if form == "xlsx":
            write_workbook(path, columns, table, title=f"{asked.rubric}: {len(rows)} answers")
        else:
            write_whole(
                path,
                csv_bytes(pl.DataFrame(table, schema=dict.fromkeys(table, pl.String)), file=str(path)),
                mode=0o600,
            )
        written.append(path)
    return written


@dataclass(frozen=True, slots=True)
class _Row:
    cells: dict[str, str]
    points: tuple[str, ...]


def _rows(store: Store, form: Form, rater: str) -> Iterator[_Row]:
    for number, place in enumerate((one for one in store.places(rater) if one.place >= MAIN), 1):
        view = unpack(store.answer(place.answer).view)
        answers = view.answers[::-1] if place.swapped else view.answers
        names = ("first", "second") if len(answers) > 1 else ("answered",)
        cells = {
            "number": str(number),
            "asked": _text(view.asks),
            **dict(zip(names, map(_text, answers), strict=True)),
        }
        if form.shows_reference:
            cells["expected"] = view.expects
        points = _points_of(form, view)
        cells |= {f"point {at}": says for at, says in enumerate(points, 1)} if _own_points(form) else {}
        event = store.live_at(rater, place.place)
        event = None if event is not None and event.kind == "undo" else event
        cells |= {} if event is None else _before(form, event)
        yield _Row({KEY: _key(store, rater, place.place, event), RUBRIC: form.rubric, **cells}, points)


def _before(form: Form, event: Event) -> dict[str, str]:
    """Return the cells of what was said on the page already."""
    cells = {UNSURE: "x" if event.unsure else "", NOTE: event.note, SKIP: event.reason}
    for question in form.questions:
        said = event.said.get(question.name)
        if said is None:
            continue
        if question.kind == "checklist":
            cells |= {f"{question.name} {at}": "yes" if one else "no" for at, one in enumerate(said, 1)}
        elif question.kind == "codes":
            cells[question.name] = ", ".join(said)
        else:
            cells[question.name] = f"{said:g}" if isinstance(said, float | int) else str(said)
    return cells


def _columns(form: Form, *, most_points: int) -> Iterator[Column]:
    yield Column("number", 6)
    yield Column("asked", 50)
    if form.shows_reference:
        yield Column("expected", 40)
    yield from (Column("first", 60), Column("second", 60)) if form.pairwise else (Column("answered", 70),)
    if _own_points(form):
        yield from (Column(f"point {at}", 30) for at in range(1, most_points + 1))
    for question in form.questions:
        if question.kind == "checklist":
            says = () if question.judge is None else [point.says for point in question.judge.points]
            for at in range(1, (len(says) or most_points) + 1):
                hint = says[at - 1] if says else f"Does point {at} hold?"
                yield Column(f"{question.name} {at}", 14, ("yes", "no"), hint)
        elif question.kind == "codes":
            yield Column(question.name, 30, (), f"{question.asks} Several behind commas; none: nothing")
        else:
            hint = "; ".join(f"{name}: {says}" if says else name for name, says in options_of(question))
            yield Column(
                question.name,
                14,
                tuple(name for name, _ in options_of(question)),
                f"{question.asks} {hint}".strip(),
            )
    yield from (
        Column(UNSURE, 10, ("x",)),
        Column(SKIP, 20),
        Column(NOTE, 40),
        Column(KEY, 26),
        Column(RUBRIC, 14),
    )


def _text(parts: Sequence[Part]) -> str:
    told: list[str] = []
    for part in parts:
        told += [f"{part.role}: {part.text}" if part.role else part.text]
        told += [f"-> {call.name} {call.text}" for call in part.calls]
    return "\n\n".join(one for one in told if one.strip())


def _cut(text: str) -> str:
    return (
        text if len(text) <= MOST_CELL else f"{text[:MOST_CELL]}\n({len(text) - MOST_CELL:,} more characters)"
    )


def _own_points(form: Form) -> bool:
    return any(one.judge is not None and one.judge.each for one in form.questions)


def _points_of(form: Form, view: View) -> tuple[str, ...]:
    if _own_points(form):
        return view.points
    judges = [one.judge for one in form.questions if one.kind == "checklist" and one.judge is not None]
    return tuple(point.says for point in judges[0].points) if judges else ()


def _short(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:8]


def _key(store: Store, rater: str, place: int, event: Event | None) -> str:
    """Return a row's key."""
    state = "0" * 8 if event is None else _content(event)[:8]
    return _summed(f"{store.project.id}-{_short(rater)}-{place}-{state}")


def _summed(body: str) -> str:
    return f"{body}-{hashlib.sha256(body.encode()).hexdigest()[:4]}"


def _content(event: Event) -> str:
    """Return what stands for everything a row says: a row that nobody changed says nothing new."""
    said = sorted(event.said.items())
    everything = [event.kind, said, event.unsure, event.note.strip(), event.reason.strip()]
    return hashlib.sha256(msgspec.json.encode(everything)).hexdigest()


def project_of_sheets(folder: Path) -> str:
    """Return the project that the sheets of a folder are of.

    Raises:
        InputError: there is no sheet, or it brings no key.
    """
    path = _sheets(folder)[0]
    columns = _read(path)
    for cell in columns.get(KEY, ()):
        if found := _KEY.fullmatch(cell.strip()):
            return found[1]
    raise InputError("brings no key of a labelling project", file=str(path), field=KEY)


def collect_sheets(store: Store, folder: Path, *, now: datetime) -> dict[str, int]:
    """Read sheets back, each file as a whole or not at all; read twice they are there once.

    Args:
        store: the project.
        folder: with the sheets, or one of them.
        now: the time now.

    Returns:
        File → answers that were new.

    Raises:
        InputError: a sheet of another project, a key that was changed, or a cell that is no answer.
    """
    raters = {_short(one.name): one.name for one in store.raters() if one.name != ADJUDICATOR}
    new: dict[str, int] = {}
    for path in _sheets(folder):
        with machine_errors(path):
            written = datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
        age = max(0.0, (now - written).total_seconds() * 1000)
        by_rater: dict[str, list[Event]] = {}
        for rater, event in _events(store, path, raters, age=age):
            by_rater.setdefault(rater, []).append(event)
        if len(by_rater) > 1:
            raise InputError(
                f"holds rows of {len(by_rater)} raters", file=str(path), remedy="A sheet is one rater's"
            )
        new[path.name] = sum(store.record(name, events, now=now) for name, events in by_rater.items())
    return new


def _sheets(folder: Path) -> list[Path]:
    if folder.is_file():
        return [folder]
    found = sorted(
        path
        for path in folder.glob("*")
        if path.suffix in {".xlsx", ".csv"} and not path.name.startswith((".", "~"))
    )
    if not found:
        raise InputError("there is no sheet to read back (.xlsx or .csv)", file=str(folder))
    return found


def _read(path: Path) -> dict[str, list[str]]:
    if path.suffix == ".xlsx":
        return read_workbook(path)
    table = read_table(path, stored="csv")
    return {
        name: ["" if cell is None else str(cell) for cell in cells] for name, cells in table.columns.items()
    }


def _events(
    store: Store, path: Path, raters: Mapping[str, str], *, age: float
) -> Iterator[tuple[str, Event]]:
    columns = _read(path)
    if KEY not in columns:
        raise InputError(
            "has no column of keys", file=str(path), field=KEY, remedy="Send back the sheet that was written"
        )
    forms = {one.rubric: one for one in store.forms()}
    for at in range(len(columns[KEY])):
        row = {name: cells[at].strip() for name, cells in columns.items()}
        if not any(row.values()):
            continue
        rater, place = _place(store, row[KEY], raters, file=str(path), row=at + 1)
        form = forms.get(row.get(RUBRIC, ""), store.form)
        view = unpack(store.answer(place.answer).view)
        try:
            event = _event(form, row, place, points=len(_points_of(form, view)), age=age)
        except InputError as error:
            raise InputError(
                error.problem, file=str(path), row=at + 1, field=error.field, remedy=error.remedy
            ) from error
        if event is not None and _content(event)[:8] != row[KEY].split("-")[3]:
            identity = f"{rater}\n{place.place}\n{_content(event)}"
            yield rater, msgspec.structs.replace(event, id=hashlib.sha256(identity.encode()).hexdigest()[:32])


def _place(store: Store, key: str, raters: Mapping[str, str], *, file: str, row: int) -> tuple[str, Place]:
    found = _KEY.fullmatch(key)
    body = key.rpartition("-")[0]
    if found is None or _summed(body) != key:
        raise InputError(f"{excerpt(key)} is no key, or was changed", file=file, row=row, field=KEY)
    if found[1] != store.project.id:
        raise InputError(
            "is of another project", file=file, row=row, field=KEY, remedy="Name its project: --project DIR"
        )
    rater = raters.get(found[2])
    place = None if rater is None else store.place(rater, int(found[3]))
    if rater is None or place is None:
        raise InputError(
            "names a rater or a place that is not in this project", file=file, row=row, field=KEY
        )
    return rater, place


def _event(form: Form, row: Mapping[str, str], place: Place, *, points: int, age: float) -> Event | None:
    """Return what a row says; None when nothing was filled in."""
    said: dict[str, Any] = {}
    empty: list[str] = []
    for question in form.questions:
        value = _cell(question, row, points=points)
        if value is None:
            empty.append(question.name)
        else:
            said[question.name] = value
    skip = row.get(SKIP, "")
    coded = [one.name for one in form.questions if one.kind == "codes"]
    if not skip and len(empty) == len(form.questions):
        return None
    for name in coded:
        if name in empty and (skip or len(form.questions) > 1):
            said[name] = []
            empty.remove(name)
    if empty and not skip:
        raise InputError("is not answered, while other questions of the row are", field=empty[0])
    event = Event(
        id="of-a-sheet",
        place=place.place,
        kind="skip" if skip else "label",
        said=said,
        unsure=_ticked(row.get(UNSURE, "")) in _YES,
        note=row.get(NOTE, ""),
        reason=skip,
        age_ms=age,
        rubric=form.rubric,
        origin="sheet",
    )
    return checked(event, form, points=points)


def _ticked(cell: str) -> str:
    """Return a cell that is yes or no as it is looked up: a spreadsheet may write 1 as 1.0."""
    return re.sub(r"(?<=\d)\.0+$", "", cell.strip()).casefold()


def _cell(question: Question, row: Mapping[str, str], *, points: int) -> Any:
    if question.kind == "checklist":
        cells = [_ticked(row.get(f"{question.name} {at}", "")) for at in range(1, points + 1)]
        if not any(cells):
            return None
        wrong = next((at for at, cell in enumerate(cells, 1) if cell not in _YES | _NO), None)
        if wrong is not None:
            raise InputError(
                f"{excerpt(cells[wrong - 1])} is neither yes nor no",
                field=f"{question.name} {wrong}",
                remedy="Say yes or no (or 1 or 0)",
            )
        return [cell in _YES for cell in cells]
    cell = row.get(question.name, "")
    if not cell:
        return None
    if question.kind == "codes":
        return [one.strip() for one in re.split(r"[,;|\n]", cell) if one.strip()]
    return choice_typed(question, cell)
