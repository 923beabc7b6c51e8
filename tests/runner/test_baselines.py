"""Systems that know nothing: named in the file, asked and compared like any other."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from aliquot import Baseline, compare
from aliquot.errors import InputError, UsageError
from aliquot.runner.evaluation_file import parse_evaluation
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import Run, run

TRUTH = ["No."] * 14 + ["Yes"] * 6


def asked(
    folder: Path, systems: str, *, truth: list[str] = TRUTH, attempts: int = 1, scorer: str = "words"
) -> Run:
    rows = [
        {
            "id": f"i{k:02}",
            "question": f"Question {k}. And more?",
            "reference": one,
            "options": ["a b", "c d"],
        }
        for k, one in enumerate(truth)
    ]
    (folder / "made.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    text = f"name: b\nitems: made.jsonl\nscorer: {scorer}\nattempts: {attempts}\nguards: off\nsystems:\n{systems}"
    (folder / "b.yaml").write_text(text, encoding="utf-8")
    return run(folder / "b.yaml", directory=folder / "runs", models={"fake": FakeSystem(lambda _: "Yes")})


def answers(done: Run, system: str) -> list[str | None]:
    texts = done.evidence.texts
    assert texts is not None
    rows = done.evidence.responses.filter(pl.col("system") == system).sort("item", "attempt")
    return [texts.response(system, "made", item, k) for item, k in rows.select("item", "attempt").iter_rows()]


def test_the_most_frequent_right_answer_as_the_items_spell_it(tmp_path: Path) -> None:
    done = asked(
        tmp_path,
        "  majority: {model: {baseline: majority}, prompt: '{{ question }}'}\n"
        "  sure: {model: fake, prompt: '{{ question }}'}\n",
    )
    assert set(answers(done, "majority")) == {"No."}
    found = compare(done.path)
    assert (found.baseline.estimate.point, found.candidate.estimate.point) == (0.7, 0.3)  # type: ignore[union-attr]
    assert (
        json.loads((done.path / "run.json").read_text())["systems"]["majority"]["components"]["answer"]
        == "No."
    )


def test_right_answers_drawn_at_random_are_the_same_again_and_about_even(tmp_path: Path) -> None:
    systems = "  draw: {model: {baseline: random, seed: 5}, prompt: '{{ question }}'}\n"
    first = answers(asked(tmp_path, systems, attempts=10), "draw")
    other = tmp_path / "again"
    other.mkdir()
    assert answers(asked(other, systems, attempts=10), "draw") == first
    counts = Counter(first)
    assert set(counts) == {"No.", "Yes"}
    assert 70 <= counts["Yes"] <= 130  # of 200 even draws; beyond four standard deviations


def test_lines_of_the_prompt_are_drawn_and_sentences_given_back(tmp_path: Path) -> None:
    done = asked(
        tmp_path,
        "  lines: {model: {baseline: random, among: lines}, prompt: \"{{ options | join('\\n') }}\"}\n"
        "  lead: {model: {baseline: first_sentence}, prompt: '{{ question }}'}\n"
        "  copy: {model: {baseline: copy}, prompt: '{{ question }}'}\n",
        attempts=3,
    )
    assert set(answers(done, "lines")) == {"a b", "c d"}
    assert answers(done, "lead")[9] == "Question 3."
    assert answers(done, "copy")[9] == "Question 3. And more?"


def test_where_no_answer_is_shared_there_is_no_majority(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="right answers that several items share, and there are none"):
        asked(
            tmp_path,
            "  m: {model: {baseline: majority}, prompt: '{{ question }}'}\n",
            truth=[f"a{k}" for k in range(5)],
        )


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("{baseline: most}", "row 4, field 'baseline': baseline: there is no 'most'"),
        ("{baseline: random, among: letters}", "there is no 'letters'"),
        ("{baseline: majority, seed: 3}", "among and seed go with baseline: random"),
        ("{baseline: copy, version: 1}", "there is no key 'version'"),
    ],
)
def test_a_baseline_that_is_none_is_told_with_its_line(model: str, words: str) -> None:
    text = f"name: x\nitems: basics\nscorer: words\nsystems: {{a: {{model: {model}, prompt: '{{{{ question }}}}'}}}}\n"
    with pytest.raises(InputError, match=words):
        parse_evaluation(text, file="x.yaml")


def test_from_python_too() -> None:
    assert Baseline(baseline="copy") == Baseline(baseline="copy")
    with pytest.raises(UsageError, match="Did you mean 'majority'"):
        Baseline(baseline="majorty")  # type: ignore[arg-type]


def test_asked_again_a_baseline_answers_as_it_did_in_the_run(tmp_path: Path) -> None:
    """The items that differ are those with the rarer answer: of them alone the most frequent one would be another."""
    systems = (
        "  majority: {model: {baseline: majority}, prompt: '{{ question }}'}\n"
        "  sure: {model: fake, prompt: '{{ question }}'}\n"
    )
    asked(tmp_path, systems)
    again = run(
        tmp_path / "b.yaml",
        directory=tmp_path / "runs",
        models={"fake": FakeSystem(lambda _: "Yes")},
        only="fixed:majority,sure",
        attempts=2,
    ).again
    assert [(one.right, one.came) for one in again] == [((0, 2), "stable")] * 6
