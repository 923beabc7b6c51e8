"""Published tables with known faults, and correct ones beside them."""

from __future__ import annotations

import json

import polars as pl

from aliquot import from_frame, verify
from tests.shared import shared


def write_claims(path, rows):
    pl.DataFrame(rows).write_csv(path)
    return path


def test_pass_at_five_from_fewer_samples_is_found_and_the_sound_ones_pass(tmp_path):
    samples = pl.read_parquet(shared("data/cruxeval_samples/samples.parquet"))
    published = pl.read_csv(shared("data/cruxeval_samples/published_pass_at_k.csv"))
    chosen = ["claude-3-opus-20240229", "codellama-7b"]
    names = [name for name in samples["system"].unique().to_list() if name in chosen]
    rows = samples.filter(pl.col("system").is_in(names), pl.col("task") == "input")
    temperature = {name: rows.filter(pl.col("system") == name)["temperature"].min() for name in names}
    rows = pl.concat(
        [rows.filter(pl.col("system") == n, pl.col("temperature") == t) for n, t in temperature.items()]
    )
    long = (
        rows.with_columns(value=pl.col("outcomes").str.split(""))
        .explode("value")
        .filter(pl.col("value") != "")
        .with_columns(
            attempt=pl.int_range(1, pl.len() + 1).over("system", "item"), value=pl.col("value").cast(pl.Int64)
        )
        .select("system", "task", pl.col("item").cast(pl.String), "attempt", "value")
    )
    claims = [
        {"system": name, "task": "input", "statistic": f"pass@{k}", "value": f"{row[f'pass_at_{k}']}%"}
        for name, t in temperature.items()
        for row in published.filter(
            pl.col("system") == name, pl.col("task") == "input", pl.col("temperature") == t
        ).iter_rows(named=True)
        for k in (1, 5)
    ]
    found = verify(from_frame(long), claims=write_claims(tmp_path / "claims.csv", claims))
    few = {check.claim for check in found.checks if check.outcome == "cannot_be"}
    assert few == {"claude-3-opus-20240229, input, pass@5"}
    assert all(check.outcome == "fits" for check in found.checks if check.claim not in few)


def test_brier_parts_that_do_not_add_up_are_found(tmp_path):
    published = json.loads(shared("data/llm_forecasts/published_summary.json").read_text())
    claims = [
        {"system": one["system"], "statistic": name, "value": f"{value:.3f}"}
        for one in published[:12]
        for name, value in {"brier": one["avg_brier_score"], **one["brier_score_decomposition"]}.items()
    ]
    found = verify(claims=write_claims(tmp_path / "claims.csv", claims))
    outcomes = {check.claim.split(",")[0]: check.outcome for check in found.checks}
    assert outcomes[published[0]["system"]] == "fits"  # .003 − .000 + .227 = .230, printed .229, each rounded
    wrong = next(one["system"] for one in published if "claude-3.5-sonnet" in one["system"])
    assert outcomes[wrong] == "differs"  # .100 − .061 + .227 = .266, printed .184


def test_a_brier_score_without_its_parts_is_not_checked(tmp_path):
    claims = write_claims(tmp_path / "c.csv", [{"system": "a", "statistic": "brier", "value": "0.2"}])
    found = verify(claims=claims)
    assert [check.outcome for check in found.checks] == ["not_checked"]
    assert found.verdict.word == "nothing_to_judge"


def test_ranks_over_different_items_are_found(tmp_path):
    found = verify(shared("data/swebench_pro/results.parquet"))
    assert len(found.remarks) == 1
    assert "9 systems were scored on different items" in found.remarks[0]
    assert "59 to 47" in found.remarks[0] or "47 to 59" in found.remarks[0]


def test_ranks_over_the_same_items_are_passed():
    rows = pl.DataFrame(
        {"system": ["a"] * 3 + ["b"] * 3, "item": ["1", "2", "3"] * 2, "value": [1, 0, 1, 0, 0, 1]}
    )
    assert verify(from_frame(rows)).remarks == ()
