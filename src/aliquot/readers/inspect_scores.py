"""Scores of an Inspect log as numbers and labels, one row a sample and metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import msgspec
import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, Note
from aliquot.readers.inspect_records import Sample

LETTERS: Final[Mapping[str, float]] = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Inspect's own marks: correct, partial, incorrect, no answer."""

WORDS: Final[Mapping[str, float]] = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}

MAX_METRICS: Final = 1_000
"""Metrics a log may score."""


@dataclass(slots=True)
class ScoreColumn:
    """Every score under one metric, in the order in which they were read.

    Attributes:
        scorer: who gave them.
        rows: the sample each belongs to, by its place.
        given: the scores as they were given.
        values: numbers; None where there is none.
        labels: what was scored as text.
        unknown: how many texts stand for no number.
        unscored: how many scores hold nothing (NaN, null).
        kind: ``category`` when the texts are labels and not numbers.
    """

    scorer: str
    rows: list[int] = field(default_factory=list[int])
    given: list[Any] = field(default_factory=list[Any])
    values: list[float | None] = field(default_factory=list[float | None])
    labels: list[str | None] = field(default_factory=list[str | None])
    unknown: int = 0
    unscored: int = 0
    kind: Literal["category"] | None = None

    def settle(self) -> None:
        """Turn what was given into numbers, and into labels alone when most texts stand for no number.

        Inspect itself turns such texts into 0, and a ``C`` among them into 1.
        """
        known: dict[str, tuple[float | None, str | None]] = {}
        pairs: list[tuple[float | None, str | None]] = []
        for score in self.given:
            pair = known.get(score) if isinstance(score, str) else None
            if pair is None:
                pair = number_of(score)
                if isinstance(score, str):
                    known[score] = pair
            pairs.append(pair)
        self.values, self.labels = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        texts = len(pairs) - self.labels.count(None)
        self.unscored = pairs.count((None, None))
        self.unknown = self.values.count(None) - self.unscored
        if self.unknown and 2 * self.unknown >= texts:
            self.kind = "category"
            self.values = [value if label is None else None for value, label in pairs]


def number_of(value: Any) -> tuple[float | None, str | None]:
    """Return a score's number, and its text when it was given as text.

    C, P, I and N are 1, 0.5, 0 and 0, yes and true 1, no and false 0, a number in text is that number; any
    other text is a label without a number, and so is a list or an object. NaN and null are no score at all.

    Examples:
        >>> number_of("C"), number_of(True), number_of("0.25"), number_of("maybe"), number_of(None)
        ((1.0, 'C'), (1.0, None), (0.25, '0.25'), (None, 'maybe'), (None, None))
    """
    if isinstance(value, str):
        known = LETTERS.get(value)
        return (known if known is not None else _number_in(value)), value
    if value is None:
        return None, None
    if isinstance(value, int | float):
        number = _finite(value)
        return number, None
    return None, msgspec.json.encode(value).decode()


def metrics_of(scorer: str, value: Any) -> Sequence[tuple[str, Any]]:
    """Return the metric and value of each part of a score: one, or one for each key or place.

    Examples:
        >>> metrics_of("rubric", {"tone": 3, "facts": "C"})
        [('rubric.tone', 3), ('rubric.facts', 'C')]
    """
    if isinstance(value, dict):
        return [(f"{scorer}.{key}", part) for key, part in value.items()]
    if isinstance(value, list):
        return [(f"{scorer}.{place}", part) for place, part in enumerate(value)]
    return ((scorer, value),)


def collect_scores(samples: Sequence[Sample], *, file: str) -> dict[str, ScoreColumn]:
    """Return metric → its scores; those of an invalidated sample are left out.

    Args:
        samples: the samples.
        file: for messages.

    Raises:
        InputError: more metrics than a log may have, or two scorers that share a metric's name.
    """
    columns: dict[str, ScoreColumn] = {}
    for row, sample in enumerate(samples):
        if not sample.scores or sample.invalidation is not None:
            continue
        for scorer, score in sample.scores.items():
            for metric, value in metrics_of(scorer, score.value):
                column = columns.get(metric)
                if column is None or column.scorer != scorer:
                    column = _new_column(columns, metric, scorer, file=file)
                column.rows.append(row)
                column.given.append(value)
    for column in columns.values():
        column.settle()
    return columns


def _new_column(columns: dict[str, ScoreColumn], metric: str, scorer: str, *, file: str) -> ScoreColumn:
    if metric in columns:
        raise InputError(f"two scorers share the metric {metric!r}", file=file)
    if len(columns) >= MAX_METRICS:
        raise InputError(f"scores more than {MAX_METRICS:,} metrics", file=file)
    columns[metric] = ScoreColumn(scorer=scorer)
    return columns[metric]


def metric_table(
    columns: Sequence[tuple[str, ScoreColumn]], *, headline: str | None, judges: Mapping[str, str]
) -> pl.DataFrame:
    """Return the table ``metrics``.

    Args:
        columns: each metric with its scores; one that several people gave is there once for each.
        headline: the log's main metric.
        judges: scorer → the model that judges for it.
    """
    rows: list[dict[str, Any]] = []
    for metric in dict.fromkeys(name for name, _ in columns):
        mine = [column for name, column in columns if name == metric]
        column = mine[0]
        values = pl.Series([value for one in mine for value in one.values], dtype=pl.Float64)
        row = metric_row(metric, values, kind=column.kind, headline=metric == headline)
        rows.append(row | {"judge": judges.get(column.scorer)})
    return pl.DataFrame(rows, schema=dict(METRICS))


def score_notes(columns: Mapping[str, ScoreColumn]) -> list[Note]:
    """Return what must be said of scores that are no numbers."""
    notes: list[Note] = []
    for metric, column in columns.items():
        of = f"{len(column.rows)} scores of {metric!r}"
        if column.unscored:
            text = f"{column.unscored} of {of} hold no value (NaN or null); they count as missing, not as 0"
            notes.append(Note("unscored", text, metric=metric))
        if column.kind == "category":
            text = f"{of} are labels, not numbers; Inspect counts an unknown text as 0"
            notes.append(Note("labels", text, metric=metric))
        elif column.unknown:
            text = f"{column.unknown} of {of} are texts that stand for no number; missing here, 0 in Inspect"
            notes.append(Note("unknown_scores", text, metric=metric))
    return notes


def _number_in(text: str) -> float | None:
    known = WORDS.get(text.lower())
    if known is not None or "_" in text:
        return known
    try:
        return _finite(float(text))
    except ValueError:
        return None


def _finite(number: float) -> float | None:
    try:
        number = float(number)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
