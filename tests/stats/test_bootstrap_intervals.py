from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from aliquot.errors import UsageError
from aliquot.stats.bootstrap_intervals import (
    acceleration_constant,
    basic_interval,
    bca_interval,
    bias_correction,
    normal_interval,
    percentile_interval,
    studentized_interval,
)
from aliquot.stats.results import Undefined
from tests.oracles import cases

REPLICATES = st.lists(st.floats(-100, 100), min_size=5, max_size=80).filter(lambda r: max(r) - min(r) > 1e-3)


def interval(name, case, convention):
    given_ = case["inputs"]
    data = np.array(given_["data"])
    point = float(np.median(data) if given_.get("statistic") == "median" else data.mean())
    options = {"level": given_["conf_level"]}
    if name == "norm":
        return normal_interval(given_["replicates"], point, **options)
    if name == "bca":
        a = acceleration_constant(data - data.mean())
        return bca_interval(given_["replicates"], point, acceleration=a, convention=convention, **options)
    call = {"perc": percentile_interval, "percentile": percentile_interval, "basic": basic_interval}[name]
    return call(given_["replicates"], point, convention=convention, **options)


@pytest.mark.parametrize("case", cases("06_bootstrap", "-bca-0", "-perc-", "-norm-"))
def test_limits_equal_r_boot(case):
    found = interval(case["id"].split("-")[1], case, "boot")
    expected = case["expected"]
    assert (found.low, found.high) == pytest.approx(
        (expected["lower"], expected["upper"]), abs=case["tolerance"], rel=0
    )


@pytest.mark.parametrize("case", cases("06_bootstrap", "scipy-"))
def test_limits_equal_scipys_oracle(case):
    found = interval(case["id"].split("-")[3].lower(), case, "scipy")
    expected = case["expected"]
    assert (found.low, found.high) == pytest.approx(
        (expected["lower"], expected["upper"]), abs=case["tolerance"], rel=0
    )


@pytest.mark.parametrize("case", cases("06_bootstrap", "bca-constants"))
def test_constants(case):
    data = np.array(case["inputs"]["data"])
    a = acceleration_constant(data - data.mean())
    z0 = bias_correction(case["inputs"]["replicates"], float(data.mean()), convention="boot")
    assert (z0, a) == pytest.approx(
        (case["expected"]["z0"], case["expected"]["a"]), abs=case["tolerance"], rel=0
    )


@given(REPLICATES, st.sampled_from([0.5, 0.8, 0.95]), st.data())
def test_percentile_basic_and_bca_equal_scipy_on_given_replicates(replicates, level, data):
    y = data.draw(st.lists(st.integers(0, 9), min_size=3, max_size=12).filter(lambda v: len(set(v)) > 1))
    values, point = np.array(replicates), float(np.mean(y))
    given_ = reference.bootstrap(
        (np.array(y, dtype=float),), np.mean, n_resamples=2, method="percentile", rng=1
    )
    given_.bootstrap_distribution = values
    a = acceleration_constant(np.array(y) - point)
    ours = {
        "percentile": percentile_interval(values, point, level=level),
        "basic": basic_interval(values, point, level=level),
        "BCa": bca_interval(values, point, acceleration=a, level=level),
    }
    for method, found in ours.items():
        if isinstance(found, Undefined):
            assert ((values < point).mean() + (values <= point).mean()) / 2 in (0.0, 1.0)
            continue
        expected = reference.bootstrap(
            (np.array(y, dtype=float),),
            np.mean,
            n_resamples=0,
            bootstrap_result=given_,
            method=method,
            confidence_level=level,
        ).confidence_interval
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-7)


@given(REPLICATES, st.sampled_from(["scipy", "boot"]))
def test_shift_and_scale(replicates, convention):
    values = np.array(replicates)
    first = percentile_interval(values, 0.0, convention=convention)
    second = percentile_interval(3 * values + 7, 7.0, convention=convention)
    assert (second.low, second.high) == pytest.approx((3 * first.low + 7, 3 * first.high + 7), abs=1e-6)
    turned = basic_interval(values, 0.0, convention=convention)
    assert (turned.low, turned.high) == pytest.approx((-first.high, -first.low))


def test_one_sided_limits():
    values = np.arange(1.0, 1000)
    both = percentile_interval(values, 500, level=0.9)
    lower = percentile_interval(values, 500, level=0.95, alternative="greater")
    upper = percentile_interval(values, 500, level=0.95, alternative="less")
    assert (lower.low, lower.high) == (pytest.approx(both.low), np.inf)
    assert (upper.low, upper.high) == (-np.inf, pytest.approx(both.high))


def test_order_statistics_of_999():
    # (999 + 1) × .025 = 25 and × .975 = 975
    found = percentile_interval(np.arange(1.0, 1000)[::-1], 500, convention="boot")
    assert (found.low, found.high) == (25.0, 975.0)
    # 19 replicates: rank .5 lies below the first, so the first and the last stand
    few = percentile_interval(np.arange(1.0, 20), 10, convention="boot")
    assert (few.low, few.high) == (1.0, 19.0)


def test_studentized_swaps_the_tails():
    # quantiles −2 and 1 of the pivots: 10 − 3 × 1 and 10 − 3 × (−2)
    found = studentized_interval([-2, -2, 0, 1, 1], 10, se=3.0, level=0.5)
    assert (found.low, found.high, found.se) == (7.0, 16.0, 3.0)


def test_what_bca_cannot_give_is_undefined():
    assert isinstance(bca_interval([1, 2, 3], 10.0, acceleration=0.0), Undefined)
    assert isinstance(bca_interval([1, 2, 3, 4], 2.5, acceleration=0.9), Undefined)
    assert isinstance(acceleration_constant([0.0, 0.0]), Undefined)


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=20), st.sampled_from([1e-150, 1.0, 1e150]))
def test_acceleration_has_no_scale(values, scale):
    influence = np.array(values) - np.mean(values)
    if np.abs(influence).max() < 1e-3:
        return
    plain = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    assert acceleration_constant(scale * influence) == pytest.approx(plain, abs=1e-9)


def test_bad_input():
    with pytest.raises(UsageError, match="convention"):
        percentile_interval([1, 2], 1.5, convention="sas")  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="at least 2"):
        percentile_interval([1], 1.5)
    with pytest.raises(UsageError, match="point"):
        percentile_interval([1, 2], float("nan"))
