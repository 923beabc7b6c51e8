"""Systems on different items: the design's unpaired row, and never in silence."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from aliquot import compare
from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import assemble
from aliquot.stats.power_exact_unpaired import unpaired_exact_detectable, unpaired_exact_sample_size
from aliquot.stats.results import Estimate
from tests.oracles import case


def different_items(a, b, *, clusters=None, kind=None):
    rows = [
        {"system": name, "item": f"{name}-{place}", "value": float(value)}
        for name, values in (("a", a), ("b", b))
        for place, value in enumerate(values)
    ]
    items = None
    if clusters is not None:
        items = pl.DataFrame(
            {
                "item": [row["item"] for row in rows],
                "cluster": [f"{row['system']}{c}" for row, c in zip(rows, clusters, strict=True)],
            }
        )
    evidence = assemble(pl.DataFrame(rows), items=items)
    if kind is not None:
        return evidence.revise(metrics=evidence.metrics.with_columns(kind=pl.lit(kind), low=None, high=None))
    return evidence


@pytest.mark.parametrize("name", ["5_56_0_29", "7_34_1_34", "24_30_30_30", "7_25_2_25", "87_120_89_120"])
def test_counts_on_different_items_give_the_published_score_interval(name):
    published = case("03_unpaired", f"03_unpaired-mn-{name}")
    x_a, n_a, x_b, n_b = (int(part) for part in name.split("_"))
    found = compare(different_items([1] * x_a + [0] * (n_a - x_a), [1] * x_b + [0] * (n_b - x_b)))
    assert not found.paired
    assert isinstance(found.difference, Estimate)
    limits = sorted(
        (-published["expected"]["upper"], -published["expected"]["lower"])
    )  # the oracle's is A − B
    held = "held at 0" in found.difference.method
    assert found.difference.low == pytest.approx(limits[0], abs=2e-6) or (held and found.difference.low == 0)
    assert found.difference.high == pytest.approx(limits[1], abs=2e-6) or (
        held and found.difference.high == 0
    )


def test_the_first_line_says_that_the_systems_are_not_paired():
    found = compare(different_items([1, 0, 1, 1, 0, 1], [1, 1, 1, 0, 1, 1]))
    assert "not paired, as the systems share no item" in found.verdict.text
    assert "not_paired" in {note.code for note in found.warnings}
    assert found.table is None
    assert found.broke == ()


def test_boschloo_decides_small_sets_and_the_score_test_large_ones():
    small = compare(different_items([1] * 10 + [0] * 10, [1] * 15 + [0] * 5))
    large = compare(different_items([1] * 300 + [0] * 100, [1] * 300 + [0] * 200))
    assert small.deciding is not None
    assert small.deciding.name == "boschloo"
    assert large.deciding is not None
    assert large.deciding.name == "mn_score"


def test_clusters_of_each_side_widen_the_interval_and_whole_clusters_are_permuted():
    rng = np.random.default_rng(3)
    values = np.repeat(rng.random(24) < 0.5, 5).astype(float)
    plain = compare(different_items(values[:60], values[60:]))
    clustered = compare(different_items(values[:60], values[60:], clusters=[i // 5 for i in range(120)]))
    assert isinstance(plain.difference, Estimate)
    assert isinstance(clustered.difference, Estimate)
    assert clustered.difference.width > 1.5 * plain.difference.width
    assert clustered.deciding is not None
    assert clustered.deciding.name == "cluster_permutation"
    assert clustered.n_clusters == 24


def test_scores_on_different_items_are_welch_with_a_permutation_test():
    found = compare(different_items([2.1, 3.0, 2.6, 3.3], [3.4, 3.9, 2.9, 4.1, 3.6], kind="real"))
    assert isinstance(found.difference, Estimate)
    assert found.difference.low == pytest.approx(0.0209, abs=1e-4) or "held at 0" in found.difference.method
    assert found.deciding is not None
    assert found.deciding.name == "permutation"


def test_shared_items_are_paired_unless_asked_otherwise():
    rows = [
        {"system": name, "item": str(place), "value": float(value)}
        for name, values in (("a", [1, 1, 0, 0, 1, 0]), ("b", [1, 1, 1, 0, 1, 1]))
        for place, value in enumerate(values)
    ]
    evidence = assemble(pl.DataFrame(rows))
    assert compare(evidence).paired
    apart = compare(evidence, unpaired=True)
    assert not apart.paired
    assert "not paired, as asked" in apart.verdict.text


def test_two_printed_counts_need_no_file():
    found = compare(counts=("12/20", "17/20"))
    assert found.n_items == 40
    assert found.deciding is not None
    assert found.deciding.name == "boschloo"


def test_a_printed_figure_is_the_baseline_of_a_source():
    rows = pl.DataFrame(
        {"system": "pr", "item": [str(i) for i in range(120)], "value": [1.0] * 90 + [0.0] * 30}
    )
    found = compare(assemble(rows), against="0.62/500")
    assert found.baseline.system == "printed 0.62/500"
    assert found.baseline.total == 310
    assert found.verdict.word == "better"


def test_a_printed_figure_is_read_in_the_direction_of_the_source():
    rows = pl.DataFrame(
        {"system": "a", "item": [str(i) for i in range(40)], "value": [1.0] * 10 + [0.0] * 30}
    )
    evidence = assemble(rows)
    lower = evidence.revise(metrics=evidence.metrics.with_columns(better=pl.lit("lower")))
    found = compare(lower, against="0.82/500")
    assert found.scale.better == "lower"
    assert found.verdict.word == "better"


def test_sources_that_read_a_metric_in_opposite_ways_are_refused():
    sides = [
        assemble(pl.DataFrame({"system": name, "item": ["1", "2"], "value": [1.0, 0.0]}))
        for name in ("a", "b")
    ]
    lower = sides[1].revise(metrics=sides[1].metrics.with_columns(better=pl.lit("lower")))
    with pytest.raises(InputError, match="opposite ways"):
        compare(sides[0], lower)


@pytest.mark.parametrize("figure", ["17", "21/20", "1.2/20", "22.4%/124", "0.5/0", "a/b", ""])
def test_a_figure_that_cannot_be_is_refused(figure):
    with pytest.raises(UsageError):
        compare(counts=(figure, "17/20"))


def test_missing_rows_of_a_side_are_read_both_ways():
    rows = pl.DataFrame(
        {
            "system": ["a"] * 20 + ["b"] * 20,
            "item": [f"a{i}" for i in range(20)] + [f"b{i}" for i in range(20)],
            "value": [1.0] * 10 + [0.0] * 10 + [1.0] * 18 + [None] * 2,
            "status": ["ok"] * 38 + ["error"] * 2,
        }
    )
    found = compare(assemble(rows))
    assert found.if_missing is not None
    assert found.if_missing.rows == 2


def test_at_a_rate_of_0_or_1_the_reach_is_exact():
    # 20 of 20 against 17 of 20: the normal approximation does not hold at 1
    found = compare(different_items([1] * 20, [1] * 17 + [0] * 3))
    assert found.detectable.method == "unpaired_exact"
    assert found.detectable.low == unpaired_exact_detectable(20, rate=1, direction="down")
    assert found.to_settle.method == "unpaired_exact"
    assert found.to_settle.items == unpaired_exact_sample_size(1, 0.85)
    within = compare(different_items([1] * 18 + [0] * 2, [1] * 17 + [0] * 3))
    assert (within.detectable.method, within.to_settle.method) == ("unpaired_z", "unpaired_z")
