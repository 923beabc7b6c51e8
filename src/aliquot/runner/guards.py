"""What stops a run by itself, before time and money go into answers nobody can read."""

from __future__ import annotations

from collections import Counter
from typing import Final

from aliquot.errors import RunStoppedError
from aliquot.runner.evaluation import Guards

READABLE: Final = frozenset({"ok", "refused"})
"""Statuses of answers that could be read; a refusal can be."""


class ParseRate:
    """Watches the share of a system's first answers that could be read.

    Args:
        system: the system's name.
        guards: the smallest share, and how many answers are looked at.
    """

    def __init__(self, system: str, guards: Guards) -> None:
        self._system, self._guards = system, guards
        self._seen: Counter[str] = Counter()

    def see(self, status: str) -> None:
        """Take note of one answer.

        Raises:
            RunStoppedError: this was the last of the first answers and too few of them could be read.
        """
        if self._seen.total() >= self._guards.first or self._guards.parse_rate <= 0:
            return
        self._seen[status] += 1
        if self._seen.total() < self._guards.first:
            return
        readable = sum(count for name, count in self._seen.items() if name in READABLE)
        if readable / self._guards.first < self._guards.parse_rate:
            others = ", ".join(
                f"{count} {name}" for name, count in self._seen.most_common() if name not in READABLE
            )
            raise RunStoppedError(
                f"stopped: only {readable} of the first {self._guards.first} answers of {self._system!r} "
                f"could be read ({others}). Look at them, then change prompt, max_tokens or scorer and the "
                "run's name, or switch this off with guards: {parse_rate: 0}"
            )
