from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.heterogeneity import Shrinkage, cochran_q, shrink_groups
from aliquot.stats.results import HypothesisTest, Undefined

# Colditz et al. (1994) JAMA 271:698: tuberculosis cases and others, vaccinated and not, in 13 trials
BCG = [
    (4, 119, 11, 128),
    (6, 300, 29, 274),
    (3, 228, 11, 209),
    (62, 13536, 248, 12619),
    (33, 5036, 47, 5761),
    (180, 1361, 372, 1079),
    (8, 2537, 10, 619),
    (505, 87886, 499, 87892),
    (29, 7470, 45, 7232),
    (17, 1699, 65, 1600),
    (186, 50448, 141, 27197),
    (5, 2493, 3, 2338),
    (27, 16886, 29, 17825),
]
LOG_RATIO = [math.log(a / (a + b)) - math.log(c / (c + d)) for a, b, c, d in BCG]
VARIANCE = [1 / a - 1 / (a + b) + 1 / c - 1 / (c + d) for a, b, c, d in BCG]


def test_cochran_q_as_metafor_prints_it() -> None:
    found = cochran_q(LOG_RATIO, variances=VARIANCE)
    assert isinstance(found, HypothesisTest)
    # R metafor, rma(measure="RR", data=dat.bcg): Q(df = 12) = 152.2330, p < .0001
    assert found.statistic == pytest.approx(152.2330, abs=5e-5)
    assert found.df == 12
    assert found.p < 1e-4
    # I² = (152.233 − 12)/152.233
    assert found.settings["i2"] == pytest.approx(0.92117, abs=1e-5)


@pytest.mark.parametrize(
    ("method", "tau2", "mean", "se"),
    [("reml", 0.3132, -0.7145, 0.1798), ("dersimonian_laird", 0.3088, -0.7141, 0.1787)],
)
def test_random_effects_as_metafor_prints_them(method: Any, tau2: float, mean: float, se: float) -> None:
    found = shrink_groups(LOG_RATIO, variances=VARIANCE, method=method)
    assert isinstance(found, Shrinkage)
    assert found.tau**2 == pytest.approx(tau2, abs=5e-5)
    assert found.mean.point == pytest.approx(mean, abs=5e-5)
    assert found.mean.se == pytest.approx(se, abs=5e-5)


GROUPS = st.lists(st.tuples(st.floats(-1, 1), st.floats(1e-3, 1)), min_size=2, max_size=8)


@given(GROUPS)
@settings(max_examples=60, deadline=None)
def test_shrunken_groups_solve_the_mixed_model_equations(pairs: list[tuple[float, float]]) -> None:
    """Henderson's equations give the same predictions and errors as the closed form."""
    y, v = np.array(pairs).T
    found = shrink_groups(y, variances=v)
    assert isinstance(found, Shrinkage)
    tau2 = found.tau**2
    if tau2 < 1e-8:
        assert all(group.point == pytest.approx(found.mean.point, abs=1e-6) for group in found.groups)
        return
    k = y.size
    left = np.zeros((k + 1, k + 1))
    left[0, 0], left[0, 1:], left[1:, 0] = (1 / v).sum(), 1 / v, 1 / v
    left[1:, 1:] = np.diag(1 / v + 1 / tau2)
    inverse = np.linalg.inv(left)
    solved = inverse @ np.concatenate([[(y / v).sum()], y / v])
    assert found.mean.point == pytest.approx(solved[0], abs=1e-7)
    for j, group in enumerate(found.groups, start=1):
        assert group.point == pytest.approx(solved[0] + solved[j], abs=1e-7)
        error = math.sqrt(inverse[0, 0] + inverse[j, j] + 2 * inverse[0, j])
        assert group.se == pytest.approx(error, rel=1e-6)


@given(GROUPS)
@example([(0.0, 1.0)] * 4 + [(1.0, 0.125)])  # plain Fisher scoring steps back and forth over the top here
@settings(max_examples=60, deadline=None)
def test_reml_is_the_top_of_the_restricted_likelihood(pairs: list[tuple[float, float]]) -> None:
    y, v = np.array(pairs).T

    def log_likelihood(tau2: float) -> float:
        w = 1 / (v + tau2)
        mu = w @ y / w.sum()
        return float(-0.5 * (np.log(v + tau2).sum() + np.log(w.sum()) + w @ (y - mu) ** 2))

    found = shrink_groups(y, variances=v)
    assert isinstance(found, Shrinkage)
    tau2 = found.tau**2
    here = log_likelihood(tau2)
    for step in (1e-3, 1e-2):  # a top: neither a little less nor a little more is likelier
        assert log_likelihood(tau2 + step) <= here + 1e-9
        assert log_likelihood(max(0.0, tau2 - step)) <= here + 1e-9


def test_groups_that_agree_share_the_mean() -> None:
    found = shrink_groups([0.1, 0.1, 0.1], variances=[0.01, 0.02, 0.04])
    assert isinstance(found, Shrinkage)
    assert found.tau == 0
    assert found.kept == (0.0, 0.0, 0.0)
    assert [group.point for group in found.groups] == pytest.approx([0.1] * 3)
    # one mean of three: var = 1/(100 + 50 + 25)
    assert found.groups[0].se == pytest.approx(math.sqrt(1 / 175))


def test_a_precise_group_keeps_more_of_its_own() -> None:
    found = shrink_groups([0.5, 0.5, -0.5], variances=[0.001, 0.3, 0.001])
    assert isinstance(found, Shrinkage)
    assert found.kept[0] > 0.9 > found.kept[1]
    assert found.mean.point < found.groups[1].point < 0.5


@pytest.mark.parametrize("call", [cochran_q, shrink_groups])
def test_what_cannot_be_seen(call: Any) -> None:
    assert isinstance(call([0.1], variances=[0.2]), Undefined)
    found = call([0.1, 0.2], variances=[0.2, 0.0])
    assert isinstance(found, Undefined)
    assert "no variation" in found.reason
    with pytest.raises(UsageError, match="one value for each of the 2"):
        call([0.1, 0.2], variances=[0.1])
    with pytest.raises(UsageError, match="between 0"):
        call([0.1, 0.2], variances=[0.1, -0.1])
