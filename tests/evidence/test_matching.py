from __future__ import annotations

import polars as pl
import pytest

from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.matching import pair
from aliquot.evidence.merging import merge
from aliquot.evidence.units import Pairs
from tests.evidence.rows import scored


def _pair(one: dict[str, float | None], two: dict[str, float | None]) -> Pairs:
    return pair(merge(scored("a", one), scored("b", two)), "a", "b", task="task", metric="value")


def test_shared_lost_and_missing_items_are_counted_with_examples() -> None:
    pairs = _pair({"1": 1.0, "2": 0.0, "3": None, "5": 1.0}, {"2": 1.0, "1": None, "3": None, "4": 1.0})
    assert pairs.frame.select("item", "a", "missing_a", "b", "missing_b").rows() == [
        ("1", 1.0, 0, None, 1),
        ("2", 0.0, 0, 1.0, 0),
        ("3", None, 1, None, 1),
    ]
    lost = pairs.attrition
    assert (lost.shared, lost.only_a, lost.only_b, lost.missing_a, lost.missing_b) == (3, 1, 1, 1, 2)
    assert lost.examples == {"only_a": ("5",), "only_b": ("4",), "missing_a": ("3",), "missing_b": ("1", "3")}


def test_ids_with_other_content_are_refused_and_listed_unless_matched_by_id() -> None:
    one = scored("a", {"1": 1.0, "2": 1.0}, content=["x", "y"])
    two = scored("b", {"1": 1.0, "2": 0.0}, content=["x", "z"])
    merged = merge(one, two)
    with pytest.raises(InputError, match=r"asked different things under the same id: '2'\. .*match-on id"):
        pair(merged, "a", "b", task="task", metric="value")
    lost = pair(merged, "a", "b", task="task", metric="value", match_on="id").attrition
    assert (lost.shared, lost.content_differs, lost.examples["content_differs"]) == (2, 1, ("2",))


def test_content_that_only_one_side_knows_does_not_differ() -> None:
    merged = merge(scored("a", {"1": 1.0}, content=["x"]), scored("b", {"1": 0.0}))
    assert pair(merged, "a", "b", task="task", metric="value").attrition.content_differs == 0


def test_attempts_never_pair_across_systems() -> None:
    rows = {"system": ["a", "a", "b"], "item": ["1"] * 3, "attempt": [1, 2, 7], "value": [1.0, 0.0, 1.0]}
    pairs = pair(assemble(pl.DataFrame(rows)), "a", "b", task="task", metric="value")
    assert pairs.frame.select("a", "k_a", "b", "k_b").rows() == [(0.5, 2, 1.0, 1)]


def test_copies_under_other_ids_are_reported() -> None:
    merged = merge(*(scored(name, {"1": 1.0, "2": 1.0, "3": 0.0}, content=["x", "x", "y"]) for name in "ab"))
    lost = pair(merged, "a", "b", task="task", metric="value").attrition
    assert (lost.duplicates, lost.examples["duplicates"]) == (1, ("2",))


def test_two_spellings_of_one_id_stay_apart_and_are_noted() -> None:
    composed, decomposed = "\u00e9", "e\u0301"
    pairs = _pair({composed: 1.0}, {decomposed: 1.0})
    assert (pairs.attrition.shared, pairs.attrition.only_a, pairs.attrition.only_b) == (0, 1, 1)
    assert [note.code for note in pairs.notes] == ["ids_equal_under_nfc"]
    assert r"'e\u0301' and '\xe9'" in pairs.notes[0].text


def test_no_shared_item_gives_an_empty_frame() -> None:
    pairs = _pair({"1": 1.0}, {"2": 1.0})
    assert (pairs.frame.height, pairs.attrition.shared) == (0, 0)
