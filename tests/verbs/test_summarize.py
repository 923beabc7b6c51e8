"""``summarize`` against hand counts: tau-bench's airline runs, floors, missing rows, clusters."""

from __future__ import annotations

import math
import re

import polars as pl
import pytest

from aliquot import summarize
from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import assemble
from aliquot.reports.render import render
from aliquot.stats.results import Estimate, Undefined
from tests.evidence_of import evidence_of
from tests.shared import shared


def passes(right: int, n: int) -> list[float]:
    return [1.0] * right + [0.0] * (n - right)


@pytest.fixture(scope="module")
def airline():
    return summarize(shared("data", "tau_bench", "gpt4o_airline.csv"))


def test_a_floor_is_the_headlines_and_a_score_beside_it_does_not_stop_it():
    rows = [
        {"system": "a", "item": str(i), "metric": metric, "value": value}
        for i in range(30)
        for metric, value in (("passed", 1.0), ("score", 0.25 + i / 100))
    ]
    found = summarize(assemble(pl.DataFrame(rows)), metric="passed", at_least=0.5)
    assert found.verdict.word == "met"
    assert [line.metric for line in found.others] == ["score"]


def test_one_item_asked_again_has_no_variance_between_items_and_none_is_made_up():
    rows = [{"system": "a", "item": "1", "attempt": k, "value": float(k == 1)} for k in (1, 2, 3)]
    found = summarize(assemble(pl.DataFrame(rows)))
    repeats = found.lines[0].repeats
    assert repeats is not None
    assert isinstance(repeats.between, Undefined)
    assert repeats.precision == ()
    assert "1 of 1 item differs between attempts." in render(found, verbose=True)


def test_attempts_that_never_differ_have_no_variance_within():
    rows = [
        {"system": "a", "item": str(i), "attempt": k, "value": float(i % 3 == 0)}
        for i in range(37)
        for k in (1, 2, 3)
    ]
    found = summarize(assemble(pl.DataFrame(rows)))
    assert found.lines[0].repeats is not None
    assert found.lines[0].repeats.within == pytest.approx(0, abs=1e-12)


def test_tau_bench_is_the_published_hand_count(airline):
    (line,) = airline.lines
    assert (line.n_items, line.rows, line.system) == (50, 200, "gpt-4o")
    assert line.estimate.point == pytest.approx(84 / 200)  # 84 of 200 runs passed: 0.420
    assert line.repeats.varying == 26
    assert line.repeats.attempts == (4, 4)
    shown = {k: round(one.point, 3) for k, one in line.repeats.pass_at.items()}
    assert shown == {1: 0.42, 2: 0.567, 4: 0.72}
    shown = {k: round(one.point, 3) for k, one in line.repeats.pass_hat.items()}
    assert shown == {1: 0.42, 2: 0.273, 4: 0.2}


def test_tau_bench_needs_items_more_than_attempts(airline):
    (line,) = airline.lines
    errors = {(row.items, row.attempts): round(row.se, 3) for row in line.repeats.precision}
    assert [errors[50, k] for k in (1, 2, 4, 8)] == [0.070, 0.059, 0.052, 0.049]
    assert [errors[100, k] for k in (1, 2, 4, 8)] == [0.050, 0.042, 0.037, 0.034]
    share = line.repeats.within / (line.repeats.within + line.repeats.between)
    assert share == pytest.approx(0.60, abs=0.005)
    text = render(airline, verbose=True)
    assert "26 of 50 items differ between attempts; 60% of the variance is within items" in text
    assert re.search(r"pass\^k \(all\)\n  1 +42\.0% \(\d\d to \d\d\) +42\.0% \(\d\d to \d\d\)", text)
    assert "Standard error 5.2 points with 4 attempts at 50 items, 5.0 with one at 100." in " ".join(
        text.split()
    )


@pytest.mark.parametrize(
    ("right", "n", "word", "low"),
    [
        (36, 36, "met", 0.025 ** (1 / 36)),  # all pass: the lower limit is (α/2)^(1/n) = 0.9026
        (35, 35, "undecided", 0.025 ** (1 / 35)),  # 0.89997, just short
        (4, 5, "undecided", 0.28358),
        (40, 60, "not_met", 0.53313),
    ],
)
def test_a_floor_of_90_percent(right, n, word, low):
    found = summarize(evidence_of({"pr": passes(right, n)}), at_least=0.9)
    (line,) = found.lines
    assert found.verdict.word == line.floor.word == word
    assert line.floor.estimate.low == pytest.approx(low, abs=1e-5)


@pytest.mark.parametrize("floor", [0.9, "0.9", "90%", " 90 % "])
def test_a_floor_may_be_a_share_or_a_percentage(floor):
    assert summarize(evidence_of({"pr": passes(36, 36)}), at_least=floor).lines[0].floor.asked == 0.9


