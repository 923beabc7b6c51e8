"""A cell of the validity table: one design, what ran on it, and whether it meets the rule for defaults."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass

from aliquot.stats import coverage
from aliquot.stats.designs import Design
from aliquot.stats.results import Undefined
from aliquot.stats.validity import Operation

LEAST_MEAN = 0.945
LEAST = 0.90
LEAST_FROM = 50
LEVEL = 0.95
SIZE = 0.05


@dataclass(frozen=True)
class Result:
    """Shares of one cell; ``reps`` is 0 when every data set was weighed by its probability.

    ``warned`` is the share of findings with a warning of clusters, ``peers`` how often other tools call a difference.
    """

    coverage: float
    width: float | None = None
    naive: float | None = None
    size: float | None = None
    naive_size: float | None = None
    reps: int = 0
    warned: float | None = None
    peers: dict[str, float | None] | None = None

    @property
    def slack(self) -> float:
        """Three Monte-Carlo standard errors of a coverage of .90."""
        return 3 * math.sqrt(LEAST * (1 - LEAST) / self.reps) if self.reps else 0.0

    @property
    def size_slack(self) -> float:
        """Three Monte-Carlo standard errors of a size of .05; rounding when enumerated."""
        return 3 * math.sqrt(SIZE * (1 - SIZE) / self.reps) if self.reps else 1e-9

    def stored(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True)
class Cell:
    """``row`` and ``column`` place it in the table of its section; ``n`` is the number of items."""

    section: str
    row: str
    column: str
    n: int
    run: Callable[[int, int], Result]

    @property
    def key(self) -> str:
        return f"{self.section} | {self.row} | {self.column}"

    @property
    def seed(self) -> int:
        """From the name, so that a cell gives the same numbers whichever others are run."""
        return zlib.crc32(self.key.encode())


def simulated(design: Design) -> Callable[[int, int], Result]:
    """Run the default interval, the deciding test and the naive ones on ``design``."""

    def run(reps: int, seed: int) -> Result:
        found = coverage("default", design, reps=reps, rng=seed)
        null = abs(design.truth) < 1e-12
        tests = {row.role: _share(row) for row in found if row.kind == "test" and null}
        spans = {row.role: row for row in found if row.kind == "interval"}
        return Result(
            coverage=_share(spans["default"]) or 0.0,
            width=spans["default"].width,
            naive=_share(spans["naive"]) if "naive" in spans else None,
            size=tests.get("decides"),
            naive_size=tests.get("naive"),
            reps=reps,
        )

    return run


def _share(row: Operation) -> float | None:
    return None if isinstance(row.share, Undefined) else row.share.point
