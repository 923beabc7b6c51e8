"""Seeded stratified parts: proportional, repeatable, with whole clusters."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.item_sets.items import Item, ItemSet
from aliquot.item_sets.samples import sample
from aliquot.item_sets.sources import load


def made(groups: dict[str, int]) -> ItemSet:
    items = [Item(f"{name}{i}", {"kind": name, "i": i}) for name, size in groups.items() for i in range(size)]
    return ItemSet("made", tuple(items))


def test_shares_are_proportional_by_largest_remainder() -> None:
    _, selection = sample(made({"a": 10, "b": 6, "c": 2}), 7, by="kind", seed=3)
    # 7 * 10/18 = 3.89, 7 * 6/18 = 2.33, 7 * 2/18 = 0.78: floors 3, 2, 0 leave 2 for the remainders .89 and .78
    assert selection.strata == {"a": (4, 10), "b": (2, 6), "c": (1, 2)}


def test_the_seed_draws_the_same_items_whatever_their_order() -> None:
    whole = made({"a": 30, "b": 20})
    turned = ItemSet("made", tuple(reversed(whole.items)))
    ids = [{item.id for item in sample(part, 20, by="kind", seed=5)[0]} for part in (whole, turned)]
    assert ids[0] == ids[1]
    assert ids[0] != {item.id for item in sample(whole, 20, by="kind", seed=6)[0]}


def test_it_is_not_the_first_rows() -> None:
    drawn, selection = sample(made({"a": 50, "b": 50}), 10, seed=1)
    assert selection.how == "random"
    assert len({item.fields["kind"] for item in drawn}) == 2


def test_clusters_stay_whole_and_the_part_never_exceeds_what_was_asked() -> None:
    basics = load("basics")
    drawn, selection = sample(basics, 96, by="segment", cluster="cluster", seed=7)
    sizes = Counter(item.text("cluster") for item in basics.items if item.text("cluster"))
    taken = Counter(item.text("cluster") for item in drawn if item.text("cluster"))
    assert all(taken[name] == sizes[name] for name in taken)
    assert selection.n == len(drawn) <= 96
    # 96 * 40/230 = 16.7 reading items, and passages have four questions: 16
    assert selection.strata is not None
    assert selection.strata["reading"] == (16, 40)
    assert (selection.cluster, selection.by, selection.seed) == ("cluster", "segment", 7)


def test_single_items_fill_up_what_no_cluster_fits() -> None:
    # The share of "pages" is 4 * 8/12 = 2.7: 3, and none of its clusters of four fits; "singles" gets 1, then fills up.
    pages = [Item(f"p{i}", {"kind": "pages", "doc": f"d{i // 4}"}) for i in range(8)]
    singles = [Item(f"s{i}", {"kind": "singles"}) for i in range(4)]
    whole = ItemSet("made", (*pages, *singles))
    drawn, selection = sample(whole, 4, by="kind", cluster="doc", seed=7)
    assert selection.n == len(drawn) == 4
    again, _ = sample(whole, 4, by="kind", cluster="doc", seed=7)
    assert drawn == again
    for n in range(1, 13):
        for seed in range(20):
            drawn, selection = sample(whole, n, by="kind", cluster="doc", seed=seed)
            taken = Counter(item.text("doc") for item in drawn if item.text("doc"))
            assert set(taken.values()) <= {4}
            assert selection.strata == {
                "pages": (sum(taken.values()), 8),
                "singles": (len(drawn) - sum(taken.values()), 4),
            }
            # fewer only when all four single items are in: 4 + 0, 4 + 4, 4 + 8 are what whole clusters allow then
            assert selection.strata is not None
            assert selection.n == n or (selection.strata["singles"] == (4, 4) and n - selection.n < 4)


def test_the_live_demo_at_six_items_asks_six() -> None:
    drawn, selection = sample(load("basics"), 6, by="segment", cluster="cluster", seed=7)
    assert len(drawn) == selection.n == selection.asked == 6


@pytest.mark.parametrize("n", [0, 19])
def test_a_size_outside_the_set_is_refused(n: int) -> None:
    with pytest.raises(UsageError, match="ask for 1 to 18"):
        sample(made({"a": 18}), n)


def test_an_unknown_field_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="Did you mean 'kind'"):
        sample(made({"a": 3}), 2, by="kin")


@given(st.dictionaries(st.sampled_from("abcd"), st.integers(1, 12), min_size=1), st.data())
def test_every_part_has_its_size_and_no_item_twice(groups: dict[str, int], data: st.DataObject) -> None:
    whole = made(groups)
    n = data.draw(st.integers(1, len(whole)))
    drawn, selection = sample(whole, n, by="kind", seed=data.draw(st.integers(0, 9)))
    assert len({item.id for item in drawn}) == len(drawn) == n == selection.n
    assert selection.strata is not None
    for name, (taken, available) in selection.strata.items():
        assert abs(taken - n * available / len(whole)) < 1
        assert available == groups[name]
