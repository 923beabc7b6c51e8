"""Exact match and token F1: SQuAD's figures, those of the requirement text, and what must hold of any two texts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.scorers.token_overlap import (
    span_overlap,
    squad_normalised,
    token_normalised,
    token_overlap,
)
from tests.oracles import case, cases


@pytest.mark.parametrize("known", cases("15_text_metrics", "squad"))
def test_squads_own_scorer_says_the_same(known: dict[str, Any]) -> None:
    answer, gold = known["inputs"]["prediction"], known["inputs"]["gold"]
    same = squad_normalised(answer) == squad_normalised(gold)
    assert same == bool(known["expected"]["exact_match"])
    assert token_overlap(answer, [gold]).f1 == pytest.approx(known["expected"]["f1"], abs=known["tolerance"])


def test_the_figures_of_the_requirement_text_keep_articles() -> None:
    known = case("seeds_more", "s-em-f1")
    pairs = [("The capital is Paris.", "Paris"), ("Two years of parts warranty", "2 years")]
    found = [token_overlap(answer, [gold], normalised=token_normalised).f1 for answer, gold in pairs]
    assert found == pytest.approx(known["expected"]["f1"], abs=known["tolerance"])
    assert [int(token_normalised(a) == token_normalised(b)) for a, b in pairs] == known["expected"]["em"]


texts = st.lists(st.sampled_from(["a", "The", "cat", "cat,", "sat", "Ärger", "-", "42"]), max_size=8).map(
    " ".join
)


@given(answer=texts, gold=texts)
def test_f1_is_between_precision_and_recall_and_turns_them_round(answer: str, gold: str) -> None:
    found, turned = token_overlap(answer, [gold]), token_overlap(gold, [answer])
    assert (found.precision, found.recall) == (turned.recall, turned.precision)
    assert found.f1 == turned.f1
    low, high = sorted((found.precision, found.recall))
    assert low - 1e-12 <= found.f1 <= high + 1e-12
    assert token_overlap(gold, [gold]).f1 == 1
    if squad_normalised(answer) == squad_normalised(gold):
        assert found.f1 == 1


def test_of_several_references_the_nearest_counts_and_an_empty_one_wants_nothing() -> None:
    assert token_overlap("Oslo", ["Bergen", "oslo"]).f1 == 1
    assert token_overlap("the", [""]).f1 == 1
    assert token_overlap("Oslo", [""]).f1 == 0


def test_a_span_counts_only_whole_and_with_its_label() -> None:
    wanted = [(0, 4, "PER"), (9, 14, "LOC"), (20, 25, "ORG")]
    # one right, one of another length, one under another label: 1 of 3 found, 1 of 3 marked
    found = span_overlap([(0, 4, "PER"), (9, 13, "LOC"), (20, 25, "PER")], wanted)
    assert (found.precision, found.recall, found.f1) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert span_overlap([], []).f1 == 1
    assert span_overlap([], wanted).f1 == 0
