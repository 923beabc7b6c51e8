"""Rules of retrieval over the stages of an answer; the measures themselves are tested with ranked lists."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError, UsageError
from aliquot.evidence.stages import Stage
from aliquot.item_sets.items import Item
from aliquot.scorers.retrieval import RETRIEVAL_RULES, SUFFICIENT, golden_grades, golden_is
from aliquot.scorers.rules import rule_named
from aliquot.scorers.scores import Score


def stage(name: str, *documents: object, status: str = "ok", key: str = "documents") -> Stage:
    return Stage(name=name, status=status, values={key: list(documents)})


def scored(rule: str, *stages: Stage, golden: object) -> Score:
    return rule_named(rule).apply(Item("i", {"golden": golden}), stages)


@pytest.mark.parametrize(
    ("rule", "value"),
    [  # listed d1 d2 d3 d4, golden d2 and d4 and d9: the definitions, by hand
        ("hit", 1.0),
        ("hit(k=1)", 0.0),
        ("recall", 2 / 3),
        ("recall(k=2)", 1 / 3),
        ("precision", 2 / 4),
        ("precision(k=8)", 2 / 8),
        ("reciprocal_rank", 1 / 2),
        ("reciprocal_rank(k=1)", 0.0),
        ("average_precision", (1 / 2 + 2 / 4) / 3),
        ("ndcg", (1 / math.log2(3) + 1 / math.log2(5)) / (1 + 1 / math.log2(3) + 1 / math.log2(4))),
    ],
)
def test_each_measure_is_of_the_list_that_the_stage_tells(rule: str, value: float) -> None:
    found = scored(rule, stage("retrieval", "d1", "d2@4", {"id": "d3"}, "d4"), golden=["d2@1", "d4", "d9"])
    assert found.value == pytest.approx(value, rel=1e-12)
    assert found.status == "ok"


def test_grades_and_gain() -> None:
    one = stage("retrieval", "low", "high")
    golden = {"high": 3, "low": 1, "no": 0}
    linear = (1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3))
    exponential = (1 + 7 / math.log2(3)) / (7 + 1 / math.log2(3))
    assert scored("ndcg", one, golden=golden).value == pytest.approx(linear, rel=1e-12)
    assert scored('ndcg(gain="exponential")', one, golden=golden).value == pytest.approx(
        exponential, rel=1e-12
    )
    assert scored("recall", one, golden=golden).value == 1.0  # a grade of 0 is not wanted


def test_the_last_list_of_a_layer_counts_and_a_stage_can_be_named() -> None:
    stages = (
        stage("vector_search", "d1", "d2", "d3", key="ids"),
        stage("rerank", "d3", "d2"),
        Stage(name="context", values={"passages": ["d3"]}),
        Stage(name="generation"),
    )
    assert scored("recall", *stages, golden=["d1", "d2"]).value == 1 / 2
    assert scored('recall(stage="Vector_Search")', *stages, golden=["d1", "d2"]).value == 1.0
    assert scored('recall(stage="context")', *stages, golden=["d1", "d2"]).value == 0.0
    assert scored('recall(stage="context")', *stages, golden=["d3"]).label == "1 of 1 in 1"


def test_a_repeated_id_counts_once_and_is_said() -> None:
    found = scored("recall(k=2)", stage("retrieval", "d1@1", "d1@2", "d2"), golden=["d1", "d2"])
    assert found == Score(1.0, label="2 of 2 in 2", note="'d1' is listed again; its first place counts")


def test_an_answer_without_the_list_has_no_value_and_one_whose_search_failed_found_nothing() -> None:
    bare = scored("recall", Stage(name="generation"), golden=["d1"])
    assert (bare.value, bare.status) == (None, "missing")
    assert bare.note == "the answer tells of no stage 'retrieval'; of 'generation'"
    unlisted = scored("recall", Stage(name="retrieval", values={"documents": "d1, d2"}), golden=["d1"])
    assert (unlisted.value, unlisted.note) == (None, "the stage 'retrieval' lists no ids under documents")
    failed = scored("hit", Stage(name="search", status="timeout"), golden=["d1"])
    assert (failed.value, failed.note) == (0.0, "the stage 'search' found nothing: timeout")
    assert scored("hit", Stage(name="search", status="error"), golden=["d1"]).value is None
    assert scored("precision", stage("retrieval"), golden=["d1"]).value == 0.0


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "lists no golden ids"),
        ({"golden": []}, "no golden id with a grade above 0"),
        ({"golden": {"d1": 0}}, "no golden id with a grade above 0"),
        ({"golden": "d1"}, "golden ids that are no list"),
        ({"golden": [["d1"]]}, "neither a text nor a number"),
        ({"golden": [None]}, "neither a text nor a number"),
        ({"golden": {"d1": "high"}}, "no number up to 100"),
        ({"golden": {"d1": 1e9}}, "no number up to 100"),
        ({"golden": {"d1": math.nan}}, "no number up to 100"),
        ({"golden": {"d1": True}}, "no number up to 100"),
        ({"golden": ["d1"], "golden_is": "all"}, "sufficient or nominated, and not 'all'"),
    ],
)
def test_golden_ids_that_cannot_be_used_are_refused_with_the_remedy(
    fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError) as refused:
        rule_named("recall").try_on(Item("q7", fields, row=3))
    assert words in str(refused.value)
    assert "'q7'" in str(refused.value)
    assert refused.value.row == 3
    assert refused.value.remedy


def test_of_one_id_in_two_versions_the_higher_grade_counts() -> None:
    assert golden_grades(Item("i", {"golden": {"d1@1": 1, "d1@2": 3, 7: 1}})) == {"d1": 3.0, "7": 1.0}
    assert golden_is(Item("i", {"golden": ["d1"]})) == "nominated"
    assert golden_is(Item("i", {"golden": ["d1"], "golden_is": SUFFICIENT})) == SUFFICIENT


@pytest.mark.parametrize("written", ["recall(k=0)", "hit(k=2.5)", 'ndcg(gain="log")', 'recall(stage=" ")'])
def test_settings_that_mean_nothing_are_refused(written: str) -> None:
    with pytest.raises(UsageError):
        rule_named(written)


IDS = st.lists(
    st.one_of(st.sampled_from(["a", "b", "c", "a@1"]), st.text(max_size=5), st.none(), st.integers())
)


@given(IDS, st.sampled_from(RETRIEVAL_RULES), st.integers(1, 9) | st.none())
def test_no_list_breaks_a_rule_and_values_keep_to_its_bounds(listed: list[object], rule: Any, k: int) -> None:
    item = Item("i", {"golden": {"a": 2, "b": 1, "c": -1}})
    settled = rule.with_settings({} if k is None else {"k": k})
    value = settled.apply(item, [stage("retrieval", *listed)]).value
    assert value is not None
    assert 0 <= value <= 1
    assert rule.kind == "bounded" or value in {0, 1}
