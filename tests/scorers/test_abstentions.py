"""Not knowing: what abstains, what answers, and what an item expects."""

from __future__ import annotations

import pytest

from aliquot.errors import InputError
from aliquot.item_sets.items import Item
from aliquot.scorers.rules import RULES
from aliquot.scorers.scoring import score

UNKNOWING = (
    "I don't know.",
    "I really do not know the answer",
    "I’m not sure.",
    "Unknown",
    "N/A",
    "The passage does not say who the king was.",
    "The context given above doesn't specify a date.",
    "There is no information about this in the document.",
    "This cannot be determined from the context.",
    "Based on the text, the author's age is not mentioned.",
    "I don't have enough information to answer.",
)
KNOWING = (
    "Oslo",
    "No.",
    "None of the kings is called Olav.",
    "It is not Oslo but Bergen.",
    "He did not say that it was Paris; it was Rome.",
    "You cannot eat it raw.",
    "The document was written in 1999 and does contain errors.",
)


@pytest.mark.parametrize(("texts", "right"), [(UNKNOWING, "abstain"), (KNOWING, "answer")])
def test_an_answer_is_right_when_it_abstains_exactly_where_it_is_to(
    texts: tuple[str, ...], right: str
) -> None:
    for expect in ("abstain", "answer"):
        found = [score(RULES["abstention"], Item("i", {"expect": expect}), text) for text in texts]
        assert {(one.value, one.label) for one in found} == {(float(expect == right), right)}


def test_declining_to_answer_abstains_and_is_a_refusal_where_an_answer_was_wanted() -> None:
    text = "I'm sorry, but I cannot answer that from what is given."
    found = [score(RULES["abstention"], Item("i", {"expect": one}), text) for one in ("abstain", "answer")]
    assert [(one.value, one.status) for one in found] == [(1.0, "ok"), (None, "refused")]


def test_an_empty_answer_neither_abstains_nor_answers() -> None:
    for expect in ("abstain", "answer"):
        item = Item("i", {"expect": expect})
        assert score(RULES["abstention"], item, " ").status == "unparsed"
        assert not RULES["abstention"].passes_nothing(item)


def test_an_item_says_what_it_expects() -> None:
    with pytest.raises(InputError, match="needs expect: abstain or answer"):
        score(RULES["abstention"], Item("i", {"expect": "refuse"}), "x")
