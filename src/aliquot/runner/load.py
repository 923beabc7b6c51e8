"""What asking amounted to, system by system: how many at a time, and what the server had to say about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from aliquot.systems.system import Paced, System


class Load:
    """Counts the questions under way of each system.

    Args:
        models: the opened systems, by the name of the system that is asked.
    """

    def __init__(self, models: Mapping[str, System]) -> None:
        self._models = models
        self._asked: Counter[str] = Counter()
        self._under_way: Counter[str] = Counter()
        self._most: Counter[str] = Counter()

    def enter(self, system: str) -> None:
        """A question is about to be asked."""
        self._asked[system] += 1
        self._under_way[system] += 1
        self._most[system] = max(self._most[system], self._under_way[system])

    def leave(self, system: str) -> None:
        """It is answered, lost or given up."""
        self._under_way[system] -= 1

    @property
    def seen(self) -> dict[str, dict[str, int]]:
        """Of each system that was asked: questions, most at a time, and what its server's pace has counted."""
        return {
            system: {"asked": asked, "most_at_once": self._most[system], **self._paced(system)}
            for system, asked in self._asked.items()
        }

    def _paced(self, system: str) -> Mapping[str, int]:
        model = self._models[system]
        return model.load if isinstance(model, Paced) else {}
