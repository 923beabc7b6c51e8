"""What is drawn and who labels it: probabilities that hold, lists that are even, sides that are balanced."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.labelling.drawing import Unit, assign, draw_units


@given(
    sizes=st.dictionaries(st.sampled_from("abcd"), st.integers(1, 30), min_size=1),
    share=st.floats(0.05, 1),
    seed=st.integers(0, 1000),
)
def test_a_draw_has_as_many_as_asked_and_probabilities_that_sum_to_the_strata(sizes, share, seed):
    units = [
        Unit((at,), name) for at, name in enumerate("".join(name * size for name, size in sizes.items()))
    ]
    n = max(1, round(share * len(units)))
    found = draw_units(units, n, seed=seed)
    assert len(found) == n
    assert draw_units(units, n, seed=seed) == found
    for name in sizes:
        chances = [chance for at, chance in found.items() if units[at].stratum == name]
        # Horvitz-Thompson: the inverse probabilities of those drawn sum to the stratum
        assert not chances or sum(1 / one for one in chances) == pytest.approx(sizes[name])


def test_each_answer_is_as_likely_as_the_probability_that_is_kept():
    units = [Unit((at,), "a" if at < 12 else "b") for at in range(16)]
    times = 400
    counts = Counter(at for seed in range(times) for at in draw_units(units, 8, seed=seed))
    told = draw_units(units, 8, seed=0)
    for at, count in counts.items():
        chance = next(one for other, one in told.items() if units[other].stratum == units[at].stratum)
        assert abs(count / times - chance) < 4.5 * (chance * (1 - chance) / times) ** 0.5


def test_a_plan_says_how_many_of_each_stratum():
    units = [Unit((at,), "ab"[at % 2]) for at in range(40)]
    found = draw_units(units, 9, seed=1, counts={"a": 8, "b": 1})
    assert Counter(units[at].stratum for at in found) == {"a": 8, "b": 1}
    assert set(found.values()) == {8 / 20, 1 / 20}


@given(
    groups=st.integers(1, 40),
    size=st.integers(1, 3),
    raters=st.integers(1, 6),
    overlap=st.floats(0, 1),
    pairs=st.booleans(),
    seed=st.integers(0, 100),
)
@settings(max_examples=60)
def test_everything_is_labelled_shared_answers_by_everybody_and_the_rest_once(
    groups, size, raters, overlap, pairs, seed
):
    members = [tuple(range(at * size, (at + 1) * size)) for at in range(groups)]
    total = groups * size
    wanted = round(overlap * total)
    names = [f"r{at}" for at in range(raters)]
    lists = assign(members, names, overlap=wanted, pairs=pairs, seed=seed)
    given_to = Counter(entry.answer for entries in lists.values() for entry in entries)
    assert set(given_to) == set(range(total))
    shared = [one for one, count in given_to.items() if count == raters]
    assert len(shared) >= wanted or raters == 1
    assert set(given_to.values()) <= {1, raters}
    lengths = [len(entries) for entries in lists.values()]
    assert max(lengths) - min(lengths) <= size
    for entries in lists.values():
        assert len({entry.answer for entry in entries}) == len(entries)
        together = {one.answer // size for one in entries}
        assert len(entries) == size * len(together)  # answers to an item stay with one rater
    if pairs and raters > 1:
        turned = {name: {one.answer: one.swapped for one in entries} for name, entries in lists.items()}
        assert all(
            turned["r0"][one] != turned["r1"][one]
            for one in shared
            if one in turned["r0"] and one in turned["r1"]
        )


def test_the_order_is_each_raters_own_and_random():
    lists = assign([(at,) for at in range(50)], ["ana", "ben"], overlap=50, seed=3)
    ana, ben = ([entry.answer for entry in lists[name]] for name in ("ana", "ben"))
    assert ana != ben
    assert sorted(ana) == sorted(ben) == list(range(50))
    assert abs(np.corrcoef(ana, np.arange(50))[0, 1]) < 0.4
    assert assign([(at,) for at in range(50)], ["ana", "ben"], overlap=50, seed=3) == lists


def test_each_side_stands_first_half_of_the_time():
    for seed in range(20):
        lists = assign([(at,) for at in range(40)], ["ana"], overlap=0, pairs=True, seed=seed)
        assert sum(entry.swapped for entry in lists["ana"]) == 20


def test_what_comes_again_comes_late_turned_and_never_twice():
    lists = assign(
        [(at,) for at in range(50)], ["ana", "ben"], overlap=20, repeats=5, pairs=True, known=[50, 51], seed=2
    )
    for entries in lists.values():
        assert Counter(entry.role for entry in entries)["repeat"] == 5
        assert Counter(entry.role for entry in entries)["known"] == 2
        first = {entry.answer: at for at, entry in enumerate(entries) if entry.role != "repeat"}
        for at, entry in enumerate(entries):
            if entry.role == "repeat":
                assert at - first[entry.answer] >= len(entries) * 0.15
                assert entry.swapped != entries[first[entry.answer]].swapped


def test_more_than_there_is_cannot_be_asked_for():
    with pytest.raises(UsageError, match="ask for 1 to 3"):
        draw_units([Unit((at,)) for at in range(3)], 4, seed=1)
    with pytest.raises(UsageError, match="overlap of 4"):
        assign([(0,), (1,)], ["a", "b"], overlap=4, seed=1)
    with pytest.raises(UsageError, match="cannot come again"):
        assign([(0,), (1,)], ["a", "b"], overlap=2, repeats=2, seed=1)