@pytest.mark.parametrize("floor", ["ninety", "", 90, 0, 1, "-5%", "nan"])
def test_a_floor_that_is_none_is_refused(floor):
    with pytest.raises(UsageError, match="floor"):
        summarize(evidence_of({"pr": passes(36, 36)}), at_least=floor)


def test_a_floor_of_scores_is_refused():
    with pytest.raises(UsageError, match="pass rate"):
        summarize(evidence_of({"pr": [0.2, 0.7, 0.9]}), at_least=0.5)


def test_clusters_widen_a_floor_too():
    values = passes(57, 60)
    alone = summarize(evidence_of({"pr": values}), at_least=0.8).lines[0].floor
    clusters = [f"doc-{place // 6}" for place in range(60)]
    together = summarize(evidence_of({"pr": values}, clusters=clusters), at_least=0.8).lines[0].floor
    assert alone.word == "met"
    assert together.estimate.low < alone.estimate.low
    assert together.word == "undecided"


def test_a_floor_that_hangs_on_a_missing_row_says_so():
    # 38 of 38: 0.9075 clears .9; were the missing row a failure, 38 of 39 reaches only 0.8652
    found = summarize(evidence_of({"pr": [1.0] * 38 + [None]}), at_least=0.9)
    assert found.verdict.word == "met"
    assert "1 row has no value and could change this" in found.verdict.text
    safe = summarize(evidence_of({"pr": [1.0] * 98 + [None]}), at_least=0.9)
    assert safe.verdict.word == "met"
    assert "could change" not in safe.verdict.text


def test_missing_rows_are_read_both_ways():
    (line,) = summarize(evidence_of({"pr": [*passes(15, 18), None, None]})).lines
    assert (line.n_items, line.missing) == (18, 2)
    assert [reading.point for reading in line.if_missing] == [pytest.approx(15 / 20), pytest.approx(17 / 20)]


def test_nothing_scored_is_nothing_to_judge():
    found = summarize(evidence_of({"pr": [None, None]}))
    assert found.verdict.word == "nothing_to_judge"
    assert "NOTHING TO JUDGE" in render(found)


def test_systems_side_by_side_are_not_compared():
    found = summarize(evidence_of({"main": passes(5, 9), "pr": passes(9, 9)}))
    assert [line.system for line in found.lines] == ["main", "pr"]
    assert "not compared" in found.verdict.text
    assert not any(word in render(found, verbose=True) for word in ("BETTER", "beats", "WORSE"))


def test_a_named_system_and_another_metric_stand_alone():
    rows = pl.DataFrame(
        [
            {"system": system, "item": f"q{i}", "metric": metric, "value": float((i + len(metric)) % 3 > 0)}
            for system in ("main", "pr")
            for i in range(12)
            for metric in ("success", "g1")
        ]
    )
    evidence = assemble(rows)
    found = summarize(evidence, systems=["pr"], metric="g1")
    assert [(line.system, line.metric) for line in found.lines] == [("pr", "g1")]
    assert [(line.system, line.metric) for line in found.others] == [("pr", "success")]


def test_unknown_names_offer_the_nearest():
    evidence = evidence_of({"main": passes(5, 9)})
    with pytest.raises(UsageError, match="Did you mean 'main'"):
        summarize(evidence, systems=["mian"])
    with pytest.raises(UsageError, match="Did you mean 'value'"):
        summarize(evidence, metric="valeu")
    with pytest.raises(UsageError, match="nothing to summarize"):
        summarize()
    with pytest.raises(InputError, match="no such file"):
        summarize("nowhere.csv")


def test_the_command_makes_it_again(tmp_path):
    path = tmp_path / "pr.csv"
    path.write_text("item,value\n" + "".join(f"q{i},{int(i < 36)}\n" for i in range(40)), encoding="utf-8")
    found = summarize(path, at_least="80%", level=0.9)
    assert found.command == f"aliquot summarize {path} --at-least 80% --level 0.9"
    assert summarize(evidence_of({"pr": passes(3, 4)})).command == ""


def test_every_task_of_a_log_has_a_line():
    found = summarize(shared("logs", "lm-eval", "org__stub-a"))
    points = {line.task: line.estimate.point for line in found.lines}
    assert points["toy_mc"] == pytest.approx(34 / 60)  # lm-eval printed 0.5667
    assert points["toy_gsm"] == pytest.approx(28 / 60)  # 0.4667, strict-match
    assert all(isinstance(line.estimate, Estimate) and line.estimate.width > 0 for line in found.lines)
    assert not any(math.isnan(value) for value in points.values())
