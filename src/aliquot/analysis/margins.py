"""What a margin means on a metric's scale."""

from __future__ import annotations

import math

from aliquot.errors import UsageError
from aliquot.findings.scale import Scale

HIGHEST_LEVEL = 0.999
"""Confidence level up to which the Monte-Carlo tests and joint intervals have draws enough."""


def check_level(level: float) -> None:
    """Refuse a confidence level that is none, or that the resamples of the deciding tests cannot resolve.

    Raises:
        UsageError: not between 0 and 0.999.
    """
    if not 0 < level <= HIGHEST_LEVEL:
        raise UsageError(
            f"a confidence level lies above 0 and up to {HIGHEST_LEVEL} (0.95, not 95); got {level:g}"
        )


def share_of(floor: float | str) -> float:
    """Return a floor as a share.

    Raises:
        UsageError: no number.

    Examples:
        >>> share_of("90%"), share_of(0.9)
        (0.9, 0.9)
    """
    text = str(floor).strip()
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        raise UsageError(f"{text!r} is no floor; write 0.9 or 90%") from None
    return number / 100 if text.endswith("%") else number


def margin_on(scale: Scale, margin: float | str | None) -> float | None:
    """Return a margin in the metric's own units.

    Args:
        scale: the metric's scale.
        margin: a number in the metric's own units, or points of the scale: ``"2pt"`` and ``"2%"`` are a fiftieth of it.

    Raises:
        UsageError: not a positive number, points on a scale without bounds, or a margin as wide as the scale.

    Examples:
        >>> margin_on(Scale(kind="bounded", low=0.0, high=100.0, better="higher"), "2pt")
        2.0
    """
    if margin is None:
        return None
    text = str(margin).strip()
    points = text.endswith(("pt", "%"))
    try:
        number = float(text.removesuffix("pt").removesuffix("%"))
    except ValueError:
        raise UsageError(f"{text!r} is not a margin; write 2pt for two points, or 0.02") from None
    if not (number > 0 and math.isfinite(number)):
        raise UsageError(f"a margin is positive; got {text!r}")
    span = scale.span()
    if points and span is None:
        raise UsageError(
            f"the metric has no bounds, so {text!r} means nothing; give the margin in its own units"
        )
    own = number / 100 * span if points and span is not None else number
    if span is not None and own >= span:
        hint = (
            f"; a hundredth of it is {span / 100:g}, or 1pt" if points else f"; for points write {number:g}pt"
        )
        raise UsageError(f"a margin of {text} is as wide as the whole scale ({span:g}), or wider{hint}")
    return own
