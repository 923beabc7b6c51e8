"""Executes the program of an answer in the sandbox and reads how it ended."""

from __future__ import annotations

import json
import platform
import secrets
import signal
from pathlib import Path
from typing import Any, Final

import msgspec

from aliquot.errors import MachineError
from aliquot.files.programs import Ending, Program, ProgramRecord
from aliquot.systems import harness
from aliquot.systems.sandbox import Execution, Limits, ProgramRequest, run_program

PATIENCE: Final = 3
"""Seconds on the wall for each second of computing: a machine that is busy elsewhere is not to fail a program."""

STARTING_S: Final = 10
"""Seconds on the wall for the interpreter to start."""

_OWN_BYTES: Final = 4096
_BYTES_A_TEST: Final = 128
"""What the harness itself writes."""


async def execute_program(program: Program) -> ProgramRecord:
    """Execute a program and say how it ended; one that could not be executed is ``error``, never a failure of its own.

    Nothing of the code is executed when ``program.runs`` is False.
    """
    mark = secrets.token_hex(12)
    told = msgspec.to_builtins(program) | {"mark": mark}
    request = ProgramRequest(
        source=Path(harness.__file__).read_text(encoding="utf-8"),
        files={"told.json": json.dumps(told)},
        limits=Limits(
            seconds=program.seconds * PATIENCE + STARTING_S,
            cpu_s=program.seconds,
            memory_bytes=program.memory_mb << 20,
            output_bytes=(program.output_kb << 10) + _OWN_BYTES + _BYTES_A_TEST * len(program.tests),
        ),
    )
    try:
        found = await run_program(request)
    except MachineError as error:
        return _record(program, "error", str(error))
    facts = _facts(found.out, mark)
    ending, detail = _ending(program, found, facts)
    return _record(program, ending, detail, found=found, passed=sum("passed" in fact for fact in facts))


def _record(
    program: Program, ending: Ending, detail: str, *, found: Execution | None = None, passed: int = 0
) -> ProgramRecord:
    return ProgramRecord(
        program=program.key,
        ending=ending,
        detail=detail,
        passed=passed,
        tests=len(program.tests),
        seconds=round(found.seconds, 3) if found else 0.0,
        held=found.held if found else (),
        python=platform.python_version(),
    )


def _facts(out: str, mark: str) -> list[dict[str, Any]]:
    """Return what the harness told; a line that breaks off, or that the code forged badly, tells nothing."""
    found: list[dict[str, Any]] = []
    for line in out.split("\n"):
        if line.startswith(mark):
            try:
                told = json.loads(line.removeprefix(mark))
            except (ValueError, RecursionError):
                continue
            if isinstance(told, dict):
                found.append(told)
    return found


def _ending(program: Program, found: Execution, facts: list[dict[str, Any]]) -> tuple[Ending, str]:
    if not facts:
        return "error", f"the program did not start ({found.ending}): {found.err.strip()[-harness.MOST :]}"
    told = facts[-1]
    if found.ending == "exited" and "ending" in told:
        return told["ending"], str(told["detail"])
    at = next((f", in test {fact['test']}" for fact in reversed(facts) if "test" in fact), "")
    if found.ending == "output":
        return "output", f"more than {program.output_kb} KiB{at}"
    if found.ending == "killed":
        return _killed(program, found, at)
    if found.ending == "timeout":
        return "timeout", f"more than {program.seconds} s{at}"
    return "quit", f"exit code {found.code}{at}"


def _killed(program: Program, found: Execution, at: str) -> tuple[Ending, str]:
    """Return what a signal means: the code can signal nobody, so that it is the system's, or somebody else's."""
    if found.code != -signal.SIGKILL:
        return "crash", f"{signal.Signals(-found.code).name}{at}"
    if found.seconds >= program.seconds:  # it took no notice of the first signal
        return "timeout", f"more than {program.seconds} s{at}"
    return "error", f"the program was killed from outside, as a machine out of memory does{at}"
