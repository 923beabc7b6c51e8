"""Tables of verdicts on pairs: the columns they come with, who stood first, and what cannot be read."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from aliquot import read
from aliquot.errors import InputError
from tests.shared import shared


def table(folder: Path, text: str, name: str = "votes.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_row_a_verdict(tmp_path: Path):
    path = table(
        tmp_path,
        "item,system_a,system_b,judge,shown_first,verdict\nq1,x,y,r,x,a\nq1,x,y,r,y,tie\nq2,x,y,r,b,B\nq3,x,y,r,,\n",
    )
    votes = read(path).votes
    assert votes["shown_first"].to_list() == ["a", "b", "b", None]
    assert votes["verdict"].to_list() == ["a", "tie", "b", None]
    assert votes["status"].to_list() == ["ok", "ok", "ok", "unparsed"]
    assert set(votes["by"]) == {"judge"}


def test_a_row_a_pair_with_both_orders_and_what_people_said(tmp_path: Path):
    rows = pl.DataFrame(
        {"subset": ["s", "t"], "item": [0, 0], "gold": [1, 2], "judge": ["m", "m"], "strategy": ["plain", "plain"],
         "verdict_order1": [1.0, 2.0], "verdict_order2": [2.0, float("nan")]}
    )  # fmt: skip
    rows.write_parquet(tmp_path / "pairs.parquet")
    rows.with_columns(pl.col("verdict_order2").fill_nan(None)).write_csv(tmp_path / "pairs.csv")
    for name in ("pairs.parquet", "pairs.csv"):
        votes = read(tmp_path / name).votes
        judged = votes.filter(pl.col("by") == "judge")
        assert judged["item"].to_list() == ["s 0", "s 0", "t 0", "t 0"]
        assert judged["shown_first"].to_list() == ["a", "b", "a", "b"]
        assert judged["verdict"].to_list() == ["a", "b", "b", None]
        assert set(judged["rater"]) == {"m plain"}
        assert votes.filter(pl.col("by") == "person")["verdict"].to_list() == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("item,system_a,system_b,verdict\nq1,x,y,maybe\n", "'maybe' is no verdict"),
        ("item,system_a,system_b,verdict\n,x,y,a\n", "names no item"),
        ("item,system_a,system_b,verdict\nq1,,y,a\n", "names no two systems"),
        ("item,system_a,system_b,verdict,shown_first\nq1,x,y,a,z\n", "'z' is no verdict"),
        ("item,generator_1,generator_2,preference\nq1,x,y,3\n", "'3' is no preference"),
        ("item,generator_1,generator_2,preference\nq1,x,y,nan\n", "'nan' is no preference"),
        ("item,system_a,system_b,verdict\n", "holds no verdict"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, text: str, said: str):
    with pytest.raises(InputError, match=said):
        read(table(tmp_path, text))


def test_preferences_keep_their_grade_and_the_order_that_was_recovered():
    votes = read(shared("logs", "alpaca_eval", "preferences_long.csv")).votes
    assert (votes.height, votes["shown_first"].count()) == (8050, 5612)
    graded = votes.filter(pl.col("label") == "1.0002780312").row(0, named=True)
    assert (graded["verdict"], graded["shown_first"]) == ("a", "b")
