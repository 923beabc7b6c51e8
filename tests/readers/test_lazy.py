"""Rows that stay where they are: the same units and findings from every engine."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.analysis.compare import Choices, compare_systems
from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import rename, select
from aliquot.evidence.contents import metrics, systems, tasks
from aliquot.evidence.long_table import to_arrow, to_pandas, to_polars
from aliquot.evidence.merging import merge
from aliquot.evidence.reduction import units
from aliquot.evidence.status import STATUSES
from aliquot.evidence.tables import Evidence
from aliquot.readers.frame import from_frame
from aliquot.readers.options import ReadOptions

OPTIONS = ReadOptions(attempt="attempt", status="status", metric="metric", cluster="doc", segments=("topic",))
SCHEMA = {"system": pl.String, "item": pl.String, "attempt": pl.Int64, "metric": pl.String, "value": pl.Float64,
          "status": pl.String, "doc": pl.String, "topic": pl.String}  # fmt: skip

ROWS = st.dictionaries(
    st.tuples(
        st.sampled_from("ab"), st.sampled_from(["1", "2", "é", " x"]), st.integers(1, 3), st.sampled_from("mn")
    ),
    st.tuples(
        st.sampled_from([0.0, 1.0, 0.1, 1e9, None, float("nan"), float("inf")]),
        st.sampled_from([*STATUSES, None]),
    ),
    min_size=1,
    max_size=20,
)  # fmt: skip


def _duckdb(frame: pl.DataFrame) -> Any:
    return duckdb.sql("select * from frame")


def _read(frame: Any, **options: Any) -> Evidence:
    return from_frame(frame, item="item", value="value", system="system", options=OPTIONS, **options)


def _frame(rows: dict[tuple[str, str, int, str], tuple[float | None, str | None]]) -> pl.DataFrame:
    """Return the rows with one status an attempt, as a log has it."""
    first = {key[:3]: status for key, (_, status) in reversed(rows.items())}
    return pl.DataFrame(
        [(*key, value, first[key[:3]], f"doc {key[1]}", None) for key, (value, _) in rows.items()],
        schema=SCHEMA,
        orient="row",
    )


def _assert_same_units(eager: Evidence, lazy: Evidence) -> None:
    assert lazy.is_lazy
    assert sorted(systems(eager)) == sorted(systems(lazy))
    for system in systems(eager):
        for metric in metrics(eager, "task", system=system):
            one, other = (units(source, system, task="task", metric=metric) for source in (eager, lazy))
            assert (one.rows, one.statuses, one.answered) == (other.rows, other.statuses, other.answered)
            assert one.frame.drop("mean").equals(other.frame.drop("mean"))
            for a, b in zip(one.frame["mean"], other.frame["mean"], strict=True):
                assert b == (a if a is None else pytest.approx(a, rel=1e-12, abs=1e-12))
    assert lazy.is_lazy


@pytest.mark.heavy
@pytest.mark.parametrize("engine", [pl.DataFrame.lazy, _duckdb], ids=["polars", "duckdb"])
@settings(max_examples=25)
@given(rows=ROWS)
def test_units_agree_with_rows_at_hand(
    engine: Callable[[pl.DataFrame], Any],
    rows: dict[tuple[str, str, int, str], tuple[float | None, str | None]],
) -> None:
    frame = _frame(rows)
    eager, lazy = _read(frame), _read(engine(frame))
    _assert_same_units(eager, lazy)
    assert lazy.metrics.sort("metric").equals(eager.metrics.sort("metric"))
    assert lazy.items.sort("item").equals(eager.items.select(lazy.items.columns).sort("item"))
    key = ["system", "item", "attempt", "metric"]
    assert lazy.outcomes.equals(eager.outcomes.sort(key).select(lazy.outcomes.columns))
    assert not lazy.responses.is_empty()


LONG = pl.DataFrame(
    [(system, f"q{i:03d}", k, "m", float((i * 7 + k + place) % (5 + place) > 1), "ok", f"d{i // 3}", None)
     for place, system in enumerate("ab") for i in range(60) for k in (1, 2)],
    schema=SCHEMA, orient="row",
)  # fmt: skip


def _found(evidence: Evidence) -> dict[str, Any]:
    found = compare_systems(evidence, "a", "b", task="task", choices=Choices())
    return {
        name: getattr(found, name) for name in ("difference", "tests", "verdict", "matching", "n_clusters")
    }


@pytest.mark.parametrize("engine", [pl.DataFrame.lazy, _duckdb], ids=["polars", "duckdb"])
def test_a_finding_is_the_same_wherever_the_rows_are(engine: Callable[[pl.DataFrame], Any]) -> None:
    lazy = _read(engine(LONG))
    expected = _found(_read(LONG))
    assert _found(lazy) == expected
    assert lazy.is_lazy
    parts = [_read(engine(LONG.filter(pl.col("system") == name))) for name in "ab"]
    both = merge(*parts)
    assert _found(both) == expected
    assert both.is_lazy


def test_a_part_and_other_names_stay_lazy() -> None:
    lazy = rename(select(_read(_duckdb(LONG)), systems=["a"]), {"a": "z"})
    assert (systems(lazy), tasks(lazy), lazy.is_lazy) == (("z",), ("task",), True)
    assert lazy.outcomes["system"].unique().to_list() == ["z"]
    assert not select(lazy, tasks=["task"]).outcomes.is_empty()


def test_a_wide_frame_has_a_column_a_system() -> None:
    frame = pl.DataFrame({"case": [1, 2], "old": [True, False], "new": [True, None]})
    evidence = from_frame(frame.lazy(), item="case", options=ReadOptions(wide=("old", "new")))
    assert evidence.outcomes.select("system", "item", "value", "status").rows() == [
        ("new", "1", 1.0, "ok"),
        ("new", "2", None, "missing"),
        ("old", "1", 1.0, "ok"),
        ("old", "2", 0.0, "ok"),
    ]


def test_merging_with_rows_at_hand_brings_them_here() -> None:
    both = merge(
        _read(LONG.filter(pl.col("system") == "a")), _read(_duckdb(LONG.filter(pl.col("system") == "b")))
    )
    assert not both.is_lazy
    assert _found(both) == _found(_read(LONG))


@pytest.mark.parametrize(
    ("frame", "options", "problem"),
    [
        (LONG.drop("item"), {}, "there is no column 'item'"),
        (pl.DataFrame({"question": ["a"], "value": [1]}), {"item": None}, "must bring its item ids"),
        (LONG.with_columns(value=pl.lit("yes")), {}, "holds no numbers. Cast it"),
        (LONG.with_columns(item=pl.lit(0.5)), {}, "'item' of type Float64 cannot name anything"),
        (LONG.with_columns(attempt=pl.lit(1)), {}, r"item 'q\d+' of '[ab]' has more than one row"),
        (LONG.with_columns(status=pl.lit("weird")), {}, "no status 'weird'"),
        (LONG.with_columns(item=pl.lit(None, dtype=pl.String)), {}, "a row has no id"),
        (LONG.with_columns(doc=pl.col("system")), {}, "item 'q000' has more than one doc|cluster"),
        (LONG.head(0), {}, "has no rows"),
        (LONG, {"duplicates": "drop"}, "settled on rows at hand. Collect the frame first"),
    ],
)
@pytest.mark.parametrize("engine", [pl.DataFrame.lazy, _duckdb], ids=["polars", "duckdb"])
def test_what_only_rows_at_hand_can_tell_is_refused(
    engine: Callable[[pl.DataFrame], Any], frame: pl.DataFrame, options: dict[str, Any], problem: str
) -> None:
    said = {"item": "item", "value": "value", "metric": "metric" if "metric" in frame.columns else None,
            "attempt": "attempt" if "attempt" in frame.columns else None,
            "cluster": "doc" if "doc" in frame.columns else None} | options  # fmt: skip
    with pytest.raises((UsageError, InputError), match=problem):
        from_frame(engine(frame), options=ReadOptions(**said))


def test_frames_go_out_as_they_came_in() -> None:
    evidence = _read(LONG)
    table = to_polars(evidence)
    assert to_pandas(evidence).shape == table.shape
    assert to_arrow(evidence).num_rows == table.height
    assert _found(from_frame(table)) == _found(evidence)


@pytest.mark.heavy
def test_pyspark_agrees_with_rows_at_hand() -> None:
    spark_sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed (extra spark)")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not on this machine")
    builder = spark_sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "1").getOrCreate()
    try:
        frame = LONG.with_columns(topic=pl.lit("law"))
        eager, lazy = _read(frame), _read(session.createDataFrame(frame.rows(), frame.columns))
        _assert_same_units(eager, lazy)
        assert _found(lazy) == _found(eager)
    finally:
        session.stop()
