from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.analysis.compare import Choices, compare_systems
from aliquot.errors import UsageError
from aliquot.evidence.assembly import rename
from aliquot.reports.plain import WIDTH, name_some, neutralise
from aliquot.reports.render import render
from aliquot.reports.terminal import MAX_LINES
from tests.evidence_of import evidence_of, pass_fail

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m\u202e`|*@team"


def comparison(baseline="main", candidate="pr", *, margin=0.02, **options):
    values = pass_fail(172, 9, 18, 41)
    evidence = rename(evidence_of(values, **options), {"main": baseline, "pr": candidate})
    return compare_systems(evidence, baseline, candidate, task="task", choices=Choices(margin=margin))


@pytest.fixture(scope="module")
def full():
    """A comparison with everything there is to print."""
    prompts = {
        name: {"model": "m" * 60, "prompt": f"{name * 40}", "decoding.temperature": "0"}
        for name in ("main", "pr")
    }
    return comparison(
        clusters=[f"doc-{i // 3}" for i in range(240)], latency={"main": 2.1, "pr": 3.2}, settings=prompts
    )


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_the_same_digits_stand_in_every_form(full, form):
    document = json.loads(render(full, form="json"))
    text = render(full, form=form)
    difference = document["difference"]
    for share in (document["estimates"]["baseline"]["point"], document["estimates"]["candidate"]["point"]):
        assert f"{100 * share:.1f}%" in text
    for value in (difference["point"], difference["low"], difference["high"]):
        assert f"{100 * value:+.1f}" in text
    assert f"{document['table']['fixed']} fixed, {document['table']['broke']} broke" in text


def test_the_answer_comes_first_and_the_default_keeps_its_budget(full):
    lines = render(full).splitlines()
    assert lines[0].split(":")[0] in {"UNDECIDED", "NOT WORSE by 2 points, NOT SHOWN BETTER"}
    assert len(lines) <= MAX_LINES
    assert max(map(len, lines)) <= WIDTH


names = st.text(min_size=1, max_size=120).filter(lambda text: text.strip() != "")


@settings(max_examples=15)
@given(names, names)
def test_no_name_breaks_the_terminal(baseline, candidate):
    if baseline == candidate:
        return
    text = render(comparison(baseline, candidate))
    lines = text.splitlines()
    assert len(lines) <= MAX_LINES
    assert max(map(len, lines)) <= WIDTH
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_markup_in_names_is_inert_everywhere():
    found = comparison(MARKUP, "pr")
    page = render(found, form="html")
    assert "<script" not in page
    assert "<img" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    markdown = render(found, form="markdown")
    assert "<script" not in markdown
    assert "@team" not in markdown
    assert "\x1b" not in render(found, verbose=True)


def test_the_page_makes_no_request_and_runs_no_script(full):
    page = render(full, form="html")
    assert "default-src 'none'" in page
    assert not re.search(r"src\s*=|href\s*=\s*.[^#]|url\(|@import|<script|<iframe|<object", page)


def test_json_is_json_without_nan(full):
    text = render(full, form="json")
    document = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    assert document["schema"] == "aliquot.comparison/1"


CONTRACT = {
    "systems", "task", "metric", "n_items", "n_clusters", "attempts", "estimates", "table", "difference", "tests",
    "detectable", "to_settle", "matching", "if_missing", "same", "differs", "reconciliation", "comparisons", "warnings",
    "not_checked", "why", "estimand", "verdict", "seed", "versions",
}  # fmt: skip
"""What the design says a comparison has at least."""


def test_the_json_keeps_the_contract(full):
    document = json.loads(render(full, form="json"))
    assert set(document) >= CONTRACT
    assert set(document["matching"]) >= {
        "shared", "only_a", "only_b", "duplicates", "content_differs", "missing_a", "missing_b",
    }  # fmt: skip
    assert set(document["difference"]) >= {"point", "low", "high", "level", "method", "se", "df"}
    assert set(document["tests"][0]) >= {"name", "statistic", "p", "alternative", "decides"}
    assert [test["decides"] for test in document["tests"]].count(True) == 1
    for side in document["estimates"].values():
        assert set(side) >= {"point", "low", "high", "level", "method", "n", "answered", "status"}
    assert set(document["verdict"]) >= {"word", "within_margin", "text"}


def test_verbose_shows_the_checklist_and_what_was_not_checked(full):
    text = render(full, verbose=True)
    for part in ("Checklist:", "Unit of analysis: cluster", "Not checked:", "cluster_sign_flip", "Seed"):
        assert part in text


def test_an_unknown_form_names_the_nearest(full):
    with pytest.raises(UsageError, match="'html'"):
        render(full, form="htlm")


def test_the_terminal_output_is_plain_enough_for_an_old_console(full):
    render(full, verbose=True).encode("cp1252")


@given(st.lists(st.text("abc-", min_size=1, max_size=30), max_size=40), st.integers(10, 70))
def test_names_are_all_shown_or_counted(ids, limit):
    text = name_some(ids, limit=limit)
    if not ids:
        assert text == "none"
        return
    counted = re.search(r" \+(\d+)$", text)
    shown = text[: counted.start()] if counted else text
    assert len(shown.split()) + (int(counted[1]) if counted else 0) == len(ids)


@given(st.text())
def test_neutralised_text_is_one_bounded_printable_line(text):
    safe = neutralise(text, limit=50)
    assert len(safe.splitlines()) <= 1
    assert len(safe) <= 50
