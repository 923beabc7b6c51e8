"""Making the file of a project, whole or not at all."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from aliquot.errors import MachineError
from aliquot.files.taxonomy import fold
from aliquot.files.writing import machine_errors
from aliquot.labelling.form import Form
from aliquot.labelling.project import Answer, Project, Rater

_PATIENCE_S: Final = 30.0
_SCHEMA: Final = """
CREATE TABLE about (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE forms (version INTEGER PRIMARY KEY, form BLOB NOT NULL, at TEXT NOT NULL);
CREATE TABLE answers (id INTEGER PRIMARY KEY, about BLOB NOT NULL, view BLOB NOT NULL, words INTEGER NOT NULL);
CREATE TABLE raters (name TEXT PRIMARY KEY, token TEXT UNIQUE NOT NULL, role TEXT NOT NULL,
  round INTEGER NOT NULL, passed INTEGER NOT NULL);
CREATE TABLE queue (rater TEXT NOT NULL, place INTEGER NOT NULL, answer INTEGER NOT NULL, role TEXT NOT NULL,
  swapped INTEGER NOT NULL, repeat INTEGER NOT NULL, PRIMARY KEY (rater, place)) WITHOUT ROWID;
CREATE INDEX queue_answer ON queue (answer);
CREATE TABLE events (seq INTEGER PRIMARY KEY AUTOINCREMENT, rater TEXT NOT NULL, id TEXT NOT NULL,
  place INTEGER NOT NULL, kind TEXT NOT NULL, event BLOB NOT NULL, at TEXT NOT NULL, received TEXT NOT NULL,
  UNIQUE (rater, id));
CREATE TABLE live (rater TEXT NOT NULL, place INTEGER NOT NULL, seq INTEGER NOT NULL, kind TEXT NOT NULL,
  at TEXT NOT NULL, PRIMARY KEY (rater, place)) WITHOUT ROWID;
CREATE TABLE kinds (folded TEXT PRIMARY KEY, name TEXT NOT NULL, says TEXT NOT NULL);
"""


class Place(NamedTuple):
    """A place in a rater's list."""

    place: int
    answer: int
    role: str
    swapped: bool
    repeat: int


def write_project(
    path: Path,
    project: Project,
    form: Form,
    answers: Sequence[Answer],
    *,
    raters: Sequence[Rater],
    places: Mapping[str, Sequence[Place]],
    secrets: Mapping[str, str],
) -> None:
    """Make a project; nobody else on this machine may read it, and a crash leaves none.

    Args:
        path: the file.
        project: what it is about.
        form: what is asked.
        answers: the answers, numbered in this order from 0.
        raters: everybody.
        places: each rater's list.
        secrets: texts that are kept with it, by name.

    Raises:
        MachineError: the machine refuses.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with machine_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        file = connect(draft)
        file.executescript(f"BEGIN;{_SCHEMA}")
        file.execute("INSERT INTO about VALUES ('project', ?)", (msgspec.json.encode(project),))
        file.execute(
            "INSERT INTO forms VALUES (?, ?, ?)", (form.version, msgspec.json.encode(form), project.made)
        )
        file.executemany(
            "INSERT INTO answers VALUES (?, ?, ?, ?)", map(answer_row, range(len(answers)), answers)
        )
        file.executemany("INSERT INTO raters VALUES (?, ?, ?, ?, ?)", map(msgspec.structs.astuple, raters))
        file.executemany(
            "INSERT INTO kinds VALUES (?, ?, ?)", ((fold(name), name, says) for name, says in form.kinds)
        )
        file.executemany(
            "INSERT INTO about VALUES (?, ?)", ((name, text.encode()) for name, text in secrets.items())
        )
        for name, mine in places.items():
            put_places(file, name, mine)
        file.execute("COMMIT")
        file.close()
        with machine_errors(path):
            draft.replace(path)
    except sqlite3.Error as error:
        raise MachineError(f"{path} cannot be written: {error}") from error
    finally:
        for left in (draft, Path(f"{draft}-wal"), Path(f"{draft}-shm")):
            with suppress(OSError):
                left.unlink()


def put_places(file: sqlite3.Connection, rater: str, places: Sequence[Place]) -> None:
    """Add places to a list; one that is there stays as it is."""
    file.executemany(
        "INSERT OR IGNORE INTO queue VALUES (?, ?, ?, ?, ?, ?)",
        ((rater, one.place, one.answer, one.role, one.swapped, one.repeat) for one in places),
    )


def connect(path: Path) -> sqlite3.Connection:
    """Open a file for all threads of this process, and others beside it."""
    file = sqlite3.connect(path, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False)
    file.execute("PRAGMA journal_mode=WAL")
    return file


def answer_row(number: int, answer: Answer) -> tuple[int, bytes, bytes, int]:
    """Return an answer as a row of the file."""
    return number, msgspec.json.encode(msgspec.structs.replace(answer, view=b"")), answer.view, answer.words
