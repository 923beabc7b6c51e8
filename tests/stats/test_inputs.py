"""What is no array is said in one line at the one door, whichever function it was given to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from aliquot.errors import UsageError
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.design_effects import shrout_fleiss
from aliquot.stats.inputs import as_array, as_codes, as_values
from aliquot.stats.paired import paired_difference
from aliquot.stats.paired_family import paired_binary

RAGGED = [[1, 2], [3]]


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (
            lambda: paired_binary(RAGGED),
            r"the table must be \[\[both, broke\], \[fixed, neither\]\], 2 rows of 2",
        ),
        (lambda: as_values(RAGGED, name="a"), "a must be a list of numbers"),
        (lambda: as_codes(RAGGED, 2, name="clusters"), "clusters must be a list of labels"),
        (lambda: cluster_variance([0, 1], clusters=RAGGED), "clusters must be a list of labels"),
        (lambda: shrout_fleiss(RAGGED), "ratings must be a table of targets by raters"),
        (lambda: paired_difference([0, 1], RAGGED), "b must be a list of numbers"),
    ],
)
def test_rows_of_different_lengths_are_one_line_with_what_is_wanted(
    call: Callable[[], object], wanted: str
) -> None:
    with pytest.raises(UsageError, match=wanted) as caught:
        call()
    assert str(caught.value).endswith("got rows of different lengths")
    assert "\n" not in str(caught.value)


def test_a_table_of_text_is_no_table_of_ratings() -> None:
    with pytest.raises(UsageError, match="ratings must be numbers"):
        shrout_fleiss([["a", "b"], ["c", "d"]])  # type: ignore[list-item]


def test_what_is_an_array_stays_as_it_is() -> None:
    assert as_array([[1, 2], [3, 4]], name="the table").tolist() == [[1, 2], [3, 4]]
