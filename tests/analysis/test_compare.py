from __future__ import annotations

import random
from dataclasses import replace

import polars as pl
import pytest

from aliquot.analysis.compare import Choices, compare_systems
from aliquot.errors import UsageError
from aliquot.stats.results import Estimate, Undefined
from tests.evidence_of import evidence_of, pass_fail
from tests.oracles import case


def compare(evidence, **choices):
    return compare_systems(evidence, "main", "pr", task="task", choices=Choices(**choices))


def test_the_counts_of_a_published_example_give_its_published_numbers():
    # main passes 181, pr 190 of 240: both 172, broke 9, fixed 18, neither 41
    found = compare(evidence_of(pass_fail(172, 9, 18, 41)), margin=0.02)
    table = found.table
    assert table is not None
    assert (table.both, table.broke, table.fixed, table.neither) == (172, 9, 18, 41)
    assert isinstance(found.difference, Estimate)
    assert found.difference.point == pytest.approx((18 - 9) / 240)
    assert found.difference.method == "tango"
    assert found.deciding is not None
    assert found.deciding.name == "mcnemar_exact"
    assert found.verdict.word == "not_worse"
    assert len(found.broke) == 9
    assert len(found.fixed) == 18


@pytest.mark.parametrize("name", ["bentur", "newc_a", "agmin"])
def test_the_oracle_tables_come_out_through_the_whole_path(name):
    exact = {"bentur": 0.0703125, "agmin": 0.151589632034302}
    tango = {"newc_a": "newc_a-tango", "agmin": "agmin-tango"}
    inputs = case(
        "02_paired_binary",
        f"02_paired_binary-{name}-wald" if name == "bentur" else f"02_paired_binary-{tango[name]}",
    )["inputs"]
    # the oracle's b is "only A": what pr broke; its difference is A − B, ours B − A
    found = compare(evidence_of(pass_fail(inputs["a"], inputs["b"], inputs["c"], inputs["d"])))
    if name in exact:
        assert found.deciding is not None
        assert found.deciding.p == pytest.approx(exact[name], abs=1e-9)
    if name in tango:
        expected = case("02_paired_binary", f"02_paired_binary-{tango[name]}")["expected"]
        assert isinstance(found.difference, Estimate)
        held = "held at 0" in found.difference.method
        assert found.difference.low == pytest.approx(-expected["upper"], abs=2e-6)
        assert held or found.difference.high == pytest.approx(-expected["lower"], abs=2e-6)


def test_five_to_none_of_a_hundred_is_undecided_and_six_is_better():
    five = compare(evidence_of(pass_fail(60, 0, 5, 35)))
    assert five.verdict.word == "undecided"
    assert isinstance(five.difference, Estimate)
    assert five.difference.low == 0
    assert "held at 0 by mcnemar_exact" in five.difference.method
    assert compare(evidence_of(pass_fail(60, 0, 6, 34))).verdict.word == "better"


def test_clusters_change_the_method_and_the_deciding_test():
    values = pass_fail(40, 4, 12, 24)
    plain = compare(evidence_of(values))
    clustered = compare(evidence_of(values, clusters=[f"doc-{i // 4}" for i in range(80)]))
    assert clustered.n_clusters == 20
    assert clustered.deciding is not None
    assert clustered.deciding.name == "cluster_sign_flip"
    assert isinstance(clustered.difference, Estimate)
    assert isinstance(plain.difference, Estimate)
    assert clustered.difference.point == pytest.approx(plain.difference.point)
    assert clustered.difference.width > plain.difference.width
    assert "clusters" in clustered.why


def test_one_cluster_is_nothing_to_judge_with_the_reason():
    found = compare(evidence_of(pass_fail(5, 1, 3, 1), clusters=["doc"] * 10))
    assert isinstance(found.difference, Undefined)
    assert found.verdict.word == "nothing_to_judge"
    assert "cluster" in found.verdict.text


def test_clusters_of_one_item_each_are_no_clusters():
    found = compare(evidence_of(pass_fail(5, 1, 3, 1), clusters=[f"doc-{i}" for i in range(10)]))
    assert found.n_clusters is None
    assert found.deciding is not None
    assert found.deciding.name == "mcnemar_exact"


