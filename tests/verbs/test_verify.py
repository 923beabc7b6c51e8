"""Printed numbers against their rows, and against arithmetic alone."""

from __future__ import annotations

import json

import polars as pl
import pytest
from click.testing import CliRunner

from aliquot import verify
from aliquot.cli.main import group
from aliquot.errors import AliquotError, UsageError
from aliquot.evidence.assembly import assemble
from aliquot.reports.render import render
from tests.shared import shared


def outcomes(found):
    return {check.claim: check.outcome for check in found.checks}


def printed(values, **statistics):
    rows = pl.DataFrame(
        {"system": "a", "task": "t", "item": [str(i) for i in range(len(values))], "value": values}
    )
    reported = pl.DataFrame(
        [
            {"system": "a", "task": "t", "metric": "value", "statistic": name, "value": value}
            for name, value in statistics.items()
        ]
    )
    return assemble(rows.with_columns(metric=pl.lit("value")), reported=reported)


def test_figures_that_no_count_gives_cannot_be_and_the_size_that_fits_is_named():
    found = verify(figures=["22.4", "27.2%", "52.0"], n=124)
    assert found.verdict.word == "not_met"
    assert found.count("cannot_be") == 3
    assert "All 3 fit 125 items (28, 34, 65)" in render(found)


def test_a_sign_on_one_figure_says_nothing_of_another():
    assert verify(figures=["0.76", "78.7%"], n=150).verdict.word == "met"


def test_figures_that_can_be_are_met():
    assert verify(figures=["0.5", "0.25"], n=8).verdict.word == "met"


@pytest.mark.parametrize(
    ("error", "outcome", "cause"),
    [
        (0.0, "cannot_be", "error of 0"),
        (0.22360679774997896, "explained", "divided by n"),
        (0.22941573387056174, "fits", ""),
        (0.22941573387056174 / 1000**0.5, "differs", "32 times too small"),
        (0.51298917604257699, "differs", "spread of single items"),
        (0.9, "differs", "no reading"),
        (0.22941573387056174 * 0.8, "differs", "no reading"),
        (0.22941573387056174 * 1.2, "differs", "no reading"),
    ],
)
def test_an_error_is_recomputed_and_its_fault_named(error, outcome, cause):
    # 2 of 5 right, s² = 0.3, s/√5 = 0.2449; here 9 of 18 … of 20 values with mean 0.5: s/√n over 5 items
    values = [1.0, 0.0, 1.0, 0.0, 1.0]
    due = (0.3 / 5) ** 0.5
    scaled = error * due / 0.22941573387056174 if error else 0.0
    if outcome == "explained":
        scaled = (0.24 / 5) ** 0.5
    if "spread" in cause:
        scaled = 0.3**0.5
    found = verify(printed(values, mean=0.6, stderr=scaled))
    check = next(check for check in found.checks if "stderr" in check.claim)
    assert check.outcome == outcome
    assert cause in check.cause


def test_a_zero_error_beside_a_rate_strictly_inside_cannot_be_even_without_rows():
    evidence = printed([1.0, 0.0], mean=0.5)
    alone = evidence.reported.with_columns(task=pl.lit("other"))
    alone = pl.concat([alone, alone.with_columns(statistic=pl.lit("stderr"), value=0.0)])
    found = verify(evidence.revise(reported=alone))
    assert outcomes(found)["a, other, value, stderr"] == "cannot_be"


def test_attempts_taken_for_items_are_named():
    rows = [
        {
            "system": "a",
            "task": "t",
            "item": str(i),
            "attempt": k,
            "value": float((i + k) % 3 == 0),
            "metric": "value",
        }
        for i in range(12)
        for k in (1, 2, 3, 4)
    ]
    values = pl.Series([row["value"] for row in rows])
    error = float(values.std()) / 48**0.5
    reported = pl.DataFrame(
        [{"system": "a", "task": "t", "metric": "value", "statistic": "stderr", "value": error}]
    )
    found = verify(assemble(pl.DataFrame(rows), reported=reported))
    assert "takes 48 attempts for items; the items are 12" in found.checks[0].cause


def test_a_group_that_counts_its_items_twice_is_found_in_the_real_log():
    found = verify(shared("logs/lm-eval/org__stub-a"))
    wrong = [check for check in found.checks if check.outcome == "differs"]
    assert [check.claim for check in wrong] == ["org/stub-a, toy_group, acc, stderr"]
    assert wrong[0].expected == "0.0645132"
    assert "toy_mc_b asks what toy_mc asks" in wrong[0].cause


@pytest.mark.parametrize(
    "log",
    [
        "logs/inspect/2026-11-29T17-39-20-00-00_toy-add_5ePAd3NJvrdSZB8pSPdgs3.eval",
        "logs/promptfoo/results_v3_repeat2.json",
    ],
)
def test_what_real_tools_printed_comes_out(log):
    found = verify(shared(log))
    assert found.verdict.word == "met"
    assert found.count("differs") == 0


def test_a_table_of_claims_is_held_against_rows_at_its_own_digits(tmp_path):
    claims = tmp_path / "claims.csv"
    claims.write_text("system,value\na,66.7%\na,66.6%\n", encoding="utf-8")
    found = verify(printed([1.0, 1.0, 0.0], mean=2 / 3), claims=claims)
    assert [check.outcome for check in found.checks] == ["fits", "differs"]


def test_claims_without_rows_are_held_against_their_n(tmp_path):
    claims = tmp_path / "claims.csv"
    claims.write_text("system,value,n,stderr\nours,0.85,20,0.0\ntheirs,0.84,20,\n", encoding="utf-8")
    found = verify(claims=claims)
    assert [check.outcome for check in found.checks] == ["fits", "cannot_be", "cannot_be"]
    assert "cannot have an error of 0. Should be 0.08192." in " ".join(render(found).split())  # √(.85·.15/19)


def test_an_error_printed_in_points_is_read_in_points(tmp_path):
    claims = tmp_path / "claims.csv"
    claims.write_text(
        "system,value,n,stderr\na,82.0%,500,1.7%\nb,82.0%,500,1.7\nc,82.0%,500,3.4%\n", encoding="utf-8"
    )
    found = [check for check in verify(claims=claims).checks if "stderr" in check.claim]
    assert [check.outcome for check in found] == ["fits", "fits", "not_checked"]


def test_bad_requests_are_one_clear_error(tmp_path):
    claims = tmp_path / "claims.csv"
    for text in ("system\na\n", "value\nabc\n", "value,n\n0.5,x\n", "value,n,stderr\n0.5,10,abc\n",
                 "value,n\n0.5,1e400\n", "value,n,stderr\n0.5,10,nan\n", "value,n,stderr\n0.5,10,-1\n",
                 "value,n\n82.0,500\n0.82,500\n"):  # fmt: skip
        claims.write_text(text, encoding="utf-8")
        with pytest.raises(AliquotError):
            verify(claims=claims)
    with pytest.raises(UsageError):
        verify()
    with pytest.raises(UsageError):
        verify(figures=["0.5"])


def test_the_command_prints_and_its_json_holds_every_check():
    result = CliRunner().invoke(group, ["verify", "--n", "124", "22.4", "--json"])
    assert result.exit_code == 0
    document = json.loads(result.output)
    assert document["schema"] == "aliquot.verification/1"
    assert document["checks"][0]["outcome"] == "cannot_be"
