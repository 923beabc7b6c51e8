"""Which commit a file stands at, where it is kept in a git repository."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

PATIENCE_S: Final = 10.0
"""Seconds that git may take; a repository so large says nothing."""


def describe_commit(file: Path) -> str:
    """Return the commit of a file's repository, and whether files differ from it; "" outside of one or without git.

    Args:
        file: a file of the repository.
    """
    folder = file.resolve().parent
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    if commit is None:
        return ""
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules")
    tracked = _git(folder, "ls-files", "--error-unmatch", "--", file.name)
    if changed is None:
        return commit
    return f"{commit} with changes" if changed or tracked is None else commit


def _git(folder: Path, *arguments: str) -> str | None:
    """Return what git prints; None when it is not there or refuses. No program that the repository names is run."""
    command = ["git", "--no-optional-locks", "-c", "core.fsmonitor=false", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - git itself, on a folder of the user's
            command, capture_output=True, timeout=PATIENCE_S, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None
