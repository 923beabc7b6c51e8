"""One process at a time: what a file holds is read, changed and written without another one between."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from aliquot.errors import MachineError
from aliquot.files.writing import machine_errors

PATIENCE: Final = 200
"""Tries for the lock, 0.05 s apart."""


@contextmanager
def held_alone(lock: Path, *, what: Path) -> Generator[None]:
    """Hold something for this process; another one waits, and goes on from where this one ends.

    Args:
        lock: a file or folder that is there and is never replaced, on which the processes wait for each other.
        what: what is held, for messages.

    Raises:
        MachineError: another process holds it for too long, or the machine refuses.
    """
    with machine_errors(what):
        handle = os.open(lock, os.O_RDONLY)
    try:
        _wait(handle, what)
        yield
    finally:
        os.close(handle)


def _wait(handle: int, what: Path) -> None:
    for _ in range(PATIENCE):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.05)
        else:
            return
    raise MachineError(f"{what}: another process is at work on it. Wait for it to end, or stop it first.")
