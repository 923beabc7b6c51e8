"""What stands behind ``-v`` of a comparison, block by block; and the 15 lines when everything is there."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import pytest

from aliquot.evidence.tables import Note
from aliquot.findings.comparison import Comparison
from aliquot.findings.composite import Composite
from aliquot.findings.contrast import MethodContrast, OtherAnalysis
from aliquot.findings.power_seen import PowerSeen, RepeatsWorth
from aliquot.findings.scale import Scale
from aliquot.findings.scoring_rule import FormatSplit
from aliquot.findings.side_metrics import Failures, SideMetrics
from aliquot.reports.comparison_blocks import comparison_blocks
from aliquot.reports.plain import WIDTH
from aliquot.reports.render import render
from aliquot.reports.sheet import Grid
from aliquot.reports.terminal import MAX_LINES
from aliquot.stats.repeats import Precision
from aliquot.stats.results import Estimate, HypothesisTest, Undefined
from tests.reports.crowded import crowded

HOSTILE = '<script>alert(1)</script>\x1b[31m\u202e`|*@team,"=cmd\\input{x}\r\n# no'
LONG = "a-name-that-goes-on-and-on-and-on-and-on-and-on-and-on-and-differs-only-at-the-end-"
UNSAFE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def full() -> Comparison:
    return crowded()


@pytest.fixture(scope="module")
def bare(full: Comparison) -> Comparison:
    """The same claim with nothing beside it."""
    nothing = dict.fromkeys(
        ("plan", "item_tests", "scoring", "segments", "side_metrics", "composite", "contrast", "power_seen",
         "repeats_worth", "noise", "looks")
    )  # fmt: skip
    return replace(full, **nothing, assumptions=())


def sentences(comparison: Comparison) -> list[str]:
    return [block for block in comparison_blocks(comparison) if isinstance(block, str)]


def grids(comparison: Comparison) -> dict[str, Grid]:
    return {block.title: block for block in comparison_blocks(comparison) if isinstance(block, Grid)}


def test_everything_at_once_keeps_the_budget(full: Comparison):
    many = tuple(Note(f"code_{place}", "a warning that goes on " * 8) for place in range(12))
    for found in (
        full,
        replace(full, warnings=many),
        replace(full, reconciliation=("printed a number " * 20,) * 3),
    ):
        lines = render(found).splitlines()
        assert len(lines) <= MAX_LINES
        assert max(map(len, lines)) <= WIDTH
        assert lines[0].split(":")[0] == found.verdict.text.split(":")[0]


@pytest.mark.parametrize("name", [HOSTILE, LONG])
def test_names_that_are_long_or_hostile_keep_it_too(name: str):
    found = crowded(baseline=name, candidate=f"{name}2", topic="topic")
    for verbose in (False, True):
        text = render(found, verbose=verbose)
        assert not UNSAFE.search(text)
        assert max(map(len, text.splitlines())) <= WIDTH
    assert len(render(found).splitlines()) <= MAX_LINES
    page = render(found, form="html")
    assert "<script" not in page
    assert "\x1b" not in page
    markdown = render(found, form="markdown")
    assert not any(bad in markdown for bad in ("<script", "@team", "\x1b"))


def test_a_hostile_field_is_no_danger_in_a_title():
    text = render(crowded(topic="to\x1b[31mpic"), verbose=True)
    assert "By to\\x1b[31mpic" in text
    assert not UNSAFE.search(text)


def test_every_part_has_its_block(full: Comparison):
    titles = list(grids(full))
    for start in ("Planned", "Items told apart one by one", "The same answers under other rules", "By topic",
                  "Beside it", "What other analyses would have said"):  # fmt: skip
        assert any(title.startswith(start) for title in titles), start
    text = " ".join(sentences(full))
    for part in (
        "Item by item",
        "Exploratory: 3 segments",
        "correlate by",
        "Standard error of the difference",
        "Assumed",
    ):
        assert part in text, part


def test_nothing_beside_it_makes_no_block(bare: Comparison):
    assert comparison_blocks(bare) == ()
    assert len(render(bare).splitlines()) <= MAX_LINES


def test_blocks_stand_in_the_terminal_and_on_the_page_alike(full: Comparison):
    page = render(full, form="html").replace("&#39;", "'").replace("&gt;", ">").replace("&lt;", "<")
    text = " ".join(render(full, verbose=True).split())
    for sentence in sentences(full):
        assert sentence in text
        assert sentence in page
    for grid in grids(full).values():
        for row in grid.rows:
            assert all(cell in page for cell in row)


def test_json_of_everything_is_strict(full: Comparison):
    document = json.loads(
        render(full, form="json"), parse_constant=lambda name: pytest.fail(f"{name} in JSON")
    )
    for part in (
        "item_tests",
        "scoring",
        "segments",
        "side_metrics",
        "contrast",
        "repeats_worth",
        "noise",
        "plan",
    ):
        assert document[part] is not None, part


def test_items_are_told_apart_by_their_attempts(full: Comparison):
    rows = {row[0]: row for row in grids(full)["Items told apart one by one"].rows}
    # q-00 failed at 6 of 6 and was passed 0 of 6 by the other: Fisher p 2/924
    assert rows["q-01"][1:4] == ("fixed", "0/6", "6/6")
    assert rows["q-00"][1:4] == ("broke", "6/6", "0/6")
    assert rows["q-00"][4] == "0.0022"


def test_noise_is_shown_with_its_date(full: Comparison):
    assert (
        "up to 3.1 points between two such runs of one system (14 of 240 items flipped, 2026-02-03)"
        in " ".join(render(full, form="markdown").split())
    )
    assert full.noise is not None
    still = replace(full, noise=replace(full.noise, wobble=0.0, flipped=0))
    assert "None of 240 items flipped between two runs of one system (2026-02-03)." in render(
        still, form="markdown"
    )


def test_a_departure_from_the_plan_is_marked(full: Comparison):
    rows = grids(full)["Planned 2026-02-01 (plan.json)"].rows
    assert rows == (("items", "100", "48", "departs"), ("margin", "0.02", "0.02", ""))


def test_format_and_content_are_told_apart(bare: Comparison, full: Comparison):
    assert full.scoring is not None
    split = FormatSplit(
        Estimate(0.10, 0.02, 0.18, 0.95, "t", 48),
        Estimate(-0.02, -0.08, 0.04, 0.95, "t", 48),
        1,
        6,
        ("unparsed",),
    )
    (text,) = sentences(replace(bare, scoring=replace(full.scoring, others=(), split=split)))
    assert text == (
        "Of the difference, +10.0 [+2.0 to +18.0] is format (answers that became unreadable 1, readable 6) and "
        "-2.0 [-8.0 to +4.0] content."
    )


def power(share: float, type_m: float | Undefined | None, type_s: float | Undefined | None) -> PowerSeen:
    return PowerSeen(0.0375, share, type_m, type_s, 240.0, 0.1125, "mcnemar_exact")


@pytest.mark.parametrize(
    ("seen", "sentence"),
    [
        (
            power(0.84, None, None),
            "Were +3.8 points the truth, this design would show it in 84% of runs (mcnemar_exact).",
        ),
        (
            power(0.33, 1.62, 0.0001),
            (
                "Were +3.8 points the truth, this design would show it in 33% of runs; what it then showed would be "
                "1.6 times too large on average, and of the wrong sign in 0.01% (mcnemar_exact)."
            ),
        ),
        (
            power(0.0, Undefined("nothing can be shown"), Undefined("nothing can be shown")),
            "Were +3.8 points the truth, this design would show it in 0% of runs (mcnemar_exact).",
        ),
    ],
)
def test_power_seen_has_its_sentence(bare: Comparison, seen: PowerSeen, sentence: str):
    assert sentences(replace(bare, power_seen=seen)) == [sentence]


def test_repeats_have_their_sentence_in_the_units_of_the_metric(bare: Comparison):
    rows = tuple(Precision(items=48, attempts=k, runs=48 * k, se=0.06 / math.sqrt(k)) for k in (1, 4))
    start = "Standard error of the difference by attempts at these items"
    worth = RepeatsWorth(0.01, 0.02, rows, 1.0, 5)
    assert sentences(replace(bare, repeats_worth=worth)) == [
        f"{start} (1: 6.00, 4: 3.00 points); 5 attempts of each would settle it."
    ]
    own = replace(bare, scale=Scale("real", None, None, "lower"))
    worth = replace(worth, to_settle=Undefined("it takes more items"))
    assert sentences(replace(own, repeats_worth=worth)) == [
        f"{start} (1: 0.06, 4: 0.03); it takes more items."
    ]


def test_other_analyses_and_why_they_are_not_used(bare: Comparison):
    other = OtherAnalysis(
        "unpaired", Estimate(0.0375, -0.04, 0.11, 0.95, "miettinen_nurminen", 96), "undecided"
    )
    found = replace(bare, contrast=MethodContrast((other,), 0.68, 3.2, True))
    assert grids(found)["What other analyses would have said"].rows[1] == (
        "as if on different items",
        "+3.8",
        "-4.0 to +11.0",
        "undecided",
    )
    assert sentences(found) == [
        (
            "The two systems' scores correlate by 0.68 over items; by whole clusters an unpaired design would need 3.2 "
            "times the items; that is why it is not used."
        ),
        "The systems' own intervals overlap; overlap of intervals is not a test.",
    ]
    unknown = MethodContrast((other,), Undefined("no variation"), Undefined("no variation"), None)
    assert sentences(replace(bare, contrast=unknown)) == []
    apart = MethodContrast((other,), -0.2, 0.8, False)
    assert sentences(replace(bare, contrast=apart)) == [
        (
            "The two systems' scores correlate by -0.20 over items; by whole clusters an unpaired design would need "
            "0.8 times the items."
        ),
        "The systems' own intervals do not overlap; overlap of intervals is not a test.",
    ]
    alone = sentences(
        replace(bare, contrast=replace(apart, correlation=0.68, variance_ratio=3.2), n_clusters=None)
    )
    assert alone[0].startswith(
        "The two systems' scores correlate by 0.68, so an unpaired design would need 3.2 times"
    )


def test_quality_and_cost_have_a_sentence_for_each_end(bare: Comparison):
    side = SideMetrics(
        (), (), Estimate(0.25, 0.1, 1.5, 0.95, "fieller", 48), "USD", "costs_more_for_more", (), (), 0
    )
    assert sentences(replace(bare, side_metrics=side)) == [
        "One more pass costs 0.25 USD (0.1 to 1.5).",
        "Quality and cost of pr together: better, and dearer.",
    ]
    failures = (Failures("pr", "error", "system", "429", 2), Failures("pr", "refused", "", "", 1))
    side = replace(side, per_pass=Undefined("the gain may be 0"), trade=None, failures=failures)
    assert sentences(replace(bare, side_metrics=side)) == [
        "What one more pass costs is unbounded: the gain may be 0.",
        "No answer, pr: 2 error (system: 429).",
        "No answer, pr: 1 refused.",
    ]


def test_weights_that_turn_the_winner_are_named(bare: Comparison):
    weights = Composite(
        ("quality", "speed"), 48, (), Undefined("not shown"), HypothesisTest("sign_flip", 0.5),
        Estimate(0.4, 0.2, 0.6, 0.95, "fieller", 48), 0.6, 0.2, 0.1, 1000, 0.95, 1,
    )  # fmt: skip
    assert sentences(replace(bare, composite=weights)) == [
        (
            "Weighing quality, speed in every way, the candidate is ahead under 60% of the weightings, clearly under "
            "20%, and clearly behind under 10%; the lead changes where quality weighs 0.40."
        )
    ]
