"""The grammar of verdicts: a test for each sentence."""

from __future__ import annotations

import pytest

from aliquot.findings.scale import Scale
from aliquot.findings.words import write_verdict
from aliquot.stats.results import Estimate, Undefined

RATE = Scale(kind="binary", low=0.0, high=1.0, better="higher")
SECONDS = Scale(kind="real", low=None, high=None, better="lower")


def write(word, low, high, *, scale=RATE, margin=None, within=False):
    estimate = Estimate((low + high) / 2, low, high, 0.95, "tango", 240)
    return write_verdict(
        word,
        estimate,
        baseline="main",
        candidate="pr",
        scale=scale,
        margin=margin,
        within_margin=within,
        n_items=240,
    )


@pytest.mark.parametrize(
    ("word", "low", "high", "margin", "within", "sentence"),
    [
        ("better", 0.022, 0.109, None, False, "BETTER: pr beats main by 2.2 to 10.9 points (95% interval)."),
        ("worse", -0.109, -0.022, None, False, "WORSE: pr trails main by 2.2 to 10.9 points (95% interval)."),
        (
            "worse",
            -0.019,
            -0.002,
            0.02,
            True,
            "WORSE: pr trails main by 0.2 to 1.9 points (95% interval); worse, within the margin of 2 points.",
        ),
        (
            "equivalent",
            -0.012,
            0.015,
            0.02,
            False,
            "EQUIVALENT within 2 points: pr minus main lies between -1.2 and +1.5 points (95% interval).",
        ),
        (
            "not_worse",
            -0.005,
            0.083,
            0.02,
            False,
            "NOT WORSE by 2 points, NOT SHOWN BETTER: pr minus main lies between -0.5 and +8.3 points (95% interval).",
        ),
        (
            "undecided",
            -0.041,
            0.03,
            0.02,
            False,
            (
                "UNDECIDED: pr minus main lies between -4.1 and +3.0 points (95% interval); "
                "240 items cannot settle a margin of 2 points."
            ),
        ),
        (
            "undecided",
            0.0,
            0.118,
            None,
            False,
            (
                "UNDECIDED: pr minus main lies between 0.0 and +11.8 points (95% interval); "
                "240 items cannot settle which is better."
            ),
        ),
        (
            "higher",
            0.022,
            0.109,
            None,
            False,
            "HIGHER: pr is above main by 2.2 to 10.9 points (95% interval); neither is called better.",
        ),
        (
            "lower",
            -0.109,
            -0.022,
            None,
            False,
            "LOWER: pr is below main by 2.2 to 10.9 points (95% interval); neither is called better.",
        ),
    ],
)
def test_each_word_has_its_sentence(word, low, high, margin, within, sentence):
    assert write(word, low, high, margin=margin, within=within) == sentence


def test_nothing_to_judge_gives_the_reason():
    reason = Undefined("all 240 rows are errors")
    text = write_verdict("nothing_to_judge", reason, baseline="main", candidate="pr", scale=RATE)
    assert text == "NOTHING TO JUDGE: all 240 rows are errors."


def test_own_units_carry_no_points():
    assert (
        write("better", -1.25, -0.35, scale=SECONDS)
        == "BETTER: pr beats main by 0.35 to 1.25 (95% interval)."
    )


def test_no_sentence_claims_that_there_is_no_difference():
    for word in ("better", "worse", "equivalent", "not_worse", "undecided", "higher", "lower"):
        text = write(word, -0.01, 0.01, margin=0.02).lower()
        assert "no difference" not in text
        assert "agree" not in text
