"""``runs``: what runs there are, how far they came, and how to compare them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from aliquot.files.run_list import RunLine, list_runs


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of a folder.

    Attributes:
        directory: the folder.
        runs: each run, by when it began; what cannot be read stands last.
        commands: the command lines that compare what can be compared, the newest first.
    """

    directory: str
    runs: tuple[RunLine, ...]
    commands: tuple[str, ...]


def runs(directory: str | Path = "runs") -> Runs:
    """Return what runs a folder holds; nothing is changed, also while a run is being written.

    Args:
        directory: where run directories are kept, or one of them.

    Returns:
        Each run with its status, and the commands that compare the newest of those that asked the same items.

    Raises:
        UsageError: there is no such folder.
    """
    found = list_runs(Path(directory))
    return Runs(str(directory), found, tuple(dict.fromkeys(_commands(found))))


def _commands(found: Sequence[RunLine]) -> Iterator[str]:
    """Yield what can be compared: the variants or the two systems of one run, the last two runs of one system."""
    whole = [line for line in reversed(found) if line.status == "finished"]
    for line in whole:
        if line.variants:
            yield shlex.join(["aliquot", "variants", line.path])
        if len(line.systems) == 2:
            yield shlex.join(["aliquot", "compare", line.path])
        if len(line.systems) != 1:
            continue
        alike = [one for one in whole if len(one.systems) == 1 and _items(one) == _items(line)]
        if len(alike) > 1:
            yield shlex.join(["aliquot", "compare", alike[1].path, alike[0].path])


def _items(line: RunLine) -> tuple[str, str]:
    return line.task, line.items_hash
