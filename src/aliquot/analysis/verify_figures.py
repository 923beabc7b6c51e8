"""Printed figures held against arithmetic: no rows needed."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from aliquot.errors import UsageError
from aliquot.findings.verification import Check, Outcome
from aliquot.stats.printed_rates import attainable, rate_error, sizes_that_fit

_FIGURE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(%?)\s*")

BOOTSTRAP = math.sqrt(1000)
"""lighteval before 0.10 divided the error of 1,000 resamples by √1000 once more."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A printed rate.

    Attributes:
        text: as printed.
        rate: as a share.
        decimals: decimals of the share as printed.
        percent: whether it was printed as a percentage.
    """

    text: str
    rate: float
    decimals: int
    percent: bool = False


def read_figures(texts: Sequence[str]) -> list[Figure]:
    """Return printed rates, each by its own sign; without one a number above 1 is a percentage, else a share.

    Raises:
        UsageError: no rate.

    Examples:
        >>> [round(figure.rate, 4) for figure in read_figures(["22.4", "0.5 %", "0.76"])]
        [0.224, 0.005, 0.76]
    """
    matched = [(text, _FIGURE.fullmatch(text)) for text in texts]
    for text, match in matched:
        if match is None or float(match[1]) > 100:
            raise UsageError(f"{text!r} is no rate; write 22.4, 22.4% or 0.224")
    values = [(float(match[1]), bool(match[2])) for _, match in matched if match is not None]
    bare = [value for value, signed in values if not signed]
    if len(bare) == len(values) and any(0 < value < 1 for value in bare) and max(bare) > 1:
        raise UsageError("some figures are above 1 and some below; write % behind percentages")
    return [_figure(text, match) for text, match in matched if match is not None]


def _figure(text: str, match: re.Match[str]) -> Figure:
    decimals = len(match[1].partition(".")[2])
    if match[2] or float(match[1]) > 1:
        return Figure(text.strip(), float(match[1]) / 100, decimals + 2, percent=True)
    return Figure(text.strip(), float(match[1]), decimals)


def as_printed(value: float, figure: Figure) -> bool:
    """Return whether a value rounds to a printed figure at the figure's own digits."""
    return abs(value - figure.rate) <= half_unit(figure)


def half_unit(figure: Figure) -> float:
    """Return half a unit of a figure's last digit, as a share."""
    return 0.5 * 10.0**-figure.decimals + 1e-12


def write_as(value: float, figure: Figure) -> str:
    """Write a value at a figure's own digits, at least one of a percentage."""
    return f"{100 * value:.{max(1, figure.decimals - 2)}f} %"


def check_figures(figures: Sequence[Figure], *, n: int) -> tuple[tuple[Check, ...], tuple[str, ...]]:
    """Return a check of each rate out of n, and what they say together.

    Args:
        figures: the rates.
        n: the number of items they are said to be out of.
    """
    checks = tuple(_check(figure, n) for figure in figures)
    if all(check.outcome == "fits" for check in checks):
        return checks, ()
    fitting = sizes_that_fit(
        [figure.rate for figure in figures], decimals=[figure.decimals for figure in figures], around=n
    )
    if not fitting:
        return checks, (
            "No number of items nearby gives all of them: means over runs, weights or another split?",
        )
    size = fitting[0]
    counts = ", ".join(
        str(attainable(figure.rate, size, decimals=figure.decimals).counts[0]) for figure in figures
    )
    together = "It fits" if len(figures) == 1 else f"All {len(figures)} fit"
    return checks, (f"{together} {size} items ({counts}). Another split, or means over runs? Ask.",)


def _check(figure: Figure, n: int) -> Check:
    found = attainable(figure.rate, n, decimals=figure.decimals)
    claim = f"{figure.text} of {n} items"
    if found.possible:
        counts = found.counts
        shown = f"{counts[0]} of {n}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} of {n}"
        return Check(claim, figure.text, shown, "fits", "")
    near = ", ".join(
        f"{count} ({100 * rate:.{max(0, figure.decimals - 2)}f} %)" for count, rate in found.nearest
    )
    return Check(claim, figure.text, f"nearest {near}", "cannot_be", f"no count out of {n} gives this")


def check_error(claim: str, rate: float, error: float, n: int | None, *, half: float = 0.0) -> Check:
    """Return a check of a printed standard error of a rate, from the rate and n alone.

    Args:
        claim: of what it was printed.
        rate: the printed rate.
        error: the printed error.
        n: number of items, when known.
        half: half a unit of the last digit printed.
    """
    printed = f"{error:.6g}"
    if error == 0 and 0 < rate < 1:
        due = f"{rate_error(rate, n):.4g}" if n is not None and n > 1 else "above 0"
        return Check(
            claim, printed, due, "cannot_be", "a rate strictly between 0 and 1 cannot have an error of 0"
        )
    if n is None or n < 2:
        return Check(claim, printed, "", "not_checked", "the number of items is not known")
    due = rate_error(rate, n)
    readings: tuple[tuple[float, float, Outcome, str], ...] = (
        (due, 1e-4, "fits", ""),
        (rate_error(rate, n, divisor="n"), 1e-4, "explained", "divided by n, not n - 1"),
        (due / BOOTSTRAP, 0.15, "differs", "about 32 times too small: divided by √1000 once more"),
        (
            math.sqrt(rate * (1 - rate)),
            0.02,
            "differs",
            "the spread of single items, not the error of the mean",
        ),
    )
    for error_due, slack, outcome, cause in readings:
        if math.isclose(error, error_due, rel_tol=slack, abs_tol=max(half, 1e-9)):
            return Check(claim, printed, f"{due:.6g}", outcome, cause)
    times = error / due if due else math.inf
    cause = f"{times:.2g} times that of {n} independent items of 0 and 1"
    return Check(claim, printed, f"{due:.4g}", "not_checked", cause)
