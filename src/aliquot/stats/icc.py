"""Intraclass correlation of raters on a scale, with the intervals of Shrout and Fleiss, and McGraw and Wong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.design_effects import MeanSquares, mean_squares, shrout_fleiss
from aliquot.stats.distributions import p_value
from aliquot.stats.inputs import as_array, as_choice, as_level
from aliquot.stats.results import Estimate, HypothesisTest, Record, Undefined

Form: TypeAlias = Literal["ICC1", "ICC2", "ICC3", "ICC1k", "ICC2k", "ICC3k"]


@dataclass(frozen=True, slots=True)
class RaterICC(Record):
    """An intraclass correlation of raters.

    Attributes:
        point: the coefficient.
        interval: the same with its interval, or why there is none.
        test: F test that the items do not differ.
        form: ``ICC1`` (each item has raters of its own), ``ICC2`` (raters a sample, absolute agreement), ``ICC3``
            (these raters, consistency); with ``k`` the reliability of the mean of the raters.
        n: items that every rater rated.
        raters: raters.
        left_out: items that lack a rating.
    """

    point: float
    interval: Estimate | Undefined
    test: HypothesisTest | Undefined
    form: Form
    n: int
    raters: int
    left_out: int

    def __str__(self) -> str:
        return str(self.interval) if self.interval else f"{self.point:.4f}, interval {self.interval}"


def rater_icc(ratings: ArrayLike, *, form: Form = "ICC2", level: float = 0.95) -> RaterICC | Undefined:
    """Intraclass correlation of items × raters with its F interval.

    Args:
        ratings: items × raters, numbers; items with a gap (None, NaN) are left out and counted.
        form: ``ICC1, ICC2, ICC3``, for single ratings, or with ``k`` for the mean of the raters. McGraw and Wong
            write ICC(1), ICC(A,1), ICC(C,1), ICC(k), ICC(A,k), ICC(C,k).
        level: confidence level.

    Returns:
        The coefficient; Undefined with fewer than two complete items or raters, or when items do not differ. The
        interval is Undefined when raters agree fully: it would have no width; that of a mean also when it has no
        lower limit.

    Raises:
        UsageError: an unknown form, anything but numbers.

    References:
        Shrout & Fleiss (1979) Psychological Bulletin 86:420, pp. 424-426; McGraw & Wong (1996) Psychological Methods
        1:30, tables 4 and 7.

    Examples:
        >>> table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
        >>> print(rater_icc(table))
        0.2898 [0.0188, 0.7611] 95% icc2_f, n = 6
        >>> print(rater_icc(table, form="ICC3k"))
        0.9093 [0.6757, 0.9859] 95% icc3k_f, n = 6
    """
    as_choice(form, get_args(Form), name="form")
    level = as_level(level)
    table = _numbers(ratings)
    whole = ~np.isnan(table).any(axis=1)
    n, left_out = int(whole.sum()), int((~whole).sum())
    if table.shape[1] < 2 or n < 2:
        return Undefined(
            f"an ICC needs two raters and two items rated by all; there are {table.shape[1]} and {n}"
        )
    squares = mean_squares(table[whole])
    point = shrout_fleiss(table[whole])[form]
    if isinstance(point, Undefined):
        return point
    return RaterICC(
        point, _interval(squares, form, point, level), _test(squares, form), form, n, table.shape[1], left_out
    )


def _numbers(ratings: ArrayLike) -> np.ndarray:
    given = as_array(ratings, name="ratings", wanted="a table of items by raters")
    if given.dtype.kind == "O":
        try:
            given = np.array([np.nan if x is None else float(x) for x in given.ravel().tolist()]).reshape(
                given.shape
            )
        except (TypeError, ValueError) as error:
            raise UsageError("ratings must be numbers, with None or NaN where one is missing") from error
    if given.dtype.kind not in "biuf" or given.ndim != 2:
        raise UsageError(
            f"ratings must be a table of numbers, items by raters; got {given.dtype} {given.shape}"
        )
    table = given.astype(np.float64)
    if np.isinf(table).any():
        raise UsageError("ratings must be finite numbers, with None or NaN where one is missing")
    return table


def _ratio(squares: MeanSquares, form: str) -> tuple[float, int, int] | None:
    """F with its degrees of freedom; None when raters agree fully."""
    n, k = squares.n, squares.k
    below, df = (
        (squares.within, n * (k - 1)) if form.startswith("ICC1") else (squares.error, (n - 1) * (k - 1))
    )
    return (squares.between / below, n - 1, df) if below > 1e-12 * squares.total else None


def _test(squares: MeanSquares, form: str) -> HypothesisTest | Undefined:
    found = _ratio(squares, form)
    if found is None:
        return Undefined("raters agree fully, so F has no denominator")
    f, above, below = found
    p = p_value(float(special.fdtrc(above, below, f)))
    return HypothesisTest(
        "icc_f", p, alternative="greater", statistic=f, df=above, null="items do not differ"
    )


def _interval(squares: MeanSquares, form: str, point: float, level: float) -> Estimate | Undefined:
    found, k, p = _ratio(squares, form), squares.k, 0.5 + level / 2
    if found is None:
        return Undefined("raters agree fully, so how far it might be otherwise cannot be seen")
    if form.startswith("ICC2"):
        low, high = _absolute(squares, p)
    else:
        f, above, below = found
        limits = f / special.fdtri(above, below, p), f * special.fdtri(below, above, p)
        low, high = ((x - 1) / (x + k - 1) for x in limits)
    if form.endswith("k"):
        if not 1 + (k - 1) * low > 1e-12:
            return Undefined("one rating's interval reaches -1/(k - 1), below which a mean of k has no limit")
        low, high = (k * x / (1 + (k - 1) * x) for x in (low, high))
    return Estimate(point, float(low), float(high), level, f"{form.lower()}_f", squares.n)


def _absolute(squares: MeanSquares, p: float) -> tuple[float, float]:
    """Limits of ICC2 by Satterthwaite's degrees of freedom: McGraw & Wong (1996), table 7.

    The lower one is kept from leaving what k equally correlated ratings can have, at least -1/(k - 1).
    """
    n, k, b, j, e = squares.n, squares.k, squares.between, squares.raters, squares.error
    icc = (b - e) / (b + (k - 1) * e + k * (j - e) / n)
    rest = n * (1 + (k - 1) * icc) - k * icc
    ratio = k * icc * j / e
    df = (k - 1) * (n - 1) * (ratio + rest) ** 2 / ((n - 1) * ratio**2 + rest**2)
    upper, lower = special.fdtri(n - 1, df, p), special.fdtri(df, n - 1, p)
    shared = k * j + (k * n - k - n) * e
    low = n * (b - upper * e) / (upper * shared + n * b)
    return max(low, -1 / (k - 1)), n * (lower * b - e) / (shared + n * lower * b)
