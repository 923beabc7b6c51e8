"""Items told apart one by one when each was attempted several times: broken, fixed, flaky."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from aliquot.stats.results import HypothesisTest

Strip: TypeAlias = tuple[float | None, ...]
"""Value of each attempt in order, 1 or 0; None where an attempt has none."""


@dataclass(frozen=True, slots=True)
class ItemTest:
    """One item whose two pass rates differ for sure.

    Attributes:
        item: its id.
        passed_a: attempts with value 1 of the baseline.
        attempts_a: its attempts with a value.
        passed_b: the same for the candidate.
        attempts_b: its attempts with a value.
        strip_a: the baseline's attempts.
        strip_b: the candidate's.
        test: the item's test.
        p_adjusted: its p after the correction for all items that could be shown.
    """

    item: str
    passed_a: int
    attempts_a: int
    passed_b: int
    attempts_b: int
    strip_a: Strip
    strip_b: Strip
    test: HypothesisTest
    p_adjusted: float


@dataclass(frozen=True, slots=True)
class ItemTests:
    """Items told apart by a test of each, corrected for their number.

    Attributes:
        broke: items on which the candidate is worse for sure, the smallest p first.
        fixed: items on which it is better for sure.
        moved: items whose pass rates differ without being shown to.
        flaky_a: items on which the baseline's own attempts disagree.
        flaky_b: items on which the candidate's do.
        items: items with two or more attempts on both sides.
        testable: those of them that could be shown at all: their smallest possible p survives the correction.
        level: 1 − level is the chance of naming any item whose two pass rates are equal.
        method: the tests and their correction.
    """

    broke: tuple[ItemTest, ...]
    fixed: tuple[ItemTest, ...]
    moved: tuple[str, ...]
    flaky_a: tuple[str, ...]
    flaky_b: tuple[str, ...]
    items: int
    testable: int
    level: float
    method: str
