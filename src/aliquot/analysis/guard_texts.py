"""Guards that read answers and references: one answer to everything, baselines met exactly, scores turned round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from aliquot.evidence.tables import Note, Texts
from aliquot.evidence.units import Units
from aliquot.findings.comparison import Scale
from aliquot.stats.binomial_tests import binomial_exact

MOST_TEXTS: Final = 500
"""Items whose texts are read; with more there is no guard on texts."""
LEAST_ITEMS: Final = 20
"""Items from which these guards say anything."""
MOST_CLASSES: Final = 20
"""Different references up to which they are taken as classes, at five items a class or more."""
SHORT: Final = 40
"""Characters up to which a text is a label, and from which two equal ones are no coincidence."""
COPIED: Final = 0.9
"""Share of answers equal to a long reference from which the reference is taken to score itself."""
REPEATED: Final = 0.05
"""Share of items with the long answer of another item from which it is told."""
INVERTED: Final = 0.001
"""The p-value below which a rate under one half, with two classes, is taken as turned round."""


@dataclass(frozen=True, slots=True)
class _Read:
    """One system's texts: first answers, references and inputs by item, and the items that passed."""

    answers: Mapping[str, str]
    references: Mapping[str, str]
    passed: frozenset[str]
    scored: frozenset[str]


def guard_texts(texts: Texts, units: Units, scale: Scale) -> Iterator[Note]:
    """Yield what the answers and references of one system give away.

    Args:
        texts: the texts, read one at a time.
        units: the system under the metric.
        scale: the metric's scale.
    """
    items: list[str] = units.frame["item"].to_list()
    if not LEAST_ITEMS <= len(items) <= MOST_TEXTS:
        return
    read = _read(texts, units, scale, items)
    yield from _one_answer(units.system, read)
    yield from _identical(units.system, read)
    yield from _copied(units.system, read)
    if scale.kind == "binary" and units.frame["k"].max() == 1:
        yield from _baselines(units.system, read)


def _read(texts: Texts, units: Units, scale: Scale, items: list[str]) -> _Read:
    answers = {item: texts.response(units.system, units.task, item, 1) for item in items}
    references = {item: texts.reference(units.task, item) for item in items}
    best = 0.0 if scale.better == "lower" else 1.0
    scored = units.frame.drop_nulls("mean")
    return _Read(
        answers={item: text.strip() for item, text in answers.items() if text is not None},
        references={item: text.strip() for item, text in references.items() if text is not None},
        passed=frozenset(scored.filter(pl.col("mean") == best)["item"]),
        scored=frozenset(scored["item"]),
    )


def _one_answer(system: str, read: _Read) -> Iterator[Note]:
    said = set(read.answers.values())
    if len(read.answers) >= LEAST_ITEMS and len(said) == 1:
        items = len(read.answers)
        yield Note(
            "one_answer",
            f"{system} gives one answer, {_shown(said.pop())}, to all {items} items",
            bare=f"{system} gives one answer to all {items} items",
        )


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


def _baselines(system: str, read: _Read) -> Iterator[Note]:
    """Say when a constant answer would pass as often, or two classes are told apart the wrong way round."""
    classes = {item: read.references[item].casefold() for item in read.scored if item in read.references}
    counts = Counter(classes.values())
    labels = all(0 < len(name) <= SHORT and name[0] not in "[{" for name in counts)
    if (
        not labels
        or not 2 <= len(counts) <= min(MOST_CLASSES, len(classes) / 5)
        or len(classes) < len(read.scored)
    ):
        return
    name, most = min(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    right, n = len(read.passed), len(classes)
    only = {classes[item] for item in read.passed}
    if len(only) == 1 and right == counts[constant := only.pop()]:
        head, tail = f"{system} passes exactly the {right} items", "as always answering it would"
        text = f"{head} whose reference is {_shown(constant)}, {tail}"
        yield Note("majority_baseline", text, bare=f"{head} of one reference, {tail}")
    elif right == most:
        head, tail = (
            f"{system} passes {right} of {n}, as many as always answering",
            "though not the same ones",
        )
        text = f"{head} {_shown(name)} would, {tail}"
        yield Note("majority_baseline", text, bare=f"{head} the most frequent reference would, {tail}")
    elif len(counts) == 2 and right < n / 2 and binomial_exact(right, n, p0=0.5).p < INVERTED:
        text = f"with two possible answers, where guessing gives half; turned round it would pass {n - right}"
        yield Note("inverted", f"{system} passes {right} of {n} {text}")


def _shown(text: str) -> str:
    """Return a text as it is quoted in a sentence, cut where it is long."""
    line = " ".join(text.split())
    return f"'{line if len(line) <= SHORT else line[: SHORT - 1] + '…'}'"
