"""``noise`` against the arithmetic of two runs, a second plain implementation, and what is remembered."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot import noise
from aliquot.errors import UsageError
from aliquot.evidence.assembly import assemble
from aliquot.reports.render import render
from aliquot.stats.results import Estimate, Undefined
from tests.evidence_of import evidence_of
from tests.shared import shared

Z = 1.959963984540054


def two_runs(worse: int, better: int, n: int):
    """Return evidence of two runs of one system over n items."""
    first = [1.0] * worse + [0.0] * better + [1.0] * (n - worse - better)
    second = [0.0] * worse + [1.0] * better + [1.0] * (n - worse - better)
    return evidence_of({"main": first}), evidence_of({"main": second})


@pytest.fixture(scope="module")
def mock():
    """Fourteen of 240 tests flipped: 8 worse and 6 better in the second run."""
    return noise(*two_runs(8, 6, 240), memory=None)


def test_two_runs_that_differ_by_more_than_noise_are_no_noise_and_not_remembered(tmp_path):
    paths = []
    for name, rate in (("a", 3), ("b", 9)):
        path = tmp_path / f"{name}.csv"
        rows = [f"q{i},main,{int(i % 10 < rate)}" for i in range(200)]
        path.write_text("\n".join(["item,system,passed", *rows]) + "\n", encoding="utf-8")
        paths.append(path)
    memory = tmp_path / "noise.json"
    found = noise(*paths, memory=memory)
    assert found.verdict.text.startswith("THE TWO RUNS DIFFER BY MORE THAN NOISE")
    assert not memory.exists()


def test_fourteen_flips_of_240(mock):
    assert (mock.n_items, len(mock.flipped), mock.net) == (240, 14, -2)
    # An item that flipped has variance ½, so a difference of two runs has variance 14/240².
    assert mock.wobble.point == pytest.approx(Z * math.sqrt(14) / 240)  # 3.06 points
    assert mock.repeated[3] == pytest.approx(mock.wobble.point / math.sqrt(3))  # 1.76
    text = " ".join(render(mock).split())
    assert "14 of 240 items flipped (5.8%), net -2." in text
    assert "differences up to 3.1 points can be its own noise" in text
    assert "3 attempts an item would bring it down to 1.8 points" in text


def test_the_interval_of_the_wobble_holds_it(mock):
    assert mock.wobble.low < mock.wobble.point < mock.wobble.high
    assert mock.flip_rate.point == pytest.approx(14 / 240)


def test_one_run_with_several_attempts_is_enough():
    found = noise(shared("data", "tau_bench", "gpt4o_airline.csv"), memory=None)
    assert (found.n_items, len(found.flipped), found.net, found.drift) == (50, 26, None, None)
    # 0.1467 within items (the variance components of the same rows): 1.96 √(2 · 0.1467 / 50)
    assert found.wobble.point == pytest.approx(Z * math.sqrt(2 * 0.1467 / 50), rel=1e-3)


def test_no_flip_is_not_no_noise():
    found = noise(*two_runs(0, 0, 20), memory=None)
    assert found.wobble.point == 0
    assert found.wobble.high > 0.1
    text = " ".join(render(found).split())
    assert "None was seen to move" in text
    assert "up to 0.0" not in text


def test_runs_that_differ_by_more_than_noise_are_called_so():
    found = noise(*two_runs(12, 0, 100), memory=None)
    assert [note.code for note in found.warnings] == ["drift"]
    assert found.drift.p == pytest.approx(2 / 2**12)
    assert noise(*two_runs(6, 6, 100), memory=None).warnings == ()


def test_only_items_of_both_runs_count():
    first, second = evidence_of({"main": [1.0, 0.0, 1.0, None]}), evidence_of({"main": [1.0, 1.0]})
    found = noise(first, second, memory=None)
    assert (found.n_items, [one.item for one in found.flipped]) == (2, ["q-001"])


def test_one_run_without_attempts_is_nothing_to_judge():
    found = noise(evidence_of({"main": [1.0, 0.0]}), memory=None)
    assert found.verdict.word == "nothing_to_judge"
    assert isinstance(found.wobble, Undefined)


def test_system_and_judge_are_told_apart():
    rng = np.random.default_rng(5)
    rows = [
        {"system": "s", "item": f"q{i:02d}", "attempt": k, "repeat": r, "value": 10.0 * i + answer + judged}
        for i in range(60)
        for k in range(3)
        for answer in [rng.normal(0, 2)]
        for r in range(4)
        for judged in [rng.normal(0, 1)]
    ]  # fmt: skip
    found = noise(assemble(pl.DataFrame(rows)), memory=None)
    assert found.judge.repeats == pytest.approx(4)
    assert found.judge.judge == pytest.approx(1.0, rel=0.15)  # variance of one verdict about its answer
    assert found.judge.system == pytest.approx(4.0, rel=0.25)  # variance of an answer about its item
    assert "of that variance is the judge's (asked 4 times an answer)" in " ".join(render(found).split())


def test_one_of_several_systems_is_named():
    first, second = ({"x": [1.0, 0.0, 1.0], "y": [value, 0.0, 1.0]} for value in (1.0, 0.0))
    found = noise(evidence_of(first), evidence_of(second), system="y", memory=None)
    assert [one.item for one in found.flipped] == ["q-000"]
    assert noise(evidence_of(first), evidence_of(second), system="x", memory=None).flipped == ()


def test_one_file_twice_is_no_second_run(tmp_path):
    path = tmp_path / "main.csv"
    path.write_text("item,value\nq1,1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="given twice"):
        noise(path, str(path), memory=None)


def test_what_flips_again_and_again_is_counted(tmp_path):
    memory = tmp_path / "noise.json"
    for name, flips in (("a", "q1 q2"), ("b", "q1"), ("c", "q1 q3")):
        for run in (1, 2):
            lines = [f"q{i},{int(run == 1 or f'q{i}' not in flips.split())}" for i in range(9)]
            (tmp_path / f"{name}-{run}.csv").write_text(
                "\n".join(["item,value", *lines]) + "\n", encoding="utf-8"
            )
    for name in "abc":
        found = noise(tmp_path / f"{name}-1.csv", tmp_path / f"{name}-2.csv", memory=memory)
    assert [(one.item, one.times, one.of) for one in found.flipped] == [("q1", 3, 3), ("q3", 1, 3)]
    assert "flipped, of 3" in render(found)


def test_several_systems_and_other_counts_of_sources_are_refused():
    with pytest.raises(UsageError, match="Name one with --system"):
        noise(evidence_of({"a": [1.0], "b": [0.0]}), memory=None)
    with pytest.raises(UsageError, match="Known: a, b"):
        noise(evidence_of({"a": [1.0], "b": [0.0]}), system="c", memory=None)
    with pytest.raises(UsageError, match="got 0"):
        noise(memory=None)
    with pytest.raises(UsageError, match="got 3"):
        noise(*[evidence_of({"a": [1.0]})] * 3, memory=None)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=30))
def test_a_second_plain_implementation_agrees(rows: list[tuple[int, int, int]]):
    found = noise(evidence_of({"s": [[float(v) for v in row] for row in rows]}), memory=None)
    variances = []
    for row in rows:
        centre = sum(row) / 3
        variances.append(sum((value - centre) ** 2 for value in row) / 2)
    expected = Z * math.sqrt(2 * sum(variances) / len(rows) / len(rows))
    if isinstance(found.wobble, Estimate):
        assert found.wobble.point == pytest.approx(expected, abs=1e-12)
        assert found.wobble.low <= found.wobble.point <= found.wobble.high
    assert len(found.flipped) == sum(len(set(row)) > 1 for row in rows)
