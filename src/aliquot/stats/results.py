"""What every statistic returns: frozen records that say what they are and how they came about."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from aliquot.stats.printing import as_cell, as_html

if TYPE_CHECKING:
    import polars as pl

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]


class Record:
    """What the results share: a frame of one row, and a table in a notebook."""

    __slots__ = ()

    def to_frame(self) -> pl.DataFrame:
        """Return a Polars frame of one row: a column a field, those of a record within by ``field.part``.

        ``settings`` are left out; a part that is Undefined is null, and ``field.undefined`` holds its reason.
        """
        import polars as pl  # noqa: PLC0415 - an output format; importing stats loads numpy and scipy.special only

        return pl.DataFrame([dict(_columns(self, ""))])

    def _repr_html_(self) -> str:
        parts = [(field, getattr(self, field)) for field in _fields_of(self)]
        shown = [(field, as_cell(value)) for field, value in parts if value is not None]
        return as_html(type(self).__name__, (), [row for row in shown if row[1]])


@dataclass(frozen=True, slots=True)
class Undefined(Record):
    """A result that does not exist for these data, and why.

    It is falsy, so that ``if result:`` reads as "if there is a number". It is never NaN, 0 or 1 in disguise.
    """

    reason: str

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"undefined: {self.reason}"


@dataclass(frozen=True, slots=True)
class Estimate(Record):
    """A point with its interval, and what it rests on.

    Attributes:
        point: the estimate.
        low: lower limit; ``-inf`` for a one-sided interval that is open below.
        high: upper limit; ``inf`` for one that is open above.
        level: confidence level, between 0 and 1.
        method: the method's name, as ``explain`` and ``docs/methods`` list it.
        n: rows in the mean (items, or attempts where the unit is an attempt).
        se: standard error, where the method has one.
        df: degrees of freedom of the t reference, where the method has one.
        clusters: number of clusters, when there are any.
        n_eff: effective number of rows, where the method uses one.
        settings: everything else that made the number (bounds, resamples, seed, margins).
        why: one line on why this method, when the method was chosen by a rule.
    """

    point: float
    low: float
    high: float
    level: float
    method: str
    n: float
    se: float | None = None
    df: float | None = None
    clusters: int | None = None
    n_eff: float | None = None
    settings: Mapping[str, object] = field(default_factory=dict[str, object])
    why: str = ""

    def __post_init__(self) -> None:
        if any(math.isnan(value) for value in (self.point, self.low, self.high)):
            raise ArithmeticError(
                f"{self.method} produced NaN; a result without a value is Undefined(reason)"
            )

    @property
    def width(self) -> float:
        """Width of the interval."""
        return self.high - self.low

    def __str__(self) -> str:
        return f"{self.point:.4f} [{self.low:.4f}, {self.high:.4f}] {self.level:.0%} {self.method}, n = {self.n:g}"


@dataclass(frozen=True, slots=True)
class HypothesisTest(Record):
    """A test of one null hypothesis.

    Attributes:
        name: the test's name (``mcnemar_exact``, ``cluster_sign_flip`` …).
        p: p-value, in (0, 1].
        alternative: ``two-sided``, ``less`` or ``greater``.
        statistic: the test statistic, where there is one.
        df: degrees of freedom, where the reference has them.
        floor: the smallest p this test could have given on data of this shape, when that is not negligible.
        n_resamples: Monte-Carlo resamples, or None when the p-value is exact or asymptotic.
        null: the null hypothesis in words.
        settings: everything else that made the number (seed, continuity correction).
    """

    name: str
    p: float
    alternative: Alternative = "two-sided"
    statistic: float | None = None
    df: float | None = None
    floor: float | None = None
    n_resamples: int | None = None
    null: str = ""
    settings: Mapping[str, object] = field(default_factory=dict[str, object])

    def __post_init__(self) -> None:
        if not 0 < self.p <= 1:
            raise ArithmeticError(f"{self.name} produced p = {self.p}; a p-value lies in (0, 1]")

    def __str__(self) -> str:
        return f"{self.name}: p = {self.p:.4g} ({self.alternative})"


def _fields_of(record: object) -> list[str]:
    return [part.name for part in fields(record)] if is_dataclass(record) else []


def _columns(record: object, prefix: str) -> Iterator[tuple[str, object]]:
    """Column names and cells of a record, parts of records and mappings within by a dotted name."""
    for name in _fields_of(record):
        if name != "settings":
            yield from _cells(prefix + name, getattr(record, name))


def _cells(name: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Undefined):
        yield from ((name, None), (f"{name}.undefined", value.reason))
    elif isinstance(value, Record):
        yield from _columns(value, f"{name}.")
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _cells(f"{name}.{key}", part)
    else:
        yield name, value.tolist() if isinstance(value, np.ndarray) else value
