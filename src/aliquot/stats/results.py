"""What every statistic returns: frozen records that say what they are and how they came about."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    import polars as pl

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]


@dataclass(frozen=True, slots=True)
class Undefined:
    """A result that does not exist for these data, and why.

    It is falsy, so that ``if result:`` reads as "if there is a number". It is never NaN, 0 or 1 in disguise.
    """

    reason: str

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"undefined: {self.reason}"


class _Record:
    """Tabular and printed forms shared by the records below."""

    __slots__ = ()

    def to_frame(self) -> pl.DataFrame:
        """Return the record as a Polars frame of one row (``settings`` are left out)."""
        import polars as pl  # noqa: PLC0415 - an output format; importing stats loads numpy and scipy.special only

        row = asdict(self)  # type: ignore[call-overload]
        row.pop("settings", None)
        return pl.DataFrame([row])


@dataclass(frozen=True, slots=True)
class Estimate(_Record):
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
class HypothesisTest(_Record):
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