def test_attempts_stay_within_their_item():
    values = {"main": [[1, 0], [0, 0], [1, 1], [0, 1]] * 6, "pr": [[1, 1], [0, 1], [1, 1], [1, 1]] * 6}
    found = compare(evidence_of(values))
    assert found.n_items == 24
    assert found.attempts == (2, 2)
    assert found.table is None
    assert found.baseline.total == 24  # 1 + 0 + 2 + 1 passes in each block of four items
    assert isinstance(found.baseline.estimate, Estimate)
    assert found.baseline.estimate.n == 48
    assert found.baseline.estimate.point == pytest.approx(0.5)
    assert isinstance(found.difference, Estimate)
    assert found.difference.point == pytest.approx(0.375)  # (.5 + .5 + 0 + .5) / 4


def test_unequal_attempts_weigh_every_item_alike():
    values = {"main": [[1, 1, 1, 1], [0]] * 10, "pr": [[1, 1, 1, 1], [1]] * 10}
    found = compare(evidence_of(values))
    assert isinstance(found.baseline.estimate, Estimate)
    assert found.baseline.estimate.point == pytest.approx(0.5)
    assert isinstance(found.difference, Estimate)
    assert found.difference.point == pytest.approx(0.5)


def test_graded_scores_use_the_graded_row():
    values = {"main": [0.2, 0.5, 0.7, 0.9, 0.4] * 8, "pr": [0.3, 0.5, 0.8, 0.9, 0.6] * 8}
    found = compare(evidence_of(values))
    assert found.scale.kind == "bounded"
    assert found.table is None
    assert found.deciding is not None
    assert found.deciding.name == "sign_flip"
    assert found.verdict.word == "better"


def test_missing_rows_are_left_out_and_both_readings_are_given():
    values = {"main": [1.0] * 10 + [0.0] * 10, "pr": [1.0] * 18 + [None, None]}
    found = compare(evidence_of(values))
    missing = found.if_missing
    assert missing is not None
    assert missing.rows == 2
    assert found.n_items == 18
    assert found.matching.missing_b == 2
    assert isinstance(missing.all_failed.difference, Estimate)
    assert missing.all_failed.difference.point == pytest.approx((18 - 10) / 20)
    assert isinstance(missing.all_passed.difference, Estimate)
    assert missing.all_passed.difference.point == pytest.approx((20 - 10) / 20)


def test_missing_rows_that_could_turn_the_verdict_are_said_to():
    # measured: 7 fixed, none broke; if the five missing rows failed, five broke
    values = {"main": [1.0] * 10 + [0.0] * 20, "pr": [1.0] * 5 + [None] * 5 + [1.0] * 7 + [0.0] * 13}
    found = compare(evidence_of(values))
    assert found.if_missing is not None
    assert found.verdict.word == "better"
    assert found.if_missing.least.word == "undecided"
    assert found.if_missing.changes_verdict


def test_a_system_that_failed_to_answer_fails_and_a_broken_measurement_is_missing():
    values = {"main": [1.0, 1.0, None, None], "pr": [1.0, 1.0, 1.0, 1.0]}
    found = compare(evidence_of(values, statuses={"main": ["ok", "ok", "timeout", "error"]}))
    assert found.n_items == 3
    assert found.baseline.total == 2
    assert found.matching.missing_a == 1
    assert found.baseline.answered == pytest.approx(0.5)


def test_all_rows_missing_is_nothing_to_judge():
    found = compare(evidence_of({"main": [None, None], "pr": [None, None]}))
    assert found.verdict.word == "nothing_to_judge"
    assert isinstance(found.baseline.estimate, Undefined)


def test_lower_is_better_turns_fixed_and_broke_around():
    values = {"main": [1.0, 1.0, 0.0, 1.0] * 10, "pr": [0.0, 0.0, 0.0, 1.0] * 10}
    metrics = pl.DataFrame(
        {
            "metric": ["value"],
            "kind": ["binary"],
            "low": [0.0],
            "high": [1.0],
            "better": ["lower"],
            "on_failure": [1.0],
        }
    )
    found = compare(evidence_of(values, metrics=metrics))
    assert found.verdict.word == "better"
    assert len(found.fixed) == 20
    assert found.broke == ()
    assert found.table is not None  # right is 0: ten items right on both sides, ten wrong on both
    assert (found.table.fixed, found.table.broke, found.table.both, found.table.neither) == (20, 0, 10, 10)


