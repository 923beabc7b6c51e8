"""A user's own system as an evaluation names it: a Python function by where it stands, or a command."""

from __future__ import annotations

import hashlib
import inspect
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aliquot.errors import InputError, UsageError, excerpt
from aliquot.systems.callables import function_system
from aliquot.systems.command import command_system
from aliquot.systems.limits import require_limits
from aliquot.systems.modules import SUFFIX, LoadError, attribute, load_file, load_module, source_hash
from aliquot.systems.system import System

MOST_SCRIPT: Final = 16 * 1024 * 1024
"""Bytes up to which a file among a command's arguments counts as part of its source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonFunction:
    """A function, or an object that can be called, by where it stands; loaded when the run starts.

    Attributes:
        python: ``app.py:answer``, the file relative to ``folder``, or ``package.module:answer``.
        version: what changes when its answers may; None for the hash of its file and of the modules beside it that
            the file imports.
        components: versions of other parts that shape an answer.
        concurrency: calls at once.
        timeout_s: seconds for one answer.
        folder: what a path is relative to, and where modules are looked for first; the evaluation file's.
        file: the evaluation file, for messages.
        line: the line it stands on, for messages.
    """

    python: str
    version: str | None = None
    components: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    concurrency: int = 4
    timeout_s: float = 600.0
    folder: str = ""
    file: str | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        place, _, name = self.python.rpartition(":")
        dotted = place.removesuffix(SUFFIX) if "/" in place or "\\" in place else place
        if not place or not all(part.isidentifier() for part in name.split(".")) or not dotted:
            raise UsageError(
                f"python is {excerpt(self.python)}; name a file or module and the function in it: app.py:answer"
            )
        require_limits(concurrency=self.concurrency, timeout_s=self.timeout_s)

    def open(self) -> System:
        """Load it.

        Raises:
            InputError: it cannot be loaded, or is nothing that takes a prompt.
        """
        place, _, name = self.python.rpartition(":")
        folder = Path(self.folder)
        try:
            module = (
                load_file(folder / place) if place.endswith(SUFFIX) else load_module(place, folder=folder)
            )
            found = attribute(module, name, of=place)
            _require_callable(found, self.python)
            return function_system(
                found,
                version=self.version or _version(module.__file__),
                components={"model": self.python, **self.components},
                concurrency=self.concurrency,
                timeout_s=self.timeout_s,
            )
        except LoadError as error:
            raise InputError(
                error.problem, file=self.file, row=self.line, field="python", remedy=error.remedy
            ) from error
        except UsageError as error:
            raise InputError(
                f"{self.python}: {error}", file=self.file, row=self.line, field="python"
            ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command that speaks JSON lines; started when it is first asked, in a folder, without a shell.

    Attributes:
        command: the program and its arguments.
        version: what changes when its answers may; None for the hash of the files among its arguments.
        components: versions of other parts that shape an answer.
        concurrency: requests given to it before it has answered.
        timeout_s: seconds for one answer.
        folder: where it is run; the evaluation file's.
        file: the evaluation file, for messages.
        line: the line it stands on, for messages.
    """

    command: tuple[str, ...]
    version: str | None = None
    components: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    concurrency: int = 1
    timeout_s: float = 600.0
    folder: str = ""
    file: str | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.command, str) or not self.command or not self.command[0]:
            raise UsageError(
                'command is a list of the program and its arguments: ["python", "-u", "agent.py"]'
            )
        object.__setattr__(self, "command", tuple(self.command))
        require_limits(concurrency=self.concurrency, timeout_s=self.timeout_s)

    def open(self) -> System:
        """Return the system; the command itself is started when it is first asked.

        Raises:
            InputError: there is no such program.
        """
        folder, program = Path(self.folder), self.command[0]
        found = program if Path(program).is_absolute() else folder / program
        if shutil.which(program) is None and shutil.which(str(found)) is None:
            raise InputError(
                f"there is no program {excerpt(program)}",
                file=self.file,
                row=self.line,
                field="command",
                remedy=f"Install it, or name it with its path, as this Python is {sys.executable}",
            )
        return command_system(
            self.command,
            version=self.version or _scripts_hash(self.command[1:], folder),
            components=self.components,
            concurrency=self.concurrency,
            timeout_s=self.timeout_s,
            folder=self.folder or None,
        )


def _require_callable(found: object, named: str) -> None:
    if inspect.isclass(found):
        raise LoadError(f"{named} is a class", remedy="Name an object of it: answer = Agent()")
    if not callable(found):
        raise LoadError(f"{named} is {excerpt(found)}, which cannot be called", remedy="Name a function")


def _version(file: str | None) -> str:
    return source_hash(Path(file)) if file and file.endswith(SUFFIX) else ""


def _scripts_hash(arguments: Sequence[str], folder: Path) -> str | None:
    """Return the hash of the files among a command's arguments; None when there are none."""
    digest = hashlib.sha256()
    files = [folder / one for one in arguments if one and (folder / one).is_file()]
    small = [file for file in files if file.stat().st_size <= MOST_SCRIPT]
    for file in small:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return f"files sha256:{digest.hexdigest()[:20]}" if small else None
