"""One mutant against the tests of its module, in a copy of the tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutants.mutations import Mutant

ROOT = Path(__file__).resolve().parents[2]
STATS = Path("src", "aliquot", "stats")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a mutant: ``killed``, ``timeout`` (which also counts as noticed) or ``survived``."""

    mutant: Mutant
    word: str


def copy_tree(folder: Path) -> Path:
    """Copy what the tests of the statistics need."""
    for name in ("src", "tests", "docs"):
        shutil.copytree(
            ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "_build", "shared")
        )
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def tests_of(module: str) -> list[str]:
    """The module's examples and test files; for a shared part the tests that import it, else all."""
    folder = ROOT / "tests" / "stats"
    own = sorted(folder.glob(f"test_{module}.py")) + sorted(folder.glob(f"test_{module}_*.py"))
    importing = [
        path
        for path in sorted(folder.glob("test_*.py"))
        if f"stats.{module}" in path.read_text(encoding="utf-8")
    ]
    chosen = own or importing or sorted(folder.glob("test_*.py"))
    return [(STATS / f"{module}.py").as_posix(), *(path.relative_to(ROOT).as_posix() for path in chosen)]


def run_tests(tree: Path, tests: list[str], *, seconds: float) -> str:
    """Return ``survived`` when all pass, ``killed`` when one fails, ``timeout`` when they do not end."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(tree / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",  # same size, same second: old byte code would be run
        "HYPOTHESIS_PROFILE": "mutants",
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, check=False, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    return "survived" if done.returncode == 0 else "killed"


def seconds_unchanged(tree: Path, module: str) -> float | None:
    """How long the module's tests take on the code as it stands; None when they do not pass."""
    started = time.monotonic()
    word = run_tests(tree, tests_of(module), seconds=600)
    return time.monotonic() - started if word == "survived" else None


def try_mutant(tree: Path, mutant: Mutant, *, seconds: float) -> Outcome:
    path = tree / STATS / f"{mutant.module}.py"
    source = path.read_bytes()
    path.write_bytes(mutant.apply(source))
    try:
        return Outcome(mutant, run_tests(tree, tests_of(mutant.module), seconds=seconds))
    finally:
        path.write_bytes(source)
