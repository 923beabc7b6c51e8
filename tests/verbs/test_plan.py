"""From a target, a pilot or a budget to items, attempts and money."""

from __future__ import annotations

import json

import polars as pl
import pytest
from click.testing import CliRunner

from aliquot import compare, plan
from aliquot.cli.main import group
from aliquot.errors import UsageError
from aliquot.files.plan_file import read_plan
from aliquot.findings.planning_words import write_fit
from aliquot.reports.render import render
from aliquot.stats import (
    fold_design,
    graded_margin_sample_size,
    mcnemar_power,
    mcnemar_sample_size,
    paired_margin_sample_size,
    paired_precision_size,
    wilson,
)
from aliquot.stats.results import Undefined
from tests.evidence_of import evidence_of, pass_fail
from tests.shared import shared

PILOT = pass_fail(100, 10, 20, 70)


def test_a_target_with_a_share_needs_no_pilot_and_gives_the_published_errors():
    # .80 against .85, ψ .20, n 200: power .298, type M 1.73, type S .0004
    found = plan(detect="5pt", psi=0.2, items=200)
    point = next(point for point in found.at if point.items == 200)
    assert point.power == pytest.approx(0.298, abs=5e-4)
    assert point.type_m == pytest.approx(1.73, abs=5e-3)
    assert point.type_s == pytest.approx(0.0004, abs=5e-5)
    assert found.needed[0].items == mcnemar_sample_size(0.2, 0.05)


def test_the_items_needed_reach_the_power_wanted_and_one_fewer_does_not():
    items = plan(detect="8pt", psi=0.25).needed[0].items
    assert isinstance(items, int)
    assert mcnemar_power(items, psi=0.25, difference=0.08) >= 0.8
    assert mcnemar_power(items - 1, psi=0.25, difference=0.08) < 0.8


def test_a_pilot_gives_a_range_over_the_limits_of_what_it_saw():
    found = plan(evidence_of(PILOT), detect="5pt")
    limits = wilson(30, 200)
    assert found.psi == pytest.approx(0.15)
    assert found.psi_range == pytest.approx((limits.low, limits.high))
    low, middle, high = (one.items for one in found.needed)
    assert isinstance(low, int)
    assert isinstance(middle, int)
    assert isinstance(high, int)
    assert low < middle < high
    assert f"({low:,} to {high:,})" in found.verdict.text


