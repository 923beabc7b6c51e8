"""Choices by log-likelihood and perplexities through a whole run: asked, kept, scored by every rule, and resumed."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from aliquot import compare, read, rescore
from aliquot.errors import AliquotError, InputError, UsageError
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.evaluation import Guards, ScorerSpec, SystemSpec
from aliquot.runner.evaluation_file import parse_evaluation
from aliquot.runner.only import differing_items, read_only
from aliquot.stats.results import Estimate, Undefined
from aliquot.systems.fake import FakeSystem
from aliquot.systems.replies import Likelihood, Reply
from aliquot.verbs.run import run
from tests.cli.called import call
from tests.runner.evaluations import evaluation

OFF = Guards(parse_rate=0)
RULES = ("choice_by_likelihood", "choice_by_characters", "choice_by_bytes", "choice_by_tokens")


def choices(folder: Path, n: int = 6) -> Path:
    """Write n items of which the first option, a short one, is right for the even and the long one for the odd."""
    rows = [
        {
            "id": f"i{k}",
            "question": f"q{k}",
            "options": [f"s{k}", f"a long option {k}"],
            "reference": "AB"[k % 2],
        }
        for k in range(n)
    ]
    path = folder / "choices.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def told(context: str, continuation: str) -> float:
    """Prefer the short option by the sum, and the long one by its length; letters the first, a bare context none."""
    if context == "Answer:":
        return -4.0
    return {" A": -1.0, " B": -2.0}.get(continuation, -2.0 if "long" not in continuation else -3.0)


def chooser(**keys: Any) -> SystemSpec:
    return SystemSpec(model="fake", mode="likelihood", prompt="{{ question }}:", **keys)


def asked(folder: Path, fake: FakeSystem, items: Path, **changes: Any) -> Path:
    given = {"systems": {"first": chooser()}, "scorer": ScorerSpec(rule=RULES[0]), "guards": OFF} | changes
    return run(evaluation(items, **given), directory=folder / "runs", models={"fake": fake}).path


def test_every_number_is_kept_and_every_rule_reads_them(tmp_path: Path) -> None:
    fake = FakeSystem({}, likelihoods=told)
    others = tuple(ScorerSpec(rule=rule) for rule in RULES[1:])
    systems = {"texts": chooser(), "letters": chooser(continuations="letters")}
    path = asked(tmp_path, fake, choices(tmp_path), systems=systems, alternatives=others)
    assert sorted(fake.asked)[:2] == ["q0: A", "q0: B"]
    assert "q0: a long option 0" in fake.asked
    assert len(fake.asked) == 2 * 6 * 2
    evidence = read(path)
    rates = {
        (system, metric): value
        for system, metric, value in evidence.outcomes.group_by("system", "metric")
        .agg(pl.col("value").mean())
        .iter_rows()
    }
    # texts: the sum −2 against −3 takes the short one, right for the even half, and any length the long one
    assert set(rates.values()) == {0.5}
    assert set(rates) == {
        (system, f"success,{rule}/1" if rule != RULES[0] else "success")
        for system in systems
        for rule in RULES
    }
    records = list(RunDirectory(path).read_journal().records)
    assert {option.characters for one in records if one.system == "letters" for option in one.options} == {1}
    one = next(one for one in records if one.system == "texts")
    assert one.text in {option.option for option in one.options}
    assert [option.bytes for option in one.options] == [len(option.option) for option in one.options]
    rules = compare(path).scoring
    assert rules is not None
    assert {other.scorer for other in rules.others} == {f"{rule}/1" for rule in RULES[1:]}


def test_letters_are_of_one_length_whatever_they_stand_for(tmp_path: Path) -> None:
    """The probability of a letter is not divided by the length of its option: A at ln P = -1 before B at -2."""
    systems = {"letters": chooser(continuations="letters")}
    scorer = ScorerSpec(rule="choice_by_characters")
    path = asked(
        tmp_path, FakeSystem({}, likelihoods=told), choices(tmp_path), systems=systems, scorer=scorer,
        alternatives=(ScorerSpec(rule="choice_by_likelihood"), ScorerSpec(rule="choice_by_bytes")),
    )  # fmt: skip
    values = read(path).outcomes.pivot(on="metric", index="item", values="value").drop("item")
    assert all(row[0] == row[1] == row[2] for row in values.rows())


def test_rescoring_asks_nothing_and_says_when_there_is_nothing_to_read(tmp_path: Path) -> None:
    fake = FakeSystem({}, likelihoods=told)
    path = asked(tmp_path, fake, choices(tmp_path))
    before = list(fake.asked)
    found = rescore(path, scorer="choice_by_bytes")
    assert fake.asked == before
    assert sorted((*found.systems[0].to_right, *found.systems[0].to_wrong)) == [f"i{k}" for k in range(6)]
    for rule, reads in (("choice_by_pmi", "without its question"), ("bits_per_byte", "mode: perplexity")):
        with pytest.raises(InputError, match=reads):
            rescore(path, scorer=rule)


def test_the_probability_without_the_question_is_asked_for_once_it_is_wanted(tmp_path: Path) -> None:
    fake = FakeSystem({}, likelihoods=told)
    path = asked(
        tmp_path,
        fake,
        choices(tmp_path, 2),
        systems={"first": chooser(unconditional="Answer:")},
        scorer=ScorerSpec(rule="choice_by_pmi"),
    )
    alone = [one for one in fake.asked if one.startswith("Answer:")]
    assert sorted(alone) == [
        "Answer: a long option 0",
        "Answer: a long option 1",
        "Answer: s0",
        "Answer: s1",
    ]
    records = RunDirectory(path).read_journal().records
    assert {option.unconditional for one in records for option in one.options} == {-4.0}
    with pytest.raises(UsageError, match="unconditional: 'Answer:'"):
        asked(tmp_path, fake, choices(tmp_path), scorer=ScorerSpec(rule="choice_by_pmi"), name="other")


def test_white_space_at_the_end_of_the_prompt_goes_to_the_continuation(tmp_path: Path) -> None:
    contexts: list[tuple[str, str]] = []

    def note(context: str, continuation: str) -> float:
        contexts.append((context, continuation))
        return -1.0

    spec = SystemSpec(model="fake", mode="likelihood", prompt="{{ question }}\n", separator="")
    path = asked(tmp_path, FakeSystem({}, likelihoods=note), choices(tmp_path, 1), systems={"first": spec})
    assert contexts == [("q0", "\ns0"), ("q0", "\na long option 0")]
    manifest = RunDirectory(path).manifest
    assert manifest is not None
    assert "ends with white space, which a likelihood continues" in manifest.warnings[0]


FAULTS = {
    "undefined": (Undefined("letters merge"), "option 2 of 2: letters merge"),
    "a fault": (
        Reply(text="", status="timeout", reason="too slow", faults=("503",)),
        "option 2 of 2: too slow",
    ),
    "an exception": (ValueError("boom"), "ValueError: boom"),
    "no number": (float("-inf"), "option 2 of 2: the log-probability is -inf"),
    "no token": (Likelihood(log_probability=-1.0, tokens=0, greedy=False), "of 0 tokens"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_question_one_of_whose_options_has_no_number_has_none(tmp_path: Path, name: str) -> None:
    fault, reason = FAULTS[name]
    broken = True

    def answer(context: str, continuation: str) -> Any:
        return (
            fault if broken and context == "q1:" and "long" in continuation else told(context, continuation)
        )

    fake, items = FakeSystem({}, likelihoods=answer), choices(tmp_path, 4)
    path = asked(tmp_path, fake, items)
    (lost,) = [one for one in RunDirectory(path).read_journal().records if one.item == "i1"]
    assert lost.status == ("timeout" if name == "a fault" else "error")
    assert reason in (lost.reason or "")
    assert lost.options == ()
    if name == "a fault":
        assert lost.faults == ("503",)
        return
    before, broken = len(fake.asked), False
    again = asked(tmp_path, fake, items)
    assert len(fake.asked) == before + 2  # the question anew, whole, and nothing else
    assert read(again).outcomes["value"].null_count() == 0


def test_a_run_cut_short_goes_on_and_counts_alike(tmp_path: Path) -> None:
    whole = asked(tmp_path, FakeSystem({}, likelihoods=told), choices(tmp_path), name="whole")
    items, fake = choices(tmp_path), FakeSystem({}, likelihoods=told)
    cut = asked(tmp_path, fake, items, name="cut")
    journal = RunDirectory(cut).journal_path
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3]) + lines[3][:40])  # killed in the middle of the fourth answer
    before = len(fake.asked)
    others = (ScorerSpec(rule="choice_by_bytes"),)
    cut = asked(tmp_path, fake, items, name="cut", alternatives=others)
    assert len(fake.asked) == before + 2 * 3
    key = ["system", "item", "metric"]
    one, other = (read(path).outcomes.sort(key).select(*key, "value") for path in (whole, cut))
    assert other.filter(pl.col("metric") == "success").equals(one)
    assert other.filter(pl.col("metric") == "success,choice_by_bytes/1").height == 6


def test_the_cache_keeps_a_question_whole(tmp_path: Path) -> None:
    fake = FakeSystem({}, likelihoods=told)
    given = {"systems": {"first": chooser()}, "scorer": ScorerSpec(rule=RULES[0]), "guards": OFF}
    for name, asks in (("one", 12), ("two", 12), ("letters", 24)):
        if name == "letters":
            given["systems"] = {"first": chooser(continuations="letters")}
        done = run(
            evaluation(choices(tmp_path), **(given | {"name": name})),
            directory=tmp_path / "runs",
            models={"fake": fake},
            cache=tmp_path / "answers",
        )
        assert len(fake.asked) == asks
        assert done.evidence.responses["cached"].all() == (name == "two")
        assert done.evidence.outcomes["value"].mean() == 0.5


def test_changed_continuations_are_another_evaluation(tmp_path: Path) -> None:
    items, fake = choices(tmp_path), FakeSystem({}, likelihoods=told)
    asked(tmp_path, fake, items)
    with pytest.raises(UsageError, match="changed: continuations of 'first', separator of 'first'"):
        asked(tmp_path, fake, items, systems={"first": chooser(continuations="letters", separator="")})


def texts(folder: Path) -> Path:
    path = folder / "texts.jsonl"
    rows = [{"id": f"t{k}", "text": "wörd " * k + "end"} for k in range(1, 9)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_perplexities_run_through_to_a_comparison(tmp_path: Path) -> None:
    def by_length(context: str, continuation: str) -> float:
        assert context == ""
        rate = 0.4 - 0.01 * (len(continuation) % 3) if continuation.isupper() else 0.5
        return -rate * len(continuation.encode())

    systems = {
        name: SystemSpec(model="fake", mode="perplexity", prompt=prompt)
        for name, prompt in (("plain", "{{ text }}"), ("upper", "{{ text | upper }}"))
    }
    path = asked(
        tmp_path,
        FakeSystem({}, likelihoods=by_length),
        texts(tmp_path),
        systems=systems,
        scorer=ScorerSpec(rule="bits_per_byte"),
        alternatives=(ScorerSpec(rule="word_perplexity"), ScorerSpec(rule="byte_perplexity")),
    )
    found = compare(path)
    assert (found.metric, found.scale.kind, found.scale.better) == ("bits_per_byte", "real", "lower")
    assert isinstance(found.difference, Estimate)
    rows = [json.loads(line)["text"] for line in texts(tmp_path).read_text(encoding="utf-8").splitlines()]
    total = -sum(by_length("", row) for row in rows)
    fewer = sum(0.1 + 0.01 * (len(row) % 3) for row in rows) / len(rows)
    assert found.difference.point == pytest.approx(-fewer / math.log(2))  # the candidate needs fewer bits
    assert found.verdict.word == "better"
    assert found.side_metrics is not None
    corpus = {(one.name, one.label): one.points[0] for one in found.side_metrics.metrics}
    n_bytes, n_words = sum(len(row.encode()) for row in rows), sum(len(row.split()) for row in rows)
    assert corpus["bits_per_byte", "corpus"] == pytest.approx(total / n_bytes / math.log(2))
    assert corpus["byte_perplexity", ""] == pytest.approx(math.exp(total / n_bytes))
    assert corpus["word_perplexity", ""] == pytest.approx(math.exp(total / n_words))
    assert "bits_per_byte" in call("summarize", path).out
    again = rescore(path, scorer="word_perplexity")
    assert again.verdict.word == "estimated"
    first = again.systems[0].after
    assert isinstance(first, Estimate)
    assert first.point == pytest.approx(math.exp(total / n_words))
    assert first.low < first.point < first.high
    with pytest.raises(UsageError, match="measures bits_per_byte, which makes no answer right or wrong"):
        differing_items(read(path), read_only("broke:plain,upper", ["plain", "upper"]), task="texts")


CHECKED = {
    "no likelihoods": ({}, "choice_by_bytes", "'first' has mode: chat. Rules that can read it: exact"),
    "no text": ({"mode": "perplexity"}, "words", "'first' has mode: perplexity. Rules that can read it: bits_per_byte"),
    "whole only": ({"mode": "perplexity"}, "word_perplexity", r"scorers: \[bits_per_byte, word_perplexity\]"),
    "empty": ({"mode": "likelihood", "prompt": "{{ nothing }}"}, "choice_by_bytes", "is empty for item 'i0'"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHECKED)
def test_what_a_rule_cannot_read_is_refused_before_anything_is_asked(tmp_path: Path, name: str) -> None:
    keys, rule, problem = CHECKED[name]
    items = choices(tmp_path, 2)
    items.write_text(
        "".join(json.dumps(json.loads(line) | {"nothing": "", "reference": json.loads(line)["options"][0]}) + "\n"
                for line in items.read_text(encoding="utf-8").splitlines())
    )  # fmt: skip
    fake = FakeSystem({}, default="x", likelihoods=told)
    spec = SystemSpec(**({"model": "fake", "prompt": "{{ question }}"} | keys))
    with pytest.raises(AliquotError, match=problem):
        asked(tmp_path, fake, items, systems={"first": spec}, scorer=ScorerSpec(rule=rule))
    assert fake.asked == []


def test_an_item_whose_reference_is_no_option_is_refused_with_file_and_row(tmp_path: Path) -> None:
    items = choices(tmp_path, 3)
    text = items.read_text(encoding="utf-8").replace('"reference": "B"', '"reference": "Z"')
    items.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"choices\.jsonl, row 2, field 'reference'.*none of its options"):
        asked(tmp_path, FakeSystem({}), items)


FILE = """\
name: x
items: choices.jsonl
{scoring}
systems:
  a:
    model: fake
    prompt: "{{{{ question }}}}"
    {keys}
