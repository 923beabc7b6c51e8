"""The first sentence of a noise measurement: a test for each."""

from __future__ import annotations

import pytest

from aliquot.findings.noise_words import write_noise
from aliquot.findings.scale import Scale
from aliquot.stats.results import Estimate, Undefined

RATE = Scale(kind="binary", low=0.0, high=1.0, better="higher")
SCORE = Scale(kind="bounded", low=0.0, high=1.0, better="higher")
SECONDS = Scale(kind="real", low=None, high=None, better="lower")


def wobble(point: float, high: float = 0.05) -> Estimate:
    return Estimate(point, point / 2, high, 0.95, "within_item_variance", 240)


@pytest.mark.parametrize(
    ("scale", "found", "counts", "sentence"),
    [
        (
            RATE,
            wobble(0.030556),
            (240, 14, -2),
            (
                "SAME SYSTEM, RUN AGAIN: 14 of 240 items flipped (5.8%), net -2. "
                "Between two single runs, differences up to 3.1 points can be its own noise."
            ),
        ),
        (
            RATE,
            wobble(0.030556),
            (240, 14, 0),
            (
                "SAME SYSTEM, RUN AGAIN: 14 of 240 items flipped (5.8%), net 0. "
                "Between two single runs, differences up to 3.1 points can be its own noise."
            ),
        ),
        (
            RATE,
            wobble(0.15),
            (50, 26, None),
            (
                "SAME SYSTEM, RUN AGAIN: 26 of 50 items flipped (52.0%). "
                "Between two single runs, differences up to 15.0 points can be its own noise."
            ),
        ),
        (
            SCORE,
            wobble(0.225),
            (12, 12, None),
            (
                "SAME SYSTEM, RUN AGAIN: 12 of 12 items differ between attempts (100.0%). "
                "Between two single runs, differences up to 22.5 points can be its own noise."
            ),
        ),
        (
            SECONDS,
            wobble(1.234),
            (12, 12, 3),
            (
                "SAME SYSTEM, RUN AGAIN: 12 of 12 items differ between attempts (100.0%), net +3. "
                "Between two single runs, differences up to 1.2 can be its own noise."
            ),
        ),
        (
            RATE,
            wobble(0.0, high=0.186),
            (20, 0, 0),
            (
                "SAME SYSTEM, RUN AGAIN: 0 of 20 items flipped (0.0%), net 0. None was seen to move; differences up to "
                "18.6 points between two single runs could still be its own noise (95% interval)."
            ),
        ),
        (
            RATE,
            Undefined("no item differs between its attempts"),
            (1, 0, None),
            (
                "SAME SYSTEM, RUN AGAIN: 0 of 1 item flipped (0.0%). "
                "Its own movement could not be seen: no item differs between its attempts."
            ),
        ),
    ],
)
def test_each_measurement_has_its_sentence(
    scale: Scale, found: Estimate | Undefined, counts: tuple[int, int, int | None], sentence: str
):
    n_items, flipped, net = counts
    verdict = write_noise(scale, found, n_items=n_items, flipped=flipped, net=net)
    assert (verdict.word, verdict.text) == ("estimated", sentence)


def test_nothing_run_twice_is_nothing_to_judge():
    verdict = write_noise(RATE, Undefined("no item has two values"), n_items=0, flipped=0, net=None)
    assert (verdict.word, verdict.text) == ("nothing_to_judge", "NOTHING TO JUDGE: no item has two values.")


def test_a_suite_that_was_not_seen_to_move_is_never_said_to_have_no_noise():
    verdict = write_noise(RATE, wobble(0.0), n_items=20, flipped=0, net=0)
    assert "up to 0.0" not in verdict.text
