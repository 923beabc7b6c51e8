"""Rules of code: whether it compiles, apart from whether it passes its tests.

The rules are pure: they name the program to be executed and read how it ended.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from aliquot.errors import InputError, UsageError
from aliquot.files.programs import Ending, Program, ProgramRecord
from aliquot.item_sets.items import Item
from aliquot.scorers.code_blocks import behind_prompt, code_of
from aliquot.scorers.rule import Rule, Settings
from aliquot.scorers.scores import Score, verdict

TEST_FIELDS: Final = ("test", "tests", "test_list")
"""Fields of an item that hold its tests; the first that is there counts."""

SETUP_FIELDS: Final = ("test_imports", "test_setup_code")
"""Fields of an item with what stands before the code."""

WORDS: Final[Mapping[Ending, str]] = {
    "passed": "passed",
    "compiled": "compiles",
    "syntax": "syntax error",
    "assertion": "failed assertion",
    "exception": "exception",
    "memory": "out of memory",
    "timeout": "out of time",
    "output": "too much output",
    "crash": "crash",
    "quit": "ended before its tests",
    "broken_test": "broken test",
    "error": "not executed",
}
"""How a program ended, as labels and notes say it."""

MEASUREMENT: Final = frozenset({"broken_test", "error"})
"""Endings that say nothing of the answer."""

_CALLED: Final = re.compile(r"\b([A-Za-z_]\w*)\s*\(")


class UnitTests(Settings, frozen=True):
    """Where tests stand, and what a program may use.

    Attributes:
        field: the item's field that holds the tests: a text, or a list of them; else the first there is of `test`,
            `tests` and `test_list`.
        seconds: time of computing, 1 to 3600; three times that and ten seconds by the clock on the wall.
        memory_mb: memory in MiB, 64 to 65536.
        output_kb: what it may write, in KiB, 1 to 1024.
    """

    field: str | None = None
    seconds: int = 10
    memory_mb: int = 1024
    output_kb: int = 64

    def __post_init__(self) -> None:
        for name, low, high in (("seconds", 1, 3600), ("memory_mb", 64, 65_536), ("output_kb", 1, 1024)):
            if not low <= (value := getattr(self, name)) <= high:
                raise UsageError(f"{name} is {value}; it must lie between {low} and {high}")


def program_of_tests(item: Item, text: str, settings: UnitTests) -> Program | None:
    """Return the program of an answer and its item's tests; None when the answer holds no code.

    Raises:
        InputError: the item has no tests.
    """
    tests = _tests(item, settings.field)
    code = _code(item, text, tests)
    if code is None:
        return None
    return Program(
        code=code,
        setup=tuple(one for name in SETUP_FIELDS for one in _texts(item, name)),
        tests=tests,
        entry=_entry(item),
        seconds=settings.seconds,
        memory_mb=settings.memory_mb,
        output_kb=settings.output_kb,
    )


def program_to_compile(item: Item, text: str) -> Program | None:
    """Return the program that only compiles an answer's code; None when the answer holds none."""
    code = _code(item, text, tuple(one for name in TEST_FIELDS for one in _texts(item, name)))
    return None if code is None else Program(code=code, runs=False)


def score_compiles(item: Item, found: ProgramRecord) -> Score:
    """1 when the code of the answer compiles as Python; nothing of it is executed."""
    return _lost(item, found) or verdict(
        right=found.ending == "compiled", label=WORDS[found.ending], note=_note(found)
    )


def score_passes(item: Item, found: ProgramRecord, settings: UnitTests) -> Score:  # noqa: ARG001 - one signature
    """1 when the code of the answer passes every test of the item.

    The label tells what else became of it: a syntax error, a failed assertion, an exception, out of time ...
    """
    return _lost(item, found) or verdict(
        right=found.ending == "passed", label=WORDS[found.ending], note=_note(found)
    )


