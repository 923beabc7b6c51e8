"""Options in another order: every option once, the same on every machine, and the reference goes with its option."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError
from aliquot.item_sets.items import Item
from aliquot.item_sets.option_order import AS_GIVEN, OptionOrder, arranged, listed_options
from aliquot.scorers.rules import RULES
from aliquot.scorers.scoring import score

orders = st.one_of(
    st.just(AS_GIVEN),
    st.just(OptionOrder("reversed")),
    st.integers(1, 9).map(lambda by: OptionOrder("rotated", by)),
    st.integers(0, 99).map(lambda by: OptionOrder("shuffled", by)),
)


def capital(**fields: object) -> Item:
    return Item(
        "norway", {"options": ["Bergen", "Oslo", "Moss", "Narvik"], "reference": "Oslo", **fields}, row=4
    )


@given(orders, st.lists(st.text(min_size=2, max_size=6), min_size=1, max_size=8, unique=True), st.data())
def test_the_letter_leads_to_the_same_option_and_nothing_is_lost(
    order: OptionOrder, options: list[str], data: st.DataObject
):
    place = data.draw(st.integers(0, len(options) - 1))
    letter = "ABCDEFGH"[place]
    asked = arranged(Item("i", {"options": options, "reference": letter}), order)
    shown = asked.fields["options"]
    assert Counter(shown) == Counter(options)  # type: ignore[arg-type]
    assert shown["ABCDEFGH".index(str(asked.reference))] == options[place]  # type: ignore[index]


def test_each_way_by_hand():
    assert listed_options(arranged(capital(), OptionOrder("reversed"))) == (
        "options",
        ["Narvik", "Moss", "Oslo", "Bergen"],
    )
    assert listed_options(arranged(capital(), OptionOrder("rotated", 5))) == (
        "options",
        ["Oslo", "Moss", "Narvik", "Bergen"],
    )
    # sorted by sha256("3\x1fnorway\x1f<place>"): written down once, so that a stored run is scored by it for ever
    assert OptionOrder("shuffled", 3).places("norway", 4) == PLACES


PLACES = (1, 3, 0, 2)
"""``printf "3\\x1fnorway\\x1f0" | sha256sum`` and so on, sorted."""


def test_shuffles_are_even_and_each_item_has_its_own():
    seen = Counter(OptionOrder("shuffled", 7).places(f"item-{i}", 3) for i in range(6000))
    assert len(seen) == 6
    assert all(abs(count - 1000) < 5 * (1000 * 5 / 6) ** 0.5 for count in seen.values())


@pytest.mark.parametrize(
    ("fields", "reference", "accept"),
    [
        ({}, "Oslo", None),  # an option's text stays
        ({"reference": "b"}, "c", None),
        ({"reference": "(B)"}, "(C)", None),
        ({"reference": "B."}, "C.", None),
        ({"reference": "B", "accept": ["(b)", "Oslo"]}, "C", ["(c)", "Oslo"]),
        ({"reference": "z"}, "z", None),  # no option of that letter
        ({"reference": "Oslo, Norway"}, "Oslo, Norway", None),
        ({"options": ["A", "B", "C", "D"], "reference": "B"}, "B", None),  # the option itself is called B
        ({"options": [1, 2, 3], "reference": 2}, 2, None),
        ({"reference": None}, None, None),
    ],
)
def test_what_the_reference_becomes(fields: dict[str, object], reference: object, accept: object):
    asked = arranged(capital(**fields), OptionOrder("reversed"))
    assert (asked.reference, asked.fields.get("accept")) == (reference, accept)


def test_a_number_may_be_a_place_and_is_refused():
    with pytest.raises(InputError, match=r"row 4, field 'reference'.*from 0 or from 1"):
        arranged(capital(reference=1), OptionOrder("reversed"))


def test_without_options_or_another_order_nothing_changes():
    bare = Item("i", {"question": "?", "reference": "B"})
    assert arranged(bare, OptionOrder("reversed")) is bare
    assert arranged(capital(), AS_GIVEN).reference == "Oslo"
    assert (
        arranged(Item("i", {"choices": ["x", "y"], "reference": "A"}), OptionOrder("reversed")).reference
        == "B"
    )


@pytest.mark.parametrize("how", ["reversed", "shuffled"])
def test_what_is_asked_is_what_is_scored(how: str):
    item = arranged(capital(reference="B"), OptionOrder(how))  # type: ignore[arg-type]
    letter = "ABCD"[item.fields["options"].index("Oslo")]  # type: ignore[union-attr]
    assert score(RULES["exact"], item, letter).value == 1
    other = next(one for one in "ABCD" if one != letter)
    assert score(RULES["exact"], item, other).value == 0


def test_a_turn_without_options_still_follows_turns_that_have_them():
    first = capital(reference="B")
    second = Item("norway-2", {"question": "Sure?", "reference": "yes"}, conversation="c", before=first)
    asked = arranged(second, OptionOrder("reversed"))
    assert asked.earlier[0].fields["options"] == ["Narvik", "Moss", "Oslo", "Bergen"]
    assert (asked.earlier[0].reference, asked.reference) == ("C", "yes")
