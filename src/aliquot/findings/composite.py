"""How the winner depends on the weights of several metrics."""

from __future__ import annotations

from dataclasses import dataclass

from aliquot.stats.ratios import UnboundedRatio
from aliquot.stats.results import Estimate, HypothesisTest, Undefined


@dataclass(frozen=True, slots=True)
class Composite:
    """Two systems under all weightings of several metrics, each on its own scale brought to [0, 1], higher better.

    Attributes:
        metrics: the metrics' names.
        n: items with a value of every metric on both sides.
        differences: candidate minus baseline of each metric on the common scale, reconciled with its sign flip.
        equal: the difference under equal weights, reconciled with its test.
        test: that test, a sign flip of the weighted differences.
        break_even: of two metrics: the weight of the first at which neither system leads; Undefined when every weight
            has the same winner. None for more metrics.
        wins: share of all weightings (drawn evenly) under which the candidate's point lies above the baseline's.
        clearly_better: share under which its interval lies above 0, each weighting looked at alone.
        clearly_worse: share under which it lies below 0.
        draws: weightings drawn.
        level: confidence level.
        seed: seed of the weightings and flips.
    """

    metrics: tuple[str, ...]
    n: int
    differences: tuple[Estimate | Undefined, ...]
    equal: Estimate | Undefined
    test: HypothesisTest
    break_even: Estimate | UnboundedRatio | Undefined | None
    wins: float
    clearly_better: float
    clearly_worse: float
    draws: int
    level: float
    seed: int

    @property
    def hangs_on_weights(self) -> bool:
        """Whether some weightings have the candidate ahead and others the baseline."""
        return 0 < self.wins < 1
