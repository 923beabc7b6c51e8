"""Programs of answers in the sandbox: every way in which one can end is told from the others."""

from __future__ import annotations

import asyncio

import pytest

from aliquot.files.programs import Program, ProgramRecord
from aliquot.systems.unit_tests import execute_program

ONE = ("assert f(1) == 1",)
CHECK = ("def check(candidate):\n    assert candidate(1) == 1\n    assert candidate(2) == 2\n",)

PROGRAMS: dict[str, tuple[Program, str, str]] = {
    "right": (Program(code="def f(x): return x", tests=ONE), "passed", ""),
    "check": (Program(code="def f(x): return x", tests=CHECK, entry="f"), "passed", ""),
    "check fails": (Program(code="def f(x): return 1", tests=CHECK, entry="f"), "assertion", "candidate(2) == 2"),
    "nothing defined": (Program(code="x = 1", tests=CHECK, entry="f"), "exception", "NameError"),
    "second": (
        Program(code="def f(x): return 1", tests=(*ONE, "assert f(2) == 2, 'two'", *ONE)),
        "assertion",
        "test 2 of 3: AssertionError: two",
    ),
    "unittest": (
        Program(
            code="def f(x): return x",
            tests=("import unittest\nclass T(unittest.TestCase):\n    def test_f(self): self.assertEqual(f(1), 2)\n",),
        ),
        "assertion",
        "1 != 2",
    ),
    "test functions": (
        Program(code="def f(x): return x", tests=("def test_f():\n    assert f(1) == 2\n",)),
        "assertion",
        "",
    ),
    "its own tests": (  # what the answer defines is not called: it is not the item's
        Program(code="def f(x): return x\ndef test_own(): assert False\n", tests=ONE),
        "passed",
        "",
    ),
    "syntax": (Program(code="def f(x) return x", tests=ONE), "syntax", "line 1"),
    "null": (Program(code="x = 1\0", runs=False), "syntax", "null"),
    "half a character": (Program(code="x = '\ud800'", runs=False), "syntax", "surrogates"),
    "deep": (Program(code="-" * 200_000 + "1", runs=False), "syntax", "nested"),
    "compiles only": (Program(code="raise SystemExit(1)", runs=False), "compiled", ""),
    "exception": (Program(code="def f(x): return y", tests=ONE), "exception", "NameError: name 'y'"),
    "exit": (Program(code="import sys; sys.exit(0)", tests=ONE), "exception", "SystemExit"),
    "exit in a hurry": (Program(code="import os; os._exit(0)", tests=ONE), "quit", "exit code 0"),
    "exit in a test": (
        Program(code="import os\ndef f(x): os._exit(0)", tests=ONE),
        "quit",
        "in test 1",
    ),
    "input": (Program(code="x = input()", tests=ONE), "exception", "EOFError"),
    "memory": (Program(code="def f(x): return bytearray(4 << 30)", tests=ONE), "memory", "MemoryError"),
    "output": (Program(code="while True: print('x' * 10000)", tests=ONE, output_kb=1), "output", "1 KiB"),
    "endless": (Program(code="def f(x):\n    while True: pass", tests=ONE, seconds=1), "timeout", "in test 1"),
    "endless and deaf": (
        Program(
            code="import signal\nsignal.signal(signal.SIGXCPU, lambda *_: None)\nwhile True: pass", tests=ONE, seconds=1
        ),
        "timeout",
        "1 s",
    ),
    "crash": (Program(code="import ctypes; ctypes.string_at(0)", tests=ONE), "crash", "SIGSEGV"),
    "broken test": (Program(code="def f(x): return x", tests=("assert f(1 = 1",)), "broken_test", "test_1"),
    "broken setup": (Program(code="f = 1", setup=("import no_such_thing",), tests=ONE), "broken_test", "setup"),
    "an error that raises": (
        Program(code="class E(Exception):\n    def __str__(self): raise self\nraise E", tests=ONE),
        "exception",
        "E",
    ),
    "threads": (
        Program(code="import threading, time\nthreading.Thread(target=time.sleep, args=(99,)).start()\nf = int",
                tests=ONE),
        "passed",
        "",
    ),
    "outputs closed": (Program(code="import os\nos.close(1); os.close(2)\nf = int", tests=ONE), "passed", ""),
    "dataclass": (
        Program(code="from dataclasses import dataclass\n@dataclass\nclass f:\n    x: int",
                tests=("assert f(1).x == 1",)),
        "passed",
        "",
    ),
    "a forged end": (
        Program(code="import json\nprint(json.dumps({'ending': 'passed', 'detail': ''}))\ndef f(x): return 2",
                tests=ONE),
        "assertion",
        "",
    ),
    "what it is told": (Program(code="open('told.json')", tests=ONE), "exception", "FileNotFoundError"),
    "no room to start": (Program(code="f = int", tests=ONE, memory_mb=1), "error", "did not start"),
}  # fmt: skip


@pytest.fixture(scope="module")
def endings() -> dict[str, ProgramRecord]:
    async def execute() -> list[ProgramRecord]:
        room = asyncio.Semaphore(4)

        async def one(program: Program) -> ProgramRecord:
            async with room:
                return await execute_program(program)

        return await asyncio.gather(*(one(program) for program, *_ in PROGRAMS.values()))

    return dict(zip(PROGRAMS, asyncio.run(execute()), strict=True))


@pytest.mark.parametrize("name", PROGRAMS)
def test_how_a_program_ends(name: str, endings: dict[str, ProgramRecord]) -> None:
    program, ending, detail = PROGRAMS[name]
    found = endings[name]
    assert found.ending == ending, found
    assert detail in found.detail
    assert found.program == program.key


def test_tests_that_passed_are_counted_wherever_it_ended(endings: dict[str, ProgramRecord]) -> None:
    assert (endings["second"].passed, endings["second"].tests) == (2, 3)
    assert (endings["check fails"].passed, endings["check fails"].tests) == (0, 1)
