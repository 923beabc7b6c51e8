"""The validity table: its grid, its rule, and the page, partly run or whole."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from aliquot.stats import wilson
from tests.validity.cells import Result
from tests.validity.enumerated import mid_p_size, one_rate, paired_rates, two_rates
from tests.validity.grid import SECTIONS, sizes_of
from tests.validity.page import failures, rows_of, written

BY_NAME = {section.name: section for section in SECTIONS}


def every(name, **changed):
    """The same result for each cell of a section."""
    return {cell.key: Result(**{"coverage": 0.95, "reps": 1000, **changed}) for cell in BY_NAME[name].cells()}


def test_cells_have_names_of_their_own_and_the_grid_holds_what_people_use():
    cells = [cell for section in SECTIONS for cell in section.cells()]
    assert len({cell.key for cell in cells}) == len(cells) == len({cell.seed for cell in cells})
    assert {cell.n for cell in BY_NAME["proportions"].cells()} == {20, 50, 200, 1000}
    assert {row.split(" clusters")[0] for row in rows_of(BY_NAME["rate_clusters"])} == {"5", "10", "20", "50"}
    assert any("ICC 0.5" in row for row in rows_of(BY_NAME["rate_clusters"]))
    assert {row[-1] for row in rows_of(BY_NAME["rate_attempts"])} == {"1", "2", "3", "5"}
    assert sizes_of((2, 4, 8, 40), 6) == (2, 4, 8, 40, 2, 4)


def test_enumeration_of_one_rate_by_hand():
    x = np.arange(4)
    holds = [wilson(float(k), 3).low <= 0.7 <= wilson(float(k), 3).high for k in x]
    expected = float(binom.pmf(x, 3, 0.7) @ holds)
    assert one_rate("wilson", 3, 0.7)(0, 0).coverage == pytest.approx(expected, abs=1e-9)
    assert one_rate("wilson", 20, 0.95)(0, 0).coverage == pytest.approx(0.9245, abs=5e-5)


def test_enumeration_of_pairs_agrees_with_the_binomial():
    # ψ = 1, n = 10: exact McNemar rejects at 9 : 1 and beyond, 2 · 11/1024; the asymptotic test from 9 : 1 on too
    found = paired_rates(10, 1.0, 0.0)(0, 0)
    assert found.size == pytest.approx(22 / 1024, abs=1e-9)
    assert found.naive_size == pytest.approx(22 / 1024, abs=1e-9)
    assert mid_p_size(10, 1.0) == pytest.approx(22 / 1024, abs=1e-9)  # 8 : 2 has mid-p .0654


def test_enumeration_of_two_rates():
    found = two_rates(6, 0.5, 0.5)(0, 0)
    assert 0 < found.size <= 0.05
    assert found.coverage > 0.9
    assert two_rates(6, 0.5, 0.8)(0, 0).size is None


def test_the_rule_allows_three_standard_errors():
    section = BY_NAME["paired_clusters"]
    assert failures(section, every("paired_clusters")) == []
    # .90 − 3 √(.09/1000) = .8715; and four cells of .936 average .936 > .945 − .0285/2 = .9308
    assert failures(section, every("paired_clusters", coverage=0.936)) == []
    low = failures(section, every("paired_clusters", coverage=0.871))
    assert len([text for text in low if "mean coverage 0.871" in text]) == len(rows_of(section))
    assert len([text for text in low if "coverage 0.871" in text and "mean" not in text]) == sum(
        cell.n >= 50 for cell in section.cells()
    )
    # .05 + 3 √(.0475/1000) = .0707
    assert failures(section, every("paired_clusters", size=0.070)) == []
    assert len(failures(section, every("paired_clusters", size=0.071))) == len(list(section.cells()))


def test_exact_methods_must_reach_the_level_and_enumerated_cells_have_no_slack():
    floors = BY_NAME["floors"]
    assert failures(floors, every("floors", coverage=0.95, reps=0)) == []
    assert len(failures(floors, every("floors", coverage=0.9499, reps=0))) == len(list(floors.cells()))
    wilson_section = BY_NAME["proportions"]
    mean = every("proportions", coverage=0.944, reps=0)
    assert failures(wilson_section, mean) == [f"n = {n}: mean coverage 0.944" for n in (20, 50, 200, 1000)]


def test_a_partial_run_says_which_cells_were_run():
    cells = list(BY_NAME["rate_attempts"].cells())
    page = written({cell.key: Result(0.95, 0.2, 0.8, reps=400) for cell in cells[:4]})
    assert "4 of 48 cells were run, 400 data sets a cell." in page
    assert "0 of 20 cells were run." in page
    assert "| n = 20, k = 1 | 0.950 | 0.950 | 0.950 | 0.950 | 0.950 | 0.800 | 0.200 |" in page
    assert "Nowhere." in page


def test_the_page_lists_what_fails_first():
    page = written(every("floors", coverage=0.90, reps=0))
    listed, tables = page.split("## One rate: Wilson")
    assert "n = 20, p = 0.5: coverage 0.900" in listed
    assert "All 20 cells were run." in tables


def test_a_cell_gives_the_same_numbers_whichever_others_are_run():
    cell = next(BY_NAME["rate_clusters"].cells())
    assert cell.run(20, cell.seed) == cell.run(20, cell.seed)
    assert cell.run(20, cell.seed).naive is not None
