"""The limits a user sets on calls of their own system."""

from __future__ import annotations

import math

from aliquot.errors import UsageError


def require_limits(*, concurrency: int, timeout_s: float) -> None:
    """Refuse limits that nothing could be asked under.

    Args:
        concurrency: calls at once.
        timeout_s: seconds for one answer.

    Raises:
        UsageError: one is out of range.
    """
    if concurrency < 1:
        raise UsageError(f"concurrency is {concurrency}; it must be 1 or more")
    if not 0 < timeout_s < math.inf:
        raise UsageError(f"timeout_s is {timeout_s}; it must be more than 0 seconds")
