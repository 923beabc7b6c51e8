from __future__ import annotations

import numpy as np
import pytest

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.composite import find_composite
from aliquot.errors import UsageError
from aliquot.findings.composite import Composite
from aliquot.findings.scale import Scale
from aliquot.stats.paired import paired_binary_difference
from aliquot.stats.permutation import sign_flip
from aliquot.stats.results import Estimate, Undefined
from tests.analysis.segmented import BINARY, SCORE, segmented

PERCENT_LOWER = Scale(kind="bounded", low=0.0, high=100.0, better="lower")


def _sample(main: list[float], pr: list[float], **options: object) -> PairedSample:
    return segmented(main, pr, **options)[1]  # pyright: ignore[reportArgumentType]


def _composite(samples: dict[str, PairedSample], scales: dict[str, Scale]) -> Composite:
    found = find_composite(samples, scales, level=0.95, seed=5)
    assert isinstance(found, Composite)
    return found


def test_two_metrics_that_disagree_have_a_break_even_weight() -> None:
    # accuracy: 12 fixed, 4 broke of 40, +.2; cost in percent of the limit, lower better: 10 points dearer, −.1
    accuracy = _sample([0.0] * 12 + [1.0] * 28, [1.0] * 12 + [0.0] * 4 + [1.0] * 24)
    cost = _sample([50.0 + i % 3 for i in range(40)], [60.0 + i % 5 for i in range(40)])
    mean_cost = float(np.mean([10.0 + i % 5 - i % 3 for i in range(40)])) / 100
    found = _composite({"accuracy": accuracy, "cost": cost}, {"accuracy": BINARY, "cost": PERCENT_LOWER})
    first, second = found.differences
    assert isinstance(first, Estimate)
    assert isinstance(second, Estimate)
    assert first.point == pytest.approx(0.2)
    assert second.point == pytest.approx(-mean_cost)
    tango = paired_binary_difference(*accuracy.sides())
    assert isinstance(tango, Estimate)
    assert first.high == tango.high
    assert isinstance(found.break_even, Estimate)
    # w · .2 − (1 − w) · cost = 0
    turn = mean_cost / (mean_cost + 0.2)
    assert found.break_even.point == pytest.approx(turn)
    assert 0 <= found.break_even.low < turn < found.break_even.high <= 1
    # weights drawn evenly: the candidate wins from there to 1; 4 √(.25/10000) = .02
    assert found.wins == pytest.approx(1 - turn, abs=0.02)
    assert found.hangs_on_weights
    assert found.clearly_worse > 0.1
    assert isinstance(found.equal, Estimate)
    assert found.equal.point == pytest.approx((0.2 - mean_cost) / 2)


def test_three_metrics_and_the_share_of_weightings() -> None:
    rng = np.random.default_rng(4)
    base = rng.random((60, 3)).round(3) * 0.5
    moved = base + np.array([0.2, 0.1, -0.1]) + rng.normal(0, 0.02, (60, 3)).round(3)
    names = ("a", "b", "c")
    samples = {name: _sample(base[:, j].tolist(), moved[:, j].tolist()) for j, name in enumerate(names)}
    found = _composite(samples, dict.fromkeys(names, Scale("real", -1.0, 2.0, "higher")))
    assert found.break_even is None
    # by hand: Σ w d > 0 over an even draw of the simplex from another seed
    d = (moved - base).mean(axis=0)
    w = np.random.default_rng(99).dirichlet([1, 1, 1], 20_000)
    assert found.wins == pytest.approx(float((w @ d > 0).mean()), abs=0.02)
    assert 0 < found.clearly_better < found.wins < 1
    assert found.clearly_worse < 1 - found.wins
    assert isinstance(found.equal, Estimate)
    assert found.equal.low > 0
    composite = (moved - base).mean(axis=1) / 3
    assert found.test.p == sign_flip(composite, rng=5).p


def test_metrics_that_agree_leave_no_question() -> None:
    one = _sample([0.0] * 10 + [1.0] * 10, [1.0] * 20)
    found = _composite({"x": one, "y": one}, {"x": BINARY, "y": BINARY})
    assert isinstance(found.break_even, Undefined)
    assert (found.wins, found.clearly_better, found.hangs_on_weights) == (1.0, 1.0, False)


def test_only_items_with_every_metric_count_and_clusters_carry_the_error() -> None:
    clusters = [f"c{i // 4}" for i in range(24)]
    first = _sample([0.0] * 24, [1.0, 0.0] * 12, clusters=clusters)
    second = _sample([0.5] * 20, [0.4, 0.6, 0.5, 0.3] * 5, clusters=clusters[:20])
    found = _composite({"x": first, "y": second}, {"x": BINARY, "y": SCORE})
    assert found.n == 20
    assert isinstance(found.equal, Estimate)
    assert found.equal.clusters == 5
    assert found.test.name == "cluster_sign_flip"


@pytest.mark.parametrize(
    ("scale", "says"),
    [
        (Scale("real", None, None, "higher"), "no bounds"),
        (Scale("bounded", 0.0, 1.0, "none"), "neither direction"),
    ],
)
def test_metrics_without_a_common_scale(scale: Scale, says: str) -> None:
    one = _sample([0.0, 1.0, 0.0], [1.0, 1.0, 0.0])
    found = find_composite({"x": one, "y": one}, {"x": BINARY, "y": scale}, level=0.95, seed=1)
    assert isinstance(found, Undefined)
    assert says in found.reason


def test_too_little_to_compose() -> None:
    one = _sample([0.0], [1.0])
    assert isinstance(
        find_composite({"x": one, "y": one}, {"x": BINARY, "y": BINARY}, level=0.95, seed=1), Undefined
    )
    with pytest.raises(UsageError, match="two metrics or more; got x"):
        find_composite({"x": one}, {"x": BINARY}, level=0.95, seed=1)
