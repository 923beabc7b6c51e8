"""Patterns of labels that attention does not make: one label all along, blocks that repeat, faster than can be read."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

CONSTANT: Final = 12
"""Equal labels in a row that are said, when they are rarer than 1 in 1,000 at the other raters' rate, or fast."""

FAST_WORDS: Final = 15.0
"""Words a second beyond which nobody reads: 900 a minute."""

FAST_SHARE: Final = 0.8
FAST_OF: Final = 10
"""Labels of the last ten that came faster than their text can be read."""

LEAST_S: Final = 1.0
"""No label takes less, however short the text."""

BLOCK: Final = 16
"""Labels at the end of a list that a repeated block must fill, at least three times over."""

COPIED: Final = 4
"""Notes of two raters that are the same to the letter."""

_LONG_NOTE: Final = 15


@dataclass(frozen=True, slots=True)
class Step:
    """A label in the order in which it was given.

    Attributes:
        label: what was said, all questions together.
        seconds: how long it took; None where that is not known.
        words: words there were to read.
        answer: of which answer.
        note: the note with it.
    """

    label: str
    seconds: float | None
    words: int
    answer: int
    note: str = ""


def find_patterns(steps: Mapping[str, Sequence[Step]]) -> Iterator[str]:
    """Yield a sentence for each pattern, by rater.

    Args:
        steps: what each rater said, in the order of time.

    Examples:
        >>> found = list(find_patterns({"ben": [Step("pass", 3.0, 90, at) for at in range(14)]}))
        >>> found[0]
        'ben has said "pass" 14 times in a row, in 42 s.'
        >>> found[1]
        'ben took less time than the text can be read in for 10 of the last 10 answers.'
    """
    counts = {name: Counter(step.label for step in given) for name, given in steps.items()}
    for name, given in steps.items():
        others = sum((counts[one] for one in counts if one != name), Counter[str]())
        yield from _constant(name, given, others)
        yield from _blocks(name, given)
        yield from _fast(name, given)
    yield from _copied(steps)


def _constant(name: str, given: Sequence[Step], others: Counter[str]) -> Iterator[str]:
    """Say when the last labels are all the same, where chance does not make it so."""
    if not given:
        return
    last = given[-1].label
    run = next((at for at, step in enumerate(reversed(given)) if step.label != last), len(given))
    if run < CONSTANT:
        return
    share = (others[last] + 0.5) / (others.total() + 1)
    tail = given[-run:]
    known = [step.seconds for step in tail if step.seconds is not None]
    fast = len(known) == run and sum(known) < sum(_reading(step) for step in tail)
    if share**run < 0.001 or fast:
        timed = f", in {sum(known):.0f} s" if len(known) == run and sum(known) < 3600 else ""
        yield f'{name} has said "{last}" {run} times in a row{timed}.'


def _blocks(name: str, given: Sequence[Step]) -> Iterator[str]:
    """Say when the last labels are one block over and over."""
    labels = [step.label for step in given]
    for size in range(2, 9):
        length = max(BLOCK, 3 * size)
        tail = labels[-length:]
        if len(tail) < length or len(set(tail)) < 2:
            continue
        if all(one == other for one, other in zip(tail, tail[size:], strict=False)):
            repeats = next(
                (at for at in range(len(labels) - size) if labels[-1 - at] != labels[-1 - at - size]),
                len(labels) - size,
            )
            yield f"{name} repeats a block of {size} labels: the last {repeats + size} labels are it over and over."
            return


def _reading(step: Step) -> float:
    return max(LEAST_S, step.words / FAST_WORDS)


def _fast(name: str, given: Sequence[Step]) -> Iterator[str]:
    """Say when labels come faster than their texts can be read."""
    timed = [step for step in given if step.seconds is not None][-FAST_OF:]
    if len(timed) < FAST_OF:
        return
    fast = sum((step.seconds or 0.0) < _reading(step) for step in timed)
    if fast >= FAST_SHARE * FAST_OF:
        yield f"{name} took less time than the text can be read in for {fast} of the last {len(timed)} answers."


def _copied(steps: Mapping[str, Sequence[Step]]) -> Iterator[str]:
    """Say when two raters wrote the same notes on the same answers."""
    notes: dict[tuple[int, str], list[str]] = defaultdict(list)
    for name, given in steps.items():
        for step in given:
            if len(step.note.strip()) >= _LONG_NOTE:
                notes[step.answer, step.note.strip()].append(name)
    pairs = Counter(
        (a, b) for names in notes.values() for at, a in enumerate(names) for b in names[at + 1 :] if a != b
    )
    for (a, b), count in sorted(pairs.items()):
        if count >= COPIED:
            yield f"{a} and {b} wrote the same note, to the letter, on {count} answers."


def pace(steps: Sequence[Step]) -> float | None:
    """Return the median of the seconds an answer took lately; None before there are five.

    Examples:
        >>> pace([Step("pass", seconds, 50, 1) for seconds in (10, 12, 14, 30, 8)])
        12
    """
    known = [step.seconds for step in steps if step.seconds is not None][-30:]
    return statistics.median(known) if len(known) >= 5 else None
