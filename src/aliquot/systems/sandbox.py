"""Runs a program that a model wrote, in a process that can do little harm, and tells how it ended."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import sys
import sysconfig
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeAlias

from aliquot.errors import MachineError, UsageError
from aliquot.systems import confinement

Ending: TypeAlias = Literal["exited", "killed", "timeout", "output"]
"""By itself; by a signal; at the time limit; for writing too much."""

SYSTEM_FOLDERS: Final = ("/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime")
"""What a Python program needs to read outside its own installation."""

CLOSING_S: Final = 5.0
"""Seconds to wait for the pipes of a killed program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a program may use.

    Attributes:
        seconds: time, by the clock on the wall.
        cpu_s: whole seconds of computing.
        memory_bytes: address space.
        output_bytes: what it may write to its outputs, both together.
        file_bytes: size of one file it writes.
        files: files open at once.
    """

    seconds: float = 10.0
    cpu_s: int = 10
    memory_bytes: int = 1 << 30
    output_bytes: int = 1 << 16
    file_bytes: int = 1 << 20
    files: int = 64

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if getattr(self, name) <= 0:
                raise UsageError(f"{name} is {getattr(self, name)}; it must be more than 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRequest:
    """A Python program to be run.

    Attributes:
        source: the program.
        files: further files beside it, by name.
        limits: what it may use.
    """

    source: str
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """How a program ended.

    Attributes:
        ending: by itself, or by what.
        code: exit code; the negative number of the signal that killed it.
        out: what it wrote, up to the limit.
        err: what it wrote to its standard error, up to the limit.
        seconds: how long it ran.
        held: what confined it: ``limits`` always, ``files``, ``network`` and ``processes`` where the system offers it.
    """

    ending: Ending
    code: int
    out: str
    err: str
    seconds: float
    held: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether it ended by itself and without an error."""
        return self.ending == "exited" and self.code == 0


async def run_program(request: ProgramRequest) -> Execution:
    """Run a program in a folder of its own that is taken away afterwards.

    The program has no environment, no input, no network and no folder but its own, starts no process, and ends at its
    limits, as far as the system offers these (``Execution.held``).

    Raises:
        UsageError: a file's name would lead out of the folder.
        MachineError: no process can be started here.
    """
    folder = tempfile.mkdtemp(prefix="aliquot-program-")
    try:
        _write_files(Path(folder), request)
        return await _run(Path(folder), request.limits)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _write_files(folder: Path, request: ProgramRequest) -> None:
    for name, text in {**request.files, "program.py": request.source}.items():
        if Path(name).name != name or name in {"", ".", ".."}:
            raise UsageError(f"{name!r} cannot name a file beside a program")
        (folder / name).write_text(text, encoding="utf-8", errors="surrogatepass")


async def _run(folder: Path, limits: Limits) -> Execution:
    told, tell = os.pipe()
    started = time.perf_counter()
    try:
        process = await asyncio.create_subprocess_exec(
            *_command(folder, limits, pipe=tell),
            cwd=folder,
            env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            pass_fds=(tell,),
        )
    except OSError as error:
        os.close(told)
        raise MachineError(f"a program cannot be started here: {error.strerror or error}") from error
    finally:
        os.close(tell)
    written = _Written(limits.output_bytes)
    ending: Ending = "exited"
    try:
        async with asyncio.timeout(limits.seconds):
            if await written.read(process):
                await process.wait()
            else:
                ending = "output"  # waiting would last until the pipes are empty, and nobody reads them now
    except TimeoutError:
        ending = "timeout"
    finally:
        _kill(process)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_S):
                await process.communicate()  # what is left in the pipes, so that they are closed
        with os.fdopen(told, encoding="utf-8") as pipe:
            held = json.loads(pipe.read() or "[]")
    code = process.returncode or 0
    if ending == "exited" and code < 0:
        ending = "timeout" if code == -signal.SIGXCPU else "killed"
    return Execution(
        ending=ending,
        code=code,
        out=written.text("out"),
        err=written.text("err"),
        seconds=time.perf_counter() - started,
        held=tuple(held),
    )


def _command(folder: Path, limits: Limits, *, pipe: int) -> list[str]:
    """Return the interpreter on the script that confines it, which then becomes the interpreter on the program."""
    own = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()}
    told = {
        "limits": {name: getattr(limits, name) for name in ("memory_bytes", "cpu_s", "file_bytes", "files")},
        "folder": str(folder),
        "readable": sorted(path for path in {*own, *SYSTEM_FOLDERS} if Path(path).exists()),
        "pipe": pipe,
    }
    confining = [sys.executable, "-I", "-B", confinement.__file__, json.dumps(told)]
    return [
        *confining,
        sys.executable,
        "-s",
        "-B",
        "program.py",
    ]  # its own folder on the path, the user's not


def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill a program with all that it may have started; nothing when it has ended."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


class _Written:
    """What a program writes to both of its outputs, up to a limit on both together."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._parts: dict[str, list[bytes]] = {"out": [], "err": []}

    async def read(self, process: asyncio.subprocess.Process) -> bool:
        """Read until both outputs are closed; False as soon as there is too much."""
        streams = {"out": process.stdout, "err": process.stderr}
        tasks = [
            asyncio.create_task(self._take(name, stream))
            for name, stream in streams.items()
            if stream is not None
        ]
        try:
            for done in asyncio.as_completed(tasks):
                if not await done:
                    return False
            return True
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def text(self, name: str) -> str:
        """Return what was written to one output; bytes that are no UTF-8 are shown as escapes."""
        return b"".join(self._parts[name]).decode("utf-8", "backslashreplace")

    async def _take(self, name: str, stream: asyncio.StreamReader) -> bool:
        while part := await stream.read(8192):
            self._parts[name].append(part[: self._left])
            self._left -= len(part)
            if self._left < 0:
                self._left = 0
                return False
        return True
