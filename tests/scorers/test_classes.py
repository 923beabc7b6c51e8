"""Rules of classification, held against the classification of ``stats``, which counts in its own way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot import compare
from aliquot.errors import InputError
from aliquot.item_sets.items import Item
from aliquot.scorers.rule import Rule
from aliquot.scorers.rules import rule_named
from aliquot.scorers.scoring import score
from aliquot.stats.class_scores import classification
from aliquot.stats.corpus import corpus_value
from aliquot.stats.results import Undefined
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run

OPTIONS = ["ham", "spam", "phish"]
MACRO = 'macro_f1(classes=["ham", "spam", "phish"])'


def value(rule: Rule, rows: list[tuple[str, str]]) -> float | Undefined:
    """Return the value of the corpus: rows of the true class and the answer."""
    items = [
        (Item(f"i{k}", {"reference": true, "options": OPTIONS}), said) for k, (true, said) in enumerate(rows)
    ]
    parts = [score(rule, item, said).parts or () for item, said in items]
    return corpus_value(parts, combine=rule.combine)  # type: ignore[arg-type]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(OPTIONS), st.sampled_from([*OPTIONS, "no idea"])), min_size=1, max_size=12
    )
)
def test_counts_are_those_of_the_classification(rows: list[tuple[str, str]]) -> None:
    truth, said = zip(*rows, strict=True)
    found = classification(truth, said, labels=OPTIONS, n_resamples=99)
    assert rule_named(MACRO).combine == "macro_f1"
    totals = {one: [(t == one, s == one) for t, s in rows] for one in OPTIONS}
    for one, measure in ((one, measure) for one in OPTIONS for measure in ("precision", "recall", "f1")):
        mine = value(rule_named(f'class_score(positive="{one}", measure="{measure}")'), rows)
        there, hits = sum(t for t, _ in totals[one]), sum(t and s for t, s in totals[one])
        predicted = sum(s for _, s in totals[one])
        top, bottom = {
            "precision": (hits, predicted),
            "recall": (hits, there),
            "f1": (2 * hits, predicted + there),
        }[measure]
        assert isinstance(mine, Undefined) == (bottom == 0)
        if bottom:
            assert mine == pytest.approx(top / bottom)
        theirs = found.classes[one][measure]
        if not isinstance(theirs, Undefined):
            assert mine == pytest.approx(theirs.point)
    macro = found.macro["f1"]
    if not isinstance(macro, Undefined):
        assert value(rule_named(MACRO), rows) == pytest.approx(macro.point)


def test_macro_f1_by_hand() -> None:
    rows = [("ham", "ham"), ("ham", "ham"), ("ham", "spam"), ("spam", "spam"), ("phish", "no idea")]
    # ham: 2·2/(2+3) = .8; spam: 2·1/(2+1) = 2/3; phish: 0/(0+1) = 0
    assert value(rule_named(MACRO), rows) == pytest.approx((0.8 + 2 / 3 + 0) / 3)


def test_a_reference_beyond_the_classes_is_refused() -> None:
    with pytest.raises(InputError, match="'eggs' is none of the classes ham, spam, phish"):
        score(rule_named(MACRO), Item("i", {"reference": "eggs", "options": ["eggs", "ham"]}), "ham")


def test_two_classifiers_are_compared_by_macro_f1(tmp_path: Path) -> None:
    truth = ["ham"] * 24 + ["spam"] * 4 + ["phish"] * 4
    rows = [
        {"id": f"i{k:02}", "question": f"{k}.", "reference": one, "options": OPTIONS}
        for k, one in enumerate(truth)
    ]
    (tmp_path / "mail.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    text = (
        "name: mail\nitems: mail.jsonl\n"
        "scorers:\n- choice\n- {rule: macro_f1, classes: [ham, spam, phish]}\n"
        "- {rule: class_score, positive: spam, measure: recall}\nsystems:\n"
        "  always: {model: always, prompt: '{{ question }}'}\n  reads: {model: reads, prompt: '{{ question }}'}\n"
    )
    (tmp_path / "mail.yaml").write_text(text, encoding="utf-8")
    reads = FakeSystem(lambda asked: "spam" if int(asked[:-1]) % 8 == 1 else truth[int(asked[:-1])])
    models = {"always": FakeSystem(lambda _: "ham"), "reads": reads}
    found = compare(run(tmp_path / "mail.yaml", directory=tmp_path / "runs", models=models).path)
    beside = found.side_metrics
    assert beside is not None
    points = {one.name: one.points for one in beside.metrics if one.statistic == "corpus"}
    macro, recall = (name for name in points)
    # always: ham 2·24/(32+24) = 6/7, the others 0; reads turns i01, i09, i17 of ham and i25 of spam (right) to spam
    assert points[macro] == pytest.approx(((6 / 7) / 3, (2 * 21 / 45 + 2 * 4 / 11 + 1) / 3))
    assert points[recall] == pytest.approx((0, 1))
    difference = next(one for one in beside.metrics if one.name == macro).difference
    assert difference.low > 0  # type: ignore[union-attr]
    # by pass or fail the same two are 24 and 29 of 32
    assert (found.baseline.total, found.candidate.total) == (24, 29)
