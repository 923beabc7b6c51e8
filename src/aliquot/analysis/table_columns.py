"""One difference of a table before it is analysed: a candidate on a task, and what its items share with other tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aliquot.analysis.arrays import PairedSample
from aliquot.evidence.units import Pairs
from aliquot.findings.scale import Scale
from aliquot.stats.inputs import Floats


@dataclass(frozen=True, slots=True)
class Column:
    """A candidate against the baseline on one task.

    Attributes:
        task: the task.
        metric: its metric.
        candidate: the candidate.
        scale: how the metric's numbers are read.
        pairs: the shared items.
        sample: those with a value on both sides.
        asked: what each item of the sample asks, the same in every task that asks it.
    """

    task: str
    metric: str
    candidate: str
    scale: Scale
    pairs: Pairs
    sample: PairedSample
    asked: tuple[str, ...]

    @property
    def units(self) -> np.ndarray:
        """A label for each item: that of what it asks, copies within the task told apart."""
        return np.array(_numbered(self.asked))

    @property
    def flipped_with(self) -> np.ndarray:
        """The label of each item's cluster (of the item where there is none), the same across tasks."""
        if self.sample.clusters is None:
            return self.units
        known = dict(self.pairs.frame.select("item", "cluster").iter_rows())
        return np.array([f"cluster\x1f{known[item]}" for item in self.sample.items])

    @property
    def weights(self) -> Floats:
        """The weight of each item; ones when all weigh the same."""
        return np.ones(self.sample.n) if self.sample.weights is None else self.sample.weights


def _numbered(names: Sequence[str]) -> list[str]:
    """Return names that are all different: copies of one item are told apart by their order."""
    seen: dict[str, int] = {}
    found: list[str] = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}\x1f{seen[name]}")
    return found
