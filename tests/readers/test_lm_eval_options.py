"""Choices in logs of lm-evaluation-harness, scored again by every measure of their log-likelihoods."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from aliquot.errors import InputError
from aliquot.readers.lm_eval_options import told_options
from aliquot.readers.registry import read_one
from aliquot.verbs.read import read
from aliquot.verbs.rescore import rescore
from tests.shared import shared

LOGS = shared("logs", "lm-eval")


@pytest.mark.parametrize("folder", ["org__stub-a", "org__stub-b"])
@pytest.mark.parametrize("task", ["toy_mc", "toy_mc_b"])
@pytest.mark.parametrize(
    ("rule", "metric"), [("choice_by_likelihood", "acc"), ("choice_by_characters", "acc_norm")]
)
def test_the_values_of_the_harness_come_out_row_for_row(
    tmp_path: Path, folder: str, task: str, rule: str, metric: str
) -> None:
    (log,) = LOGS.joinpath(folder).glob(f"samples_{task}_2*.jsonl")
    rescore(log, scorer=rule, output=tmp_path / "again.csv")
    rows = read(tmp_path / "again.csv").outcomes
    key = ["system", "item", "attempt"]
    new = rows.filter(pl.col("scorer") == f"{rule}/1").select(*key, again="value")
    own = read_one(log).outcomes.filter(pl.col("metric") == metric).select(*key, "value")
    both = own.join(new, on=key)
    assert both.height == own.height == new.height == 60
    assert both["value"].to_list() == both["again"].to_list()
    assert 0 < sum(both["value"]) < 60


def test_a_rule_says_which_number_the_log_does_not_tell(tmp_path: Path) -> None:
    (log,) = LOGS.joinpath("org__stub-a").glob("samples_toy_mc_2*.jsonl")
    with pytest.raises(InputError, match=r"rule 'choice_by_tokens' reads: .* tokens"):
        rescore(log, scorer="choice_by_tokens", output=tmp_path / "again.csv")
    with pytest.raises(InputError, match="'choice_by_pmi'"):
        rescore(log, scorer="choice_by_pmi", output=tmp_path / "again.csv")


def test_the_answer_is_the_most_probable_option_for_rules_that_read_texts(tmp_path: Path) -> None:
    (log,) = LOGS.joinpath("org__stub-a").glob("samples_toy_mc_2*.jsonl")
    rescore(log, scorer="exact", output=tmp_path / "again.csv")
    rows = read(tmp_path / "again.csv").outcomes.filter(pl.col("scorer") == "exact/1")
    acc = read_one(log).outcomes.filter(pl.col("metric") == "acc")
    assert sum(rows["value"]) == sum(acc["value"])


ASKED = [("2+2?", " 3"), ("2+2?", " four"), ("2+2?", " five")]
PAIRS = [["-2.5", "False"], ["-1.0", "True"], ["-3.0", "False"]]


def test_a_choice_behind_an_empty_context_is_what_it_is_without_the_question() -> None:
    bare = [("", text) for _, text in ASKED]
    alone = [["-4.0", "False"], ["-0.5", "True"], ["-9", "False"]]
    found = told_options([*ASKED, *bare], [*PAIRS, *alone], "2")
    assert found is not None
    assert [one.unconditional for one in found.options] == [-4.0, -0.5, -9.0]
    assert [(one.option, one.greedy) for one in found.options] == [
        ("3", False), ("four", True), ("five", False),
    ]  # fmt: skip
    assert found.right == "five"


@pytest.mark.parametrize(
    ("target", "right"),
    [
        ("1", "four"), (1, "four"), ("four", "four"), (" four", "four"), ("3", "3"),
        ("7", None), ("[0, 1]", None), (None, None),
    ],
)  # fmt: skip
def test_the_right_choice_is_its_place_from_0_or_its_text(target: object, right: str | None) -> None:
    found = told_options(ASKED, PAIRS, target)
    assert found is not None
    assert found.right == right


def test_a_target_that_is_the_place_of_one_choice_and_the_text_of_another_is_not_guessed() -> None:
    asked = [("How many?", f" {n}") for n in (1, 0, 2)]
    open_, same = (told_options(asked, PAIRS, target) for target in ("0", "2"))
    assert open_ is not None
    assert open_.right is None
    assert same is not None
    assert same.right == "2"


@pytest.mark.parametrize(
    ("asked", "pairs"),
    [
        ([], []),
        (ASKED[:1], PAIRS[:1]),
        (ASKED, PAIRS[:2]),
        (ASKED, [*PAIRS[:2], ["nan", "False"]]),
        (ASKED, [*PAIRS[:2], "text"]),
        (ASKED, [*PAIRS[:2], []]),
        ([("a", " x"), ("b", " x")], PAIRS[:2]),
        ([("a", " x"), ("a", " x")], PAIRS[:2]),
        ([("a", {"until": []}), ("a", " x")], PAIRS[:2]),
        ([("a", " x"), ("a", " y"), ("", " x"), ("", " z")], [*PAIRS, PAIRS[0]]),
    ],
    ids=["nothing", "one", "a number lacks", "no number", "a text", "empty", "contexts differ", "equal",
         "a generation", "other choices without the question"],
)  # fmt: skip
def test_what_does_not_tell_a_choice_tells_none(asked: list[tuple[str, str]], pairs: list[list[str]]) -> None:
    assert told_options(asked, pairs, "0") is None


def test_an_item_whose_right_choice_is_open_is_named(tmp_path: Path) -> None:
    (log,) = LOGS.joinpath("org__stub-a").glob("samples_toy_mc_2*.jsonl")
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()[:3]]
    rows[1]["target"] = "9"
    (tmp_path / log.name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(InputError, match=r"item '[0-9a-f]{64}' has no reference"):
        rescore(tmp_path / log.name, scorer="choice_by_likelihood", output=tmp_path / "again.csv")
