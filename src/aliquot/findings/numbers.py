"""How numbers are written: rounded by their uncertainty, points kept apart from percent, p never below its floor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from aliquot.findings.scale import Scale
from aliquot.stats.results import HypothesisTest

_MORE: Final = 6
"""Digits that a number may get beyond its own to be told from one that it is read against."""


def decimals_for(width: float, *, most: int = 6) -> int:
    """Return the decimals that show an interval of this width to about two significant digits.

    Examples:
        >>> decimals_for(8.8), decimals_for(0.42), decimals_for(120.0)
        (1, 2, 0)
    """
    if not (width > 0 and math.isfinite(width)):
        return 1
    return min(most, max(0, 1 - math.floor(math.log10(width))))


def _unsigned_zero(text: str) -> str:
    return text.lstrip("+-") if float(text) == 0 else text


def _points(share: float) -> float:
    """Return a share times 100 without the noise of binary fractions: 190/240 - 181/240 and 9/240 print alike."""
    return round(100 * share, 9)


def write_percent(share: float, *, decimals: int = 1, apart_from: float | None = None) -> str:
    """Write a share between 0 and 1 as a percentage without the sign; 100 and 0 only when exact.

    Args:
        share: the share.
        decimals: digits behind the point.
        apart_from: a share that it is read against: it gets the digits with which it is not taken for that one.

    Examples:
        >>> write_percent(0.7917), write_percent(0.99996), write_percent(1.0)
        ('79.2', '>99.9', '100.0')
        >>> write_percent(0.89997, apart_from=0.9), write_percent(0.9, apart_from=0.9)
        ('89.997', '90.0')
    """
    decimals = _telling(share, () if apart_from is None else (apart_from,), decimals)
    text = f"{_points(share):.{decimals}f}"
    nearest_below, nearest_above = f"{100 - 10**-decimals:.{decimals}f}", f"{10**-decimals:.{decimals}f}"
    if share < 1 and float(text) >= 100:
        return f">{nearest_below}"
    if share > 0 and float(text) <= 0:
        return f"<{nearest_above}"
    return text


def write_plain(value: float, *, decimals: int = 2) -> str:
    """Write a number without a unit, such as a kappa; a zero carries no sign.

    Examples:
        >>> write_plain(-0.0001), write_plain(-0.4625, decimals=3)
        ('0.00', '-0.463')
    """
    return _unsigned_zero(f"{value:.{decimals}f}")


def write_value(value: float, scale: Scale, *, width: float) -> str:
    """Write one value of a metric: a percentage for shares, else the metric's own units."""
    if math.isinf(value):
        return "unbounded"
    if scale.in_points:
        return f"{_points(value):.{_point_decimals(width)}f}"
    return f"{value:.{decimals_for(width)}f}"


def write_difference(value: float, scale: Scale, *, width: float, apart_from: Sequence[float] = ()) -> str:
    """Write a difference with its sign, in points for shares, else in the metric's own units; zero carries no sign.

    Args:
        value: the difference.
        scale: of the metric.
        width: of the interval beside it, which says how many digits tell something.
        apart_from: numbers that it is read against, such as a margin: it gets the digits with which it is not taken
            for one of them.
    """
    if math.isinf(value):
        return "unbounded"
    if scale.in_points:
        return _unsigned_zero(f"{_points(value):+.{_telling(value, apart_from, _point_decimals(width))}f}")
    decimals = _telling(value / 100, [one / 100 for one in apart_from], decimals_for(width))
    return _unsigned_zero(f"{value:+.{decimals}f}")


def _telling(share: float, others: Sequence[float], decimals: int) -> int:
    """Return the digits behind the point with which a share in percent is not written as another one."""
    shown = _points(share)
    apart = [_points(other) for other in others if _points(other) != shown]
    for more in range(decimals, decimals + _MORE):
        if all(f"{shown:.{more}f}" != f"{other:.{more}f}" for other in apart):
            return more
    return decimals


def _point_decimals(width: float) -> int:
    """Percentages and points show at least one decimal, as the field's tables do, and more when that is known."""
    return max(1, decimals_for(100 * width, most=3))


def difference_unit(scale: Scale) -> str:
    """Return the word behind a difference: points for shares, nothing for a metric's own units."""
    return " points" if scale.in_points else ""


def write_count(count: int, noun: str, *, plural: str | None = None) -> str:
    """Write a count with its noun.

    Examples:
        >>> write_count(1, "row"), write_count(2_000, "row")
        ('1 row', '2,000 rows')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def write_money(amount: float, currency: str | None) -> str:
    """Write an amount with its currency: to the cent, and below ten cents to two digits.

    Examples:
        >>> write_money(4.2, "USD"), write_money(0.00123, "EUR"), write_money(0, None)
        ('4.20 USD', '0.0012 EUR', '0')
    """
    text = "0" if not amount else f"{amount:,.2f}" if abs(amount) >= 0.0995 else f"{amount:.2g}"
    if "e" in text:
        text = f"{amount:.9f}".rstrip("0")
    return f"{text} {currency or ''}".rstrip()


def write_p(test: HypothesisTest) -> str:
    """Write a p-value with its relation, never below the floor of a Monte-Carlo test.

    Examples:
        >>> write_p(HypothesisTest("mcnemar_exact", 0.0874)), write_p(HypothesisTest("mcnemar_exact", 3.2e-7))
        ('p 0.087', 'p < 0.0001')
        >>> write_p(HypothesisTest("sign_flip", 0.0001, n_resamples=9999))
        'p < 0.0001'
    """
    if test.n_resamples is not None and test.p * (test.n_resamples + 1) <= 1 + 1e-9:
        return f"p < {1 / (test.n_resamples + 1):.2g}"
    return "p < 0.0001" if test.p < 1e-4 else f"p {_two_digits(test.p)}"


def _two_digits(p: float) -> str:
    return f"{p:.2f}" if p >= 0.1 else f"{p:.{1 - math.floor(math.log10(p))}f}"
