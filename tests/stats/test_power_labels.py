"""Labels beside a judge: what they save, by simulation and at the ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats import fold_design, judged_r2, labels_sample_size

RATES, PSI, JUDGE = (0.7, 0.78), 0.2, {"sensitivity": 0.9, "specificity": 0.8}


def _draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return true and judged differences of items."""
    fixed, broke = (PSI + RATES[1] - RATES[0]) / 2, (PSI - RATES[1] + RATES[0]) / 2
    both = RATES[0] - broke
    cells = rng.choice(4, size=n, p=[both, broke, fixed, 1 - both - broke - fixed])
    a, b = np.isin(cells, (0, 1)), np.isin(cells, (0, 2))

    def judged(true: np.ndarray) -> np.ndarray:
        passes = np.where(true, JUDGE["sensitivity"], 1 - JUDGE["specificity"])
        return (rng.random(n) < passes).astype(float)

    return b.astype(float) - a, judged(b) - judged(a)


def test_the_correlation_is_that_of_answers_drawn_and_judged():
    seen = fold_design(*RATES, psi=PSI, **JUDGE)
    true, judged = _draw(np.random.default_rng(1), 400_000)
    expected = np.corrcoef(true, judged)[0, 1] ** 2
    assert judged_r2(PSI, 0.08, seen_psi=seen.psi, factor=seen.factor) == pytest.approx(expected, abs=0.004)


@pytest.mark.heavy
def test_so_many_labels_give_the_variance_of_the_items_they_stand_for():
    seen = fold_design(*RATES, psi=PSI, **JUDGE)
    r2 = judged_r2(PSI, 0.08, seen_psi=seen.psi, factor=seen.factor)
    alone, judged = 400, 2000
    n = labels_sample_size(alone, judged=judged, r2=r2)
    rng = np.random.default_rng(2)
    found = []
    for _ in range(4000):
        true, read = _draw(rng, judged)
        weight = np.cov(true[:n], read[:n])[0, 1] / ((1 + n / (judged - n)) * np.var(read, ddof=1))
        found.append(true[:n].mean() + weight * (read[n:].mean() - read[:n].mean()))
    assert np.var(found) == pytest.approx((PSI - 0.08**2) / alone, rel=0.08)
    assert n < alone


@given(items=st.integers(1, 5000), times=st.floats(1, 100), r2=st.floats(0, 0.999))
def test_labels_lie_between_what_a_judge_of_everything_leaves_and_all(items, times, r2):
    labels = labels_sample_size(items, judged=items * times, r2=r2)
    assert items * (1 - r2) - 1e-6 <= labels <= items
    assert labels_sample_size(items, judged=items * times * 2, r2=r2) <= labels


def test_a_judge_that_tells_nothing_saves_nothing():
    seen = fold_design(0.5, 0.5, psi=0.4, sensitivity=0.5, specificity=0.5)
    r2 = judged_r2(0.4, 0.0, seen_psi=seen.psi, factor=seen.factor)
    assert r2 == 0
    assert labels_sample_size(300, judged=10_000, r2=r2) == 300


def test_fewer_judged_than_needed_are_refused():
    with pytest.raises(UsageError, match="cannot stand in"):
        labels_sample_size(300, judged=299, r2=0.5)