def test_same_and_differs_come_from_the_settings():
    settings = {
        "main": {
            "model": "m-1",
            "decoding.temperature": "0",
            "decoding.max_tokens": "24",
            "prompt": "a" * 64,
        },
        "pr": {"model": "m-1", "decoding.temperature": "1", "decoding.max_tokens": "24", "prompt": "b" * 64},
    }
    found = compare(evidence_of(pass_fail(5, 1, 3, 1), settings=settings))
    assert found.same == ("decoding.max_tokens", "model")
    assert found.differs == ("decoding.temperature (0 -> 1)", "prompt")
    assert "several_changes" in {note.code for note in found.warnings}


def test_a_settled_difference_has_nothing_to_settle_and_an_open_one_has_a_price():
    settled = compare(evidence_of(pass_fail(60, 0, 20, 20)))
    assert isinstance(settled.to_settle, Undefined)
    values = pass_fail(172, 9, 18, 41)
    open_ = compare(evidence_of(values, latency={"main": 2.0, "pr": 3.0}))
    assert not isinstance(open_.to_settle, Undefined)
    assert 550 < open_.to_settle.items < 700
    assert open_.to_settle.seconds == pytest.approx((open_.to_settle.items - 240) * 5.0)
    assert open_.to_settle.cost is None


def test_an_unknown_metric_names_the_known():
    with pytest.raises(UsageError, match="value"):
        compare(evidence_of(pass_fail(5, 1, 3, 1)), metric="valeu")


def test_a_seed_makes_the_finding_identical():
    draw = random.Random(5)
    values = {name: [draw.random() for _ in range(60)] for name in ("main", "pr")}
    first, second = (compare(evidence_of(values), seed=11) for _ in range(2))
    assert first.difference == second.difference
    assert first.tests == second.tests


def test_strata_of_fixed_shares_take_the_stratified_row():
    values = {"main": [1.0] * 30 + [0.0] * 30, "pr": [1.0] * 28 + [0.0] * 2 + [1.0] * 9 + [0.0] * 21}
    evidence = evidence_of(values)
    strata = [f"s-{i // 30}" for i in range(60)]
    stratified = replace(evidence, items=evidence.items.with_columns(stratum=pl.Series(strata)))
    found, plain = compare(stratified), compare(evidence)
    assert isinstance(found.difference, Estimate)
    assert isinstance(plain.difference, Estimate)
    assert found.difference.method.startswith("tango_stratified")
    assert found.difference.point == pytest.approx(plain.difference.point)
    assert found.deciding is not None
    assert found.deciding.p == pytest.approx(plain.deciding.p)
    # the candidate breaks in one stratum and fixes in the other: what lies between strata is no error
    assert found.difference.se is not None
    assert plain.difference.se is not None
    assert found.difference.se < plain.difference.se


def test_clusters_across_strata_leave_the_strata_out():
    evidence = evidence_of(pass_fail(20, 3, 9, 8), clusters=[f"doc-{i % 10}" for i in range(40)])
    crossed = replace(
        evidence, items=evidence.items.with_columns(stratum=pl.Series(["x", "y"] * 20)[:40].sort())
    )
    found = compare(crossed)
    assert isinstance(found.difference, Estimate)
    assert "stratified" not in found.difference.method
    assert found.deciding is not None
    assert found.deciding.name == "cluster_sign_flip"


def test_items_of_one_source_only_are_bounded_like_missing_ones():
    # pr never answered the five items that main passed at the end: over what is shared it looks better
    values = {"main": [0.0] * 8 + [1.0] * 12, "pr": [1.0] * 8 + [1.0] * 7}
    found = compare(evidence_of(values))
    assert found.verdict.word == "better"
    assert found.matching.only_a == 5
    assert found.if_missing is not None
    assert found.if_missing.rows == 5
    assert found.if_missing.all_failed.word == "undecided"
    assert found.if_missing.changes_verdict


