"""Printed numbers against ours: each departure alone and together, real logs, and what no reading gives."""

from __future__ import annotations

import polars as pl
import pytest

from aliquot import read
from aliquot.analysis.arrays import paired_sample, system_sample
from aliquot.analysis.compare import scale_of
from aliquot.analysis.reconcile import find_reconciliation
from aliquot.evidence.assembly import assemble
from aliquot.evidence.contents import metrics, systems, tasks
from aliquot.evidence.matching import pair
from aliquot.evidence.reduction import units
from aliquot.findings.reconcile import write_reconciliation
from tests.shared import shared


def printed(rows, statistics, *, sample=None, items=None, metric="value", harness="promptfoo 0.1"):
    """Return the record and sentence for system main; rows are (item, attempt, value, status)."""
    outcomes = pl.DataFrame(
        [("main", *row, metric) for row in rows],
        schema={"system": str, "item": str, "attempt": int, "value": float, "status": str, "metric": str},
        orient="row",
    )
    reported = pl.DataFrame(
        [("main", "task", metric, name, value) for name, value in statistics.items()],
        schema=["system", "task", "metric", "statistic", "value"],
        orient="row",
    )
    settings = pl.DataFrame({"system": ["main"], "name": ["harness"], "value": [harness]})
    evidence = assemble(outcomes, reported=reported, settings=settings, items=items)
    mine = units(evidence, "main", task="task", metric=metric)
    scale = scale_of(evidence, metric)
    found = find_reconciliation(evidence, mine, sample or system_sample(mine), scale)
    assert found is not None
    return found, write_reconciliation([found], scale)[0]


PASSED = [(f"q{i}", 1, float(i < 30), "ok") for i in range(40)]


def test_the_same_number_says_so():
    found, text = printed(PASSED, {"pass_rate": 0.75})
    assert found.same
    assert text == "promptfoo printed the same rate for main: 0 errors, nothing left out"


def test_errors_counted_as_failures():
    # 30 of 40 answered passed; 4 more ended in an error: 30/44 = 68.2%
    rows = [*PASSED, *((f"e{i}", 1, None, "error") for i in range(4))]
    found, text = printed(rows, {"pass_rate": 30 / 44, "mean": 0.5})
    assert found.departures == ("errors_failed",)
    assert text == "promptfoo printed 68.2% for main: it counts 4 errors as failures; without them 75.0%"


def test_failures_without_a_value_left_out():
    # 10 refusals count as wrong here, 30/50; the tool's 30/40 leaves them out
    rows = [*PASSED, *((f"r{i}", 1, None, "refused") for i in range(10))]
    found, text = printed(rows, {"accuracy": 0.75})
    assert found.departures == ("failures_left_out",)
    assert text.endswith("it leaves out 10 failed answers that here count as wrong; here it is 60.0%")


def test_attempts_pooled_and_errors_together():
    # item means 1, 1/2 and 0 of 1 answered: .5; two of six attempts passed and one of three was lost on q2
    rows = [
        *(("q0", 1, 1.0, "ok"), ("q1", 1, 1.0, "ok"), ("q1", 2, 0.0, "ok")),
        *(("q2", 1, 0.0, "ok"), ("q2", 2, None, "error"), ("q2", 3, None, "error")),
    ]
    pooled, _ = printed(rows[:4], {"mean": 2 / 4, "accuracy": 2 / 4})
    assert pooled.same
    found, text = printed([*rows, ("q0", 2, 1.0, "ok"), ("q0", 3, 1.0, "ok")], {"mean": 4 / 8})
    assert found.same  # item means too: 1, 1/2, 0
    found, text = printed([*rows, ("q0", 2, 1.0, "ok")], {"mean": 3 / 7})
    assert found.departures == ("errors_failed", "attempts_pooled")
    assert "counts 2 errors as failures and averages attempts, not items; here it is 50.0%" in text
    found, _ = printed([*rows[:4], ("q0", 2, 1.0, "ok"), ("q0", 3, 1.0, "ok")], {"mean": 4 / 6})
    assert found.departures == ("attempts_pooled",)


def test_items_weighted_here_and_not_there():
    items = pl.DataFrame({"item": ["a", "b"], "weight": [3.0, 1.0]})
    found, text = printed([("a", 1, 1.0, "ok"), ("b", 1, 0.0, "ok")], {"value": 0.5}, items=items)
    assert found.departures == ("unweighted",)
    assert text == "promptfoo printed 50.0% for main: it weighs all items alike; here it is 75.0%"


