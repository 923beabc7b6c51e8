"""What an expression over metrics comes to: its value, its range, and which direction is good."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import polars as pl

from aliquot.evidence.expressions import COMPARISONS, TRUTH_FUNCTIONS, Call, Expression, Metric, Number
from aliquot.evidence.tables import Better

Described: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Rows of the table of metrics by name."""

_TURNED: Final[Mapping[Better, Better]] = {"higher": "lower", "lower": "higher", "none": "none"}


def evaluate(tree: Expression) -> pl.Expr:
    """Return an expression's value from the columns ``column_of`` its metrics; null where it is none."""
    value = _expression(tree)
    return pl.when(value.is_finite()).then(value)


def column_of(metric: str) -> str:
    """Return the column that holds a metric's values."""
    return f"metric {metric}"


def _expression(tree: Expression) -> pl.Expr:
    if isinstance(tree, Number):
        return pl.repeat(
            tree.value, pl.len(), dtype=pl.Float64
        )  # a bare literal on the left may not broadcast
    if isinstance(tree, Metric):
        return pl.col(column_of(tree.name))
    parts = [_expression(part) for part in tree.parts]
    if len(parts) == 1:
        alone = {"-": -parts[0], "not": 1.0 - parts[0]}
        return alone.get(tree.function, parts[0])
    if tree.function in {"all", "any"}:
        return _three_valued(parts, decides=0.0 if tree.function == "all" else 1.0)
    if tree.function in {"min", "max", "mean"}:
        complete = pl.all_horizontal(part.is_not_null() for part in parts)
        return pl.when(complete).then(_OF_MANY[tree.function](parts))
    return _operate(tree.function, *parts)


_OF_MANY: Final[dict[str, Any]] = {
    "min": pl.min_horizontal, "max": pl.max_horizontal, "mean": pl.mean_horizontal,
}  # fmt: skip


def _three_valued(parts: list[pl.Expr], *, decides: float) -> pl.Expr:
    """Return the least (or greatest) part when all are there, else the deciding value when a part has it."""
    complete = pl.all_horizontal(part.is_not_null() for part in parts)
    decided = pl.any_horizontal((part == decides).fill_null(value=False) for part in parts)
    extreme = pl.min_horizontal(parts) if decides == 0.0 else pl.max_horizontal(parts)
    return pl.when(decided).then(pl.lit(decides)).when(complete).then(extreme)


def _operate(mark: str, left: pl.Expr, right: pl.Expr) -> pl.Expr:
    operations: dict[str, Any] = {
        "+": left + right, "-": left - right, "*": left * right, "/": left / right,
        "<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right,
        "==": left == right, "!=": left != right,
    }  # fmt: skip
    return operations[mark].cast(pl.Float64)


def is_truth(tree: Expression, known: Described) -> bool:
    """Tell whether an expression is passed or failed."""
    if isinstance(tree, Metric):
        return known[tree.name]["kind"] == "binary"
    return isinstance(tree, Call) and tree.function in {*TRUTH_FUNCTIONS, *COMPARISONS}


def bounds_of(tree: Expression, known: Described) -> tuple[float | None, float | None]:
    """Return the range an expression cannot leave, by interval arithmetic; None where there is no end."""
    if isinstance(tree, Metric):
        return known[tree.name]["low"], known[tree.name]["high"]
    if isinstance(tree, Number):
        return tree.value, tree.value
    if is_truth(tree, known):
        return 0.0, 1.0
    corners: list[tuple[float, float]] = []
    for low, high in (bounds_of(part, known) for part in tree.parts):
        if low is None or high is None:
            return None, None
        corners.append((low, high))
    if tree.function == "/" and corners[1][0] <= 0.0 <= corners[1][1]:
        return None, None
    return _combined(tree.function, corners)


def _combined(function: str, corners: list[tuple[float, float]]) -> tuple[float, float]:
    if function in _OF_MANY:
        low, high = (
            pl.select(_OF_MANY[function]([pl.lit(end[i]) for end in corners])).item() for i in (0, 1)
        )
        return low, high
    if len(corners) == 1:
        return -corners[0][1], -corners[0][0]
    ends = [
        pl.select(_operate(function, pl.lit(a), pl.lit(b))).item() for a in corners[0] for b in corners[1]
    ]
    return min(ends), max(ends)


def direction_of(tree: Expression, known: Described) -> Better:
    """Return which direction is good: that of the parts when they agree, turned by a minus; a comparison is a goal."""
    return _direction(tree, known) or "none"


def _direction(tree: Expression, known: Described) -> Better | None:
    if isinstance(tree, Metric):
        return known[tree.name]["better"]
    if isinstance(tree, Number):
        return None
    if tree.function in COMPARISONS:
        return "higher"
    said: list[Better | None] = [_direction(part, known) for part in tree.parts]
    if tree.function in {"not", "-"} and said[-1] is not None:
        said[-1] = _TURNED[said[-1]]
    scaled = [isinstance(part, Number) and part.value > 0 for part in tree.parts]
    if (tree.function == "*" and not any(scaled)) or (tree.function == "/" and not scaled[1]):
        return "none"
    told: set[Better] = {word for word in said if word is not None}
    if not told:
        return None
    return told.pop() if len(told) == 1 else "none"
