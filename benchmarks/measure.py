"""CPU seconds of a command or a call, each in a child process of its own, sides taken in turn."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Side: TypeAlias = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Measured:
    """One row of the page.

    Attributes:
        work: what was done.
        seconds: CPU seconds of Aliquot.
        peer: what else a user would call, with its version, or a dash.
        peer_seconds: CPU seconds of the peer, or None when it was not measured.
        limit: what the target is stated in.
        limit_seconds: CPU seconds of that reference.
        allowed: how many times the reference Aliquot may take.
    """

    work: str
    seconds: float
    limit: str
    limit_seconds: float
    allowed: float
    peer: str = "–"
    peer_seconds: float | None = None

    @property
    def holds(self) -> bool:
        return self.seconds <= self.allowed * self.limit_seconds


@dataclass(frozen=True, slots=True)
class Used:
    """What a command took.

    Attributes:
        cpu: user and system seconds of the process and its threads.
        wall: seconds by the clock.
        memory: peak bytes.
    """

    cpu: float
    wall: float
    memory: int


def command_used(command: list[str], *, folder: Path, settings: Mapping[str, str] | None = None) -> Used:
    """Run a command to its end, byte code written as for a user; ``settings`` are added to its environment."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    with (folder / "output.txt").open("wb") as output:
        child = subprocess.Popen(
            command,
            cwd=folder,
            env=environment | dict(settings or {}),
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{command} failed:\n{(folder / 'output.txt').read_text()}")
    return Used(usage.ru_utime + usage.ru_stime, time.perf_counter() - began, usage.ru_maxrss * 1024)


def command_cpu(command: list[str], *, folder: Path) -> Side:
    """User and system seconds of a command and its threads, byte code written as for a user."""
    return lambda: command_used(command, folder=folder).cpu


def call_cpu(call: Callable[[], object], *, times: float = 1) -> Side:
    """User and system seconds of a call in a fork; ``times`` scales a peer run at a part of the size."""

    def run() -> float:
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                call()
                code = 0
            finally:
                os._exit(code)
        _, status, usage = os.wait4(pid, 0)
        if status:
            raise SystemExit(f"{call} failed in its child process")
        return (usage.ru_utime + usage.ru_stime) * times

    return run


def alternate(sides: Mapping[str, Side], *, repeats: int, warm_up: bool = False) -> dict[str, float]:
    """Median of each side over ``repeats`` rounds in which every side runs once."""
    if warm_up:
        for side in sides.values():
            side()
    rounds = [{name: side() for name, side in sides.items()} for _ in range(repeats)]
    return {name: statistics.median(one[name] for one in rounds) for name in sides}