def test_clusters_of_the_pilot_cost_items():
    alike = evidence_of(
        {
            "main": [float(i // 10 % 2) for i in range(200)],
            "pr": [float(i // 10 % 3 > 0) for i in range(200)],
        },
        clusters=[f"c{i // 10}" for i in range(200)],
    )
    single = evidence_of(
        {"main": [float(i // 10 % 2) for i in range(200)], "pr": [float(i // 10 % 3 > 0) for i in range(200)]}
    )
    assert plan(alike, detect="10pt").design_effect > 3
    assert plan(single, detect="10pt").design_effect == pytest.approx(1)


def test_a_graded_pilot_plans_by_the_spread_of_its_differences():
    values = {"main": [0.1, 0.4, 0.35, 0.8] * 20, "pr": [0.2, 0.3, 0.5, 0.9] * 20}
    found = plan(evidence_of(values), detect=0.05)
    # d is .1, −.1, .15, .1 twenty times over: Σ(d − .0625)² is 20 × .036875
    assert found.sd == pytest.approx((20 * 0.036875 / 79) ** 0.5)
    assert found.psi is None
    assert isinstance(found.needed[0].items, int)


def test_so_few_items_that_no_test_could_reject_are_never_planned():
    values = {"main": [0.1, 0.4, 0.35, 0.8] * 20, "pr": [0.2, 0.3, 0.5, 0.9] * 20}
    found = plan(evidence_of(values), detect=0.5, margin=0.9)
    assert [one.items for one in found.needed] == [6, 6]


def test_nothing_known_is_assumed_and_said():
    found = plan(detect="5pt")
    assert len(found.needed) == 3
    assert "psi_unknown" in {note.code for note in found.warnings}


def test_what_no_pair_of_rates_allows_is_refused():
    with pytest.raises(UsageError, match="at least that share"):
        plan(detect="30pt", psi=0.2)
    with pytest.raises(UsageError):
        plan(detect="5pt", power=1.0)
    with pytest.raises(UsageError):
        plan(detect="0pt")


def test_repeats_of_the_pilot_are_weighed_against_items():
    values = {
        "main": [[1, 0], [1, 1], [0, 0], [0, 1], [1, 1]] * 12,
        "pr": [[1, 1], [1, 0], [0, 1], [0, 1], [1, 1]] * 12,
    }
    found = plan(evidence_of(values), detect="5pt")
    counts = [one.items for one in found.attempts]
    assert [one.attempts for one in found.attempts] == [1, 2, 4, 8]
    assert all(isinstance(count, int) for count in counts)
    assert counts == sorted(counts, reverse=True)


def test_a_budget_becomes_items_at_the_pilots_own_price():
    found = plan(shared("logs/promptfoo/results_v3_repeat2.json"), detect="10pt", budget=5)
    assert found.budget_items is not None
    assert found.budget_items > 1000
    assert found.currency == "USD"


def test_out_of_reach_gives_the_sentence_to_write_and_it_claims_no_sameness():
    found = plan(evidence_of(PILOT), detect="1pt")
    assert "none is claimed, and none of that size is ruled out" in found.sentence
    assert "no difference" not in found.sentence


@pytest.mark.parametrize(
    ("items", "words"), [(10, "nothing"), (30, "reading failures"), (200, "large"), (600, "close")]
)
def test_a_number_of_items_is_fit_for_something(items, words):
    assert words in write_fit(items)


def test_nothing_asked_is_said():
    assert plan().verdict.word == "nothing_to_judge"


def test_so_few_items_that_nothing_can_be_shown_say_so():
    found = plan(detect="20pt", psi=0.3, items=4)
    point = next(point for point in found.at if point.items == 4)
    assert isinstance(point.detectable, Undefined)
    assert "no difference could have been shown" in found.sentence


def test_a_written_plan_is_held_against_the_comparison(tmp_path):
    path = tmp_path / "plan.json"
    plan(evidence_of(PILOT), detect="5pt", margin="2pt", write=path)
    fixed = read_plan(path)
    assert fixed.metric == "value"
    assert fixed.difference == pytest.approx(0.05)
    done = compare(evidence_of(PILOT), margin="2pt", plan=path, noise=None)
    assert done.plan is not None
    assert done.plan.departures == ("items",)


def test_every_form_renders_and_json_holds_the_plan():
    found = plan(evidence_of(PILOT), detect="5pt", margin="3pt")
    for form in ("text", "markdown", "html"):
        assert "PLAN" in render(found, form=form, verbose=True)
    result = CliRunner().invoke(group, ["plan", "--detect", "5pt", "--psi", "0.2", "--json"])
    assert result.exit_code == 0
    assert json.loads(result.output)["schema"] == "aliquot.plan/1"


def test_a_judge_that_errs_costs_items_as_the_folded_design_says():
    found = plan(detect="5pt", psi=0.2, rate=0.8, sensitivity=0.95, specificity=0.9)
    assert (
        found.needed[0].items
        == fold_design(0.8, 0.85, psi=0.2, sensitivity=0.95, specificity=0.9).sample_size()
    )
    assert "judge_error" in {note.code for note in found.warnings}
    with pytest.raises(UsageError, match="--rate"):
        plan(detect="5pt", psi=0.2, sensitivity=0.9)


def test_a_half_width_is_that_of_the_interval_printed():
    found = plan(half_width="3pt", psi=0.2)
    assert found.half_width == paired_precision_size(0.03, psi=0.2)
    assert "865 items" in found.verdict.text


def test_the_pilots_own_items_give_about_the_power_of_the_formula():
    found = plan(evidence_of(PILOT), detect="8pt")
    assert found.simulated is not None
    point = next(point for point in found.at if point.items == 200)
    assert found.simulated.low - 0.05 <= point.power <= found.simulated.high + 0.05


GRADED = {"main": [0.1, 0.4, 0.35, 0.8] * 20, "pr": [0.2, 0.3, 0.5, 0.9] * 20}
JUDGE = {"sensitivity": 0.95, "specificity": 0.9}


def test_a_judge_that_errs_costs_a_margin_a_width_and_what_can_be_shown():
    found = plan(margin="5pt", half_width="3pt", items=400, psi=0.2, rate=0.8, **JUDGE)
    seen = fold_design(0.8, 0.8, psi=0.2, **JUDGE)
    assert found.needed[0].items == paired_margin_sample_size(seen.psi, margin=0.05 * seen.factor)
    assert found.half_width == paired_precision_size(0.03 * seen.factor, psi=seen.psi)
    point = next(point for point in found.at if point.items == 400)
    through = seen.detectable(400)
    assert not isinstance(through, Undefined)
    assert point.detectable == pytest.approx(through.low)


def test_a_judge_can_be_corrected_by_labels_and_more_of_its_reading_takes_fewer():
    found = plan(detect="5pt", psi=0.2, rate=0.8, **JUDGE)
    assert [(one.judged, one.labels) for one in found.labels] == [
        (658, 658),
        (1316, 399),
        (3290, 323),
        (6580, 304),
    ]
    assert not plan(detect="5pt", psi=0.2).labels


def test_a_judge_that_tells_nothing_or_a_graded_metric_is_refused():
    with pytest.raises(UsageError, match="tells nothing"):
        plan(detect="5pt", psi=0.2, rate=0.8, sensitivity=0.5, specificity=0.5)
    with pytest.raises(UsageError, match="this metric is graded"):
        plan(evidence_of(GRADED), detect=0.05, **JUDGE)


def test_a_share_that_the_rates_do_not_allow_is_refused_and_one_at_the_edge_is_not():
    with pytest.raises(UsageError, match=r"between 0\.05 and 0\.35"):
        plan(detect="5pt", psi=0.6, rate=0.8)
    assert plan(detect="5pt", psi=0.05, rate=0.8).needed[0].items == mcnemar_sample_size(0.05, 0.05)


def test_a_graded_margin_takes_the_items_of_the_t_interval():
    found = plan(evidence_of(GRADED), margin=0.03)
    assert found.sd is not None
    assert found.needed[0].items == graded_margin_sample_size(sd=found.sd, margin=0.03)


def test_one_of_several_comparisons_is_planned_at_its_share_of_the_error():
    found = plan(detect="5pt", psi=0.2, comparisons=5)
    assert found.needed[0].items == mcnemar_sample_size(0.2, 0.05, level=0.99)
    assert found.level == 0.95
    assert "comparisons" in {note.code for note in found.warnings}


def test_a_plan_fixes_the_scoring_rule_the_attempts_and_the_comparisons(tmp_path):
    path = tmp_path / "plan.json"
    plan(evidence_of(PILOT), detect="5pt", comparisons=3, write=path)
    fixed = read_plan(path)
    assert (fixed.scorer, fixed.attempts, fixed.comparisons) == ("recorded", 1, 3)
    done = compare(evidence_of(PILOT), plan=path, noise=None, level=float(f"{fixed.test_level:.6g}"))
    assert done.plan is not None
    assert {line.name: line.holds for line in done.plan.lines}["scoring rule"]
    assert done.plan.departures == ("items",)
    alone = compare(evidence_of(PILOT), plan=path, noise=None)
    assert alone.plan is not None
    assert alone.plan.departures == ("level", "items")


def test_a_candidate_with_fewer_errors_is_simulated_as_better():
    errors = evidence_of(
        {"main": [1.0] * 60 + [0.0] * 140, "pr": [1.0] * 30 + [0.0] * 170},
        metrics=pl.DataFrame(
            {"metric": ["value"], "kind": ["binary"], "low": [0.0], "high": [1.0], "better": ["lower"]}
        ),
    )
    found = plan(errors, detect="10pt")
    assert found.simulated is not None
    assert found.simulated.point > 0.9
