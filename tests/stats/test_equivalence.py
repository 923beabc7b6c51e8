"""Power and items against a margin: outside numbers, every table one by one, and t integrated another way."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy.stats import binom, chi2, multinomial, nct, norm
from scipy.stats import t as student

from aliquot.errors import UsageError
from aliquot.stats.equivalence import (
    graded_margin_power,
    graded_margin_sample_size,
    paired_margin_power,
    paired_margin_sample_size,
    unpaired_margin_power,
    unpaired_margin_sample_size,
)
from aliquot.stats.margins import paired_margin_z, unpaired_margin_z
from aliquot.stats.paired_score import tango_limits
from aliquot.stats.results import Undefined
from aliquot.stats.unpaired_score import score_limits
from tests.oracles import cases

goals = st.sampled_from(["not_worse", "equivalent"])


@pytest.mark.parametrize("case", cases("04_power", "-tango-ni-exactpower"))
def test_exact_power_computed_elsewhere(case):
    given_ = case["inputs"]
    found = paired_margin_power(
        given_["n"],
        psi=given_["p10"] + given_["p01"],
        difference=given_["p01"] - given_["p10"],
        margin=given_["margin"],
        level=1 - 2 * given_["alpha"],
    )
    assert found == pytest.approx(case["expected"]["power"], abs=case["tolerance"])


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(1, 25),
    psi=st.floats(0.01, 1),
    share=st.floats(-1, 1),
    margin=st.floats(0.02, 0.9),
    goal=goals,
)
def test_paired_power_agrees_with_the_interval_of_each_table(n, psi, share, margin, goal):
    up, down = psi * (1 + share) / 2, psi * (1 - share) / 2
    tables = [(x, y) for x, y in itertools.product(range(n + 1), repeat=2) if x + y <= n]
    fixed, broke = np.array(tables).T
    low, high = tango_limits(fixed, broke, n, z=norm.ppf(0.975))
    held = (low > -margin) & ((high < margin) | (goal == "not_worse"))
    law = multinomial.pmf(np.stack([fixed, broke, n - fixed - broke], axis=1), n, [up, down, 1 - up - down])
    found = paired_margin_power(n, psi=psi, difference=psi * share, margin=margin, goal=goal)
    assert found == pytest.approx(float(law[held].sum()), abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(
    n_a=st.integers(2, 25),
    n_b=st.integers(2, 25),
    a=st.sampled_from([0.0, 1.0]) | st.floats(0.001, 0.999),
    b=st.floats(0.001, 0.999),
    margin=st.floats(0.02, 0.9),
    goal=goals,
)
def test_unpaired_power_agrees_with_the_interval_of_each_table(n_a, n_b, a, b, margin, goal):
    x_a, x_b = np.arange(n_a + 1)[:, None], np.arange(n_b + 1)
    low, high = score_limits(x_a, n_a, x_b, n_b, z=norm.ppf(0.975))
    held = (low > -margin) & ((high < margin) | (goal == "not_worse"))
    expected = binom.pmf(x_a[:, 0], n_a, a) @ held @ binom.pmf(x_b, n_b, b)
    found = unpaired_margin_power(n_a, n_b=n_b, rate_a=a, rate_b=b, margin=margin, goal=goal)
    assert found == pytest.approx(float(expected), abs=1e-9)


@settings(deadline=None)
@given(n=st.integers(1, 60), m=st.integers(1, 60), margin=st.floats(0.005, 0.99))
def test_in_a_row_of_tables_z_rises_with_the_candidate(n, m, margin):
    for broke in {0, 1, n // 3, n}:
        fixed = np.arange(n - broke + 1.0)
        z = paired_margin_z(fixed, np.full(fixed.size, broke), n, margin=margin, goal="not_worse")
        assert (z[1:] >= z[:-1] - 1e-9).all()
    for x_a in {0, 1, n // 2, n}:
        x_b = np.arange(m + 1.0)
        z = unpaired_margin_z(np.full(x_b.size, x_a), n, x_b, m, margin=margin, goal="not_worse")
        assert (z[1:] >= z[:-1] - 1e-9).all()


@settings(max_examples=50, deadline=None)
@example(n=16, sd=1.75, difference=0.0, margin=0.875)  # most of the law of s lies beyond the corner
@given(
    n=st.integers(2, 150), sd=st.floats(0.05, 3), difference=st.floats(-0.3, 0.3), margin=st.floats(0.05, 1)
)
def test_graded_power_agrees_with_other_integrals(n, sd, difference, margin):
    limit, scale = student.ppf(0.975, n - 1), math.sqrt(n) / sd
    expected = nct.sf(limit, n - 1, scale * (difference + margin))
    found = graded_margin_power(n, sd=sd, margin=margin, difference=difference)
    if not math.isnan(expected):
        assert found == pytest.approx(expected, abs=1e-8)

    def clear(s):  # given s both limits are clear of the margins when the mean lies between
        up, down = scale * (margin - difference) - limit * s, -scale * (margin + difference) + limit * s
        return (norm.cdf(up) - norm.cdf(down)) * chi2.pdf(s * s * (n - 1), n - 1) * 2 * s * (n - 1)

    last = scale * margin / limit
    middle = [last * 0.3, min(1.0, 0.99 * last)]
    expected_both = integrate.quad(clear, 0, last, points=middle, epsabs=1e-11, limit=500)[0]

    both = graded_margin_power(n, sd=sd, margin=margin, difference=difference, goal="equivalent")
    assert both == pytest.approx(expected_both, abs=1e-8)
    assert both <= found + 1e-12


SIZES = [
    (paired_margin_sample_size, paired_margin_power, {"psi": 0.2, "margin": 0.1}),
    (paired_margin_sample_size, paired_margin_power, {"psi": 0.3, "margin": 0.15, "difference": 0.03}),
    (unpaired_margin_sample_size, unpaired_margin_power, {"rate_a": 0.8, "rate_b": 0.8, "margin": 0.15}),
    (unpaired_margin_sample_size, unpaired_margin_power, {"rate_a": 0.9, "rate_b": 0.87, "margin": 0.12}),
    (graded_margin_sample_size, graded_margin_power, {"sd": 0.5, "margin": 0.2}),
    (graded_margin_sample_size, graded_margin_power, {"sd": 2, "margin": 1.5, "difference": 0.4}),
]


def call(size, options, **more):
    data = [options[name] for name in ("psi", "rate_a", "rate_b") if name in options]
    named = {name: value for name, value in options.items() if name not in {"psi", "rate_a", "rate_b"}}
    return size(*data, **named, **more)


@pytest.mark.parametrize("goal", ["not_worse", "equivalent"])
@pytest.mark.parametrize(("size", "power_of", "options"), SIZES)
def test_sample_size_is_past_the_last_tooth(size, power_of, options, goal):
    found = call(size, options, goal=goal)
    assert power_of(found - 1, **options, goal=goal) < 0.8
    assert min(power_of(n, **options, goal=goal) for n in range(found, found + 40)) >= 0.8


@pytest.mark.parametrize(("size", "power_of", "options"), SIZES[::2])
def test_clusters_multiply_items_by_the_design_effect(size, power_of, options):
    alone, clustered = call(size, options), call(size, options, design_effect=1.4)
    assert clustered == math.ceil(1.4 * alone - 1e-9)
    assert power_of(1.4 * alone, **options, design_effect=1.4) == pytest.approx(power_of(alone, **options))
    assert power_of(clustered, **options, design_effect=1.4) >= 0.8


def test_equivalence_needs_more_than_not_worse_and_a_worse_candidate_more_still():
    found = [
        paired_margin_sample_size(0.2, margin=0.1, goal=goal, difference=difference)
        for goal, difference in (("not_worse", 0.0), ("equivalent", 0.0), ("not_worse", -0.05))
    ]
    assert sorted(found) == found
    assert isinstance(paired_margin_sample_size(0.3, margin=0.001), Undefined)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: paired_margin_power(40, psi=0.1, margin=0.1, difference=0.2), "impossible"),
        (lambda: paired_margin_power(0.5, psi=0.1, margin=0.1), "n must be"),
        (lambda: paired_margin_power(40, psi=0.1, margin=10), "0.05, not 5"),
        (lambda: paired_margin_power(40, psi=0.1, margin=0.1, design_effect=0), "design_effect must be"),
        (lambda: paired_margin_power(40, psi=0.1, margin=0.1, goal="worse"), "unknown goal"),
        (lambda: paired_margin_sample_size(0.2, margin=0.05, difference=-0.05), "at or beyond the margin"),
        (lambda: unpaired_margin_sample_size(0.8, 0.9, margin=0.1, goal="equivalent"), "at or beyond"),
        (lambda: unpaired_margin_power(40, rate_a=80, rate_b=0.8, margin=0.1), "0.8, not 80"),
        (lambda: graded_margin_power(1, sd=1, margin=0.1), "n must be"),
        (lambda: graded_margin_sample_size(sd=0, margin=0.1), "sd must be positive"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(wrong, message):
    with pytest.raises(UsageError, match=message):
        wrong()