def test_all_items_of_the_system_and_not_the_shared_ones():
    rows = {"system": ["main"] * 40 + ["pr"] * 20, "item": [f"q{i}" for i in (*range(40), *range(20))]}
    evidence = assemble(
        pl.DataFrame({**rows, "value": [float(i < 30) for i in (*range(40), *range(20))]}),
        reported=pl.DataFrame(
            {
                "system": ["main"],
                "task": ["task"],
                "metric": ["value"],
                "statistic": ["accuracy"],
                "value": [0.75],
            }
        ),
    )
    pairs = pair(evidence, "main", "pr", task="task", metric="value")
    scale = scale_of(evidence, "value")
    sample = paired_sample(pairs)
    found = find_reconciliation(evidence, pairs.baseline, sample.baseline(), scale)
    assert found is not None
    assert found.departures == ("own_items",)
    text = write_reconciliation([found], scale)[0]
    assert "takes all 40 items of the system, not the 20 compared; here it is 100.0%" in text
    assert find_reconciliation(evidence, pairs.candidate, sample.candidate(), scale) is None


def test_what_no_reading_gives_is_said():
    found, text = printed(PASSED, {"accuracy": 0.7123456789012})
    assert not found.explained
    assert text == (
        "promptfoo printed 71.2% for main and here it is 75.0%: no reading of the rows reproduces the printed number"
    )


def test_a_rounded_number_is_met_to_its_digits_and_a_full_one_to_a_billionth():
    thirds = [(f"q{i}", 1, float(i % 3 == 0), "ok") for i in range(30)]
    assert printed(thirds, {"accuracy": 0.333})[0].same
    assert not printed(thirds, {"accuracy": 0.334})[0].explained
    assert not printed(thirds, {"accuracy": 0.3333333363333333})[0].explained
    # .33 beside a number in full is no rounding of 1/3
    assert not printed(thirds, {"accuracy": 0.33, "stderr": 0.0875376219206817})[0].explained


def test_reducers_of_epochs():
    rows = [(f"q{i}", k, value, "ok") for i, values in enumerate([(1, 1, 0), (0, 0, 1), (1, 1, 1)])
            for k, value in enumerate(map(float, values), start=1)]  # fmt: skip
    # majority: 1, 0, 1; any: 1, 1, 1; pass@2: 1 − C(1,2)/3 = 1, 1 − C(2,2)/3 = 2/3, 1
    expected = {
        "mode": 2 / 3,
        "max": 1,
        "median": 2 / 3,
        "pass_at_2": (1 + 2 / 3 + 1) / 3,
        "at_least_3": 1 / 3,
    }
    for name, number in expected.items():
        found, text = printed(rows, {f"{name}: accuracy": number}, harness="inspect_ai")
        assert found.departures == ("attempts_reduced",), name
        assert text.startswith("Inspect printed")
        assert f"by {name}, not by their mean" in text


def test_resolved_of_total_as_swe_bench_prints_it():
    # 2 of 4 evaluated, one instance ended in an error: the tool says 2 of 5
    rows = [
        ("a", 1, 1.0, "ok"),
        ("b", 1, 1.0, "ok"),
        ("c", 1, 0.0, "ok"),
        ("d", 1, 0.0, "ok"),
        ("e", 1, None, "error"),
    ]
    found, text = printed(rows, {"resolved": 2.0, "total": 5.0}, harness="swe-bench")
    assert found.departures == ("errors_failed",)
    assert text == "swe-bench printed 40.0% for main: it counts 1 error as a failure; without it 50.0%"


def test_nothing_printed_is_nothing_to_say():
    evidence = assemble(pl.DataFrame({"system": ["main"], "item": ["1"], "value": [1.0]}))
    mine = units(evidence, "main", task="task", metric="value")
    assert find_reconciliation(evidence, mine, system_sample(mine), scale_of(evidence, "value")) is None


@pytest.mark.parametrize(
    "parts",
    [
        ("promptfoo", "results_v3_repeat2.json"),
        ("promptfoo", "two_prompts.json"),
        ("lm-eval", "org__stub-a", "results_2026-11-29T17-44-53.978406.json"),
    ],
)
def test_every_printed_rate_of_a_shared_log_is_explained(parts):
    evidence = read(shared("logs", *parts))
    found = []
    for system in systems(evidence):
        for task in tasks(evidence, system=system):
            for metric in metrics(evidence, task, system=system):
                mine = units(evidence, system, task=task, metric=metric)
                record = find_reconciliation(evidence, mine, system_sample(mine), scale_of(evidence, metric))
                found += [record] if record else []
    assert len(found) >= 8
    assert all(record.explained for record in found)


def test_promptfoo_counts_errors_as_failures():
    evidence = read(shared("logs", "promptfoo", "results_v3_repeat2.json"))
    scale = scale_of(evidence, "success")
    found = []
    for system in ("model-a", "model-b"):
        mine = units(evidence, system, task="promptfoo", metric="success")
        found.append(find_reconciliation(evidence, mine, system_sample(mine), scale))
    # 32 of 44 with 6 errors, 28 of 44 with 2: the 8 errors of the log
    assert [record.errors for record in found] == [6, 2]
    assert [record.printed for record in found] == [32 / 44, 28 / 44]
    first, _ = write_reconciliation(found, scale)
    assert first == "promptfoo printed 72.7% for model-a: it counts 6 errors as failures; without them 84.1%"
