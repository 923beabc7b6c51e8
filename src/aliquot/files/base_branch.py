"""A file as it stands on another branch: policy and baseline of the base, so that a change cannot excuse itself."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from aliquot.errors import InputError, MachineError, UsageError

PATIENCE_S: Final = 60.0
"""Seconds that git may take."""


def read_at(ref: str, path: Path) -> bytes | None:
    """Return a file's bytes at a commit or branch of its repository; None when it is not there.

    Args:
        ref: such as ``origin/main``.
        path: the file, relative to the working folder or absolute.

    Raises:
        UsageError: git knows no such ref, or the folder is no repository.
        MachineError: git is not installed or takes too long.
    """
    if ref.startswith("-") or not ref.strip():
        raise UsageError(f"{ref!r} is no branch or commit")
    folder = path.parent if path.parent.is_dir() else Path()
    if _git(folder, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}") is None:
        raise UsageError(
            f"git knows no {ref!r} here. Fetch it first: git fetch origin {ref.removeprefix('origin/')}"
        )
    inside = _git(folder, "rev-parse", "--show-prefix")
    if inside is None:
        raise UsageError(f"{path} lies in no git repository, so there is no {ref!r} to read it from")
    relative = path.name if path.parent.is_dir() else path.as_posix()
    return _git(folder, "cat-file", "blob", f"{ref}:{inside.decode('utf-8', 'replace').strip()}{relative}")


def text_of(data: bytes, *, file: str) -> str:
    """Return bytes as text.

    Raises:
        InputError: they are no UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is no UTF-8 ({error.reason})", file=file) from error


def _git(folder: Path, *arguments: str) -> bytes | None:
    """Return what git prints; None when it refuses. No program that the repository names is run."""
    command = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - git itself, on a folder of the user's
            command, capture_output=True, timeout=PATIENCE_S, check=False, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError as error:
        raise MachineError("git is not installed, and --base-ref needs it") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MachineError(f"git does not answer ({type(error).__name__})") from error
    return done.stdout if done.returncode == 0 else None
