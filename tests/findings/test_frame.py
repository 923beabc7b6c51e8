"""The frame of a finding holds every estimate and every p of it, each told apart by its part and name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl
import pytest

from aliquot.findings.document import finding_document
from aliquot.findings.frame import COLUMNS, frame_of
from aliquot.findings.plain_values import UNBOUNDED
from aliquot.stats.results import Estimate, HypothesisTest, Undefined
from tests.reports.every_kind import KINDS, every_kind


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object within a JSON value."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from objects(part)


@pytest.mark.parametrize("kind", KINDS)
def test_it_holds_every_estimate_and_every_p_of_the_document(kind: str):
    """The JSON is written by other code, so it tells whether the walk came everywhere."""
    found = every_kind()[kind]
    frame = found.to_frame()
    parts = list(objects(finding_document(found)))
    estimates = frame.filter(pl.col("point").is_not_null(), pl.col("what") == "estimate")
    assert Counter(estimates.select("point", "method", "n").rows()) == Counter(
        (part["point"], part["method"], part["n"]) for part in parts if {"point", "method", "n"} <= set(part)
    )
    assert Counter(frame.filter(pl.col("what") == "test").select("method", "p").rows()) == Counter(
        (part["name"], part["p"]) for part in parts if {"name", "p", "alternative"} <= set(part)
    )
    assert Counter(frame["reason"].drop_nulls()) == Counter(
        part["undefined"] for part in parts if "undefined" in part and part["undefined"] != UNBOUNDED
    )


@pytest.mark.parametrize("kind", KINDS)
def test_part_and_name_tell_every_row_apart(kind: str):
    frame = every_kind()[kind].to_frame()
    assert frame.columns == list(COLUMNS)
    assert frame.height > 0
    assert frame.filter(pl.struct("what", "part", "name").is_duplicated()).height == 0


def test_rows_of_a_table_are_named_by_task_metric_and_system():
    frame = every_kind()["table"].to_frame()
    row = frame.filter(pl.col("part") == "rows.difference", pl.col("name").str.starts_with("mainy"))
    found = every_kind()["table"].rows[1]  # pyright: ignore[reportAttributeAccessIssue] - a table
    assert row["name"].to_list() == ["mainy / task / value"]
    assert row.select("point", "low", "high", "level").row(0) == (
        found.difference.point, found.difference.low, found.difference.high, 0.95,
    )  # fmt: skip


def test_the_deciding_test_is_marked_and_the_headline_stands_before_what_is_beside():
    frame = every_kind()["comparison"].to_frame()
    assert frame.filter("decides")["part"].to_list() == ["tests.test"]
    parts = frame["part"].to_list()
    assert parts.index("difference") < parts.index("side_metrics.metrics.difference")


@dataclass(frozen=True)
class Line:
    name: str
    rate: Estimate | Undefined
    test: HypothesisTest | None
    word: str
    seed: int = 7


@dataclass(frozen=True)
class Lines:
    lines: tuple[Line, ...]
    by_k: dict[int, float]


def test_a_record_nobody_has_seen_is_walked_by_its_fields():
    lines = (
        Line(
            "a",
            Estimate(-0.5, -0.75, 0.25, 0.9, "wilson", 8, se=0.1, df=7.0),
            HypothesisTest("t", 0.5),
            "met",
        ),
        Line("b", Undefined("one cluster"), None, "undecided"),
        Line("b", Undefined("no item"), None, "undecided"),
    )
    frame = frame_of(Lines(lines, {2: 0.25}))
    assert frame.select("what", "part", "name").rows() == [
        ("estimate", "lines.rate", "a"),
        ("test", "lines.test", "a"),
        ("word", "lines.word", "a"),
        ("estimate", "lines.rate", "b / 2"),
        ("word", "lines.word", "b / 2"),
        ("estimate", "lines.rate", "b / 3"),
        ("word", "lines.word", "b / 3"),
        ("number", "by_k", "2"),
    ]
    assert frame.row(0, named=True) == dict.fromkeys(COLUMNS) | {
        "what": "estimate", "part": "lines.rate", "name": "a", "point": -0.5, "low": -0.75, "high": 0.25,
        "level": 0.9, "method": "wilson", "n": 8.0, "se": 0.1, "df": 7.0,
    }  # fmt: skip
    assert frame.row(3, named=True)["reason"] == "one cluster"
    assert frame.row(3, named=True)["point"] is None
