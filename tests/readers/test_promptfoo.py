from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from aliquot.errors import InputError, UsageError
from aliquot.evidence.contents import systems
from aliquot.evidence.tables import Evidence
from aliquot.readers import promptfoo_items
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import find_reader, read_one
from tests.readers.promptfoo_samples import error_row, export, row, write
from tests.shared import shared


def _read(
    folder: Path, rows: list[dict[str, Any]], *, more: dict[str, Any] | None = None, **options: Any
) -> Evidence:
    return read_one(write(folder, export(rows, **(more or {}))), ReadOptions(**options))


def _values(evidence: Evidence, metric: str) -> list[tuple[Any, ...]]:
    rows = evidence.outcomes.filter(pl.col("metric") == metric)
    return rows.select("system", "attempt", "value", "status").rows()


def test_a_row_becomes_a_response_and_an_outcome_for_each_metric(tmp_path: Path) -> None:
    evidence = _read(tmp_path, [row(0)])
    response = evidence.responses.to_dicts()[0]
    assert (response["system"], response["status"], response["latency_s"], response["cost"]) == (
        "model-a",
        "ok",
        0.25,
        0.5,
    )
    assert (response["tokens_in"], response["tokens_out"], response["currency"]) == (20, 5, "USD")
    assert evidence.outcomes.select("metric", "value", "by").rows() == [
        ("success", 1.0, "rule"),
        ("score", 1.0, "rule"),
        ("right", 1.0, "rule"),
        ("short", 1.0, "rule"),
    ]
    assert evidence.metrics.select("metric", "kind", "headline").rows()[0] == ("success", "binary", True)
    key = evidence.responses.select("system", "task", "item", "attempt").row(0)
    assert evidence.texts is not None
    assert evidence.texts.response(*key) == "1"
    assert evidence.texts.inputs("promptfoo", key[2]) == '{"a":"1","expected":"1"}'


def test_an_error_is_missing_and_a_failed_assertion_is_wrong(tmp_path: Path) -> None:
    failed = row(1, value=2, success=False, score=0.25, error="Expected output to contain 2")
    evidence = _read(tmp_path, [row(0), failed, error_row(2, value=3)])
    assert [value for _, _, value, _ in _values(evidence, "success")] == [1.0, 0.0, None]
    assert evidence.responses.select("status", "reason", "latency_s", "cost").rows() == [
        ("ok", None, 0.25, 0.5),
        ("ok", None, 0.25, 0.5),
        ("error", "down", None, None),
    ]


def test_a_database_moved_from_an_older_version_has_errors_with_the_failure_reason_0(tmp_path: Path) -> None:
    evidence = _read(tmp_path, [row(0), error_row(1, value=2, failureReason=0)])
    assert evidence.responses["status"].to_list() == ["ok", "error"]


@pytest.mark.parametrize(
    ("response", "status"),
    [
        ({"output": "x", "finishReason": "length"}, "truncated"),
        ({"output": "No.", "isRefusal": True}, "refused"),
        ({"output": ""}, "failed"),
        ({"output": {"tool": "f"}}, "ok"),
    ],
)
def test_a_response_that_is_no_whole_answer_says_so_and_its_value_still_counts(
    tmp_path: Path, response: dict[str, Any], status: str
) -> None:
    evidence = _read(tmp_path, [row(0, response=response)])
    assert evidence.responses["status"].to_list() == [status]
    assert _values(evidence, "success") == [("model-a", 1, 1.0, "ok")]


def test_cached_answers_are_marked_and_said(tmp_path: Path) -> None:
    evidence = _read(tmp_path, [row(0, response={"output": "1", "cached": True}), row(1, value=2)])
    assert evidence.responses["cached"].to_list() == [True, False]
    assert "1 answers came from promptfoo's cache" in " ".join(note.text for note in evidence.notes)


def test_order_position_and_prompt_do_not_name_an_item(tmp_path: Path) -> None:
    one = _read(tmp_path, [row(0, value=1), row(1, value=2)])
    moved = [row(1, value=1, prompt="other"), row(0, value=2, prompt="other")]
    assert set(one.items["item"]) == set(_read(tmp_path, moved).items["item"])
    judged = [
        {"type": "contains", "value": "{{expected}}", "threshold": 0.1},
        {"type": "javascript", "value": "output.length < 5"},
    ]
    other_scorer = _read(tmp_path, [row(0, test_case={"assert": judged[::-1]})])
    assert other_scorer.items["item"][0] in set(one.items["item"])
    expected = _read(tmp_path, [row(0, test_case={"assert": [{"type": "contains", "value": "7"}]})])
    assert expected.items["item"][0] not in set(one.items["item"])


