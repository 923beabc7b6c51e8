"""Rules with settings through a whole run: the file, the items, the manifest, the evidence, rescoring, comparing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from aliquot import compare, read, rescore, summarize
from aliquot.errors import InputError
from aliquot.runner.evaluation_file import parse_evaluation
from aliquot.stats.results import Undefined
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run

ITEMS: list[dict[str, Any]] = [
    {"id": "mass", "question": "How heavy?", "reference": "5 km", "scorer": {"rule": "number_near", "relative": 0.01,
     "units": {"km": 1000, "m": 1}}},
    {"id": "brief", "question": "In a word?", "reference": "Oslo", "scorer": {"rule": "length", "most": 2}},
    {"id": "quiet", "question": "What is the code?", "never": ["4711"], "scorer": "never"},
    {"id": "said", "question": "Two of them?", "scorer": 'contains(of="all", texts=["red", "blue"])'},
]  # fmt: skip

RIGHT = {
    "How heavy?": "about 5,010 m",
    "In a word?": "Oslo",
    "What is the code?": "No.",
    "Two of them?": "Blue, Red",
}
WRONG = {
    "How heavy?": "5.1 km",
    "In a word?": "It is Oslo",
    "What is the code?": "4711",
    "Two of them?": "blue only",
}


def write(folder: Path, items: list[dict[str, Any]], scoring: str) -> Path:
    (folder / "made.jsonl").write_text("".join(json.dumps(row) + "\n" for row in items), encoding="utf-8")
    path = folder / "rules.yaml"
    systems = "{good: {model: good, prompt: '{{ question }}'}, bad: {model: bad, prompt: '{{ question }}'}}"
    path.write_text(f"name: rules\nitems: made.jsonl\n{scoring}\nsystems: {systems}\n", encoding="utf-8")
    return path


def asked(folder: Path, items: list[dict[str, Any]], scoring: str, good: Any, bad: Any) -> Path:
    file = write(folder, items, scoring)
    models = {"good": FakeSystem(good), "bad": FakeSystem(bad)}
    return run(file, directory=folder / "runs", models=models).path


def test_each_item_names_a_rule_with_settings(tmp_path: Path) -> None:
    path = asked(tmp_path, ITEMS, "scorer: {field: scorer}", RIGHT.__getitem__, WRONG.__getitem__)
    evidence = read(path)
    means = dict(evidence.outcomes.group_by("system").agg(pl.col("value").mean()).iter_rows())
    assert means == {"good": 1.0, "bad": 0.0}
    kept = json.loads((path / "run.json").read_text(encoding="utf-8"))["scorers"]
    assert list(kept) == [
        'contains(of="all", texts=["red", "blue"])',
        "length(most=2)",
        "never",
        'number_near(relative=0.01, units={"km": 1000.0, "m": 1.0})',
    ]
    assert all(about["misleads"] and about["version"] == "1" for about in kept.values())


def test_one_rule_with_settings_for_all_and_the_same_rescored(tmp_path: Path) -> None:
    items = [{"id": f"i{n}", "question": f"{n}", "reference": str(n)} for n in range(1, 9)]
    path = asked(
        tmp_path,
        items,
        "scorer: {rule: number_near, relative: 0.2}",
        lambda asked: f"about {int(asked) * 1.1:.2f}",
        lambda asked: asked,
    )
    assert read(path).outcomes["value"].to_list() == [1.0] * 16
    found = rescore(path, scorer="number_near( relative = 0.05 )")
    assert found.metrics == ("success,number_near(relative=0.05)/1",)
    rates = {one.system: one.after.point for one in found.systems}  # type: ignore[union-attr]
    assert rates == {"good": 0.0, "bad": 1.0}
    again = read(path).outcomes  # rebuilt from what the run keeps
    assert set(again["metric"]) == {"success", "success,number_near(relative=0.05)/1"}


def test_a_graded_rule_makes_a_headline_and_counts_failures_as_nothing(tmp_path: Path) -> None:
    items = [{"id": f"i{n}", "question": f"{n}", "reference": "red and blue"} for n in range(6)]
    answers = [
        "red and blue",
        "red and green",
        "",
        "I'm sorry, but I can't help with that.",
        "blue",
        "red blue",
    ]
    path = asked(
        tmp_path,
        items,
        "scorer: token_f1\nguards: off",
        lambda asked: answers[int(asked)],
        lambda _: "red and blue",
    )
    found = compare(path)
    assert (found.metric, found.scale.kind, found.scale.high) == ("token_f1", "bounded", 1.0)
    # 1, 2·2/(3+3), 0, 0, 2·1/(3+1), 2·2/(3+2); the other is 1 throughout
    wanted = (1 + 4 / 6 + 0 + 0 + 2 / 4 + 4 / 5) / 6
    good, bad = found.baseline.estimate, found.candidate.estimate
    assert (good.point, bad.point) == pytest.approx((wanted, 1.0))  # type: ignore[union-attr]
    statuses = read(path).outcomes.filter(pl.col("system") == "good")["status"].to_list()
    assert sorted(statuses) == ["failed", "ok", "ok", "ok", "ok", "refused"]


def test_a_number_of_the_corpus_stands_beside_the_headline_failures_included(tmp_path: Path) -> None:
    items = [{"id": f"i{n}", "question": f"{n}", "reference": "the cat is on the mat"} for n in range(30)]
    path = asked(
        tmp_path,
        items,
        "scorers: [token_f1, chrf]\nguards: off",
        lambda asked: "" if int(asked) < 10 else "the cat is on the mat",
        lambda _: "the cat is on the mat",
    )
    beside = compare(path).side_metrics
    assert beside is not None
    (corpus,) = [one for one in beside.metrics if one.statistic == "corpus"]
    # every third answer is empty: precision 1, recall 2/3, F2 = 5·(2/3)/(4 + 2/3)
    assert corpus.points == pytest.approx((100 * 5 * (2 / 3) / (4 * 1 + 2 / 3), 100.0))
    assert corpus.n == 30


def test_a_number_of_the_corpus_alone_is_refused_with_what_fits(tmp_path: Path) -> None:
    items = [{"id": "a", "question": "1", "reference": "x"}]
    with pytest.raises(Exception, match=r"scorers: \[token_f1, chrf\]"):
        asked(tmp_path, items, "scorer: chrf", str, str)


@pytest.mark.parametrize(
    ("scoring", "words"),
    [
        ("scorer: {rule: number_near, relativ: 0.1}", "row 3, field 'scorer': .*Did you mean 'relative'"),
        ("scorer: {rule: numbr}", "row 3, field 'scorer': there is no rule 'numbr'"),
        ("scorer: {relative: 0.1}", "there is no key 'relative'"),
        ("scorer: {}", "neither a rule, a field nor a judge is named"),
        ("scorer: {field: scorer, rule: words}", "there is no key 'rule'"),
        ("scorers: [words, {rule: words}]", "names 'words' twice"),
        ("scorer: 3", "a mapping|stands where"),
        ("scorer: {rule: exact, case: [kept]}", "case: expected"),
    ],
)
def test_a_scorer_that_is_none_is_told_with_its_line(tmp_path: Path, scoring: str, words: str) -> None:
    text = (
        f"name: rules\nitems: basics\n{scoring}\nsystems: {{a: {{model: m, prompt: '{{{{ question }}}}'}}}}\n"
    )
    with pytest.raises(InputError, match=words):
        parse_evaluation(text, file="rules.yaml")


def test_an_item_with_an_impossible_rule_is_named(tmp_path: Path) -> None:
    items = [{"id": "a", "question": "?", "reference": "1", "scorer": {"rule": "regex"}}]
    with pytest.raises(
        InputError, match=r"row 1, field 'scorer': item 'a': the rule 'regex' needs the setting"
    ):
        asked(tmp_path, items, "scorer: {field: scorer}", str, str)
    with pytest.raises(InputError, match=r"item 'a': nothing of the right answer '\?!' is left to compare"):
        asked(tmp_path, [items[0] | {"reference": "?!"}], "scorer: exact", str, str)


def test_a_number_of_the_corpus_is_summarised_and_rescored(tmp_path: Path) -> None:
    items = [{"id": f"i{n}", "question": f"{n}", "reference": "the cat is on the mat"} for n in range(30)]
    path = asked(
        tmp_path,
        items,
        "scorer: token_f1\nguards: off",
        lambda asked: "" if int(asked) < 10 else "the cat is on the mat",
        lambda _: "the cat is on the mat",
    )
    good, bad = rescore(path, scorer="chrf").systems
    wanted = 100 * 5 * (2 / 3) / (4 + 2 / 3)
    assert good.after.point == pytest.approx(wanted)  # type: ignore[union-attr]
    assert isinstance(bad.after, Undefined)  # every answer is the reference: nothing to resample
    line = summarize(path, metric="chrf").lines[0]
    assert line.estimate.point == pytest.approx(wanted)  # type: ignore[union-attr]
    assert line.estimate.low < wanted < line.estimate.high  # type: ignore[union-attr]
    assert (line.n_items, line.missing) == (30, 0)


def test_items_in_csv_hold_rules_with_settings_and_lists(tmp_path: Path) -> None:
    (tmp_path / "made.csv").write_text(
        "id,question,reference,scorer,never\n"
        'far,1,5 km,"number_near(relative=0.01, units={""km"": 1000, ""m"": 1})",\n'
        "quiet,2,,never,geheim|страшно\n"
        'street,3,Straße,"exact(accents=""ignored"")",\n',
        encoding="utf-8",
    )
    file = write(tmp_path, [], "scorer: {field: scorer}")
    file.write_text(file.read_text(encoding="utf-8").replace("made.jsonl", "made.csv"), encoding="utf-8")
    models = {
        "good": FakeSystem({"1": "4,990 m", "2": "Nichts.", "3": "strasse"}),
        "bad": FakeSystem(lambda _: "So СТРАШНО!"),
    }
    outcomes = run(file, directory=tmp_path / "runs", models=models).evidence.outcomes
    passed = outcomes.filter(pl.col("value") == 1.0)
    assert sorted(passed.select("system", "item").rows()) == [
        ("good", "far"),
        ("good", "quiet"),
        ("good", "street"),
    ]
