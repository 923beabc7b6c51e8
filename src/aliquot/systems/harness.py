"""Compiles the code of an answer and holds it against its tests. Stands alone: it is started as a script.

It runs inside the sandbox, in the same process as the code, and writes what it finds as lines that begin with a mark
which the code is not told. Reads ``told.json`` beside it.
"""

from __future__ import annotations

import json
import linecache
import os
import sys
import traceback
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NoReturn

MOST: Final = 300
"""Letters of a detail."""


class _BrokenTestError(Exception):
    """A test, or what stands before the code, cannot be used."""


def main() -> NoReturn:
    """Compile, execute, test, tell, and end whatever the code has left running."""
    told_by = Path("told.json")
    told = json.loads(told_by.read_text(encoding="utf-8"))
    told_by.unlink()
    say = _teller(told.pop("mark"))
    warnings.simplefilter("ignore")
    sys.argv = ["answer.py"]
    say({"begun": True})
    ending, detail = _judge(told, say)
    say({"ending": ending, "detail": detail})
    os._exit(0)


def _teller(mark: str) -> Callable[[dict[str, Any]], None]:
    channel = os.dup(1)  # the code may close or redirect the first

    def say(fact: dict[str, Any]) -> None:
        os.write(channel, f"\n{mark}{json.dumps(fact)}\n".encode())

    return say


def _judge(told: dict[str, Any], say: Callable[[dict[str, Any]], None]) -> tuple[str, str]:
    """Return how it ended, and in words."""
    try:
        code = _compiled(told["code"], "answer.py")
    except MemoryError:  # how the parser says so
        return "syntax", "too long or too deeply nested to be compiled"
    except Exception as error:  # noqa: BLE001 - SyntaxError, ValueError, RecursionError: it does not compile
        return "syntax", _words(error)
    if not told["runs"]:
        return "compiled", ""
    module = types.ModuleType("answer")  # dataclasses and pickle look a class up by its module
    sys.modules["answer"] = module
    space = module.__dict__
    try:
        for text in told["setup"]:
            _execute_own(text, "setup.py", space)
        exec(code, space)  # noqa: S102 - this is what it is for
    except _BrokenTestError as error:
        return "broken_test", str(error)
    except BaseException as error:  # noqa: BLE001 - the code may raise anything
        return _kind(error), _words(error)
    return _test(told, space, say)


def _test(
    told: dict[str, Any], space: dict[str, Any], say: Callable[[dict[str, Any]], None]
) -> tuple[str, str]:
    """Run every test and return the first failure."""
    first = ("passed", "")
    for number, text in enumerate(told["tests"], start=1):
        say({"test": number})
        try:
            body = _own(text, f"test_{number}.py")
            _run_test(body, space, entry=told["entry"])
            say({"passed": number})
        except _BrokenTestError as error:
            return "broken_test", str(error)
        except BaseException as error:  # noqa: BLE001 - as above
            if first[0] == "passed":
                which = f"test {number} of {len(told['tests'])}: " if len(told["tests"]) > 1 else ""
                first = (_kind(error), which + _words(error))
    return first


def _run_test(body: types.CodeType, space: dict[str, Any], *, entry: str | None) -> None:
    """Execute a test's text, then call what it defines: ``check(entry)``, ``test_*`` functions, TestCase classes."""
    before = dict(space)
    exec(body, space)  # noqa: S102 - as above
    fresh = {name: value for name, value in space.items() if before.get(name) is not value}
    if entry is not None and callable(fresh.get("check")):
        fresh["check"](eval(entry, space))  # noqa: S307 - a name; absent, it raises as any use of it would
    unittest = sys.modules.get("unittest")
    for name, value in fresh.items():
        if (
            isinstance(value, types.FunctionType)
            and name.startswith("test")
            and not value.__code__.co_argcount
        ):
            value()
        if unittest and isinstance(value, type) and issubclass(value, unittest.TestCase):
            _run_cases(unittest, value)


def _run_cases(unittest: Any, cases: type) -> None:
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(cases).run(result)
    for found, kind in ((result.errors, RuntimeError), (result.failures, AssertionError)):
        if found:
            raise kind(found[0][1].strip().splitlines()[-1])


def _execute_own(text: str, name: str, space: dict[str, Any]) -> None:
    """Execute what stands before the code, which is not the answer's."""
    body = _own(text, name)
    try:
        exec(body, space)  # noqa: S102 - as above
    except Exception as error:
        raise _BrokenTestError(f"{name}: {_words(error)}") from error


def _own(text: str, name: str) -> types.CodeType:
    try:
        return _compiled(text, name)
    except Exception as error:
        raise _BrokenTestError(f"{name} does not compile: {_words(error)}") from error


def _compiled(text: str, name: str) -> types.CodeType:
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    return compile(text, name, "exec", dont_inherit=True)


def _kind(error: BaseException) -> str:
    if isinstance(error, AssertionError):
        return "assertion"
    return "memory" if isinstance(error, MemoryError) else "exception"


def _words(error: BaseException) -> str:
    """Return an error in words: its kind, its text, or the line that raised it."""
    name = type(error).__name__
    try:
        text = f"{error.msg}, line {error.lineno}" if isinstance(error, SyntaxError) else str(error)
        if not text:
            frames = traceback.extract_tb(error.__traceback__)
            text = next((frame.line for frame in reversed(frames) if frame.line), "")
    except BaseException:  # noqa: BLE001 - the text of an error may raise too
        text = ""
    return f"{name}: {text}"[:MOST] if text else name


if __name__ == "__main__":
    main()
