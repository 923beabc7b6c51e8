"""lighteval, HELM, AlpacaEval: what their files print, the faults they are known for, and what is not checked."""

from __future__ import annotations

import json
import math
import shutil

import pytest
from click.testing import CliRunner

from aliquot import read, verify
from aliquot.cli.main import group
from aliquot.reports.render import render
from tests.shared import shared

TASK, METRIC = "toy_add|0", "extractive_match"


@pytest.fixture
def lighteval(tmp_path):
    """A copy of the lighteval log, one system, whose printed numbers may be changed."""
    source = shared("logs/lighteval/synthetic")
    for part in ("results", "details"):
        shutil.copytree(source / part / "org" / "stub-a", tmp_path / "log" / part / "org" / "stub-a")
    (printed,) = (tmp_path / "log" / "results").rglob("results_*.json")

    def change(**errors):
        document = json.loads(printed.read_text(encoding="utf-8"))
        for task, error in errors.items():
            name = "all" if task == "all" else TASK
            document["results"][name][f"{METRIC}_stderr"] = error
        printed.write_text(json.dumps(document), encoding="utf-8")
        return tmp_path / "log"

    return change


def test_what_lighteval_printed_comes_out_the_line_of_all_tasks_too():
    found = verify(shared("logs/lighteval/synthetic"))
    assert found.verdict.text == "AS PRINTED: all 16 numbers come out."
    assert any(check.claim == f"org/stub-a, all, {METRIC}, stderr" for check in found.checks)


def test_the_bootstrap_error_of_lighteval_is_named_at_the_command_line(lighteval):
    # 26 of 50: √(.52·.48/49) = .071371; lighteval divides the sd of 1,000 resamples by √1000 once more
    due = math.sqrt(0.52 * 0.48 / 49)
    log = lighteval(task=1.03 * due / math.sqrt(1000))  # the resamples' own error is a few percent
    result = CliRunner().invoke(group, ["verify", str(log)])
    assert result.exit_code == 0
    said = " ".join(result.output.split())
    assert "NOT AS PRINTED: 1 of 8 numbers does not come out" in said
    assert "About 32 times too small: divided by √1000 once more. Should be 0.0713714." in said


def test_the_bootstrap_error_of_lighteval_is_named_in_a_table(tmp_path):
    claims = tmp_path / "claims.csv"
    claims.write_text(
        f"system,task,metric,value,stderr\norg/stub-a,{TASK},{METRIC},0.52,0.00226\n", encoding="utf-8"
    )
    found = verify(shared("logs/lighteval/synthetic"), claims=claims)
    assert [check.outcome for check in found.checks] == ["fits", "differs"]
    assert "divided by √1000 once more" in found.checks[1].cause


def test_the_deviation_of_helm_is_what_it_says_and_no_error():
    found = verify(shared("logs/helm/v1"))
    by = {check.claim: check for check in found.checks}
    name = "stub/sys-a, toy_add, exact_match"
    assert (by[f"{name}, mean, sub_split=p1"].outcome, by[f"{name}, mean, sub_split=p1"].expected) == (
        "fits", "0.666667")  # fmt: skip
    assert by[f"{name}, stddev, sub_split=p1"].outcome == "fits"
    # 2 of 3: √(⅔·⅓/2) = 1/3
    assert "population deviation over trials" in found.remarks[0]
    assert "the error of that mean over 3 items is 0.3333" in found.remarks[0]
    assert by["stub/sys-a, toy_add, perplexity, mean, sub_split=p1"].outcome == "not_checked"


@pytest.mark.parametrize(("digits", "outcome"), [("0", "cannot_be"), ("0.0000", "cannot_be")])
def test_the_deviation_of_helm_taken_for_an_error_cannot_be(tmp_path, digits, outcome):
    claims = tmp_path / "claims.csv"
    claims.write_text(f"system,metric,value,stderr\nstub/sys-a,exact_match,0.55,{digits}\n", encoding="utf-8")
    found = verify(shared("logs/helm/v1"), claims=claims)
    check = next(check for check in found.checks if "stderr" in check.claim)
    assert check.outcome == outcome
    assert "the deviation over a single trial or run is 0 too, and is no error" in check.cause


