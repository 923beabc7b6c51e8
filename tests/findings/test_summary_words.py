"""The first sentence of a summary: what was measured, and floors met, not met and undecided."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from aliquot.findings.scale import Scale
from aliquot.findings.summary import Floor, SystemLine
from aliquot.findings.summary_words import write_summary
from aliquot.stats.results import Estimate, Undefined

RATE = Scale(kind="binary", low=0.0, high=1.0, better="higher")
SCORE = Scale(kind="bounded", low=0.0, high=1.0, better="higher")
SECONDS = Scale(kind="real", low=None, high=None, better="lower")

PASSED = Estimate(0.75, 0.696, 0.804, 0.95, "wilson", 240)
NOTHING = Undefined("no item has a value")


def line(estimate: Estimate | Undefined = PASSED, **changed: Any) -> SystemLine:
    plain = SystemLine(
        system="pr", task="task", metric="score", scale=RATE, estimate=estimate, total=None, n_items=240,
        n_clusters=None, rows=240, answered=1.0, statuses={"ok": 240}, over_answered=None, if_missing=None, missing=0,
        repeats=None, floor=None, latency=None, cost=None, currency=None, judge=None,
    )  # fmt: skip
    return replace(plain, **changed)


def floor(word: Any, low: float, high: float, *, asked: float = 0.9, hangs: bool = False) -> Floor:
    return Floor(asked, Estimate((low + high) / 2, low, high, 0.95, "clopper_pearson", 36), word, hangs)


@pytest.mark.parametrize(
    ("lines", "word", "sentence"),
    [
        ([line()], "estimated", "pr passed 75.0% (95% interval 69.6 to 80.4)."),
        ([line(scale=SCORE)], "estimated", "pr: mean score 75.0% (95% interval 69.6 to 80.4)."),
        (
            [line(Estimate(2.345, 1.2, 3.4, 0.9, "t", 12), scale=SECONDS)],
            "estimated",
            "pr: mean score 2.3 (90% interval 1.2 to 3.4).",
        ),
        (
            [line(), line(task="other")],
            "estimated",
            "pr on 2 tasks; side by side, not compared (aliquot compare).",
        ),
        (
            [line(), line(system="main")],
            "estimated",
            "2 systems on 1 task; side by side, not compared (aliquot compare).",
        ),
        ([line(NOTHING)], "nothing_to_judge", "NOTHING TO JUDGE: no item has a value."),
        (
            [line(floor=floor("met", 0.9026, 1.0))],
            "met",
            "MET: at least 90%. pr passes 90.3 to 100.0% (95% Clopper-Pearson interval).",
        ),
        (
            [line(floor=floor("not_met", 0.5, 0.88))],
            "not_met",
            "NOT MET: less than 90%. pr passes 50.0 to 88.0% (95% Clopper-Pearson interval).",
        ),
        (
            [line(floor=floor("undecided", 0.284, 0.995), n_items=5)],
            "undecided",
            "UNDECIDED: 5 items cannot settle a floor of 90%. pr passes 28.4 to 99.5% (95% Clopper-Pearson interval).",
        ),
        (
            [line(floor=floor("undecided", 0.025, 1.0), n_items=1)],
            "undecided",
            "UNDECIDED: 1 item cannot settle a floor of 90%. pr passes 2.5 to 100.0% (95% Clopper-Pearson interval).",
        ),
        (
            [line(floor=floor("met", 0.9026, 1.0, hangs=True), missing=1)],
            "met",
            (
                "MET: at least 90%. pr passes 90.3 to 100.0% (95% Clopper-Pearson interval); "
                "1 row has no value and could change this."
            ),
        ),
        (
            [line(floor=floor("not_met", 0.5, 0.88, hangs=True), missing=3)],
            "not_met",
            (
                "NOT MET: less than 90%. pr passes 50.0 to 88.0% (95% Clopper-Pearson interval); "
                "3 rows have no value and could change this."
            ),
        ),
        (
            [line(floor=Floor(0.9, NOTHING, "nothing_to_judge"))],
            "nothing_to_judge",
            "NOTHING TO JUDGE: no item has a value.",
        ),
    ],
)
def test_each_summary_has_its_sentence(lines: list[SystemLine], word: str, sentence: str):
    verdict = write_summary(lines)
    assert (verdict.word, verdict.text) == (word, sentence)


def test_the_worst_of_several_floors_stands_for_all_and_names_its_task():
    lines = [
        line(floor=floor("met", 0.92, 1.0)),
        line(task="hard", floor=floor("undecided", 0.8, 0.95), n_items=40),
        line(task="hardest", floor=floor("not_met", 0.5, 0.8)),
    ]
    assert write_summary(lines).text.startswith("NOT MET: less than 90% on hardest.")
    assert write_summary(lines[:2]).text.startswith(
        "UNDECIDED: 40 items cannot settle a floor of 90% on hard."
    )


def test_a_floor_is_written_as_it_was_asked():
    assert "at least 99.5%" in write_summary([line(floor=floor("met", 0.996, 1.0, asked=0.995))]).text
