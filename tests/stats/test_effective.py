from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.stats.effective import as_rows, effective_size
from aliquot.stats.inputs import as_codes
from aliquot.stats.roots import bisect

LABELS = st.lists(st.integers(-120, 120), min_size=1, max_size=50)


@given(LABELS, st.sampled_from(["int8", "int16", "int64", "float64"]))
def test_codes_do_not_depend_on_the_type_of_the_labels(labels, kind):
    expected = np.unique(labels, return_inverse=True)[1]
    assert (as_codes(np.array(labels, dtype=kind), len(labels), name="clusters") == expected).all()


def test_codes_of_huge_labels():
    labels = np.array([2**64 - 1, 2**64 - 2, 2**64 - 1], dtype=np.uint64)
    assert as_codes(labels, 3, name="clusters").tolist() == [1, 0, 1]


def test_what_changes_nothing_is_dropped():
    rows = as_rows([1, 0, 1], clusters=["a", "b", "c"], weights=[2, 2, 2])
    assert rows.plain
    # without the row of weight 0 every cluster has one row left
    assert as_rows([1, 0, 1], clusters=[1, 1, 2], weights=[2, 0, 2]).plain
    assert not as_rows([1, 0, 1], clusters=[1, 1, 2], weights=None).plain


def test_mean_of_equal_rows_is_exact_under_any_weights():
    rows = as_rows([0.1] * 7, clusters=None, weights=[0.1, 0.2, 0.3, 0.7, 0.11, 0.13, 0.17])
    assert rows.mean == 0.1


@given(st.floats(0.001, 0.999), st.integers(2, 8))
def test_n_star_never_exceeds_n_eff(mean, g):
    y = np.clip(mean + 0.01 * np.sin(np.arange(3 * g)), 0, 1)
    rows = as_rows(y, clusters=np.repeat(np.arange(g), 3), weights=None)
    size = effective_size(rows, spread=rows.mean * (1 - rows.mean), level=0.95)
    assert 0 < size.n_star < size.n_eff  # z/t < 1 at any df


def test_bisect():
    assert bisect(lambda x: x**3 - 2, 0, 2) == pytest.approx(2 ** (1 / 3), abs=1e-15)
    assert bisect(lambda x: 1 - x, 0, 3) == pytest.approx(1.0, abs=1e-15)
    assert bisect(lambda x: x, 0, 1) == 0
    assert bisect(lambda x: x - 1, 0, 1) == 1
    with pytest.raises(ArithmeticError, match="no change of sign"):
        bisect(math.exp, -1, 1)
