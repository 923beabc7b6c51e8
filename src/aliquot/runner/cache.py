"""Answers kept between runs: the same question to the same system, attempt for attempt, is asked once."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from aliquot.errors import InputError, MachineError
from aliquot.systems.replies import Reply
from aliquot.systems.requests import Request, canonical

_TABLE: Final = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, reply BLOB NOT NULL) WITHOUT ROWID"
_PATIENCE_S: Final = 30.0
"""Seconds to wait for another process that writes to the same file."""

_DECODER: Final = msgspec.json.Decoder(Reply)


def cache_key(components: Mapping[str, str], request: Request, *, attempt: int) -> str:
    """Return under what an answer is kept: the whole system, the whole request, and which draw it is.

    Args:
        components: every part of the system that shapes an answer: endpoint, model, snapshot.
        request: what is asked, with every field of its decoding; an unset field is not the same as any value.
        attempt: which of the repeated answers; attempts are draws of their own and never share one.

    Examples:
        >>> from aliquot.systems.requests import CompletionRequest
        >>> one = cache_key({"model": "m"}, CompletionRequest("hello"), attempt=1)
        >>> one == cache_key({"model": "m"}, CompletionRequest("hello"), attempt=2)
        False
    """
    whole = json.dumps([dict(components), canonical(request), attempt], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()


class AnswerCache:
    """A file of answers that several runs, also at once, may read and add to. Only whole answers are kept."""

    def __init__(self, path: str | Path) -> None:
        """Open the file, or make it.

        Args:
            path: the file.

        Raises:
            InputError: the file is something else.
            MachineError: the machine refuses.
        """
        self._path = Path(path)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(self._path, timeout=_PATIENCE_S, isolation_level=None)
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute(_TABLE)
        except sqlite3.DatabaseError as error:
            raise self._refused(error) from error
        except OSError as error:
            raise MachineError(
                f"the cache {self._path} cannot be opened: {error.strerror or error}"
            ) from error

    def get(self, key: str) -> Reply | None:
        """Return the answer kept under a key; None when there is none.

        Raises:
            InputError: the file is damaged.
        """
        try:
            row = self._file.execute("SELECT reply FROM answers WHERE key = ?", (key,)).fetchone()
            return None if row is None else _DECODER.decode(row[0])
        except (sqlite3.DatabaseError, msgspec.MsgspecError) as error:
            raise self._refused(error) from error

    def put(self, key: str, reply: Reply) -> None:
        """Keep an answer; a failure (anything but ``ok``) is never kept, so that it is asked again.

        Raises:
            InputError: the file is damaged.
            MachineError: the disk is full, or another process holds the file.
        """
        if reply.status != "ok":
            return
        try:
            self._file.execute(
                "INSERT OR IGNORE INTO answers VALUES (?, ?)", (key, msgspec.json.encode(reply))
            )
        except sqlite3.OperationalError as error:
            raise MachineError(
                f"the cache {self._path} cannot be written: {error}. What was answered is kept: free some space and "
                "run again, or run without a cache"
            ) from error
        except sqlite3.DatabaseError as error:
            raise self._refused(error) from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _refused(self, error: Exception) -> InputError | MachineError:
        if isinstance(error, sqlite3.OperationalError):
            return MachineError(f"the cache {self._path} cannot be used: {error}")
        return InputError(
            f"is no cache of answers, or a damaged one ({error})",
            file=str(self._path),
            remedy="Name another file; this one is left as it is",
        )
