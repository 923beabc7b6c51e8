"""Values of lm-evaluation-harness metrics: numbers, the parts of corpus metrics, and names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from aliquot.evidence.metrics import LOWER_IS_BETTER
from aliquot.evidence.tables import Better

MAX_PARTS: Final = 1000
"""Numbers kept as the parts of one value."""

NO_FILTER: Final = "none"
"""The harness's name for the filter of a task that has none."""

_LOWER: Final = LOWER_IS_BETTER | {"brier_score", "word_perplexity", "byte_perplexity", "bits_per_byte"}


@dataclass(frozen=True, slots=True)
class Numbers:
    """One metric's values over some rows.

    Attributes:
        values: numbers; null where the log holds none.
        parts: the numbers from which a corpus metric is made, null for other rows; None when no row has any.
        texts: rows whose parts are texts and so stay in the log.
        not_finite: rows whose number is NaN or infinite.
    """

    values: pl.Series
    parts: pl.Series | None = None
    texts: int = 0
    not_finite: int = 0


def metric_name(metric: str, filter_name: str) -> str:
    """Return a metric's name as the harness prints it, without the filter of tasks that have none.

    Examples:
        >>> metric_name("exact_match", "strict-match"), metric_name("acc", "none")
        ('exact_match,strict-match', 'acc')
    """
    return metric if filter_name in {"", NO_FILTER} else f"{metric},{filter_name}"


def direction(metric: str, said: Any) -> Better:
    """Return which direction is good: as the log says, else by the metric's name."""
    if isinstance(said, bool):
        return "higher" if said else "lower"
    return "lower" if metric.lower() in _LOWER else "higher"


def read_numbers(metric: str, cells: Sequence[Any]) -> Numbers:
    """Return a metric's values; a list is the parts of a corpus metric, of which no item has a value.

    The Brier score is the exception: its parts give each item's own score, and the corpus value is their mean.

    Args:
        metric: its name.
        cells: numbers, truth values, lists, or None.

    Examples:
        >>> read_numbers("acc", [1.0, False, None]).values.to_list()
        [1.0, 0.0, None]
        >>> read_numbers("mcc", [[1, 0]]).parts.to_list()
        [[1.0, 0.0]]
        >>> read_numbers("brier_score", [[1, "[0.25 0.75]"]]).values.to_list()
        [0.125]
    """
    try:
        values = pl.Series(cells, dtype=pl.Float64)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return _read_mixed(metric, cells)
    finite = values.is_finite()
    strange = values.len() - values.null_count() - int(finite.sum())
    return Numbers(values if not strange else values.set(~finite, None), not_finite=strange)


def _read_mixed(metric: str, cells: Sequence[Any]) -> Numbers:
    values: list[float | None] = []
    parts: list[list[float] | None] = []
    texts = strange = 0
    for cell in cells:
        if metric.startswith("brier") and isinstance(cell, list):
            cell = brier(cell)  # noqa: PLW2901 - the item's own score stands in for its parts
        kept = numeric_parts(cell) if isinstance(cell, list) else None
        strange += _number(cell) is not None and finite(cell) is None
        texts += kept is None and isinstance(cell, list | str | Mapping)
        values.append(finite(cell))
        parts.append(kept)
    held = pl.Series(parts, dtype=pl.List(pl.Float64)) if any(part is not None for part in parts) else None
    return Numbers(pl.Series(values, dtype=pl.Float64), held, texts, strange)


def _number(cell: Any) -> float | None:
    if not isinstance(cell, int | float):
        return None
    try:
        return float(cell)
    except OverflowError:
        return math.inf


def finite(cell: Any) -> float | None:
    """Return a number when it is a finite one.

    Examples:
        >>> finite(1), finite("N/A") is None, finite(10**400) is None
        (1.0, True, True)
    """
    number = _number(cell)
    return number if number is not None and math.isfinite(number) else None


def numeric_parts(cell: Sequence[Any]) -> list[float] | None:
    """Return the parts of a value when all are finite numbers.

    Examples:
        >>> numeric_parts([-12.5, 7]), numeric_parts(["the reference", "the answer"])
        ([-12.5, 7.0], None)
    """
    kept = [number for part in cell[: MAX_PARTS + 1] if (number := finite(part)) is not None]
    return kept if 0 < len(kept) == len(cell) <= MAX_PARTS else None


def brier(cell: Sequence[Any]) -> float | None:
    """Return an item's Brier score from the gold choice and the probabilities, Σ (p_j − 1[j = gold])².

    The harness writes the probabilities as the text of a numpy array, with eight digits. Source:
    lm_eval/api/metrics.py, ``brier_score``: the corpus value is the mean of these.

    Examples:
        >>> brier([0, "[0.5 0.5]"]), brier([5, "[0.5 0.5]"]) is None
        (0.5, True)
    """
    if len(cell) != 2 or not isinstance(cell[0], int):
        return None
    gold, written = cell
    given = written.strip("[] \n").split() if isinstance(written, str) else written
    try:
        probabilities = [float(p) for p in given]
    except (TypeError, ValueError):
        return None
    if not 0 <= gold < len(probabilities):
        return None
    return math.fsum((p - (place == gold)) ** 2 for place, p in enumerate(probabilities))
