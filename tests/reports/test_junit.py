"""JUnit: XML that a strict parser takes whatever the names hold, and cases that end as the verdict does."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot import compare
from aliquot.findings.comparison import Comparison
from aliquot.findings.verdict import Verdict
from aliquot.reports.junit import MOST_ITEMS, render_junit
from tests.evidence_of import evidence_of, pass_fail
from tests.reports.every_kind import HOSTILE, KINDS, every_kind


def suite(finding: object) -> ET.Element:
    return ET.fromstring(render_junit(finding).encode())  # pyright: ignore[reportArgumentType] - a finding


def compared(both: int, broke: int, fixed: int, neither: int) -> Comparison:
    found = compare(evidence_of(pass_fail(both, broke, fixed, neither)), noise=None)
    return replace(found, command="aliquot compare a.csv 'b c.csv' --margin 2pt")


def cases(finding: object) -> list[tuple[str, str]]:
    return [
        (case.get("name", ""), next((part.tag for part in case if part.tag != "system-out"), "passed"))
        for case in suite(finding)
    ]


@pytest.mark.parametrize("name", ["main", HOSTILE])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_one_suite_whose_counts_are_those_of_its_cases(kind: str, name: str):
    found = suite(every_kind(name)[kind])
    assert found.tag == "testsuite"
    assert {case.tag for case in found} == {"testcase"}
    assert found[0].get("name") == "verdict"
    assert int(found.get("tests", "")) == len(found)
    assert int(found.get("failures", "")) == len(found.findall("testcase/failure"))
    assert int(found.get("skipped", "")) == len(found.findall("testcase/skipped"))


def test_items_that_broke_fail_with_the_command_that_shows_them_and_fixed_ones_pass():
    found = suite(compared(4, 2, 1, 0))
    assert cases(compared(4, 2, 1, 0)) == [
        ("verdict", "skipped"),
        ("broke: q-004", "failure"),
        ("broke: q-005", "failure"),
        ("fixed: q-006", "passed"),
    ]
    assert found[1][0].get("message") == "aliquot show a.csv 'b c.csv' --item q-004"


@pytest.mark.parametrize(
    ("verdict", "ended"),
    [
        (Verdict("worse"), "failure"),
        (Verdict("worse", within_margin=True), "passed"),
        (Verdict("not_met"), "failure"),
        (Verdict("undecided"), "skipped"),
        (Verdict("nothing_to_judge"), "skipped"),
        *(
            (Verdict(word), "passed")
            for word in ("better", "not_worse", "equivalent", "met", "estimated", "lower")
        ),
    ],
)
def test_the_verdict_ends_as_its_word_says(verdict: Verdict, ended: str):
    found = replace(compared(9, 0, 0, 1), verdict=replace(verdict, text="WORD: text."))
    assert cases(found)[0] == ("verdict", ended)
    (child,) = suite(found)[0]
    assert (child.get("message") or child.text or "").startswith("WORD: text.")


def test_many_items_are_bounded_and_the_rest_counted():
    many = compared(10, MOST_ITEMS + 3, MOST_ITEMS, 0)
    found = cases(many)
    assert len(found) == 1 + 2 * MOST_ITEMS + 1
    assert ("broke: 3 more", "skipped") in found


@settings(max_examples=60)
@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=40))
def test_no_item_id_makes_the_file_invalid(item: str):
    found = replace(compared(3, 1, 1, 0), broke=(item,), fixed=(f"{item}2",))
    names = [name for name, _ in cases(found)]
    assert names[1].startswith("broke: ")
    assert names[2].startswith("fixed: ")
    if item.isascii() and item.isprintable():
        assert names[1] == f"broke: {item}"
        assert suite(found)[1][0].get("message", "").startswith("aliquot show a.csv 'b c.csv' --item ")