@pytest.mark.parametrize(
    ("asked", "item"),
    [
        ({"b": 65, "a": "28"}, "28_65"),
        (
            {"question": "What is\nthe capital, of France? And of all the others"},
            "What_is_the_capital_of_France_An",
        ),
        ({"context": "Long " * 50, "question": "Who said so, and when?"}, "Long_Long_Long_L_Who_said_so_and"),
        ({"q": "¿Où? 日本語 e\u0301#2 \x1b[31m"}, "Où_日本語_e_2_31m"),
        ({"q": "?!"}, ""),
        ({"q": ["x", 1]}, "x_1"),
        ({f"v{k}": "abcdefgh" for k in range(9)}, "abcdef_abcdef_abcdef_abcdef_abcd"),
    ],
)
def test_an_item_shows_what_it_asks_before_its_hash(tmp_path: Path, asked: dict[str, Any], item: str) -> None:
    name = _read(tmp_path, [row(0) | {"vars": asked}]).items["item"][0]
    shown, _, digest = name.rpartition("~")
    assert (shown, len(digest)) == (item, 10)
    assert set(digest) <= set("0123456789abcdef")
    described = row(0, test_case={"description": "other words"}) | {"vars": asked}
    added = row(1) | {"vars": dict.fromkeys(asked, "other")}
    again = _read(tmp_path, [added, described | {"testIdx": 7, "prompt": "other"}]).items["item"]
    assert name in set(again)  # whatever else is there, wherever it stands and however it is described


def test_tests_that_ask_the_same_and_expect_other_things_differ_in_their_hash_alone(tmp_path: Path) -> None:
    other = {"assert": [{"type": "contains", "value": "7"}]}
    one, two = _read(tmp_path, [row(0), row(1, test_case=other)]).items["item"]
    assert one.partition("~")[0] == two.partition("~")[0] == "1_1"
    assert one != two


def test_two_tests_of_one_hash_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promptfoo_items, "_readable", lambda *_: "same")
    with pytest.raises(InputError, match="tests of one id have different variables or assertions: 'same'"):
        _read(tmp_path, [row(0), row(1, value=2)])


def test_ids_of_the_users_that_look_like_copies_are_none(tmp_path: Path) -> None:
    rows = [row(k, value=k, test_case={"metadata": {"id": name}}) for k, name in enumerate(["x", "x#2"])]
    assert "exact_copies" not in [note.code for note in _read(tmp_path, rows).notes]