def test_numbers_without_rows_are_counted_and_listed():
    found = verify(shared("logs/lm-eval/pre04"))
    assert found.count("not_checked") == len(found.checks) == 8
    assert {check.cause for check in found.checks} <= {
        "the log holds no rows under this name", "the number of items is not known"}  # fmt: skip
    assert "8 numbers could not be checked" in render(found)


def test_no_printed_number_is_passed_over():
    for log in ("logs/helm/v1", "logs/lm-eval", "logs/inspect/epochs4", "logs/promptfoo/two_prompts.json"):
        evidence = read(shared(log))
        found = verify(evidence)
        assert len(found.checks) >= evidence.reported["value"].drop_nulls().len()


@pytest.fixture
def alpaca_eval(tmp_path):
    """Real annotations beside the leaderboard that the same project published of them."""
    name = "annotations_FuseChat-Gemma-2-9B-Instruct.weighted_gpt4_turbo.json.gz"
    shutil.copy(shared("logs/alpaca_eval", name), tmp_path / name)
    shutil.copy(shared("data/alpaca_eval/published_weighted_gpt4_turbo.csv"), tmp_path / "leaderboard.csv")
    return tmp_path / name


def test_the_length_controlled_error_of_alpaca_eval_is_none(alpaca_eval):
    found = verify(alpaca_eval)
    by = {check.claim.rpartition(", ")[2]: check for check in found.checks}
    assert [check.claim for check in found.checks if check.outcome == "differs"] == [
        "FuseChat-Gemma-2-9B-Instruct, alpaca-eval, win over gpt4_1106_preview, lc_standard_error"
    ]
    assert by["lc_standard_error"].cause.startswith("no standard error of the length-controlled rate")
    assert "that of the plain rate is 0.0134" in by["lc_standard_error"].cause
    assert by["standard_error"].outcome == "fits"  # sem of 805 preferences: .013426
    assert by["win over gpt4_1106_preview"].outcome == "fits"  # 70.497 %
    assert by["length_controlled_winrate"].outcome == "not_checked"


def test_the_length_controlled_error_is_none_in_a_table_either(tmp_path):
    claims = tmp_path / "claims.csv"
    claims.write_text(
        "system,statistic,value,stderr\nFuseChat,win_rate,70.50%,\n"
        "FuseChat,length_controlled_winrate,70.18,0.594\nFuseChat,lc_standard_error,0.594,\n",
        encoding="utf-8",
    )
    found = verify(claims=claims)
    assert [check.outcome for check in found.checks] == ["not_checked", "not_checked", "differs", "differs"]


def test_claims_of_a_log_are_tried_under_other_denominators(tmp_path):
    # promptfoo printed 32 of 44 for model-a, its 6 errors counted as failures
    log = shared("logs/promptfoo/results_v3_repeat2.json")
    printed = next(check for check in verify(log).checks if check.outcome == "explained")
    system, task, metric = printed.claim.split(", ")
    items, attempts = (next(one for one in verify(log, claims=_claims(tmp_path, system, n)).checks
                            if one.claim.endswith(", n")) for n in (9_999, 44))  # fmt: skip
    assert (items.outcome, items.cause) == ("differs", "the rows hold fewer items")
    assert "attempts for items" in attempts.cause
    path = tmp_path / "denominator.csv"
    path.write_text(
        f"system,task,metric,value\n{system},{task},{metric},{float(printed.printed):.4f}\n", encoding="utf-8"
    )
    (check,) = verify(log, claims=path).checks
    assert check.outcome == "explained"
    assert "as failures" in check.cause


def _claims(folder, system, n):
    path = folder / f"n{n}.csv"
    path.write_text(f"system,value,n\n{system},0.5,{n}\n", encoding="utf-8")
    return path
