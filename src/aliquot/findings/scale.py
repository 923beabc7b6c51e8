"""How a metric's numbers are read: their kind, their bounds, and which direction is better."""

from __future__ import annotations

from dataclasses import dataclass

from aliquot.evidence.tables import Better, Kind


@dataclass(frozen=True, slots=True)
class Scale:
    """How a metric's numbers are read.

    Attributes:
        kind: binary, ordinal, bounded, real or category.
        low: smallest possible value, when there is one.
        high: largest possible value, when there is one.
        better: which direction is better.
    """

    kind: Kind
    low: float | None
    high: float | None
    better: Better

    def span(self) -> float | None:
        """Return the width of the scale, or None when it has no bounds."""
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def in_points(self) -> bool:
        """Whether values are shares between 0 and 1, printed as percent and their differences as points."""
        return self.kind in ("binary", "bounded") and self.low == 0 and self.high == 1
