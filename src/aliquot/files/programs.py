"""Programs that answers hold, and what the journal of a run records of each that was executed.

A program is known by its content: the same code under the same tests is executed once, and its record found again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

import msgspec

VERSION: Final = 1
"""Changes whenever the same program could end otherwise by the way in which it is executed."""

Ending: TypeAlias = Literal[
    "passed",
    "compiled",
    "syntax",
    "assertion",
    "exception",
    "memory",
    "timeout",
    "output",
    "crash",
    "quit",
    "broken_test",
    "error",
]
"""How a program ended.

All tests passed; it compiles, and no more was asked; it does not compile; a test failed; something else was raised;
out of memory, out of time, too much output; ended by a signal; ended by itself before its tests did; the test itself
cannot be used; it could not be executed.
"""


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """The code of an answer with what it is held against.

    Attributes:
        code: Python.
        setup: Python that stands before it.
        tests: Python that stands behind it, each test by itself.
        entry: the function that a test's own ``check`` is called with.
        runs: whether anything is executed; False only compiles the code.
        seconds: time of computing.
        memory_mb: memory, in MiB.
        output_kb: what it may write, in KiB.
    """

    code: str
    setup: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    entry: str | None = None
    runs: bool = True
    seconds: int = 10
    memory_mb: int = 1024
    output_kb: int = 64

    @property
    def key(self) -> str:
        """What it is known by."""
        told = json.dumps([VERSION, msgspec.to_builtins(self)])  # escapes what is no text of UTF-8
        return hashlib.sha256(told.encode()).hexdigest()[:32]


class ProgramRecord(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False, tag_field="kind", tag="execution"
):
    """How a program ended.

    Attributes:
        program: its key.
        ending: how.
        detail: in words: the error, the test.
        passed: tests that passed.
        tests: tests there were.
        seconds: how long it took, by the clock on the wall.
        held: what confined it: ``limits`` always, ``files``, ``network`` and ``processes`` where the system offers it.
        python: the Python that executed it.
    """

    program: str
    ending: Ending
    detail: str = ""
    passed: int = 0
    tests: int = 0
    seconds: float = 0.0
    held: tuple[str, ...] = ()
    python: str = ""


def settle_programs(records: Iterable[ProgramRecord]) -> dict[str, ProgramRecord]:
    """Return the record that counts of each program, by key: the last one, and none that failed above one that did not.

    Examples:
        >>> lost = ProgramRecord(program="p", ending="error")
        >>> settle_programs([ProgramRecord(program="p", ending="passed"), lost])["p"].ending
        'passed'
    """
    found: dict[str, ProgramRecord] = {}
    for record in records:
        if record.ending != "error" or found.get(record.program, record).ending == "error":
            found[record.program] = record
    return found
