"""``aliquot read``: converting, mapping files, and metrics made of metrics."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aliquot.errors import InputError
from aliquot.readers.mapping import read_mapping, write_mapping
from aliquot.readers.options import ReadOptions
from tests.cli.called import call as aliquot

ROWS = [(f"q{i}", name, metric, int((i * 3 + place + len(metric)) % 4 > 0))
        for i in range(30) for place, name in enumerate(("old", "new")) for metric in ("g1", "g2")]  # fmt: skip


@pytest.fixture
def graded(tmp_path: Path) -> Path:
    lines = ["question_id,model,metric,verdict", *(",".join(map(str, row)) for row in ROWS)]
    (tmp_path / "log.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def found(folder: Path, *words: str) -> dict[str, object]:
    done = aliquot("compare", *words, "--json", folder=folder)
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.mark.parametrize("name", ["out.parquet", "out.csv", "out.jsonl"])
def test_a_converted_table_gives_the_same_finding(graded: Path, name: str) -> None:
    done = aliquot("read", "log.csv", "--value-column", "verdict", "-o", name, folder=graded)
    assert done.code == 0, done.err
    assert f"{len(ROWS)} rows written to {name}" in done.out
    one = found(graded, "log.csv", "--value-column", "verdict", "--metric", "g1")
    other = found(graded, name, "--metric", "g1")
    for key in ("difference", "tests", "matching", "verdict", "table"):
        assert one[key] == other[key]


def test_a_metric_may_be_an_expression_in_compare_and_show(graded: Path) -> None:
    both = {}
    for item, name, _, value in ROWS:
        both[item, name] = both.get((item, name), 1) * value
    fixed = sum(both[item, "new"] > both[item, "old"] for item, name in both if name == "old")
    words = ["log.csv", "--value-column", "verdict", "--metric", "all(g1,g2)"]
    comparison = found(graded, *words)
    assert comparison["metric"] == "all(g1,g2)"
    assert comparison["table"]["fixed"] == fixed > 0  # type: ignore[index]
    assert "'all(g1,g2)'" in str(comparison["command"])
    shown = json.loads(aliquot("show", *words, "--fixed", "--json", folder=graded).out)
    assert shown["counts"]["fixed"] == fixed
    failed = aliquot("compare", *words[:-1], "all(g1,g9)", folder=graded)
    assert (failed.code, failed.out) == (2, "")
    assert "there is no metric 'g9'" in failed.err


def test_a_saved_mapping_stands_in_for_its_options_and_below_those_given(graded: Path) -> None:
    options = ["--value-column", "verdict", "--item-column", "question_id", "--missing", "n/a"]
    assert aliquot("read", "log.csv", *options, "--save-mapping", "m.yaml", folder=graded).code == 0
    assert (graded / "m.yaml").read_text() == "item: question_id\nvalue: verdict\nmissing:\n- n/a\n"
    words = ["log.csv", "--metric", "g1"]
    by_file, by_hand = (found(graded, *words, *said) for said in (["--mapping", "m.yaml"], options))
    assert by_file == by_hand
    done = aliquot("read", "log.csv", "--mapping", "m.yaml", "--value-column", "metric", folder=graded)
    assert "'g1' is no value" in done.err


def test_every_option_survives_a_mapping_file(tmp_path: Path) -> None:
    options = ReadOptions(wide=("a", "b"), try_="no", missing=("~", "null", "1"), decimal=",", duplicates="drop",
                          kind="bounded", low=0.0, high=10, better="lower", segments=("x: y",))  # fmt: skip
    write_mapping(tmp_path / "m.yaml", options)
    assert read_mapping(tmp_path / "m.yaml") == options
    assert "try: 'no'" in (tmp_path / "m.yaml").read_text()
    write_mapping(tmp_path / "m.yaml", ReadOptions())
    assert read_mapping(tmp_path / "m.yaml") == ReadOptions()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("itm: id", "no reading option 'itm'. Did you mean 'item'"),
        ("item: [id]", "expected"),
        ("duplicates: sometimes", "sometimes"),
        ("- item", "is no mapping"),
        ("item: !!python/object:os.system x", "tag"),
        ("item: {", "is not YAML"),
    ],
)
def test_a_mapping_file_that_is_none_is_one_clear_error(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "m.yaml").write_text(text)
    with pytest.raises(InputError, match=problem):
        read_mapping(tmp_path / "m.yaml")


def test_a_wide_table_is_not_guessed_but_the_command_is_given(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text("item,gpt 4,claude,topic\n1,1,0,law\n2,yes,,art\n")
    done = aliquot("read", "w.csv", folder=tmp_path)
    assert done.code == 2
    command = "aliquot read w.csv --wide 'gpt 4' --wide claude"
    assert command in done.err
    again = aliquot("read", "w.csv", "--wide", "gpt 4", "--wide", "claude", folder=tmp_path)
    assert "Systems: 2 ('gpt 4' claude)" in again.out
