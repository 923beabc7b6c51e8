"""Texts of evidence that was renamed, put together or made in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aliquot.evidence.bounds import MAX_NOTE, bounded_fields, shorten
from aliquot.evidence.messages import read_turns, turns_of
from aliquot.evidence.tables import Texts
from aliquot.evidence.told_options import ToldOptions
from aliquot.evidence.transcripts import Turn


@dataclass(frozen=True, slots=True)
class HeldTexts:
    """Texts held in memory, for small sources and tests.

    Attributes:
        items: (task, item) → (inputs, reference).
        responses: (system, task, item, attempt) → answer.
        notes: (system, task, item, attempt, metric) → what a scorer said.
        told: (task, item) → what else is known of the item, as it was read; made text when it is asked for.
        spoken: (system, task, item, attempt) → what gives its chat messages, where the answer is not their JSON.
    """

    items: Mapping[tuple[str, str], tuple[str | None, str | None]] = field(
        default_factory=dict[tuple[str, str], tuple[str | None, str | None]]
    )
    responses: Mapping[tuple[str, str, str, int], str] = field(
        default_factory=dict[tuple[str, str, str, int], str]
    )
    notes: Mapping[tuple[str, str, str, int, str], str] = field(
        default_factory=dict[tuple[str, str, str, int, str], str]
    )
    told: Mapping[tuple[str, str], Mapping[str, Any]] = field(
        default_factory=dict[tuple[str, str], Mapping[str, Any]]
    )
    spoken: Mapping[tuple[str, str, str, int], Callable[[], object]] = field(
        default_factory=dict[tuple[str, str, str, int], Callable[[], object]]
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

    def note(self, system: str, task: str, item: str, attempt: int, metric: str) -> str | None:
        """Return what a scorer said of one outcome."""
        said = self.notes.get((system, task, item, attempt, metric))
        return None if said is None else shorten(said, limit=MAX_NOTE)

    def transcript(self, system: str, task: str, item: str, attempt: int) -> tuple[Turn, ...] | None:
        """Return an attempt as a conversation: its messages, or an answer that is the JSON of messages."""
        key = (system, task, item, attempt)
        return turns_of(self.spoken[key]()) if key in self.spoken else read_turns(self.responses.get(key))

    def options(self, system: str, task: str, item: str, attempt: int) -> None:
        """Return nothing: none are held."""

    def metadata(self, task: str, item: str) -> Mapping[str, str]:
        """Return what else is known of an item."""
        return bounded_fields(self.told.get((task, item), {}))


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

    def note(self, system: str, task: str, item: str, attempt: int, metric: str) -> str | None:
        """Return what a scorer said of one outcome."""
        return self.texts.note(self.names.get(system, system), task, item, attempt, metric)

    def transcript(self, system: str, task: str, item: str, attempt: int) -> tuple[Turn, ...] | None:
        """Return an attempt as a conversation."""
        return self.texts.transcript(self.names.get(system, system), task, item, attempt)

    def options(self, system: str, task: str, item: str, attempt: int) -> ToldOptions | None:
        """Return how probable each option was."""
        return self.texts.options(self.names.get(system, system), task, item, attempt)

    def metadata(self, task: str, item: str) -> Mapping[str, str]:
        """Return what else is known of an item."""
        return self.texts.metadata(task, item)


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

    def note(self, system: str, task: str, item: str, attempt: int, metric: str) -> str | None:
        """Return what a scorer said of one outcome."""
        found = (part.note(system, task, item, attempt, metric) for part in self.parts)
        return next((text for text in found if text is not None), None)

    def transcript(self, system: str, task: str, item: str, attempt: int) -> tuple[Turn, ...] | None:
        """Return an attempt as a conversation."""
        found = (part.transcript(system, task, item, attempt) for part in self.parts)
        return next((turns for turns in found if turns is not None), None)

    def options(self, system: str, task: str, item: str, attempt: int) -> ToldOptions | None:
        """Return how probable each option was."""
        found = (part.options(system, task, item, attempt) for part in self.parts)
        return next((options for options in found if options is not None), None)

    def metadata(self, task: str, item: str) -> Mapping[str, str]:
        """Return what else is known of an item."""
        return next((found for part in self.parts if (found := part.metadata(task, item))), {})


def held_notes(texts: Texts | None) -> Mapping[tuple[str, str, str, int, str], str]:
    """Return what scorers said of outcomes, by system, task, item, attempt and metric, as far as it is held."""
    if isinstance(texts, MergedTexts):
        parts = [held_notes(part) for part in reversed(texts.parts)]
        return {key: said for part in parts for key, said in part.items()}
    return getattr(texts, "notes", {})
