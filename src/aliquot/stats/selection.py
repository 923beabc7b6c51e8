"""What picking the best of several does to its number."""

from __future__ import annotations

import numpy as np
from scipy import special

from aliquot.stats.inputs import as_count

_REACH, _POINTS = 12.0, 24_001
"""Ends of the integration in standard deviations, and its points: the trapezoid is exact to 1e-13 there."""


def expected_maximum(k: float) -> float:
    """Mean of the largest of k independent standard normal values: what the best of k equals leads by, in errors.

    Args:
        k: how many there are.

    Raises:
        UsageError: k below 1.

    References:
        Tippett (1925) Biometrika 17:364; Harter (1961) Biometrika 48:151, table 1: ∫ x k φ(x) Φ(x)^(k−1) dx.

    Examples:
        >>> round(expected_maximum(10), 5), expected_maximum(1)
        (1.53875, 0.0)
    """
    size = as_count(k, name="k", at_least=1)
    if size == 1:
        return 0.0
    x = np.linspace(-_REACH, _REACH, _POINTS)
    log_density = np.log(size) - x**2 / 2 - np.log(2 * np.pi) / 2 + (size - 1) * special.log_ndtr(x)
    return float(np.trapezoid(x * np.exp(log_density), x))
