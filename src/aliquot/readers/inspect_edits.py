"""Scores that people edited after a run: what the scorer had given, and what they gave instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from aliquot.readers.inspect_records import Sample, Score
from aliquot.readers.inspect_scores import ScoreColumn, metrics_of

PERSON: Final = "human: "
"""Before the name of a metric: what people gave in its place. The metric itself holds what counts after the edits."""

BEFORE: Final = "before edits: "
"""Before the name of a metric: what the scorer itself had given, to every sample."""

UNCHANGED: Final = "UNCHANGED"
"""What an edit says that leaves the value as it was."""

SOMEBODY: Final = "people"
"""Who edited, where the log does not say."""


def edited_columns(
    samples: Sequence[Sample], columns: Mapping[str, ScoreColumn]
) -> list[tuple[str, ScoreColumn]]:
    """Return, for each metric with an edited score, what each person gave and what stood there before.

    Args:
        samples: the samples, opened.
        columns: the log's own scores by metric.
    """
    people: dict[tuple[str, str], ScoreColumn] = {}
    before: dict[tuple[str, str], ScoreColumn] = {}
    for row, sample in enumerate(samples):
        if not sample.scores or sample.invalidation is not None:
            continue
        for scorer, score in sample.scores.items():
            if _own(score):
                first = score.history[0].value if score.history else score.value
                for metric, value in metrics_of(scorer, first):
                    _put(before, BEFORE + metric, scorer, row, value)
            for author, given in _edits(score):
                for metric, value in metrics_of(scorer, given):
                    if metric in columns:
                        _put(people, PERSON + metric, author, row, value)
    kept = {BEFORE + name.removeprefix(PERSON) for name, _ in people}
    found = [*people.items(), *(pair for pair in before.items() if pair[0][0] in kept)]
    for _, column in found:
        column.settle()
    return [(metric, column) for (metric, _), column in found]


def _put(columns: dict[tuple[str, str], ScoreColumn], metric: str, scorer: str, row: int, value: Any) -> None:
    column = columns.setdefault((metric, scorer), ScoreColumn(scorer=scorer))
    column.rows.append(row)
    column.given.append(value)


def _own(score: Score) -> bool:
    """Tell whether the scorer gave a value at all: a score that people added begins with theirs."""
    return not score.history or score.history[0].provenance is None


def _edits(score: Score) -> Iterator[tuple[str, Any]]:
    """Yield what each person gave last; nothing where nobody changed the value."""
    said: dict[str, Any] = {}
    for place, one in enumerate(score.history or []):
        if one.value != UNCHANGED and (place or one.provenance is not None):
            said[(one.provenance.author if one.provenance is not None else None) or SOMEBODY] = one.value
    yield from said.items()
