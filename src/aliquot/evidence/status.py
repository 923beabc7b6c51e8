"""Why there is, or is not, a value: the status words and the one rule that turns a status into a value."""

from __future__ import annotations

from typing import Final

SYSTEM_SIDE: Final = ("unparsed", "refused", "truncated", "timeout", "failed")
"""The system's doing: a metric with a value on failure counts these rows with it."""

MEASUREMENT_SIDE: Final = ("error", "missing")
"""The measurement's doing: no value, and the row is missing."""

STATUSES: Final = ("ok", *SYSTEM_SIDE, *MEASUREMENT_SIDE)