def score_test_share(item: Item, found: ProgramRecord, settings: UnitTests) -> Score:  # noqa: ARG001 - one signature
    """Share of the item's tests that the code passes, where they are a list; a text of many asserts is one test."""
    label = f"{found.passed} of {found.tests} tests"
    share = found.passed / found.tests if found.tests else 0.0
    return _lost(item, found) or Score(share, label=label, note=_note(found))


def _lost(item: Item, found: ProgramRecord) -> Score | None:
    """Return the score of a program that says nothing of its answer."""
    if found.ending not in MEASUREMENT:
        return None
    return Score(None, status="error", note=f"item {item.id}: {_note(found)}")


def _note(found: ProgramRecord) -> str | None:
    if found.ending in {"passed", "compiled"}:
        return None
    return f"{WORDS[found.ending]}: {found.detail}"


def _code(item: Item, text: str, tests: tuple[str, ...]) -> str | None:
    """Return the code of an answer, behind what the item's prompt begins."""
    entry = _entry(item)
    names = {entry} if entry else {name for test in tests for name in _CALLED.findall(test)}
    code = code_of(text, names)
    prompt = item.fields.get("prompt")
    if code is None or entry is None or not isinstance(prompt, str):
        return code
    return behind_prompt(code, prompt, entry)


def _entry(item: Item) -> str | None:
    """Return the name of the function that is asked for.

    Raises:
        InputError: it is no name.
    """
    given = item.fields.get("entry_point")
    if given is None or given == "":
        return None
    if not isinstance(given, str) or not given.isidentifier():
        raise InputError(
            f"item {item.id!r}: the entry point {given!r:.60} is no name", row=item.row, field="entry_point"
        )
    return given


def _tests(item: Item, field: str | None) -> tuple[str, ...]:
    names = TEST_FIELDS if field is None else (field,)
    found = next((tests for name in names if (tests := _texts(item, name))), ())
    if not found:
        raise InputError(
            f"item {item.id!r} has no tests",
            row=item.row,
            field=names[0],
            remedy='Give it a field test (Python), or a list of asserts: "test_list": ["assert add(1, 2) == 3"]',
        )
    return found


def _texts(item: Item, name: str) -> tuple[str, ...]:
    """Return the texts of a field: one, or a list of them; blank ones left out.

    Raises:
        InputError: it holds something else.
    """
    given = item.fields.get(name)
    listed = cast("list[Any]", given) if isinstance(given, list | tuple) else [] if given is None else [given]
    texts = [one for one in listed if isinstance(one, str)]
    if len(texts) < len(listed):
        raise InputError(
            f"item {item.id!r}: {name} holds something else than Python in texts", row=item.row, field=name
        )
    return tuple(one for one in texts if one.strip())


_EXTRACTION: Final = (
    "first fenced block in Python that defines what is asked for, else the first, else the whole answer; where the "
    "item's prompt begins the function entry_point, the code stands behind it"
)

CODE_RULES: Final = (
    Rule(
        "compiles",
        "1",
        _EXTRACTION,
        score_compiles,
        "Code that compiles need not run, and what compiles depends on the version of Python.",
        program=program_to_compile,
        reads="execution",
        wants="nothing",
    ),
    Rule(
        "passes",
        "1",
        _EXTRACTION,
        score_passes,
        "Passing few tests is no proof; an answer that sets out to fool its tests can, as both run in one process; a "
        "slow machine can make a right program late.",
        settings=UnitTests,
        program=program_of_tests,
        executes=True,
        reads="execution",
        wants="nothing",
    ),
    Rule(
        "test_share",
        "1",
        _EXTRACTION,
        score_test_share,
        "Easy tests hide a hard one, and half of a program's tests is not half a program.",
        settings=UnitTests,
        program=program_of_tests,
        executes=True,
        reads="execution",
        wants="nothing",
        metric="test_share",
        kind="bounded",
    ),
)
"""The rules."""
