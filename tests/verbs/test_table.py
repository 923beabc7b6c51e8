"""``table`` against hand counts and a second plain Holm; what is left out, and what groups of tasks reach."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
import pytest

from aliquot import compare, table
from aliquot.errors import UsageError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.tables import Evidence
from aliquot.reports.render import render
from aliquot.stats import wilson
from aliquot.stats.results import Estimate
from aliquot.verbs.table import write_latex
from tests.shared import shared

STUBS = ("logs", "lm-eval", "org__stub-a"), ("logs", "lm-eval", "org__stub-b")


def tasks_of(values: Mapping[tuple[str, str], Sequence[float]]) -> Evidence:
    """Return evidence of (system, task) → values; items of different tasks have other names."""
    return assemble(
        pl.DataFrame(
            [
                {"system": system, "task": task, "item": f"{task}-{place}", "value": float(value)}
                for (system, task), passed in values.items()
                for place, value in enumerate(passed)
            ]
        )
    )


def plain_holm(p: Sequence[float]) -> list[float]:
    """Adjust p by Holm, step by step: sort, multiply by what is left, keep it from falling."""
    order = sorted(range(len(p)), key=lambda place: p[place])
    adjusted, largest = [0.0] * len(p), 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - rank) * p[place]))
        adjusted[place] = largest
    return adjusted


@pytest.fixture(scope="module")
def stubs():
    return table(*(shared(*parts) for parts in STUBS), cluster="passage_id")


def test_two_logs_of_lm_eval_give_the_table_of_a_paper(stubs):
    rows = {row.task: row for row in stubs.rows}
    assert list(rows) == ["toy_mc", "toy_gsm", "toy_gsm_sc", "toy_bleu"]
    mc, gsm = rows["toy_mc"], rows["toy_gsm"]
    assert (mc.baseline_rate.point, mc.candidate_rate.point) == (
        pytest.approx(34 / 60),
        pytest.approx(37 / 60),
    )
    assert (gsm.baseline_rate.point, gsm.candidate_rate.point) == (
        pytest.approx(28 / 60),
        pytest.approx(34 / 60),
    )
    assert mc.difference.point == pytest.approx(0.05)
    assert gsm.difference.point == pytest.approx(0.10)
    assert {row.n_clusters for row in stubs.rows} == {15}
    assert stubs.verdict.word == "undecided"
    assert "NO DIFFERENCE IS ESTABLISHED" in stubs.verdict.text


def test_a_task_of_the_same_documents_is_left_out_with_the_reason(stubs):
    assert list(stubs.left_out) == ["toy_mc_b"]
    assert "shares 60 of its 60 items with toy_mc" in stubs.left_out["toy_mc_b"]
    asked = table(*(shared(*parts) for parts in STUBS), tasks=["toy_mc", "toy_mc_b"])
    assert [row.task for row in asked.rows] == ["toy_mc", "toy_mc_b"]
    assert asked.groups == ()  # the same documents twice are no two tasks to average


def test_holm_stands_beside_and_intervals_hold_together(stubs):
    assert [row.p_holm for row in stubs.rows] == pytest.approx(plain_holm([row.test.p for row in stubs.rows]))
    alone = [
        table(*(shared(*parts) for parts in STUBS), cluster="passage_id", tasks=[row.task]).rows[0]
        for row in stubs.rows[:2]
    ]
    for together, one in zip(stubs.rows, alone, strict=False):
        assert together.difference.low < one.difference.low
        assert together.difference.high > one.difference.high
        assert together.p_max_t.p >= together.test.p - 0.01


def test_means_over_tasks_carry_the_error_of_their_weighting():
    # The case of lm-evaluation-harness#3882: 3 of 4 and 8 of 16.
    a, b = [1, 0, 1, 1], [1, 0] * 8
    found = table(tasks_of({("zero", "A"): [0] * 4, ("zero", "B"): [0] * 16, ("s", "A"): a, ("s", "B"): b}))
    alike, pooled = found.groups
    of_a, of_b = 0.75 * 0.25 / 3, 0.5 * 0.5 / 15  # s²/n: 0.0625 and 0.016667
    assert alike.weighting == "tasks as strata"
    assert alike.candidate_rate.point == pytest.approx((0.75 + 0.5) / 2)  # 0.625
    assert alike.candidate_rate.se == pytest.approx(math.sqrt((of_a + of_b) / 4))  # 0.140683
    assert pooled.weighting == "items pooled"
    assert pooled.candidate_rate.point == pytest.approx(11 / 20)  # 0.55
    assert pooled.candidate_rate.method == "wilson"  # one sample of 20: 11 right
    assert pooled.candidate_rate.low == pytest.approx(wilson(11, 20).low)


def test_a_cluster_that_lies_in_several_tasks_is_one_cluster_of_their_mean():
    rng = np.random.default_rng(5)
    shift = np.repeat(rng.integers(-1, 2, 12), 4)
    a = np.repeat(0.0, 48)
    rows = [
        {
            "task": task,
            "system": system,
            "item": f"{task}-{i}",
            "value": float(value),
            "cluster": f"p{i // 4}",
        }
        for task in ("s", "t")
        for system, values in (("zero", a), ("b", shift))
        for i, value in enumerate(values)
    ]
    frame = pl.DataFrame(rows)
    items = frame.select("task", "item", "cluster").unique(maintain_order=True)
    scores = pl.DataFrame(
        {"metric": ["value"], "kind": ["bounded"], "low": [-1.0], "high": [1.0], "better": ["higher"]}
    )
    together = table(assemble(frame.drop("cluster"), items=items, metrics=scores))
    alone = compare(assemble(frame.drop("cluster"), items=items, metrics=scores), task="s", noise=None)
    assert isinstance(alone.difference, Estimate)
    # the second task repeats the first, so it adds nothing to what the clusters say
    for mean in together.groups:
        assert isinstance(mean.difference, Estimate)
        assert mean.difference.point == pytest.approx(alone.difference.point)
        assert mean.difference.width == pytest.approx(alone.difference.width, rel=0.02)


def test_the_public_case_of_group_errors_is_met():
    rows = pl.read_csv(shared("cases", "01-group-stderr-follows-the-weights", "scores.csv"))
    scores = {
        name: part["score"].to_list() for (name,), part in rows.group_by("subtask", maintain_order=True)
    }
    evidence = tasks_of(
        {("zero", name): [0] * len(values) for name, values in scores.items()}
        | {("s", name): values for name, values in scores.items()}
    )
    alike = table(evidence).groups[0].candidate_rate
    assert (alike.point, alike.se) == (
        pytest.approx(0.625, abs=1e-6),
        pytest.approx(0.14068285846778444, abs=1e-6),
    )


def test_a_clear_difference_is_named_and_the_rest_is_tied():
    evidence = tasks_of(
        {
            ("main", "t1"): [0] * 30 + [1] * 10,
            ("pr", "t1"): [1] * 40,
            ("main", "t2"): [0, 1] * 20,
            ("pr", "t2"): [1, 0] * 20,
        }
    )
    found = table(evidence)
    assert [row.word for row in found.rows] == ["better", "undecided"]
    assert found.verdict.text.startswith("BETTER than main: pr on t1; 1 is tied, not shown to differ")
    assert found.rows[0].p_max_t.p < 0.01


def test_the_words_agree_with_the_printed_intervals():
    evidence = tasks_of(
        {
            (system, f"t{task}"): [(place * (task + 2) + shift) % 7 < 4 for place in range(50)]
            for task in range(4)
            for system, shift in (("main", 0), ("x", 1), ("y", 3))
        }
    )
    found = table(evidence)
    assert len(found.rows) == found.comparisons == 8
    for row in found.rows:
        assert isinstance(row.difference, Estimate)
        expected = "better" if row.difference.low > 0 else "worse" if row.difference.high < 0 else "undecided"
        assert row.word == expected


def test_systems_tasks_metrics_and_the_baseline_are_chosen_by_name():
    values = {(system, task): [1, 0, 1, 1, 0, 1, 0, 1] for system in ("a", "b", "c") for task in ("t1", "t2")}
    evidence = tasks_of(values)
    assert table(evidence).baseline == "a"
    found = table(evidence, baseline="c", systems=["a"], tasks=["t2"])
    assert [(row.candidate, row.task) for row in found.rows] == [("a", "t2")]
    for wrong in ({"baseline": "d"}, {"systems": ["d"]}, {"tasks": ["t3"]}, {"metrics": {"t1": "acc"}}):
        with pytest.raises(UsageError, match="Known"):
            table(evidence, **wrong)
    with pytest.raises(UsageError, match="two systems"):
        table(tasks_of({("a", "t1"): [1, 0]}))
    with pytest.raises(UsageError, match="nothing to compare"):
        table()


def test_a_small_p_beside_an_interval_that_holds_0_is_explained(stubs):
    split = [row for row in stubs.rows if row.word == "undecided" and row.p_max_t.p < 0.05]
    text = " ".join(render(stubs).split())
    assert text.count("Both must tell a difference, so it is a tie.") == len(split)


def test_one_difference_is_not_called_several():
    text = render(table(tasks_of({("a", "t"): [1, 0] * 9, ("b", "t"): [1, 1, 0] * 6})), verbose=True)
    assert "one difference, so its interval and p stand for themselves" in " ".join(text.split())
    assert "1 comparison made." in text


@pytest.mark.heavy
def test_one_difference_is_the_one_that_compare_gives():
    for parts in ({"task": "toy_gsm"}, {"task": "toy_mc", "cluster": "passage_id"}):
        paths = [shared(*one) for one in STUBS]
        pair = compare(*paths, noise=None, **parts)
        (row,) = table(*paths, tasks=[parts["task"]], cluster=parts.get("cluster")).rows
        assert (row.difference.low, row.difference.high) == (pair.difference.low, pair.difference.high)
        assert row.p_max_t.p == row.p_holm == pair.deciding.p
        assert row.word == pair.verdict.word


def test_the_paper_gets_what_the_terminal_shows(stubs, tmp_path):
    written = write_latex(stubs, tmp_path / "table.tex").read_text(encoding="utf-8")
    for row in stubs.rows:
        assert f"${100 * row.difference.point:+.1f}$" in written or row.difference.point == 0
    assert "toy\\_mc\\_b is left out" in written
    assert written.count(r"\\") >= 1 + len(stubs.rows)
