"""Results print, escape, and become frames, whatever they hold."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import aliquot.stats as st

RECORDS = [
    st.wilson(3, 9),
    st.rate([1, 1, 0, 1, 0, 0], clusters=[1, 1, 2, 2, 3, 3]),
    st.mcnemar(7, 1),
    st.Undefined("one cluster only"),
    st.cluster_variance([1, 0, 1, 1], clusters=[1, 1, 2, 2]),
    st.intraclass([1, 0, 1, 1, 0, 0], clusters=[1, 1, 2, 2, 3, 3]),
    st.design_effect([1, 0, 1, 1, 0, 0], clusters=[1, 1, 2, 2, 3, 3]),
    st.mean_bounds([1, 0, math.nan]),
    st.mean_bounds([math.nan, math.nan]),
    st.mcnemar_range(37, 51, 60),
    st.independence_gap([1, 2, 0], [3, 3, 3], k=2),
    st.detectable_difference(100, psi=0.1),
    st.item_means([1, 0, 1, 1], items=list("aabb")),
    st.stratified_variance([1, 0, 1, 0], strata=list("aabb")),
    st.fieller([1.0, 2.0, 3.0], [0.1, -0.1, 0.05]),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_every_record_is_a_frame_of_one_row_and_a_table(record):
    frame = record.to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame.height == 1
    assert "settings" not in frame.columns
    page = record._repr_html_()
    assert page.startswith(f"<table><caption>{type(record).__name__}</caption><tr>")
    assert page.count("<td>") == page.count("</td>") == 2 * page.count("<tr>")


def test_the_frame_of_an_estimate():
    row = st.wilson(3, 9).to_frame().row(0, named=True)
    assert (row["point"], row["low"], row["high"]) == (
        3 / 9,
        st.wilson(3, 9).low,
        st.wilson(3, 9).high,
    )
    assert row["method"] == "wilson"
    assert row["clusters"] is None


def test_parts_of_a_record_get_a_dotted_name():
    frame = st.mean_bounds([1, 0, math.nan]).to_frame()
    assert frame["interval.method"][0] == "imbens_manski"
    assert "interval.settings" not in frame.columns
    lost = st.mean_bounds([math.nan, math.nan]).to_frame()
    assert lost["observed"][0] is None
    assert isinstance(lost["observed.undefined"][0], str)


def test_mappings_and_arrays_become_columns_and_lists():
    strata = st.stratified_variance([1, 0, 1, 0], strata=list("aabb")).to_frame()
    assert strata["shares.a"][0] == 0.5
    assert strata["variance.mean"][0] == 0.5
    assert strata["weights"][0].to_list() == [0.25] * 4


def test_html_is_escaped_and_leaves_out_what_is_empty():
    assert st.Undefined("a < b & c")._repr_html_() == (
        "<table><caption>Undefined</caption><tr><td>reason</td><td>a &lt; b &amp; c</td></tr></table>"
    )
    page = st.wilson(3, 9)._repr_html_()
    assert "<td>point</td><td>0.3333</td>" in page
    assert "<td>se</td>" not in page
    assert "<td>why</td>" not in page


def test_text_of_the_three_results():
    assert str(st.wilson(3, 9)) == "0.3333 [0.1206, 0.6458] 95% wilson, n = 9"
    assert str(st.mcnemar(7, 1)) == "mcnemar_exact: p = 0.07031 (two-sided)"
    assert str(st.Undefined("no pair")) == "undefined: no pair"
    assert not st.Undefined("no pair")
    assert st.wilson(3, 9).width == st.wilson(3, 9).high - st.wilson(3, 9).low


@pytest.mark.parametrize("place", range(3))
def test_nan_is_never_a_result(place):
    limits = [0.5, 0.4, 0.6]
    limits[place] = math.nan
    with pytest.raises(ArithmeticError, match="w produced NaN"):
        st.Estimate(*limits, 0.95, "w", 3)


@pytest.mark.parametrize("p", [0.0, -0.1, 1.01, math.nan])
def test_a_p_value_lies_above_0(p):
    with pytest.raises(ArithmeticError, match="p-value lies in"):
        st.HypothesisTest("t", p)
    assert st.HypothesisTest("t", 1.0).p == 1.0


def test_records_are_frozen():
    with pytest.raises(AttributeError):
        st.wilson(3, 9).point = 0.1
    assert np.isfinite(st.wilson(3, 9).point)
