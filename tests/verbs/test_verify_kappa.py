"""Published kappas held against two columns of labels: a known slip, sound ones, every coding that is recognised."""

from __future__ import annotations

import json

import polars as pl
import pytest
from click.testing import CliRunner

from aliquot import from_frame, verify
from aliquot.cli.main import group
from aliquot.errors import AliquotError, UsageError
from aliquot.stats import cohen_kappa
from tests.shared import shared

A = ["1", "2", "2", "1", "2", "1", "2", "2", "1", None]
B = ["1", "2", "1", "1", "2", "2", "2", "2", "1", "2"]


def write(path, rows):
    pl.DataFrame(rows).write_csv(path)
    return path


def checked(tmp_path, value, *, a=A, b=B, **claim):
    rows = write(tmp_path / "rows.csv", {"item": range(len(a)), "judge": a, "gold": b})
    cells = {"statistic": "kappa", "rater_a": "judge", "rater_b": "gold", "value": f"{value}", **claim}
    return verify(rows, claims=write(tmp_path / "claims.csv", [cells])).checks[0]


def test_the_kappas_shipped_with_llmbar_are_found_and_their_slip_named(tmp_path):
    # its evaluate.py reads verdicts "1" and "2" as int(x) if x in ("0", "1") else 0, and leaves the gold label alone
    published = pl.read_csv(shared("data/llmbar/published_statistics.csv")).filter(
        pl.col("group") == "LLMBar"
    )
    names = {"kappa_False": "verdict_order1", "kappa_True": "verdict_order2"}
    claims = [
        {**{name: row[name] for name in ("group", "subset", "strategy")}, "judge": row["llm"], "value": row[of],
         "statistic": "kappa", "rater_a": column, "rater_b": "gold"}
        for row in published.iter_rows(named=True)
        for of, column in names.items()
    ]  # fmt: skip
    found = verify(
        shared("data/llmbar/judgments.parquet"), claims=write(tmp_path / "claims.csv", claims)
    ).checks
    assert len(found) == 2 * published.height > 100
    right = [check for check in found if check.outcome != "differs"]
    assert all("it is 0 whatever the agreement" in check.cause for check in right)
    assert len(right) < 0.1 * len(found)
    for check in found:
        if check.outcome == "differs":
            assert "labels other than 0 and 1 were read as 0" in check.cause
            assert "while gold kept its own" in check.cause


def test_the_kappas_of_pandalm_come_out_at_the_command_line(tmp_path):
    claims = tmp_path / "claims.csv"
    claims.write_text(
        "statistic,rater_a,rater_b,value\n"
        "kappa,annotator1,annotator2,.85\nkappa,annotator1,annotator3,.88\nkappa,annotator2,annotator3,.86\n",
        encoding="utf-8",
    )
    rows = shared("data/pandalm_human/pandalm_human.csv")
    result = CliRunner().invoke(group, ["verify", str(rows), "--claims", str(claims), "--json"])
    assert result.exit_code == 0
    document = json.loads(result.output)
    assert [check["outcome"] for check in document["checks"]] == ["fits"] * 3
    assert document["verdict"]["text"] == "AS PRINTED: all 3 numbers come out."


def recoded(**codes):
    return {name: cohen_kappa(*sides).point for name, sides in codes.items()}


SLIPS = recoded(
    flags=([x if x == "1" else "0" for x in A], B),
    exchanged=([{"1": "2", "2": "1", None: None}[x] for x in A], B),
    lower=([None if x is None else str(int(x) - 1) for x in A], B),
    given=([x or "1" for x in A], B),
    own=([x or "none" for x in A], B),
)


@pytest.mark.parametrize(
    ("value", "outcome", "cause"),
    [
        (cohen_kappa(A, B).point, "fits", ""),
        (7 / 9, "differs", "not corrected for chance"),
        (SLIPS["own"], "explained", "1 row without a label kept as a label of their own"),
        (SLIPS["given"], "differs", "1 row without a label had been given '1'"),
        (SLIPS["flags"], "differs", "read as 0 in judge ('2' became 0), while gold kept its own"),
        (SLIPS["lower"], "differs", "judge were coded one too low"),
        (SLIPS["exchanged"], "differs", "'1', '2' were exchanged in judge"),
        (0.123456, "differs", "no coding of the labels that was tried gives it"),
        (1.2, "cannot_be", "between -1 and 1"),
    ],
)
def test_each_coding_is_told_from_the_others(tmp_path, value, outcome, cause):
    check = checked(tmp_path, value)
    assert (check.outcome, cause in check.cause) == (outcome, True)


def test_rows_are_chosen_by_columns_of_their_own(tmp_path):
    rows = write(tmp_path / "rows.csv", {"part": ["x"] * 4 + ["y"] * 4, "a": [1, 2, 1, 2, 1, 1, 2, 2],
                                         "b": [1, 2, 1, 2, 1, 2, 1, 2]})  # fmt: skip
    claims = write(tmp_path / "claims.csv", [
        {"part": part, "statistic": "kappa", "rater_a": "a", "rater_b": "b", "value": value, "note": "table 2"}
        for part, value in (("x", "1.00"), ("y", "0.00"))
    ])  # fmt: skip
    assert [check.outcome for check in verify(rows, claims=claims).checks] == ["fits", "fits"]
    assert verify(claims=claims).verdict.word == "nothing_to_judge"  # without rows


def test_one_label_only_is_undefined(tmp_path):
    check = checked(tmp_path, 0.5, a=["1"] * 4, b=["1"] * 4)
    assert (check.outcome, check.expected) == ("cannot_be", "undefined")
    assert "one label only" in check.cause


def test_bad_claims_are_one_clear_error(tmp_path):
    for claim, told in (
        ({"rater_a": "judje"}, "Did you mean 'judge'"),
        ({"rater_b": ""}, "rater_a and rater_b"),
        ({"llm": "GPT-4"}, "no column 'llm'"),
        ({"item": "77"}, "no row has item '77'"),
        ({"value": "85%"}, "is no kappa"),
        ({"value": "1e9999"}, "is no kappa"),
        ({"value": "nan"}, "is no kappa"),
    ):
        with pytest.raises(AliquotError, match=told):
            checked(tmp_path, **{"value": 0.5, **claim})
    with pytest.raises(UsageError, match="give its path"):
        verify(
            from_frame(pl.DataFrame({"system": ["a"], "item": ["1"], "value": [1]})),
            claims=tmp_path / "claims.csv",
        )


def test_a_statistic_that_is_not_known_is_not_taken_for_a_mean(tmp_path):
    claims = write(tmp_path / "c.csv", [{"system": "a", "statistic": "median", "value": "0.5", "n": "10"}])
    check = verify(claims=claims).checks[0]
    assert check.outcome == "not_checked"
    assert "'median' is no statistic that is known here" in check.cause
