from __future__ import annotations

import pytest

from aliquot.analysis.margins import margin_on
from aliquot.errors import UsageError
from aliquot.findings.scale import Scale

RATE = Scale(kind="binary", low=0.0, high=1.0, better="higher")
PERCENT = Scale(kind="bounded", low=0.0, high=100.0, better="higher")
SECONDS = Scale(kind="real", low=None, high=None, better="lower")


@pytest.mark.parametrize(
    ("scale", "margin", "own"),
    [
        (RATE, "2pt", 0.02),
        (RATE, "2%", 0.02),
        (RATE, 0.02, 0.02),
        (PERCENT, "2pt", 2.0),
        (SECONDS, "0.5", 0.5),
    ],
)
def test_points_are_points_of_the_scale(scale, margin, own):
    assert margin_on(scale, margin) == pytest.approx(own)


@pytest.mark.parametrize(
    ("scale", "margin", "said"),
    [
        (RATE, 2, "for points write 2pt"),
        (RATE, "200pt", r"as wide as the whole scale \(1\), or wider; a hundredth of it is 0.01, or 1pt"),
        (SECONDS, "2pt", "no bounds"),
        (RATE, "two", "not a margin"),
        (RATE, "nan", "positive"),
        (RATE, 0, "positive"),
        (RATE, "-1pt", "positive"),
    ],
)
def test_what_cannot_be_a_margin_is_refused(scale, margin, said):
    with pytest.raises(UsageError, match=said):
        margin_on(scale, margin)
