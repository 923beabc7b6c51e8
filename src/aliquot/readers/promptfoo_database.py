"""promptfoo's SQLite database, copied by SQLite's own backup so that what a running promptfoo wrote is in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from aliquot.errors import InputError
from aliquot.evidence.tables import Note
from aliquot.files.json_documents import JsonReading
from aliquot.files.text import MAX_FILE_BYTES, MAX_LINE_BYTES
from aliquot.readers.promptfoo_records import Log, mapping
from aliquot.readers.promptfoo_shapes import log_of, log_of_rows

MAGIC: Final = b"SQLite format 3\0"
MAX_STEPS: Final = 2_000
"""Million steps of SQLite's machine for one question; a table that is none can ask for ever."""

_FIELDS: Final = (
    "test_idx", "prompt_idx", "prompt_id", "test_case", "prompt", "provider", "latency_ms", "cost", "response",
    "error", "success", "score", "grading_result", "named_scores", "failure_reason",
)  # fmt: skip
_JSON: Final = frozenset({"test_case", "prompt", "provider", "response", "grading_result", "named_scores"})


def log_of_database(path: Path, *, reading: JsonReading) -> Log:
    """Return the newest evaluation in a database.

    Raises:
        InputError: it is no database of promptfoo's, holds no evaluation, or is too large.
    """
    file = str(path)
    try:
        with _copy(path) as database:
            return _newest(database, reading, file=file)
    except sqlite3.Error as error:
        problem = " ".join(str(error).split())
        raise InputError(f"cannot be read as promptfoo's database: {problem}", file=file) from error
    except (OverflowError, UnicodeDecodeError) as error:
        raise InputError("holds a value that cannot be read", file=file) from error


@contextmanager
def _copy(path: Path) -> Generator[sqlite3.Connection]:
    """Yield a copy in memory, with the write-ahead log applied; the file itself is opened for reading only."""
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise InputError(f"holds {size:,} bytes", file=str(path), remedy="Export one evaluation as JSON")
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as source, closing(sqlite3.connect(":memory:")) as copy:
        source.backup(copy)
        copy.execute("PRAGMA query_only = ON")
        copy.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_LINE_BYTES)
        copy.row_factory = sqlite3.Row
        steps = iter(range(MAX_STEPS))
        copy.set_progress_handler(lambda: next(steps, None) is None, 1_000_000)
        yield copy


def _newest(database: sqlite3.Connection, reading: JsonReading, *, file: str) -> Log:
    tables = {row["name"] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "evals" not in tables:
        raise InputError("is a database, but not promptfoo's: it has no table 'evals'", file=file)
    names = database.execute("SELECT id FROM evals ORDER BY created_at DESC, rowid DESC").fetchall()
    if not names:
        raise InputError("holds no evaluation", file=file)
    held = database.execute("SELECT * FROM evals WHERE id IS ?", (names[0]["id"],)).fetchone()
    columns = set(held.keys())
    whole = {name: _json(held[name], reading, file=file) for name in ("results", "config") if name in columns}
    if isinstance(mapping(whole.get("results")).get("results"), list):
        log = log_of(whole, file=file)
    elif "eval_results" in tables:
        rows = _rows(database, held["id"], reading, file=file)
        extra = {
            name: _json(held[name], reading, file=file)
            for name in ("prompts", "runtime_options")
            if name in columns
        }
        log = log_of_rows(
            rows,
            file=file,
            shape="v3",
            columns=extra.get("prompts"),
            config=whole.get("config"),
            options=extra.get("runtime_options"),
        )
    else:
        raise InputError("holds no results of its newest evaluation", file=file)
    log.shape = f"database, {log.shape}"
    log.notes += _others([str(row["id"]) for row in names])
    return log


def _rows(
    database: sqlite3.Connection, evaluation: Any, reading: JsonReading, *, file: str
) -> list[dict[str, Any]]:
    """Return the newest evaluation's rows as an export would hold them."""
    known = {row["name"] for row in database.execute("PRAGMA table_info(eval_results)")}
    fields = [name for name in _FIELDS if name in known]
    listed = ", ".join(fields)
    question = f"SELECT {listed} FROM eval_results WHERE eval_id IS ? ORDER BY test_idx, prompt_idx"  # noqa: S608 - our own names
    rows: list[dict[str, Any]] = []
    for held in database.execute(question, (evaluation,)):
        row = {
            _camel(name): _json(held[name], reading, file=file) if name in _JSON else held[name]
            for name in fields
        }
        row["success"] = None if row.get("success") is None else bool(row["success"])
        row["vars"] = mapping(row.get("testCase")).get("vars")
        rows.append(row)
    return rows


def _json(value: Any, reading: JsonReading, *, file: str) -> Any:
    return reading.parse(value, file=file) if isinstance(value, str) and value else None


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _others(names: list[str]) -> list[Note]:
    if len(names) == 1:
        return []
    listed = ", ".join(names[1:6]) + (", …" if len(names) > 6 else "")
    text = (
        f"{names[0]} is the newest of {len(names)} evaluations and the one read; for another: "
        f"promptfoo export eval ID -o results.json (there are {listed})"
    )
    return [Note("other_evaluations", text)]