"""
REFUSED = {
    "both": ("scorer: words\nscorers: [words]", "", r"row 4, field 'scorers'.*exclude each other"),
    "neither": ("seed: 1", "", "the key 'scorer' is missing"),
    "empty": ("scorers: []", "", "no scorer is listed"),
    "no list": ("scorers: words", "", r"is not a list"),
    "twice": ("scorers: [words, exact, words]", "", "scorers names 'words' twice"),
    "unknown": ("scorers: [words, exakt]", "", "Did you mean 'exact'"),
    "chat": ("scorer: words", "continuations: letters", r"row 8.*needs mode: likelihood"),
    "drawn": ("scorer: choice_by_bytes", "mode: likelihood\n    decoding: {temperature: 1}", r"row 9.*draws no answer"),
    "kind": ("scorer: choice_by_bytes", "mode: likelihood\n    continuations: digits", "'digits' is not known"),
    "spoken": ("scorer: choice_by_bytes", "mode: likelihood\n    instructions: Be brief.", "need mode: chat"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_says_which_key_does_not_fit(name: str) -> None:
    scoring, keys, problem = REFUSED[name]
    with pytest.raises(InputError, match=problem):
        parse_evaluation(FILE.format(scoring=scoring, keys=keys), file="x.yaml")


def test_several_scorers_are_scored_again_on_resume_and_may_change(tmp_path: Path) -> None:
    items = tmp_path / "made.jsonl"
    items.write_text(
        "".join(
            json.dumps({"id": f"i{k}", "question": f"q{k}", "reference": f"a{k}", "strict": "exact"}) + "\n"
            for k in range(4)
        )
    )
    fake = FakeSystem(lambda prompt: f"It is a{prompt[1:]}.")
    spec = {"systems": {"first": SystemSpec(model="fake", prompt="{{ question }}")}, "guards": OFF}
    spec["scorer"] = ScorerSpec(rule="words")
    path = asked(tmp_path, fake, items, **spec, alternatives=(ScorerSpec(field="strict"),))
    rates = dict(read(path).outcomes.group_by("metric").agg(pl.col("value").mean()).iter_rows())
    assert rates == {"success": 1.0, "success,exact/1": 0.0}
    manifest = RunDirectory(path).manifest
    assert manifest is not None
    assert list(manifest.alternatives) == ["success,exact/1"]
    asked(tmp_path, fake, items, **spec)
    assert set(read(path).outcomes["metric"]) == {"success"}
    assert len(fake.asked) == 4
    with pytest.raises(UsageError, match="would both be called 'success,exact/1'"):
        asked(
            tmp_path, fake, items, **spec, alternatives=(ScorerSpec(field="strict"), ScorerSpec(rule="exact"))
        )
