"""An explanation as a sheet."""

from __future__ import annotations

from collections.abc import Iterator

from aliquot.findings.explanation import Explanation, MethodNote
from aliquot.reports.sheet import Block, Sheet


def sheet_of(found: Explanation) -> Sheet:
    """Return the text of an explanation."""
    return Sheet(
        headline=found.verdict.text,
        blocks=tuple(_blocks(found)),
        warnings=(),
        details=(),
        footer=f"{', '.join(f'{name} {text}' for name, text in found.versions.items())}.",
    )


def _blocks(found: Explanation) -> Iterator[Block]:
    if found.paragraph:
        yield found.paragraph
        yield from found.limitations
    for note in found.methods:
        yield from _method(note, named=bool(found.paragraph))


def _method(note: MethodNote, *, named: bool) -> Iterator[Block]:
    head = f"{note.name} (aliquot.stats.{note.function}): " if named else ""
    yield f"{head}{note.says}"
    if not named:
        yield f"Answers: {note.answers}."
    yield f"Assumes: {note.assumes}."
    yield f"Source: {note.references or note.source}"
