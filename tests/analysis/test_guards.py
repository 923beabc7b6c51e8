"""Guards: each fires on what it is for, stays silent on either side of its threshold, and on real logs."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot import item_sets, read
from aliquot.analysis.guard_labels import LEAST_CLASSED
from aliquot.analysis.guard_texts import LEAST_ITEMS, MOST_TEXTS
from aliquot.analysis.guards import LARGE, find_guards
from aliquot.analysis.majority import MOST_REFERENCES
from aliquot.analysis.scales import scale_of
from aliquot.evidence.assembly import assemble
from aliquot.evidence.contents import metrics, systems, tasks
from aliquot.evidence.reduction import units
from tests.shared import shared


class Written:
    """Texts given as lists, one an item."""

    def __init__(self, answers, references):
        self.answers, self.references = answers, references

    def inputs(self, *_):
        return None

    def reference(self, _task, item):
        return self.references[int(item[1:])]

    def response(self, _system, _task, item, _attempt):
        return self.answers[int(item[1:])]


def evidence_of(values, *, statuses=None, better="higher", texts=None, **columns):
    rows = {"system": "main", "item": [f"q{i:03d}" for i in range(len(values))], "value": values}
    status = statuses or ["ok"] * len(values)
    outcomes = pl.DataFrame(rows, schema_overrides={"value": pl.Float64}, strict=False)
    responses = pl.DataFrame({**rows, "status": status, **columns}, strict=False).drop("value")
    binary = {
        "metric": "value",
        "kind": "binary",
        "low": 0.0,
        "high": 1.0,
        "better": better,
        "on_failure": 0.0,
    }
    return assemble(outcomes, responses=responses, metrics=pl.DataFrame([binary]), texts=texts)


def guards(evidence, *, texts=True):
    mine = units(evidence, "main", task="task", metric="value")
    return {
        note.code: note.text
        for note in find_guards(evidence, [mine], scale_of(evidence, "value"), texts=texts)
    }


MIXED = [float(i % 3 == 0) for i in range(60)]


def test_ordinary_rows_raise_nothing():
    assert guards(evidence_of(MIXED)) == {}


@pytest.mark.parametrize(("status", "code"), [("unparsed", "parse_rate"), ("truncated", "truncated")])
def test_answers_unread_or_cut_short_are_told_from_a_twentieth_on(status, code):
    def found(count, n=60):
        return guards(evidence_of(MIXED[:n], statuses=[status] * count + ["ok"] * (n - count)))

    assert found(2) == {}  # 3.3 %
    assert "main: 3 of 60 answers (5.0%)" in found(3)[code]
    assert found(2, n=20) == {}  # 10 %, but two rows


def test_the_rule_may_be_the_one_that_cannot_read():
    outcomes = pl.DataFrame(
        {
            "system": "main",
            "item": [f"q{i:03d}" for i in range(60)],
            "value": MIXED,
            "status": ["unparsed"] * 9 + ["ok"] * 51,
        }
    )
    responses = outcomes.select("system", "item", status=pl.lit("ok"))
    evidence = assemble(outcomes, responses=responses)
    assert "9 of 60 answers (15.0%) could not be read" in guards(evidence)["parse_rate"]


@pytest.mark.parametrize(("column", "least"), [("tokens_reasoning", 256), ("tokens_out", 64)])
def test_answers_that_end_at_one_greatest_length_look_limited(column, least):
    def found(at, most):
        return guards(evidence_of(MIXED, **{column: [most if i < at else i % 40 + 1 for i in range(60)]}))

    assert "3 of 60 answers (5.0%) end after exactly" in found(3, least)["at_limit"]
    assert found(2, least) == {}
    assert found(3, least - 1) == {}
    cut = evidence_of(MIXED, statuses=["truncated"] * 3 + ["ok"] * 57, tokens_out=[512] * 3 + [9] * 57)
    assert list(guards(cut)) == ["truncated"]  # said once


@pytest.mark.parametrize(
    ("value", "better", "code"),
    [
        (1, "higher", "all_right"),
        (0, "higher", "all_wrong"),
        (0, "lower", "all_right"),
        (1, "lower", "all_wrong"),
    ],
)
def test_all_right_of_many_is_as_suspicious_as_all_wrong(value, better, code):
    assert list(guards(evidence_of([value] * LARGE, better=better))) == [code]
    assert f"on all {LARGE} items" in guards(evidence_of([value] * LARGE, better=better))[code]
    assert guards(evidence_of([value] * (LARGE - 1), better=better)) == {}
    assert guards(evidence_of([value] * LARGE + [1 - value], better=better)) == {}


def classed(right, references, answers=None):
    texts = Written(answers or [f"answer {i}" for i in range(len(references))], references)
    return guards(evidence_of([float(x) for x in right], texts=texts))


CLASSES = ["yes"] * 24 + ["no"] * 16


def test_always_the_majority_answer():
    found = classed([r == "yes" for r in CLASSES], CLASSES, ["yes"] * 40)
    assert set(found) == {"one_answer", "majority_baseline"}
    assert found["one_answer"] == "main gives one answer, 'yes', to all 40 items"
    assert "passes exactly the 24 items whose reference is 'yes'" in found["majority_baseline"]
    # right on all of the smaller class and on nothing else is a constant answer too
    found = classed([r == "no" for r in CLASSES], CLASSES)
    assert "exactly the 16 items whose reference is 'no'" in found["majority_baseline"]


def labels_said(right, references, said, **columns):
    texts = Written([f"well {i}" for i in range(len(references))], references)
    evidence = evidence_of([float(x) for x in right], texts=texts, **columns)
    return guards(
        evidence.revise(outcomes=evidence.outcomes.with_columns(label=pl.Series(said, dtype=pl.String)))
    )


def test_one_label_read_in_every_answer_is_a_constant_answer_whatever_its_words():
    found = labels_said([r == "yes" for r in CLASSES], CLASSES, ["Yes"] * 40)
    assert found == {
        "majority_baseline": "main always answers 'yes': 60% is what the most frequent label alone gives"
    }
    half = [r == "yes" and i % 2 == 0 for i, r in enumerate(CLASSES)]
    found = labels_said(half, CLASSES, ["yes" if i % 2 == 0 else None for i in range(40)])
    assert found["one_answer"] == "every answer of main that could be read is 'yes' (20 of 40 items)"
    # a log's word for right, C, is no answer, though some references are the letter c
    assert labels_said([True] * 40, ["c"] * 20 + ["d"] * 20, ["C"] * 40) == {}


def test_a_system_below_the_majority_baseline_is_told():
    found = classed([i % 2 == 0 for i in range(40)], CLASSES)
    assert found == {
        "below_majority": "main passes 20 of 40 (50%), fewer than always answering 'yes' would (60%)"
    }


def test_sixteen_items_of_which_fifteen_share_a_label():
    # 15 of 16 is 93.75 %
    found = classed([True] * 15 + [False], ["no"] * 15 + ["yes"])
    assert found["majority_baseline"].endswith("93.75% is what the most frequent label alone gives")
    assert classed([True] * 7 + [False], ["no"] * 7 + ["yes"]) == {}


def test_the_majority_rate_met_by_other_items_is_said_to_be_so():
    right = [i % 5 != 0 for i in range(30)] + [False] * 10  # 24 of 40, some of either class
    found = classed(right, CLASSES)["majority_baseline"]
    assert "passes 24 of 40, as many as always answering 'yes' would, though not the same ones: 60%" in found
    assert classed([*right[:-1], True], CLASSES) == {}


def test_two_classes_told_apart_the_wrong_way_round():
    # 8 of 40 where half is a guess: p = 2 P(X ≤ 8) = .00018, 9 gives .00068, 10 gives .0022
    for right, expected in ((8, True), (9, True), (10, False)):
        found = classed([i % 4 == 0 and i < 4 * right for i in range(40)], CLASSES)
        assert ("inverted" in found) is expected, right
    assert "passes 8 of 40" in classed([i % 4 == 0 and i < 32 for i in range(40)], CLASSES)["inverted"]
    three = ["a"] * 16 + ["b"] * 12 + ["c"] * 12
    assert set(classed([i % 4 == 0 and i < 32 for i in range(40)], three)) == {"below_majority"}


@pytest.mark.parametrize(
    "references",
    [
        [f"{i}" for i in range(40)],
        ['[{"type":"equals"}]'] * 20 + ["[]"] * 20,
        ["same"] * 40,
        [None] * 40,
        ["long text " * 9] * 20 + ["b"] * 20,
    ],
)
def test_references_that_are_no_classes_have_no_baseline(references):
    assert "majority_baseline" not in classed([i < 20 for i in range(40)], references)


def test_a_system_that_answers_nothing_is_not_turned_round():
    texts = Written([""] * 40, CLASSES)
    found = guards(evidence_of([0.0] * 40, statuses=["truncated"] * 40, texts=texts))
    assert set(found) == {"truncated", "one_answer", "below_majority"}
    assert found["one_answer"] == "main gives an empty answer to all 40 items"


def test_the_same_long_answer_to_different_items():
    long = "I am sorry, I cannot help with that request today."
    answers = [long if i < 3 else f"a long answer of its own, number {i}, with more words" for i in range(40)]
    references = [f"r{i}" for i in range(40)]
    found = classed(MIXED[:40], references, answers)
    assert (
        found["identical_answers"]
        == "main: 3 of 40 items got the same long answer as an item with another reference"
    )
    assert classed(MIXED[:40], references, ["short"] * 20 + ["other"] * 20) == {}
    assert classed(MIXED[:40], ["r"] * 40, answers) == {}  # the items ask for the same
    assert classed(MIXED[:40], references, ["another answer", *answers[1:]]) == {}  # two are too few


def test_a_reference_scored_against_itself():
    references = [f"the reference answer to question number {i}, in words" for i in range(40)]
    found = classed(MIXED[:40], references, references)
    assert "40 of 40 answers are the reference itself" in found["reference_as_answer"]
    some = [text if i < 35 else f"else {i}" for i, text in enumerate(references)]
    assert classed(MIXED[:40], references, some) == {}
    # a right number is a right answer, not a copied reference
    numbers = [f"{i * 7}" for i in range(40)]
    assert classed(MIXED[:40], numbers, numbers) == {}


def test_texts_are_read_only_when_asked_few_and_at_hand():
    texts = Written(["yes"] * 600, ["yes", "no"] * 300)
    small = evidence_of([1.0, 0.0] * (LEAST_ITEMS // 2), texts=texts)
    assert set(guards(small)) == {"one_answer", "majority_baseline"}
    assert guards(small, texts=False) == {}
    assert guards(evidence_of([1.0, 0.0] * (LEAST_CLASSED // 2 - 1), texts=texts)) == {}
    assert set(guards(evidence_of([1.0, 0.0] * (MOST_TEXTS // 2 + 1), texts=texts))) == {"majority_baseline"}
    many = Written(["yes"] * (MOST_REFERENCES + 2), ["yes", "no"] * (MOST_REFERENCES // 2 + 1))
    assert guards(evidence_of([1.0, 0.0] * (MOST_REFERENCES // 2 + 1), texts=many)) == {}


def test_one_class_on_every_item_of_a_categorical_metric():
    def found(labels):
        n = len(labels)
        rows = {
            "system": "main",
            "item": [f"q{i:03d}" for i in range(n)],
            "value": [None] * n,
            "label": labels,
        }
        category = {"metric": "value", "kind": "category", "low": None, "high": None, "better": "none"}
        outcomes = pl.DataFrame(rows, schema_overrides={"value": pl.Float64})
        return guards(assemble(outcomes, metrics=pl.DataFrame([category])))

    assert found(["A"] * LEAST_ITEMS) == {"one_answer": "main has one class, 'A', on all 20 items"}
    assert found(["A"] * (LEAST_ITEMS - 1)) == {}
    assert found(["A"] * LEAST_ITEMS + ["B"]) == {}


@settings(max_examples=25, deadline=None)
@given(
    rows=st.lists(st.tuples(st.booleans(), st.sampled_from(["a", "b", "c", "d"])), min_size=20, max_size=60),
    order=st.randoms(use_true_random=False),
)
def test_guards_do_not_depend_on_the_order_of_the_items(rows, order):
    shuffled = rows[:]
    order.shuffle(shuffled)
    first, second = (classed([r[0] for r in some], [r[1] for r in some]) for some in (rows, shuffled))
    assert first == second


def fired(evidence):
    return {
        (task, metric, note.code)
        for system in systems(evidence)
        for task in tasks(evidence, system=system)
        for metric in metrics(evidence, task, system=system)
        for note in find_guards(
            evidence,
            [units(evidence, system, task=task, metric=metric)],
            scale_of(evidence, metric),
            texts=True,
        )
    }


def test_the_bundled_demo_raises_what_is_true_of_it():
    folder = Path(item_sets.__file__).parent / "bundled"
    # chat: 21 of 230 unparsed, 60 truncated; few-shot: neither
    assert fired(read(folder / "demo_chat.csv")) == {
        ("basics", "success", "parse_rate"),
        ("basics", "success", "truncated"),
    }
    assert fired(read(folder / "demo_few_shot.csv")) == set()


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("promptfoo", "results_v3_repeat2.json"), set()),
        (("promptfoo", "two_prompts.json"), set()),
        (
            ("lm-eval", "org__stub-a"),
            {
                ("toy_gsm", "exact_match,strict-match", "parse_rate"),
                ("toy_gsm_sc", "exact_match,score-first", "parse_rate"),
                ("toy_gsm_sc", "exact_match,maj@5", "parse_rate"),
                ("toy_bleu", "exact_match", "all_wrong"),
            },
        ),
    ],
)
def test_no_false_alarm_on_shared_logs(parts, expected):
    assert fired(read(shared("logs", *parts))) == expected


def test_no_false_alarm_on_shared_inspect_logs():
    logs = sorted(shared("logs", "inspect").glob("*.eval")) + sorted(
        shared("logs", "inspect", "epochs4").glob("*.eval")
    )
    assert len(logs) == 4
    assert [fired(read(log)) for log in logs] == [set()] * 4
