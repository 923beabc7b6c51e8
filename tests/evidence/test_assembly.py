from __future__ import annotations

import polars as pl
import pytest

from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import SCHEMAS, assemble, rename, select
from aliquot.evidence.contents import headline_metric, metrics, systems, tasks
from aliquot.evidence.merging import merge
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.texts import HeldTexts
from tests.evidence.rows import scored


def test_loose_rows_become_tables_with_the_columns_of_the_contract() -> None:
    evidence = scored("s", {"1": 1.0})
    for table, schema in SCHEMAS.items():
        assert dict(getattr(evidence, table).schema) == dict(schema), table
    assert evidence.responses.select("system", "task", "item", "attempt", "status").row(0) == (
        "s",
        "task",
        "1",
        1,
        "ok",
    )


def test_items_and_responses_that_only_the_outcomes_know_are_added() -> None:
    outcomes = pl.DataFrame(
        {"system": ["s", "s"], "item": ["1", "2"], "value": [1.0, None], "status": ["ok", "timeout"]}
    )
    evidence = assemble(
        outcomes,
        items=pl.DataFrame({"item": ["2"], "cluster": ["c"]}),
        responses=pl.DataFrame({"system": ["s"], "item": ["1"]}),
    )
    assert evidence.items.select("item", "cluster").rows() == [("2", "c"), ("1", None)]
    assert evidence.responses.select("item", "status").rows() == [("1", "ok"), ("2", "timeout")]


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (
            {"system": ["s", "s"], "item": ["1", "1"], "value": [1.0, 0.0]},
            "holds system 's', task 'task', item '1'",
        ),
        ({"system": ["s"], "item": [""], "value": [1.0]}, "a row without item"),
        ({"system": [None], "item": ["1"], "value": [1.0]}, "a row without system"),
        ({"system": ["s"], "item": ["1"], "value": [float("nan")]}, "not a finite number"),
        ({"system": ["s"], "item": ["1"], "value": [1.0], "status": ["fine"]}, "no status 'fine'"),
        ({"system": ["s"], "item": ["1"], "value": ["high"]}, "a value of the wrong type"),
        ({"system": ["s"], "item": ["1"]}, "has no column 'value'"),
    ],
)
def test_rows_that_cannot_be_used_are_refused(rows: dict[str, list[object]], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        assemble(pl.DataFrame(rows))


def test_select_and_rename_touch_every_table_that_names_a_system() -> None:
    both = merge(scored("a", {"1": 1.0}), scored("b", {"1": 0.0}))
    only = select(both, systems=["b"])
    assert (systems(only), only.outcomes["system"].to_list()) == (("b",), ["b"])
    assert systems(rename(both, {"a": "old"})) == ("old", "b")
    with pytest.raises(UsageError, match=r"no system 'c'. Known: a, b"):
        select(both, systems=["c"])
    with pytest.raises(InputError, match="two systems one name"):
        rename(both, {"a": "b"})


def test_a_renamed_system_keeps_its_texts() -> None:
    outcomes = pl.DataFrame({"system": ["a"], "item": ["1"], "value": [1.0]})
    texts = HeldTexts(items={("task", "1"): ("2+2", "4")}, responses={("a", "task", "1", 1): "four"})
    renamed = rename(assemble(outcomes, texts=texts), {"a": "old"})
    merged = merge(scored("b", {"1": 0.0}), renamed).texts
    assert merged is not None
    assert merged.response("old", "task", "1", 1) == "four"
    assert merged.response("b", "task", "1", 1) is None
    assert (merged.inputs("task", "1"), merged.reference("task", "1")) == ("2+2", "4")


def test_the_same_system_twice_is_kept_once_when_equal_and_refused_when_not() -> None:
    one = scored("a", {"1": 1.0, "2": 0.0})
    merged = merge(one, scored("a", {"2": 0.0, "1": 1.0}))
    assert merged.outcomes.height == 2
    assert [note.code for note in merged.notes] == ["identical_system"]
    with pytest.raises(
        InputError, match=r"a system 'a' with different rows. Give the sources different names"
    ):
        merge(one, scored("a", {"1": 0.0, "2": 0.0}))


def test_items_of_two_sources_complete_each_other_and_contradictions_are_noted() -> None:
    one = scored("a", {"1": 1.0, "2": 1.0}, cluster=["x", None])
    two = scored("b", {"1": 1.0, "2": 1.0}, cluster=["z", "y"], **{"segment.topic": ["law", None]})
    merged = merge(one, two)
    assert merged.items.select("item", "cluster", "segment.topic").rows() == [
        ("1", "x", "law"),
        ("2", "y", None),
    ]
    assert [(note.code, note.text) for note in merged.notes] == [
        ("items_disagree", "sources disagree on cluster of some items; the first source's is used")
    ]


def test_a_metric_two_sources_see_differently_is_described_from_all_values() -> None:
    merged = merge(scored("a", {"1": 1.0}), scored("b", {"1": 0.5}))
    assert merged.metrics.select("metric", "kind", "low", "high", "on_failure").rows() == [
        ("value", "bounded", 0.0, 1.0, None)
    ]


def test_the_headline_is_the_logs_own_else_the_first() -> None:
    outcomes = pl.DataFrame(
        {"system": ["s", "s"], "item": ["1", "1"], "metric": ["length", "success"], "value": [3.0, 1.0]}
    )
    plain = assemble(outcomes)
    named = assemble(
        outcomes,
        metrics=pl.DataFrame(
            {"metric": ["length", "success"], "kind": ["real", "binary"], "headline": [False, True]}
        ),
    )
    assert (headline_metric(plain, "task"), metrics(named, "task")) == ("length", ("success", "length"))
    assert tasks(plain) == ("task",)


@pytest.mark.parametrize(
    ("values", "kind", "low", "high", "on_failure"),
    [
        ([1.0, 0.0, None], "binary", 0.0, 1.0, 0.0),
        ([0.5, 1.0], "bounded", 0.0, 1.0, None),
        ([3.0, 5.0], "real", None, None, None),
        ([], "binary", 0.0, 1.0, 0.0),
    ],
)
def test_the_kind_of_a_metric_follows_from_its_values(values, kind, low, high, on_failure) -> None:
    row = metric_row("score", pl.Series(values, dtype=pl.Float64))
    assert (row["kind"], row["low"], row["high"], row["better"], row["on_failure"]) == (
        kind,
        low,
        high,
        "higher",
        on_failure,
    )


def test_what_the_user_says_of_a_metric_is_checked_against_its_values() -> None:
    values = pl.Series([1.0, 4.0])
    assert metric_row("rating", values, low=1, high=5)["kind"] == "bounded"
    assert metric_row("wer", pl.Series([0.2]))["better"] == "lower"
    with pytest.raises(UsageError, match="called binary but holds 4"):
        metric_row("rating", values, kind="binary")
    with pytest.raises(UsageError, match="holds 4, outside its bounds 0 to 3"):
        metric_row("rating", values, low=0, high=3)
