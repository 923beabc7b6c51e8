"""A running command and the lines exchanged with it.

Threads read and write, so that a command outlives the event loop that first asked it: ``run`` has one for each call.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from queue import SimpleQueue
from threading import Lock, Thread
from typing import IO, Any, Final, TypeAlias, cast

import msgspec

from aliquot.errors import MachineError, excerpt
from aliquot.systems.faults import FaultError

MOST_LINE: Final = 32 * 1024 * 1024
"""Bytes of one line, at most."""

GRACE_S: Final = 2.0
"""Seconds a command has to end after its input was closed."""

Said: TypeAlias = dict[str, Any]


class Speaking:
    """A command that is running, who waits for which reply, and why it is over once it is.

    Args:
        command: the program and its arguments.
        folder: where it is run; None for where this process is.

    Raises:
        MachineError: it cannot be started.
    """

    def __init__(self, command: Sequence[str], *, folder: str | None = None) -> None:
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user's own
                command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, process_group=0
            )
        except (OSError, ValueError) as error:
            raise MachineError(f"the command {excerpt(command[0])} cannot be started: {error}") from error
        self._guard = Lock()
        self._waiting: dict[int, asyncio.Future[Said]] = {}
        self._given_up: set[int] = set()
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._error_line = self._fault = ""
        self.answered = False
        self._writer = Thread(target=self._write, name="aliquot-command-in", daemon=True)
        self._errors = Thread(target=self._hear_errors, name="aliquot-command-err", daemon=True)
        self._listener = Thread(target=self._listen, name="aliquot-command-out", daemon=True)
        for thread in (self._writer, self._errors, self._listener):
            thread.start()

    @property
    def over(self) -> bool:
        """Whether nothing more can be asked."""
        return bool(self._fault)

    @property
    def idle(self) -> bool:
        """Whether nobody waits for a reply."""
        return not self._waiting

    @property
    def last_words(self) -> str:
        """Why it is over, and what it wrote last on its standard error."""
        return f"{self._fault} ({self._error_line})" if self._error_line else self._fault

    async def ask(self, number: int, line: bytes) -> Said:
        """Write a request and return the reply of the same number, without it.

        Raises:
            FaultError: the command ended, or said what is no reply.
        """
        future: asyncio.Future[Said] = asyncio.get_running_loop().create_future()
        with self._guard:
            if self.over:
                raise FaultError(self.last_words)
            self._waiting[number] = future
        self._lines.put(line)
        try:
            return await future
        finally:
            with self._guard:
                self._waiting.pop(number, None)
                if future.cancelled():
                    self._given_up.add(number)

    async def end(self) -> None:
        """Close the command's input, and kill it when that does not end it."""
        hangs = bool(self._given_up)
        self._fail("the command was ended")
        self._lines.put(None)
        if not hangs:
            await asyncio.to_thread(self._listener.join, GRACE_S)
        if self._listener.is_alive():
            self._kill()
        await asyncio.to_thread(self._listener.join)

    def _kill(self) -> None:
        """Kill the command with what it started, which would otherwise hold its output open: a script's own command.

        Its group is its own also so that Ctrl-C leaves it alone, and what it is about to answer is waited for.
        """
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _write(self) -> None:
        stdin = cast("IO[bytes]", self._process.stdin)
        with contextlib.suppress(OSError):  # that it ended is heard on its output
            while (line := self._lines.get()) is not None:
                stdin.write(line + b"\n")
                stdin.flush()
        with contextlib.suppress(OSError):
            stdin.close()

    def _listen(self) -> None:
        """Hand each reply to who waits for it until there is no more or something is none; then clear up."""
        stdout = cast("IO[bytes]", self._process.stdout)
        try:
            while line := stdout.readline(MOST_LINE + 1):
                self._take(line)
        except FaultError as fault:
            self._fail(fault.reason)
            self._kill()
        code = self._process.wait()
        self._lines.put(None)
        for thread in (self._writer, self._errors):
            thread.join(GRACE_S)
        stdout.close()
        self._fail(f"the command ended with exit code {code}")

    def _take(self, line: bytes) -> None:
        shown = excerpt(line[:200].decode("utf-8", "replace").strip())
        if len(line) > MOST_LINE:
            raise FaultError(f"the command wrote a line of more than {MOST_LINE} bytes")
        try:
            said: Any = msgspec.json.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise FaultError(f"the command wrote {shown}, which is not JSON; logs go to its stderr") from None
        number = said.pop("id", None) if isinstance(said, dict) else None
        with self._guard:
            if not isinstance(number, int) or number not in {*self._waiting, *self._given_up}:
                raise FaultError(f"the command wrote {shown}, which has no id of a request")
            self._given_up.discard(number)
            self.answered = True
            if number in self._waiting:
                _settle(self._waiting[number], said)

    def _hear_errors(self) -> None:
        """Keep the last line of the standard error, and the pipe empty."""
        with cast("IO[bytes]", self._process.stderr) as stderr:
            while line := stderr.readline(2000):
                if line.strip():
                    self._error_line = excerpt(line.decode("utf-8", "replace").strip())

    def _fail(self, reason: str) -> None:
        """Be over, and tell everybody who waits; the first reason stands."""
        with self._guard:
            self._fault = self._fault or reason
            for future in self._waiting.values():
                _settle(future, FaultError(self.last_words))


def _settle(future: asyncio.Future[Said], outcome: Said | FaultError) -> None:
    """Settle a future on the loop it belongs to, which may be gone."""

    def settle() -> None:
        if future.done():
            return
        if isinstance(outcome, FaultError):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)

    with contextlib.suppress(RuntimeError):
        future.get_loop().call_soon_threadsafe(settle)
