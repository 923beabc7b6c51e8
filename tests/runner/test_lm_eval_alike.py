"""Declarative tasks of lm-evaluation-harness scored by our rules from stored responses: its values, item by item."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from aliquot import compare, read, rescore
from aliquot.scorers.rule_texts import write_rule
from aliquot.stats.corpus import corpus_value
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run
from tests.shared import shared

STUBS = ("org__stub-a", "org__stub-b")


def task(name: str) -> dict[str, Any]:
    """Return a declarative task with what it includes."""
    told = yaml.safe_load(shared("logs", "lm-eval", "tasks", f"{name}.yaml").read_text(encoding="utf-8"))
    include = told.pop("include", None)
    return told if include is None else task(Path(include).stem) | told


def rule_of(told: dict[str, Any], name: str | None) -> str:
    """Return the rule of a task's exact_match under one of its filters."""
    metric = next(one for one in told["metric_list"] if one["metric"] == "exact_match")
    settings = {key: value for key, value in metric.items() if key.startswith(("ignore", "regexes"))}
    steps = next(one["filter"] for one in told["filter_list"] if one["name"] == name) if name else []
    return write_rule("exact_match", settings | ({"filter": steps} if steps else {}))


def values(outcomes: pl.DataFrame, metric: str) -> list[tuple[str, float]]:
    return sorted(
        outcomes.filter(pl.col("metric") == metric).select("item", pl.col("value").fill_null(0)).iter_rows()
    )


def samples(stub: str, name: str) -> Path:
    (file,) = shared("logs", "lm-eval", stub).glob(f"samples_{name}_2*.jsonl")
    return file


@pytest.mark.parametrize("stub", STUBS)
@pytest.mark.parametrize(
    ("name", "filtered"),
    [
        ("toy_gsm", "strict-match"),
        ("toy_gsm", "flexible-extract"),
        ("toy_gsm_sc", "score-first"),
        ("toy_bleu", None),
    ],
)
def test_its_log_is_scored_alike(stub: str, name: str, filtered: str | None, tmp_path: Path) -> None:
    log = samples(stub, name)
    theirs = f"exact_match,{filtered}" if filtered else "exact_match"
    found = rescore(log, scorer=rule_of(task(name), filtered), output=tmp_path / "both.parquet")
    both = read(tmp_path / "both.parquet").outcomes
    assert found.systems[0].answers == 60
    assert values(both, found.metrics[0]) == values(both, theirs)


@pytest.mark.parametrize("stub", STUBS)
def test_five_attempts_vote_alike(stub: str, tmp_path: Path) -> None:
    lines = [
        json.loads(line) for line in samples(stub, "toy_gsm_sc").read_text(encoding="utf-8").splitlines()
    ]
    mine = [line for line in lines if line["filter"] == "maj@5"]
    items = [
        {"id": f"i{k:02}", "question": f"{k}.", "reference": line["target"]} for k, line in enumerate(mine)
    ]
    (tmp_path / "sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in items), encoding="utf-8")
    first, vote = (rule_of(task("toy_gsm_sc"), name) for name in ("score-first", "maj@5"))
    evaluation = {
        "name": "sums",
        "items": "sums.jsonl",
        "attempts": 5,
        "guards": False,
        "scorers": [first, vote, "majority(of='x')".replace("'x'", json.dumps(first))],
        "systems": {"stored": {"model": "stored", "prompt": "{{ question }}"}},
    }
    (tmp_path / "sums.yaml").write_text(yaml.safe_dump(evaluation), encoding="utf-8")
    given = {f"{k}.": iter(line["resps"][0]) for k, line in enumerate(mine)}
    models = {"stored": FakeSystem(lambda asked: next(given[asked]))}
    outcomes = run(tmp_path / "sums.yaml", directory=tmp_path / "runs", models=models).evidence.outcomes
    metrics = outcomes["metric"].unique(maintain_order=True).to_list()
    assert [outcomes.filter(pl.col("metric") == one).height for one in metrics] == [300, 60, 60]
    theirs = [(f"i{k:02}", line["exact_match"]) for k, line in enumerate(mine)]
    assert values(outcomes, metrics[1]) == theirs
    assert values(outcomes, metrics[2]) == theirs  # attempts whose reading fails vote for none in both
    assert 0 < sum(value for _, value in theirs) < 60
    once = [value for _, value in values(outcomes.filter(pl.col("attempt") == 1), metrics[0])]
    assert once == [line["exact_match"] for line in lines if line["filter"] == "score-first"]


@pytest.mark.parametrize("stub", STUBS)
def test_bleu_of_its_corpus(stub: str, tmp_path: Path) -> None:
    pytest.importorskip("sacrebleu", reason="the extra metrics is not installed")
    log = shared("logs", "lm-eval", stub)
    printed = read(log).reported.filter(pl.col("metric") == "bleu", pl.col("statistic") == "value")
    rescore(samples(stub, "toy_bleu"), scorer="bleu", output=tmp_path / "both.parquet")
    parts = read(tmp_path / "both.parquet").outcomes.drop_nulls("parts")["parts"].to_list()
    assert corpus_value(parts, combine="bleu") == pytest.approx(printed["value"][0], abs=1e-9)


def test_a_rule_of_all_attempts_makes_no_headline(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"id": "a", "question": "1", "reference": "1"}\n', encoding="utf-8")
    text = (
        "name: x\nitems: one.jsonl\nattempts: 3\nscorer: {rule: majority, of: number}\n"
        "systems: {a: {model: m, prompt: '{{ question }}'}}\n"
    )
    (tmp_path / "x.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(Exception, match=r"all attempts at an item together.*scorers: \[words, majority"):
        run(tmp_path / "x.yaml", directory=tmp_path / "runs", models={"m": FakeSystem("1")})


def test_two_systems_are_compared_by_what_their_attempts_agree_on(tmp_path: Path) -> None:
    rows = [{"id": f"i{k:02}", "question": f"{k}.", "reference": "7"} for k in range(20)]
    (tmp_path / "votes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    text = (
        "name: votes\nitems: votes.jsonl\nattempts: 3\nguards: off\nscorers: [number, 'majority(of=\"number\")']\n"
        "systems: {a: {model: a, prompt: '{{ question }}'}, b: {model: b, prompt: '{{ question }}'}}\n"
    )
    (tmp_path / "votes.yaml").write_text(text, encoding="utf-8")
    turns = {name: {f"{k}.": iter(says) for k in range(20)} for name, says in (("a", "778"), ("b", "898"))}
    turns["a"]["3."] = iter(["9", "7.0", "7"])
    models = {name: FakeSystem(lambda asked, name=name: next(turns[name][asked])) for name in turns}
    path = run(tmp_path / "votes.yaml", directory=tmp_path / "runs", models=models).path
    found = compare(path, metric='success,majority(of="number")/1')
    assert (found.baseline.estimate.point, found.candidate.estimate.point) == (1.0, 0.0)  # type: ignore[union-attr]
    assert found.attempts == (1, 1)
    labels = read(path).outcomes.filter(pl.col("metric") == found.metric, pl.col("system") == "b")["label"]
    assert set(labels) == {"8"}
