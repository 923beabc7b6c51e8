"""Texts of evidence that was renamed, put together or made in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.evidence.tables import Texts


@dataclass(frozen=True, slots=True)
class HeldTexts:
    """Texts held in memory, for small sources and tests.

    Attributes:
        items: (task, item) → (inputs, reference).
        responses: (system, task, item, attempt) → answer.
    """

    items: Mapping[tuple[str, str], tuple[str | None, str | None]] = field(
        default_factory=dict[tuple[str, str], tuple[str | None, str | None]]
    )
    responses: Mapping[tuple[str, str, str, int], str] = field(
        default_factory=dict[tuple[str, str, str, int], str]
    )

    def inputs(self, task: str, item: str) -> str | None:
        """Return what an item asks."""
        return self.items.get((task, item), (None, None))[0]

    def reference(self, task: str, item: str) -> str | None:
        """Return an item's reference."""
        return self.items.get((task, item), (None, None))[1]

    def response(self, system: str, task: str, item: str, attempt: int) -> str | None:
        """Return what a system answered."""
        return self.responses.get((system, task, item, attempt))


@dataclass(frozen=True, slots=True)
class RenamedTexts:
    """Texts of a source whose systems go by other names.

    Attributes:
        texts: the source's texts.
        names: new name → the source's own name.
    """

    texts: Texts
    names: Mapping[str, str]

    def inputs(self, task: str, item: str) -> str | None:
        """Return what an item asks."""
        return self.texts.inputs(task, item)

    def reference(self, task: str, item: str) -> str | None:
        """Return an item's reference."""
        return self.texts.reference(task, item)

    def response(self, system: str, task: str, item: str, attempt: int) -> str | None:
        """Return what a system answered."""
        return self.texts.response(self.names.get(system, system), task, item, attempt)


@dataclass(frozen=True, slots=True)
class MergedTexts:
    """Texts of several sources; the first that has a text gives it."""

    parts: tuple[Texts, ...]

    def inputs(self, task: str, item: str) -> str | None:
        """Return what an item asks."""
        return next((text for part in self.parts if (text := part.inputs(task, item)) is not None), None)

    def reference(self, task: str, item: str) -> str | None:
        """Return an item's reference."""
        return next((text for part in self.parts if (text := part.reference(task, item)) is not None), None)

    def response(self, system: str, task: str, item: str, attempt: int) -> str | None:
        """Return what a system answered."""
        found = (part.response(system, task, item, attempt) for part in self.parts)
        return next((text for text in found if text is not None), None)
