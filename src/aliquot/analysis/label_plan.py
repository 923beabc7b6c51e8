"""What more labels would bring: the width of the corrected rate to expect, at the errors seen so far."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aliquot.analysis.corrected import passed
from aliquot.analysis.judged import Judged
from aliquot.findings.calibration import MoreLabels
from aliquot.stats.label_plan import corrected_width

TIMES = (1, 2, 4, 8)
"""How many times the labels there are."""


def more_labels(judged: Judged, *, level: float) -> Iterator[MoreLabels]:
    """Yield the width to expect of a corrected rate over all judged answers, at so many labels drawn at random.

    Args:
        judged: the answers; labels pass or fail.
        level: confidence level.
    """
    rows = judged.frame.with_columns(passed=passed(judged))
    verdicts = rows["passed"].fill_null(-1.0).to_numpy()
    labels = rows["label"].fill_null(float("nan")).to_numpy()
    known = ~np.isnan(labels)
    levels = np.unique(verdicts)
    shares = np.array([(verdicts == one).mean() for one in levels])
    rates = np.array([_rate(labels[known & (verdicts == one)]) for one in levels])
    for times in TIMES:
        count = int(known.sum()) * times
        if count > rows.height:
            return
        width = corrected_width(count * shares, shares, rates, judged=rows.height, level=level)
        yield MoreLabels(labels=count, width=width)


def _rate(labels: np.ndarray) -> float:
    """Return the share of passes, a little off 0 and 1, as the next labels may be."""
    return float((labels.sum() + 0.5) / (labels.size + 1))
