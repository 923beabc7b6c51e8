"""What a run would ask first, as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from aliquot.findings.numbers import write_count
from aliquot.reports.plain import neutralise, wrap

MOST_LINES: Final = 40
"""Lines of one part of a question that are shown."""


MOST_LETTERS: Final = 2000
"""Letters of one line that are shown."""


class Asked(Protocol):
    """One system's first question; see ``verbs.preview.SystemPreview``."""

    @property
    def name(self) -> str: ...  # noqa: D102 - as in SystemPreview
    @property
    def model(self) -> str: ...  # noqa: D102 - as in SystemPreview
    @property
    def parts(self) -> tuple[tuple[str, str], ...]: ...  # noqa: D102 - as in SystemPreview


def render_first(
    systems: Sequence[Asked], *, name: str, answers: int, attempts: int, selection: str, item: str
) -> str:
    """Return what would be asked.

    Args:
        systems: each system with its first question.
        name: the run's name.
        answers: answers the run needs.
        attempts: for each item and system.
        selection: which items.
        item: the item that the questions are about.
    """
    each = f", {attempts} attempts each" if attempts > 1 else ""
    head = f"WOULD ASK for {write_count(answers, 'answer')} in runs/{name}: {selection}{each}. Nothing was asked."
    lines = wrap(neutralise(head), indent="")
    lines += ["", f"  First item: {neutralise(item)}"]
    for one in systems:
        lines += ["", f"  {neutralise(one.name)} ({neutralise(one.model)})"]
        lines += list(_question(one))
    return "\n".join(lines)


def _question(one: Asked) -> Iterator[str]:
    if not one.parts:
        yield "    is not asked"
    for who, text in one.parts:
        shown = text.split("\n")
        yield f"    {who}:"
        yield from (f"      | {neutralise(line, limit=MOST_LETTERS)}" for line in shown[:MOST_LINES])
        if len(shown) > MOST_LINES:
            yield f"      … {write_count(len(shown) - MOST_LINES, 'more line')}"
