"""The file of a project: SQLite, so that an answer that was acknowledged is there after any crash, and there once."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from aliquot.errors import InputError, MachineError
from aliquot.files.taxonomy import fold
from aliquot.labelling.events import Event
from aliquot.labelling.form import Form
from aliquot.labelling.project import MAIN, SCHEMA, Answer, Project, Rater
from aliquot.labelling.project_file import Place, answer_row, connect, put_places


class Told(NamedTuple):
    """An event as it is kept: ``at`` is when it was made, ``place`` where."""

    seq: int
    rater: str
    event: Event
    at: str
    place: Place


class Store:
    """A project's file, used by all threads of a server and by other processes at once."""

    def __init__(self, path: Path) -> None:
        """Open a project.

        Raises:
            InputError: there is none, or the file is something else.
            MachineError: the machine refuses.
        """
        if not path.is_file():
            raise InputError("there is no labelling project", file=str(path.parent))
        self.path = path
        self._lock = threading.RLock()
        self._forms: dict[int, Form] = {}
        with self._refusals():
            self._file = connect(path)
            self._file.execute("PRAGMA synchronous=FULL")
            self.project = msgspec.json.decode(self._about("project"), type=Project)
        if self.project.schema != SCHEMA:
            raise InputError(f"it is of another version ({self.project.schema})", file=str(path))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()

    # what the project is

    @property
    def form(self) -> Form:
        """The newest form."""
        return self.forms()[-1]

    def forms(self) -> list[Form]:
        """Return every form there was, the first one first."""
        for version, form in self._rows(
            "SELECT version, form FROM forms WHERE version > ?", len(self._forms)
        ):
            self._forms[version] = msgspec.json.decode(form, type=Form)  # a form never changes
        return [self._forms[version] for version in sorted(self._forms)]

    def add_form(self, form: Form, *, at: str) -> None:
        """Keep a further form."""
        with self.changing() as file:
            file.execute("INSERT INTO forms VALUES (?, ?, ?)", (form.version, msgspec.json.encode(form), at))

    def raters(self) -> list[Rater]:
        """Return everybody, in the order in which they were named."""
        return [_rater(row) for row in self._rows("SELECT * FROM raters ORDER BY rowid")]

    def rater_of(self, token: str) -> Rater | None:
        """Return whose link it is; None when it is nobody's."""
        return next((_rater(row) for row in self._rows("SELECT * FROM raters WHERE token = ?", token)), None)

    def add_rater(self, rater: Rater, places: Sequence[Place] = ()) -> None:
        """Take in one more, with the places of their list."""
        with self.changing() as file:
            file.execute("INSERT INTO raters VALUES (?, ?, ?, ?, ?)", msgspec.structs.astuple(rater))
            put_places(file, rater.name, places)

    def add_answer(self, answer: Answer) -> int:
        """Keep one more answer, and return its number."""
        with self.changing() as file:
            number = file.execute("SELECT coalesce(max(id), -1) + 1 FROM answers").fetchone()[0]
            file.execute("INSERT INTO answers VALUES (?, ?, ?, ?)", answer_row(number, answer))
        return number

    def set_rater(self, rater: Rater) -> None:
        """Keep how far somebody has come in the training."""
        with self.changing() as file:
            told = (rater.round, rater.passed, rater.name)
            file.execute("UPDATE raters SET round = ?, passed = ? WHERE name = ?", told)

    def add_places(self, rater: str, places: Sequence[Place]) -> None:
        """Add places to a list."""
        with self.changing() as file:
            put_places(file, rater, places)

    def secret(self, name: str) -> str:
        """Return a text that is kept with the project; "" when there is none of that name."""
        rows = self._rows("SELECT value FROM about WHERE name = ?", name)
        return rows[0][0].decode() if rows else ""

    def answer(self, number: int) -> Answer:
        """Return an answer with what raters see of it."""
        about, view = self._rows("SELECT about, view FROM answers WHERE id = ?", number)[0]
        return msgspec.structs.replace(msgspec.json.decode(about, type=Answer), view=view)

    def shown(self, numbers: Sequence[int]) -> dict[int, Answer]:
        """Return answers with what raters see of them, by number."""
        marks = ",".join("?" * len(numbers))
        rows = self._rows(f"SELECT id, about, view FROM answers WHERE id IN ({marks})", *numbers)  # noqa: S608 - marks alone
        return {
            number: msgspec.structs.replace(msgspec.json.decode(about, type=Answer), view=view)
            for number, about, view in rows
        }

    def answers(self) -> dict[int, Answer]:
        """Return every answer, without what raters see of it."""
        rows = self._rows("SELECT id, about FROM answers ORDER BY id")
        return {number: msgspec.json.decode(about, type=Answer) for number, about in rows}

    def kinds(self) -> list[tuple[str, str]]:
        """Return the kinds of failure known so far, each with what it says."""
        return self._rows("SELECT name, says FROM kinds ORDER BY rowid")

    # where everybody stands

    def places(self, rater: str) -> list[Place]:
        """Return a rater's whole list."""
        rows = self._rows(f"SELECT {_PLACE} FROM queue q WHERE rater = ? ORDER BY place", rater)  # noqa: S608 - our own columns
        return [_place(row) for row in rows]

    def open_places(self, rater: str, *, after: int, before: int, count: int) -> list[Place]:
        """Return the first places of a rater's list from one on that nothing is said of."""
        rows = self._rows(
            f"SELECT {_PLACE} FROM queue q LEFT JOIN live l ON l.rater = q.rater AND l.place = q.place "  # noqa: S608 - as above
            "WHERE q.rater = ? AND q.place >= ? AND q.place < ? AND (l.kind IS NULL OR l.kind = 'undo') "
            "ORDER BY q.place LIMIT ?",
            rater, after, before, count,
        )  # fmt: skip
        return [_place(row) for row in rows]

    def place(self, rater: str, place: int) -> Place | None:
        """Return one place of a list; None when there is none."""
        rows = self._rows(f"SELECT {_PLACE} FROM queue q WHERE rater = ? AND place = ?", rater, place)  # noqa: S608 - as above
        return _place(rows[0]) if rows else None

    def neighbour(self, rater: str, place: int, *, back: bool) -> int | None:
        """Return the place before or after another."""
        sign, order = ("<", "DESC") if back else (">", "ASC")
        rows = self._rows(
            f"SELECT place FROM queue WHERE rater = ? AND place {sign} ? ORDER BY place {order} LIMIT 1",  # noqa: S608 - two words of our own
            rater, place,
        )  # fmt: skip
        return rows[0][0] if rows else None

    def counts(self, rater: str, *, low: int = MAIN, high: int = 1 << 40) -> tuple[int, int]:
        """Return how many places of a list are done, and how many there are."""
        done = self._rows(
            "SELECT count(*) FROM live WHERE rater = ? AND place >= ? AND place < ? AND kind IN ('label', 'skip')",
            rater, low, high,
        )  # fmt: skip
        total = self._rows(
            "SELECT count(*) FROM queue WHERE rater = ? AND place >= ? AND place < ?", rater, low, high
        )
        return done[0][0], total[0][0]

    # what was said

    @property
    def steps(self) -> int:
        """How many events there are; none is ever taken away."""
        return self._rows("SELECT count(*) FROM events")[0][0]

    def live_at(self, rater: str, place: int, kind: str | None = None) -> Event | None:
        """Return what is said of a place now; with a kind the last event of it."""
        sql = "SELECT event FROM events WHERE seq = (SELECT seq FROM live WHERE rater = ? AND place = ?)"
        given: tuple[Any, ...] = (rater, place)
        if kind is not None:
            wanted = "rater = ? AND place = ? AND kind = ?"
            sql = f"SELECT event FROM events WHERE {wanted} ORDER BY at DESC, seq DESC LIMIT 1"  # noqa: S608 - our own words
            given = (rater, place, kind)
        rows = self._rows(sql, *given)
        return msgspec.json.decode(rows[0][0], type=Event) if rows else None

    def live(self, *, rater: str | None = None, answer: int | None = None) -> Iterator[Told]:
        """Yield what stands now: one event a place, in the order of the places; what was taken back is left out."""
        which = "JOIN live l ON l.seq = e.seq WHERE l.kind != 'undo'"
        yield from self._told(which, {"e.rater": rater, "q.answer": answer}, order="e.rater, e.place")

    def history(self) -> Iterator[Told]:
        """Yield every event, in the order in which it came in."""
        yield from self._told("WHERE 1", {}, order="e.seq")

    def _told(self, which: str, wanted: Mapping[str, object], *, order: str) -> Iterator[Told]:
        chosen = {name: value for name, value in wanted.items() if value is not None}
        more = "".join(f" AND {name} = ?" for name in chosen)
        rows = self._rows(
            f"SELECT e.seq, e.rater, e.event, e.at, {_PLACE} FROM events e "  # noqa: S608 - as above
            f"JOIN queue q ON q.rater = e.rater AND q.place = e.place {which}{more} ORDER BY {order}",
            *chosen.values(),
        )
        for seq, name, event, at, *place in rows:
            yield Told(seq, name, msgspec.json.decode(event, type=Event), at, _place(place))

    def event(self, rater: str, name: str) -> Event | None:
        """Return what was told under an id; None when nothing was."""
        rows = self._rows("SELECT event FROM events WHERE rater = ? AND id = ?", rater, name)
        return msgspec.json.decode(rows[0][0], type=Event) if rows else None

    def record(self, rater: str, events: Sequence[Event], *, now: datetime) -> int:
        """Keep events, each once, and return how many were new.

        The latest of a place stands, by the time at which it was made: what a page without a network kept for later
        does not undo what was said in between.

        Raises:
            MachineError: the disk is full; nothing of these events is kept.
        """
        new = 0
        with self.changing() as file:
            for event in events:
                at = event.made(now).isoformat(timespec="milliseconds")
                told = (rater, event.id, event.place, event.kind, msgspec.json.encode(event), at)
                cursor = file.execute(
                    "INSERT OR IGNORE INTO events (rater, id, place, kind, event, at, received) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (*told, now.isoformat(timespec="milliseconds")),
                )
                if not cursor.rowcount:
                    continue
                new += 1
                self._make_live(file, rater, event, at, seq=cursor.lastrowid or 0)
        return new

    def _make_live(self, file: sqlite3.Connection, rater: str, event: Event, at: str, *, seq: int) -> None:
        if event.kind == "reference":
            return
        file.execute(
            "INSERT INTO live VALUES (?, ?, ?, ?, ?) ON CONFLICT (rater, place) DO UPDATE SET "
            "seq = excluded.seq, kind = excluded.kind, at = excluded.at WHERE excluded.at >= live.at",
            (rater, event.place, seq, event.kind, at),
        )
        for name, said in event.said.items():
            if isinstance(said, tuple) and self._codes(name):
                file.executemany(
                    "INSERT OR IGNORE INTO kinds VALUES (?, ?, '')",
                    ((fold(one), one) for one in said if isinstance(one, str)),
                )

    def _codes(self, name: str) -> bool:
        question = self.form.question(name)
        return question is not None and question.kind == "codes"

    # the file

    @contextmanager
    def changing(self) -> Generator[sqlite3.Connection]:
        """Hold the file for a change that happens as a whole or not at all."""
        with self._lock, self._refusals():
            self._file.execute("BEGIN IMMEDIATE")
            try:
                yield self._file
                self._file.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._file.execute("ROLLBACK")
                raise

    def _rows(self, sql: str, *given: Any) -> list[Any]:
        with self._lock, self._refusals():
            return self._file.execute(sql, given).fetchall()

    def _about(self, name: str) -> bytes:
        rows = self._file.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchall()
        if not rows:
            raise sqlite3.DatabaseError("it does not say what it is about")
        return rows[0][0]

    @contextmanager
    def _refusals(self) -> Generator[None]:
        """Say what SQLite and what is stored refuse."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                raise InputError("it is no labelling project", file=str(self.path)) from error
            raise MachineError(
                f"{self.path} cannot be used: {error}. What was acknowledged before is kept"
            ) from error
        except (sqlite3.DatabaseError, msgspec.MsgspecError) as error:
            raise InputError(
                f"it is no labelling project, or a damaged one ({error})", file=str(self.path)
            ) from error


_PLACE: Final = "q.place, q.answer, q.role, q.swapped, q.repeat"


def _place(row: Sequence[Any]) -> Place:
    place, answer, role, swapped, repeat = row
    return Place(place, answer, role, bool(swapped), repeat)


def _rater(row: Sequence[Any]) -> Rater:
    name, token, role, rounds, passed = row
    return Rater(name=name, token=token, role=role, round=rounds, passed=bool(passed))