def _with(evidence, **columns):
    return replace(
        evidence, items=evidence.items.with_columns(**{name: pl.Series(v) for name, v in columns.items()})
    )


def test_weights_that_differ_within_strata_leave_the_strata_out_and_say_so():
    draw = random.Random(3)
    values = {name: [float(draw.random() < 0.5) for _ in range(40)] for name in ("main", "pr")}
    weights = [float(draw.choice((1, 2, 5))) for _ in range(40)]
    evidence = evidence_of(values)
    weighted = compare(_with(evidence, weight=weights))
    both = compare(_with(evidence, weight=weights, stratum=["x", "y"] * 20))
    # Σ w d / Σ w, whatever the strata
    d = [b - a for a, b in zip(values["main"], values["pr"], strict=True)]
    expected = sum(w * x for w, x in zip(weights, d, strict=True)) / sum(weights)
    assert isinstance(both.difference, Estimate)
    assert both.difference.point == pytest.approx(expected)
    assert both.difference == weighted.difference
    assert "strata are left out, as the weights differ within them" in both.why


def test_weights_of_whole_strata_are_their_shares():
    values = {"main": [1.0] * 10 + [0.0] * 10, "pr": [1.0] * 4 + [0.0] * 6 + [1.0] * 5 + [0.0] * 5}
    found = compare(
        _with(evidence_of(values), stratum=["x"] * 10 + ["y"] * 10, weight=[3.0] * 10 + [1.0] * 10)
    )
    assert isinstance(found.difference, Estimate)
    assert "stratified" in found.difference.method
    assert found.difference.point == pytest.approx(0.75 * -0.6 + 0.25 * 0.5)


def test_what_would_settle_it_is_never_fewer_than_there_are_or_than_the_test_needs():
    clustered = compare(evidence_of(pass_fail(0, 0, 50, 0), clusters=[f"doc-{i // 10}" for i in range(50)]))
    assert clustered.verdict.word == "undecided"  # 2^(1 − 5) = .0625
    assert not isinstance(clustered.to_settle, Undefined)
    assert clustered.to_settle.items == 60  # six clusters of ten: 2^(1 − 6) = .031
    assert isinstance(clustered.detectable, Undefined)
    assert "from 6 clusters on and here are 5" in clustered.detectable.reason
    graded = compare(evidence_of({"main": [10.0, 11, 12, 13, 14], "pr": [15.0, 17, 17, 19, 19]}))
    assert graded.verdict.word == "undecided"
    assert not isinstance(graded.to_settle, Undefined)
    assert graded.to_settle.items == 6
    assert isinstance(graded.detectable, Undefined)


def test_nothing_detectable_is_wider_than_the_scale():
    values = {"main": [0.1, 0.9, 0.2, 0.8, 0.5, 0.4, 0.6], "pr": [0.9, 0.1, 0.9, 0.2, 0.6, 0.9, 0.05]}
    found = compare(evidence_of(values)).detectable
    assert isinstance(found, Undefined) or found.high <= 1


def test_missing_rows_that_decide_are_in_the_verdict_itself():
    values = {"main": [1.0] * 10 + [0.0] * 20, "pr": [1.0] * 5 + [None] * 5 + [1.0] * 7 + [0.0] * 13}
    assert (
        "5 items have no value on a side and could change this" in compare(evidence_of(values)).verdict.text
    )


def test_without_a_value_on_both_sides_there_is_no_count():
    found = compare(evidence_of({"main": [1.0, None], "pr": [None, 1.0]}))
    assert found.verdict.word == "nothing_to_judge"
    assert found.baseline.total is None


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e140])
def test_numbers_at_the_ends_of_floats_are_judged_or_said_not_to_be(size):
    values = {"main": [1 * size, 2 * size, 3 * size], "pr": [1.5 * size, 2.5 * size, 3.9 * size]}
    assert compare(evidence_of(values)).verdict.word in {"undecided", "nothing_to_judge"}


def test_numbers_that_cannot_be_squared_are_refused():
    with pytest.raises(UsageError, match="cannot be squared"):
        compare(evidence_of({"main": [1e300, 2e300], "pr": [2e300, 1e300]}))