def test_repeats_are_attempts_and_a_copy_of_a_test_is_an_item_that_is_reported(tmp_path: Path) -> None:
    rows = [row(test, column, value=1 + (test // 2) % 2) for test in range(6) for column in (1, 0)]
    evidence = _read(tmp_path, rows, more={"runtimeOptions": {"repeat": 2}})  # tests 1, 2 and 1 again
    assert evidence.items.height == 3
    assert evidence.items["content"].n_unique() == 2
    assert evidence.responses.group_by("item").len()["len"].to_list() == [4, 4, 4]
    assert sorted(set(evidence.responses["attempt"])) == [1, 2]
    assert "exact copies of another test, kept as items of their own: 1" in [
        note.text for note in evidence.notes
    ]
    together = _read(tmp_path, rows, more={"runtimeOptions": {"repeat": 2}}, duplicates="attempts")
    assert together.items.height == 2
    unknown = _read(tmp_path, rows, more={"runtimeOptions": {}})
    assert "repeats_assumed" in [note.code for note in unknown.notes]


def test_tests_without_variables_are_refused_when_nothing_tells_them_apart(tmp_path: Path) -> None:
    bare = [row(test) | {"vars": {}} for test in range(2)]
    with pytest.raises(InputError, match="tests without variables look all the same"):
        _read(tmp_path, bare)
    named = [row(test, test_case={"description": f"case {test}"}) | {"vars": {}} for test in range(2)]
    assert [name.partition("~")[0] for name in _read(tmp_path, named).items["item"]] == ["case_0", "case_1"]


def test_a_field_names_the_items_when_every_test_has_it_or_the_user_says_so(tmp_path: Path) -> None:
    rows = [
        row(k, value=k, test_case={"metadata": {"id": f"case-{k}", "source": "doc", "weight": 2}})
        for k in (1, 2)
    ]
    evidence = _read(tmp_path, rows, cluster="metadata.source", weight="weight")
    assert evidence.items.select("item", "cluster", "weight").rows() == [
        ("case-1", "doc", 2.0),
        ("case-2", "doc", 2.0),
    ]
    assert _read(tmp_path, rows, item="vars.a").items["item"].to_list() == ["1", "2"]
    with pytest.raises(UsageError, match=r"no test has a field 'metadata\.case'"):
        _read(tmp_path, rows, item="metadata.case")
    clash = [row(k, value=k, test_case={"metadata": {"id": "same"}}) for k in (1, 2)]
    with pytest.raises(InputError, match="tests of one id have different variables or assertions: 'same'"):
        _read(tmp_path, clash)
    mixed = [row(k, value=k, test_case={"metadata": {"id": name}}) for k, name in ((1, 1), (2, "1"))]
    with pytest.raises(InputError, match=r'the number 1 \(result 1\) and the text "1" \(result 2\)'):
        _read(tmp_path, mixed)


def test_systems_are_called_by_provider_and_by_prompt_where_there_are_several(tmp_path: Path) -> None:
    same = {"provider": {"id": "openai:x"}}
    labels = ["terse", "A very long prompt, " * 9, "terse"]
    rows = [row(0, promptIdx=k, prompt={"label": label}, **same) for k, label in enumerate(labels)]
    assert systems(_read(tmp_path, rows)) == (
        "openai:x [prompt 1]",
        "openai:x [prompt 2]",
        "openai:x [prompt 3]",
    )
    assert systems(_read(tmp_path, rows[:2])) == ("openai:x [terse]", "openai:x [prompt 2]")
    assert systems(_read(tmp_path, rows[:1])) == ("openai:x",)
    assert systems(_read(tmp_path, rows[:1], name="ours")) == ("ours",)
    with pytest.raises(UsageError, match="holds 2 systems"):
        _read(tmp_path, rows[:2], name="ours")


def test_settings_hold_model_prompt_decoding_and_version_and_no_key(tmp_path: Path) -> None:
    config = {"temperature": 0, "apiKey": "sk-1", "headers": {"x": "sk-2"}, "region": "eu"}
    more = {"config": {"providers": [{"id": "prov-0", "label": "model-a", "config": config}]}}
    settings = dict(_read(tmp_path, [row(0)], more=more).settings.select("name", "value").rows())
    assert settings["model"] == "prov-0"
    assert settings["decoding.temperature"] == "0"
    assert settings["harness"] == "promptfoo 0.121.20"
    assert settings["prompt"] == "sha256:" + "p" * 20
    other = {"config": {"providers": [{"label": "model-a", "config": config | {"apiKey": "sk-9"}}]}}
    again = dict(_read(tmp_path, [row(0)], more=other).settings.select("name", "value").rows())
    assert again["provider_config"] == settings["provider_config"]


def _shared(name: str) -> Evidence:
    return read_one(shared("logs", "promptfoo", name))


@pytest.mark.parametrize(
    "name", ["results_v3_repeat2.json", "results_v3_repeat2_changed_provider.json", "two_prompts.json"]
)
def test_what_promptfoo_printed_comes_out_of_the_rows(name: str) -> None:
    evidence = _shared(name)
    printed = {
        row[:2] + row[2:3]: row[3]
        for row in evidence.reported.select("system", "metric", "statistic", "value").rows()
    }
    assert printed
    for system in systems(evidence):
        rows = evidence.outcomes.filter(pl.col("system") == system)
        success = rows.filter(pl.col("metric") == "success")["value"]
        lost = evidence.responses.filter(pl.col("system") == system, pl.col("status") == "error").height
        assert printed[system, "success", "pass_count"] == success.sum()
        assert printed[system, "success", "fail_count"] == success.count() - success.sum()
        assert printed[system, "success", "error_count"] == lost
        assert printed[system, "success", "pass_rate"] == pytest.approx(
            success.sum() / len(success), abs=1e-12
        )
        assert printed[system, "score", "sum"] == rows.filter(pl.col("metric") == "score")["value"].sum()
        for metric in ("right", "correctness", "format", "concise"):
            values = rows.filter(pl.col("metric") == metric)["value"]
            if (
                values.len()
            ):  # promptfoo's own number is a weighted sum; over its weights it is the mean of the rows
                assert printed[system, metric, "mean"] == pytest.approx(values.mean(), abs=1e-12)
                assert printed[system, metric, "count"] == values.len()


def test_the_headline_of_the_terminal_counts_errors_as_failures() -> None:
    evidence = _shared("results_v3_repeat2.json")
    success = evidence.outcomes.filter(pl.col("metric") == "success")["value"]
    assert (success.sum(), success.count(), success.len()) == (
        60,
        80,
        88,
    )  # "60 passed (68.18%)" is 60/88, not 60/80
    assert (evidence.items.height, evidence.items["content"].n_unique()) == (22, 21)
    assert sorted(evidence.items["cluster"].drop_nulls().unique()) == ["c0", "c1", "c2", "c3", "c4"]


@pytest.mark.parametrize("ending", ["yaml", "jsonl", "csv"])
def test_the_same_evaluation_in_every_format_has_the_same_values(ending: str) -> None:
    first, other = _shared("results_v3_repeat2.json"), _shared(f"results_v3_repeat2.{ending}")
    assert systems(first) == systems(other)
    for metric in ("success", "correctness", "format", "concise"):
        sums = [
            e.outcomes.filter(pl.col("metric") == metric).group_by("system").agg(
                pl.col("value").sum(), n=pl.col("value").count()
            ).sort("system").rows()
            for e in (first, other)
        ]  # fmt: skip
        assert sums[0] == sums[1]
    if ending == "yaml":
        assert first.outcomes.equals(other.outcomes)
    else:
        assert "not_in_this_format" in [note.code for note in other.notes]


def test_what_is_no_result_of_promptfoo_is_left_to_others() -> None:
    folder = shared("logs", "promptfoo")
    for name in (
        "promptfooconfig.yaml",
        "two_prompts.config.yaml",
        "terminal_output.txt",
        "results.junit.xml",
    ):
        with pytest.raises(InputError, match="no reader knows it"):
            find_reader(folder / name)
