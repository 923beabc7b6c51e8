"""Guards that read answers and references: one answer to everything, the same answer again, references copied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from aliquot.analysis.guard_labels import quoted
from aliquot.analysis.majority import SHORT
from aliquot.evidence.tables import Note, Texts
from aliquot.evidence.units import Units

MOST_TEXTS: Final = 500
"""Items whose texts are read; with more there is no guard on texts."""
LEAST_ITEMS: Final = 20
"""Items from which these guards say anything."""
COPIED: Final = 0.9
"""Share of answers equal to a long reference from which the reference is taken to score itself."""
REPEATED: Final = 0.05
"""Share of items with the long answer of another item from which it is told."""


@dataclass(frozen=True, slots=True)
class _Read:
    """One system's texts: first answers and references by item."""

    answers: Mapping[str, str]
    references: Mapping[str, str]


def guard_texts(texts: Texts, units: Units) -> Iterator[Note]:
    """Yield what the answers and references of one system give away.

    Args:
        texts: the texts, read one at a time.
        units: the system under the metric.
    """
    items: list[str] = units.frame["item"].to_list()
    if not LEAST_ITEMS <= len(items) <= MOST_TEXTS:
        return
    read = _read(texts, units, items)
    yield from _one_answer(units.system, read)
    yield from _identical(units.system, read)
    yield from _copied(units.system, read)


def _read(texts: Texts, units: Units, items: list[str]) -> _Read:
    answers = {item: texts.response(units.system, units.task, item, 1) for item in items}
    references = {item: texts.reference(units.task, item) for item in items}
    return _Read(
        answers={item: text.strip() for item, text in answers.items() if text is not None},
        references={item: text.strip() for item, text in references.items() if text is not None},
    )


def _one_answer(system: str, read: _Read) -> Iterator[Note]:
    said = set(read.answers.values())
    if len(read.answers) >= LEAST_ITEMS and len(said) == 1:
        items = len(read.answers)
        answer = said.pop()
        bare = f"{system} gives {'one' if answer else 'an empty'} answer to all {items} items"
        text = f"{system} gives one answer, {quoted(answer)}, to all {items} items"
        yield Note("one_answer", text if answer else bare, bare=bare)


def _identical(system: str, read: _Read) -> Iterator[Note]:
    """Say when items of different references got one and the same long answer."""
    groups: dict[str, list[str]] = {}
    for item, text in read.answers.items():
        if len(text) > SHORT:
            groups.setdefault(text, []).append(item)
    alike = [
        items for items in groups.values() if len({read.references.get(item, item) for item in items}) > 1
    ]
    count = sum(map(len, alike))
    if len(groups) > 1 and count >= max(3, REPEATED * len(read.answers)):
        text = "items got the same long answer as an item with another reference"
        yield Note("identical_answers", f"{system}: {count} of {len(read.answers)} {text}")


def _copied(system: str, read: _Read) -> Iterator[Note]:
    long = {
        item: text for item, text in read.references.items() if len(text) > SHORT and item in read.answers
    }
    equal = sum(read.answers[item] == text for item, text in long.items())
    if len(long) >= LEAST_ITEMS and equal >= COPIED * len(long):
        text = "answers are the reference itself, word for word: is it scored against itself?"
        yield Note("reference_as_answer", f"{system}: {equal} of {len(long)} {text}")
