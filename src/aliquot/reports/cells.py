"""An estimate as two cells of a table, its point and its limits, and a test as one, its p."""

from __future__ import annotations

from collections.abc import Callable

from aliquot.findings.numbers import write_difference, write_p, write_value
from aliquot.findings.scale import Scale
from aliquot.stats.results import Estimate, HypothesisTest, Undefined


def value_cells(estimate: Estimate | Undefined, scale: Scale) -> tuple[str, str]:
    """Return a rate or a mean and its limits, or that there are none.

    Args:
        estimate: the rate or mean.
        scale: how its numbers are read.

    Examples:
        >>> value_cells(Estimate(0.75, 0.696, 0.804, 0.95, "wilson", 240), Scale("binary", 0, 1, "higher"))
        ('75.0', '69.6 to 80.4')
        >>> value_cells(Undefined("no item has a value"), Scale("binary", 0, 1, "higher"))
        ('-', 'not available')
    """
    return _cells(estimate, lambda value, width: write_value(value, scale, width=width))


def difference_cells(
    estimate: Estimate | Undefined, scale: Scale, *, width: float | None = None
) -> tuple[str, str]:
    """Return a difference and its limits, with their signs, or that there are none.

    Args:
        estimate: the difference.
        scale: how its numbers are read.
        width: by what the digits are rounded; by default the interval's own width.

    Examples:
        >>> difference_cells(Estimate(0.04, -0.005, 0.083, 0.95, "tango", 240), Scale("binary", 0, 1, "higher"))
        ('+4.0', '-0.5 to +8.3')
    """
    return _cells(estimate, lambda value, own: write_difference(value, scale, width=width or own))


def p_cell(test: HypothesisTest | Undefined | None) -> str:
    """Return the p of a test, or that none was made.

    Args:
        test: the test.
    """
    return write_p(test).removeprefix("p ") if isinstance(test, HypothesisTest) else "-"


def _cells(estimate: Estimate | Undefined, write: Callable[[float, float], str]) -> tuple[str, str]:
    if isinstance(estimate, Undefined):
        return "-", "not available"
    point, low, high = (
        write(value, estimate.width) for value in (estimate.point, estimate.low, estimate.high)
    )
    return point, f"{low} to {high}"
