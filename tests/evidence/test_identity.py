from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError
from aliquot.evidence.identity import content_hash, inputs_text
from aliquot.evidence.matching import pair
from aliquot.evidence.merging import merge
from aliquot.item_sets.items import Item
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import read_one
from aliquot.runner.results import keep_item
from aliquot.scorers.rules import rule_named
from tests.evidence.rows import scored

TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)


@pytest.mark.parametrize(("reference", "cell"), [("4", "4"), (4, "4"), (0.5, "0.5"), ("a\nb", '"a\nb"')])
def test_a_run_and_a_table_that_ask_the_same_match(tmp_path: Path, reference: object, cell: str):
    item = Item("q1", {"question": "What, exactly?", "reference": reference, "scorer": "number"})
    kept = keep_item(item, task="task", rule=rule_named("number"))
    assert item.content == kept.content == content_hash(kept.inputs, kept.reference)
    run = scored("run", {"q1": 1.0}, content=[kept.content])
    path = tmp_path / "b.csv"
    for question, alike in (("What, exactly?", True), ("What else?", False)):
        path.write_text(f'item,question,reference,right\nq1,"{question}",{cell},0\n')
        merged = merge(run, read_one(path, ReadOptions(value="right", metric="value")))
        if alike:
            assert pair(merged, "run", "b", task="task", metric="value").attrition.shared == 1
        else:
            with pytest.raises(InputError, match="asked different things under the same id: 'q1'"):
                pair(merged, "run", "b", task="task", metric="value")


@given(st.dictionaries(TEXTS, TEXTS, min_size=1, max_size=4))
def test_the_order_of_fields_does_not_change_what_is_asked(fields: dict[str, str]):
    assert inputs_text(fields) == inputs_text(dict(reversed(fields.items())))


@given(TEXTS, TEXTS)
def test_inputs_and_reference_are_not_taken_for_each_other(inputs: str, reference: str):
    assert (content_hash(inputs, reference) == content_hash(reference, inputs)) is (inputs == reference)
    assert content_hash(inputs, None) != content_hash(inputs, reference)
