"""Evidence written as a table and read back: the same outcomes, pairs and finding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.analysis.compare import Choices, compare_systems
from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import KEYS, assemble
from aliquot.evidence.contents import metrics, systems
from aliquot.evidence.long_table import to_polars
from aliquot.evidence.matching import pair
from aliquot.evidence.merging import merge
from aliquot.evidence.reduction import units
from aliquot.evidence.status import STATUSES
from aliquot.evidence.tables import Evidence
from aliquot.files.table_writing import ENDINGS, write_table
from aliquot.readers.registry import read_one

AWKWARD = ["=1+1", "'=1+1", "''@x", "'plain", "+x", "-x", "-1", "@cmd", "\tx", "\rx", "a,b",
           'say "hi"', "line\nbreak",
           "line\r\nbreak", " lead",
           "tail ", "é", "e\u0301", "日本語", "NA", "null", "1", "1.0", "x" * 300]  # fmt: skip


def _back(evidence: Evidence, path: Path) -> Evidence:
    write_table(path, to_polars(evidence))
    return read_one(path)


def _assert_same(one: Evidence, other: Evidence) -> None:
    added = other.outcomes.join(one.outcomes, on=KEYS["outcomes"], how="anti")
    assert added["value"].null_count() == added.height  # attempts nobody scored, spelled out
    kept = other.outcomes.join(one.outcomes, on=KEYS["outcomes"], how="semi")
    for table, found in (("outcomes", kept), ("items", other.items), ("responses", other.responses)):
        frame = getattr(one, table).sort(KEYS[table])
        assert frame.equals(found.sort(KEYS[table]).select(frame.columns)), table
    assert other.metrics.sort("metric").drop("headline").equals(one.metrics.sort("metric").drop("headline"))
    for system in systems(one):
        for metric in metrics(one, "task", system=system):
            a, b = (units(source, system, task="task", metric=metric) for source in (one, other))
            assert a.frame.equals(b.frame.select(a.frame.columns))
            assert (a.statuses, a.rows, a.answered, a.scorer) == (b.statuses, b.rows, b.answered, b.scorer)


def _rich() -> Evidence:
    rows = [
        {"system": system, "item": item, "attempt": k, "metric": metric, "scorer": scorer, "repeat": repeat,
         "value": value, "status": status, "by": by, "label": None if value is None else f"={value}"}
        for s, system in enumerate(("=old", "new"))
        for i, item in enumerate(AWKWARD)
        for k in (1, 2)
        for metric, scorer, by, repeats in (("grade", "-judge", "judge", 2), ("pass", "exact", "rule", 1))
        for repeat in range(1, repeats + 1)
        for value, status in [_outcome(metric, i * 5 + s * 3 + k + repeat)]
    ]  # fmt: skip
    outcomes = pl.DataFrame(rows, infer_schema_length=None, schema_overrides={"value": pl.Float64})
    responses = pl.DataFrame(
        [{"system": system, "item": item, "attempt": k, "status": STATUSES[(i + k) % 3], "steps": i,
          "cached": i % 2 == 0, "latency_s": 0.1 * i, "cost": 1e-7, "currency": "EUR"}
         for system in ("=old", "new") for i, item in enumerate([*AWKWARD, "never"]) for k in (1, 2, 3)]
    )  # fmt: skip
    items = pl.DataFrame({"item": AWKWARD, "content": [f"{i:064x}" for i in range(len(AWKWARD))],
                          "cluster": [f"@{i // 3}" for i in range(len(AWKWARD))], "weight": 0.5,
                          "segment.kind": "=x"})  # fmt: skip
    described = [{"metric": "grade", "kind": "bounded", "low": 0.0, "high": 10.0, "better": "lower", "judge": "=m"},
                 {"metric": "pass", "kind": "binary", "low": 0.0, "high": 1.0, "better": "higher", "on_failure": 0.0,
                  "headline": True}]  # fmt: skip
    return assemble(
        outcomes, items=items, responses=responses, metrics=pl.DataFrame(described, infer_schema_length=None)
    )


def _outcome(metric: str, number: int) -> tuple[float | None, str]:
    if number % 11 == 0:
        return None, ("unparsed", "error", "missing")[number % 3]
    return (float(number % 3 > 0) if metric == "pass" else number % 10 + 0.1), "ok"


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_reads_back_to_the_same_outcomes_pairs_and_finding(tmp_path: Path, ending: str) -> None:
    evidence = _rich()
    back = _back(evidence, tmp_path / f"out{ending}")
    _assert_same(evidence, back)
    for metric in ("pass", "grade"):
        one, other = (pair(source, "=old", "new", task="task", metric=metric) for source in (evidence, back))
        assert one.frame.equals(other.frame.select(one.frame.columns))
        assert one.attrition == other.attrition
        a, b = (
            compare_systems(source, "=old", "new", task="task", choices=Choices(metric=metric))
            for source in (evidence, back)
        )
        assert (a.difference, a.tests, a.verdict, a.if_missing) == (
            b.difference,
            b.tests,
            b.verdict,
            b.if_missing,
        )
    assert metrics(back, "task")[0] == "pass"


@pytest.mark.parametrize("ending", ENDINGS)
def test_parts_of_corpus_metrics_survive(tmp_path: Path, ending: str) -> None:
    rows = {
        "system": ["a"] * 2,
        "item": ["1", "2"],
        "metric": "bleu",
        "value": [None, None],
        "parts": [[1.0, 0.1], None],
    }
    schema = {"value": pl.Float64, "parts": pl.List(pl.Float64)}
    evidence = assemble(pl.DataFrame(rows, schema_overrides=schema))
    assert _back(evidence, tmp_path / f"out{ending}").outcomes["parts"].to_list() == [[1.0, 0.1], None]


@pytest.mark.parametrize("ending", ENDINGS)
def test_items_of_one_id_that_asked_other_things_read_back_as_they_were(tmp_path: Path, ending: str) -> None:
    def log(system: str, contents: dict[str, str | None]) -> Evidence:
        rows = pl.DataFrame({"system": system, "item": list(contents), "value": [1.0, 0.0, 1.0]})
        return assemble(
            rows, items=pl.DataFrame({"item": list(contents), "content": list(contents.values())})
        )

    one, other = log("a", {"x": "1", "y": "2", "z": None}), log("b", {"x": "1", "y": "9", "z": "3"})
    merged = merge(one, other)
    back = _back(merged, tmp_path / f"both{ending}")
    _assert_same(merged, back)
    assert back.responses.filter(pl.col("content").is_not_null()).select(
        "system", "item", "content"
    ).rows() == [("b", "y", "9")]
    for evidence in (merged, back):
        with pytest.raises(InputError, match="'y'"):
            pair(evidence, "a", "b", task="task", metric="value")
        matched = pair(evidence, "a", "b", task="task", metric="value", match_on="id")
        assert matched.attrition.content_differs == 1


def test_one_system_that_was_asked_two_things_under_one_id_is_refused(tmp_path: Path) -> None:
    rows = {
        "system": ["a", "a"],
        "item": ["x", "x"],
        "attempt": [1, 2],
        "value": [1, 0],
        "item.content": ["1", "2"],
    }
    write_table(tmp_path / "a.parquet", pl.DataFrame(rows))
    with pytest.raises(
        InputError, match="item 'x' has one inputs or reference in row 1 and another in row 2"
    ):
        read_one(tmp_path / "a.parquet")


def test_no_cell_of_a_csv_begins_like_a_formula(tmp_path: Path) -> None:
    write_table(tmp_path / "out.csv", to_polars(_rich()))
    table = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    for name in table.columns:
        numbers = table[name].cast(pl.Float64, strict=False).is_not_null()
        cells = table[name].filter(~numbers).drop_nulls()
        assert not cells.str.contains(r"^[=+\-@\t\r]").any(), name


def test_a_plain_table_stays_small_and_foreign_apostrophes_stay(tmp_path: Path) -> None:
    evidence = assemble(pl.DataFrame({"system": ["a"], "item": ["'x"], "value": [1.0]}))
    write_table(tmp_path / "out.csv", to_polars(evidence))
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines == ['"system","task","item","attempt","metric","scorer","value","status"',
                     '"a","task","\'x",1,"value","recorded",1.0,"ok"']  # fmt: skip
    (tmp_path / "a.csv").write_text("item,value\n'=x,1\n")
    assert read_one(tmp_path / "a.csv").items["item"].to_list() == ["'=x"]


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    evidence = assemble(pl.DataFrame({"system": ["a"], "item": ["nul\0"], "value": [1.0]}))
    with pytest.raises(InputError, match=r"cannot hold a NUL character. Write Parquet or JSON lines"):
        write_table(tmp_path / "out.csv", to_polars(evidence))
    with pytest.raises(UsageError, match=r"ends in .parquet, .csv, .jsonl"):
        write_table(tmp_path / "out.xlsx", to_polars(evidence))
    _assert_same(evidence, _back(evidence, tmp_path / "out.jsonl"))


IDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)
VALUES = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))


@settings(max_examples=40)
@given(
    st.dictionaries(st.tuples(IDS, st.integers(1, 2)), VALUES, min_size=1, max_size=6),
    st.sampled_from(ENDINGS),
)
def test_any_ids_and_numbers_survive(
    tmp_path_factory: Any, rows: dict[tuple[str, int], float | None], ending: str
) -> None:
    data = [{"system": "s", "item": item, "attempt": k, "value": value} for (item, k), value in rows.items()]
    evidence = assemble(pl.DataFrame(data, schema_overrides={"value": pl.Float64}))
    _assert_same(evidence, _back(evidence, tmp_path_factory.mktemp("out") / f"out{ending}"))
