"""BLEU, chrF and ROUGE: figures of others, sacrebleu's whole corpora from our parts, and sums over items."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.scorers.translations import bleu, chrf, rouge
from aliquot.stats.corpus import corpus_value
from tests.oracles import cases

NONE: Final = "the extra metrics is not installed"
with_sacrebleu = pytest.mark.skipif(find_spec("sacrebleu") is None, reason=NONE)
with_rouge = pytest.mark.skipif(find_spec("rouge_score") is None, reason=NONE)


@with_sacrebleu
@pytest.mark.parametrize("known", cases("15_text_metrics", "bleu"))
def test_bleu_of_one_answer(known: dict[str, Any]) -> None:
    asked = known["inputs"]
    found = bleu(asked["hypothesis"], asked["references"], tokenizer="none")
    assert found.value == pytest.approx(known["expected"]["bleu"], abs=known["tolerance"])
    assert corpus_value([found.parts], combine="bleu") == pytest.approx(known["expected"]["bleu"], abs=1e-8)


@pytest.mark.parametrize("known", cases("15_text_metrics", "chrf"))
def test_chrf_of_one_answer(known: dict[str, Any]) -> None:
    found = chrf(known["inputs"]["hypothesis"], [known["inputs"]["reference"]])
    assert found.value == pytest.approx(known["expected"]["chrf"], abs=known["tolerance"])


@with_rouge
@pytest.mark.parametrize("known", cases("15_text_metrics", "rouge"))
@pytest.mark.parametrize("kind", ["rouge1", "rouge2", "rougeL"])
def test_rouge_of_one_answer(known: dict[str, Any], kind: Any) -> None:
    found = rouge(known["inputs"]["prediction"], [known["inputs"]["reference"]], kind=kind)
    assert found == pytest.approx(known["expected"][kind], abs=known["tolerance"])


words = st.lists(st.sampled_from(["the", "cat", "sat", "on", "a", "mat.", "Ärger", "(so)", "42"]), max_size=9)
texts = words.map(" ".join)
corpora = st.lists(st.tuples(texts, texts.filter(bool), texts.filter(bool)), min_size=1, max_size=5)


@with_sacrebleu
@settings(max_examples=60, deadline=None)
@given(rows=corpora)
def test_the_parts_add_up_to_sacrebleus_corpus(rows: list[tuple[str, str, str]]) -> None:
    sacrebleu = import_module("sacrebleu.metrics")
    answers, references = [row[0] for row in rows], [list(side) for side in list(zip(*rows, strict=True))[1:]]
    for one, combine, theirs in (
        (bleu, "bleu", sacrebleu.BLEU()),
        (chrf, "chrf", sacrebleu.CHRF()),
    ):
        parts = [one(row[0], row[1:]).parts for row in rows]
        expected = theirs.corpus_score(answers, references).score
        found = corpus_value(parts, combine=combine)  # type: ignore[arg-type]
        if any(answers):
            assert found == pytest.approx(expected, abs=1e-8), combine


@with_sacrebleu
@settings(max_examples=60, deadline=None)
@given(answer=texts, one=texts.filter(bool), other=texts.filter(bool))
def test_one_answer_scores_as_sacrebleu_says(answer: str, one: str, other: str) -> None:
    sacrebleu = import_module("sacrebleu.metrics")
    theirs = sacrebleu.CHRF().sentence_score(answer, [one, other]).score
    assert chrf(answer, [one, other]).value == pytest.approx(theirs, abs=1e-9)
    assert chrf(one, [one]).value == pytest.approx(100)
    assert bleu(answer, [one, other]).value == pytest.approx(
        sacrebleu.BLEU(effective_order=True).sentence_score(answer, [one, other]).score
    )
