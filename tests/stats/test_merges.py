"""Many merges: who is given which error, and what comes of it over years."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from aliquot.errors import UsageError
from aliquot.stats import addis, alpha_shares, clopper_pearson, lord, mcnemar, tango, year_of_merges
from aliquot.stats.bets import STAKES
from aliquot.stats.merge_draws import FloorMerges, ItemMerges, PairedMerges, ShiftedMerges, draw_merges

P_VALUES = st.lists(st.sampled_from([0.0, 1e-6, 0.0004, 0.01, 0.2, 0.4, 0.6, 1.0]), max_size=25)


@settings(max_examples=40)
@given(P_VALUES)
def test_lord_never_spends_more_than_its_rejections_allow(p: list[float]):
    """Σ α_t / max(R, 1) ≤ α after every test: the condition that makes it hold the false discovery rate."""
    found = lord(p)
    spent = np.cumsum([*found.alphas, found.next_alpha])
    allowed = np.concatenate([np.cumsum(found.rejected), [found.rejected.sum()]])
    before = np.concatenate([[0], allowed[:-1]]) if len(p) else np.array([0])
    assert (spent <= 0.05 * np.maximum(before, 1) + 1e-12).all()
    assert (found.rejected == (np.array(p) <= found.alphas)).all()


@settings(max_examples=40)
@given(P_VALUES)
def test_addis_counts_only_what_costs(p: list[float]):
    """Σ α_t 1{λ < p_t ≤ τ}/(τ − λ) / max(R, 1) ≤ α: the estimate of false discoveries that it keeps below α."""
    found = addis(p)
    values = np.array(p)
    cost = np.cumsum(found.alphas * ((values > 0.25) & (values <= 0.5)) / 0.25)
    assert (cost <= 0.05 * np.maximum(np.cumsum(found.rejected), 1) + 1e-12).all()
    assert (found.alphas <= 0.25).all()
    assert found.next_alpha > 0


def test_what_comes_later_changes_nothing_before():
    p = [0.3, 0.0001, 0.8, 0.02, 0.4]
    for find in (lord, addis):
        whole, part = find(p), find(p[:3])
        assert whole.alphas[:3].tolist() == part.alphas.tolist()
        assert whole.alphas[3] == part.next_alpha
        assert find([]).next_alpha > 0


def test_lord_by_hand():
    # γ_j ∝ ln(max(j, 2))/(j e^√ln j): .6931, .6931/(2 e^.8326) = .1507, 1.0986/(3 e^1.0481) = .1284 …; a rejection at
    # once gives the second test w₀ γ₂ + (α − w₀) γ₁
    none, one = lord([1.0]), lord([0.0])
    gamma1, gamma2 = none.alphas[0] / 0.025, none.next_alpha / 0.025
    assert gamma2 / gamma1 == pytest.approx(0.1507 / 0.6931, abs=1e-3)
    assert one.next_alpha == pytest.approx(0.025 * gamma2 + 0.025 * gamma1)


def test_quiet_merges_cost_addis_nothing():
    assert addis([0.9] * 20).next_alpha == addis([]).next_alpha
    assert addis([0.4] * 20).next_alpha < addis([]).next_alpha / 10


def test_shares_sum_to_the_error_of_the_year():
    assert alpha_shares(250).sum() == pytest.approx(0.05)
    falling = alpha_shares(250, spending="falling")
    assert falling.sum() < 0.05
    assert (np.diff(falling) < 0).all()
    assert alpha_shares(10, spending="falling").tolist() == falling[:10].tolist()


@pytest.mark.parametrize("find", [lord, addis])
def test_of_the_alarms_few_are_false(find):
    rng = np.random.default_rng(3)
    false = []
    for _ in range(100):
        moved = rng.random(60) < 0.2
        p = np.where(moved, rng.random(60) ** 9, rng.random(60))
        rejected = find(p).rejected
        false.append((rejected & ~moved).sum() / max(rejected.sum(), 1))
    assert np.mean(false) <= 0.05 + 3 * np.std(false) / 10


def test_a_merge_of_a_year_is_decided_as_it_is_alone():
    fixed, broke = np.array([[3, 9, 2]]), np.array([[12, 9, 9]])
    for margin in (0.0, 0.15):
        read = PairedMerges(100, margin, 0.1, loss=0.0).read(fixed, broke, level=0.95)
        for k, (c, b) in enumerate(zip(fixed[0].tolist(), broke[0].tolist(), strict=True)):
            alone, p = tango(c, b, 100), mcnemar(c, b).p
            assert read.p[0, k] == pytest.approx(p, abs=1e-12)
            assert read.passed[0, k] == (alone.low > -margin)
            # 2 and 9: Tango's upper limit lies below 0, but the exact p is .065, so that no loss is shown
            assert read.lost[0, k] == (alone.low <= -margin and alone.high < 0 and p <= 0.05)
    # 3 and 12: exact p .0352; a merge alone fails, one of 250 would need p ≤ .0002
    assert mcnemar(3, 12).p == pytest.approx(0.0352, abs=1e-4)
    assert tango(2, 9, 100).high < 0 < mcnemar(2, 9).p - 0.05


def test_a_floor_is_read_by_its_exact_limits_and_test():
    passes = np.arange(0, 41)
    read = FloorMerges(40, 0.95, 0.8).read(passes, level=0.95)
    for x in passes.tolist():
        alone = clopper_pearson(x, 40)
        assert (read.passed[x], read.lost[x]) == (alone.low >= 0.8, alone.high < 0.8)
        # twice the smaller tail of a binomial of .8
        tails = stats.binom.cdf(x, 40, 0.8), stats.binom.sf(x - 1, 40, 0.8)
        assert read.p[x] == pytest.approx(min(1.0, 2 * min(tails)), abs=1e-12)
    assert FloorMerges(36, 1.0, 0.9).read(np.array([35, 36]), level=0.95).passed.tolist() == [False, True]


def test_conditions_drawn_come_out_as_often_as_their_laws_say():
    rng, zeros = np.random.default_rng(5), np.zeros(20_000)
    floor = FloorMerges(60, 0.95, 0.85)
    for times, rate in ((0, 0.95), (1, 0.85), (2, 0.75)):
        wanted = stats.binom.pmf(np.arange(61), 60, rate)[floor.read(np.arange(61), level=0.95).passed].sum()
        found = floor.draw(zeros + times, level=0.95, rng=rng).passed.mean()
        assert found == pytest.approx(wanted, abs=4 * 0.5 / np.sqrt(20_000))
    shifted = ShiftedMerges(0.05, 0.02, np.inf, loss=0.05)
    # P(d − 1.96 se > −.05) = Φ(2.5 − 1.96) when nothing is lost, .025 at the margin
    assert shifted.draw(zeros, level=0.95, rng=rng).passed.mean() == pytest.approx(
        stats.norm.cdf(0.54), abs=0.015
    )
    assert shifted.draw(zeros + 1, level=0.95, rng=rng).passed.mean() == pytest.approx(0.025, abs=0.005)
    items = draw_merges([ItemMerges(0.1)], zeros, level=0.95, rng=rng)
    assert items.failed(0.0).mean() == pytest.approx(0.1, abs=0.01)
    assert (items.passed == ~items.failed(0.05)).all()


def test_a_year_of_a_gate():
    options = {"merges": 100, "years": 300, "rng": 1, "loss": 0.06}
    every, shared = year_of_merges(300, 0.1, sharing="none", **options), year_of_merges(300, 0.1, **options)
    # each of 100 quiet merges falsely fails with chance below .025 (exact McNemar, one side): most years have one
    assert 0.6 < every.quiet_years <= 1 - 0.975**100
    assert shared.quiet_years <= 0.05
    assert every.missed < shared.missed
    assert year_of_merges(300, 0.1, **options) == shared
    addis_year = year_of_merges(300, 0.1, sharing="addis", **options)
    assert addis_year.missed < year_of_merges(300, 0.1, sharing="falling", **options).missed


def test_a_margin_lets_pass_what_does_not_matter():
    strict, lenient = (
        year_of_merges(500, 0.1, margin=margin, loss=0.0, merges=20, years=200, rng=2)
        for margin in (0.0, 0.05)
    )
    # Φ((.05 − 1.96 √(.1/500))/√(.1/500)) = Φ(1.58) = .94 of equal candidates clear a margin of 5 points
    assert 1 - lenient.undecided == pytest.approx(0.93, abs=0.03)
    assert strict.undecided > 0.9


def alarmed(share: float, *, fresh: bool, years: int = 50, n: int = 200, merges: int = 26) -> float:
    """Share of years in which one e-process of the items, carried over the merges, has alarmed.

    In each year the system of main differs from the fixed baseline for good on ``share`` of the items, as often for the
    better as for the worse; ``share`` more differ at each merge by chance. No system is better on items like these.
    """
    rng = np.random.default_rng(11)
    logs, stopped = np.zeros((years, 2, STAKES.size)), np.zeros(years, dtype=bool)

    def drawn() -> np.ndarray:
        return rng.choice([1.0, 0.0, -1.0], (years, n), p=[share / 2, 1 - share, share / 2])

    lasting = drawn()
    for _ in range(merges):
        d = rng.permuted(np.clip((drawn() if fresh else lasting) + drawn(), -1, 1), axis=1)
        for value in d.T:
            moves = np.stack([value, -value], axis=1)
            logs += np.log1p(STAKES * moves[:, :, None])
            stopped |= np.exp(logs).mean(axis=2).max(axis=1) / 2 >= 20
    return float(stopped.mean())


def test_an_e_process_of_the_items_must_not_be_carried_over_merges():
    """The same items are no new evidence: what they have in common with main piles up at every merge."""
    # 40% of 600 such years, of 26 merges each; 50 years have a standard error of 7%
    assert alarmed(0.05, fresh=False) > 0.2
    # with fresh items at each merge it keeps its word: 2.5 of 50 and three standard errors of 1.5
    assert alarmed(0.05, fresh=True) <= 7 / 50


def test_bad_plans_say_so():
    with pytest.raises(UsageError, match="0 ≤ loss ≤ psi"):
        year_of_merges(100, 0.1, loss=0.2)
    with pytest.raises(UsageError, match="unknown sharing 'holm'"):
        year_of_merges(100, 0.1, sharing="holm")
    with pytest.raises(UsageError, match="wealth must lie above 0"):
        lord([0.5], wealth=0.1)
    with pytest.raises(UsageError, match="candidate < discard"):
        addis([0.5], candidate=0.6)
    with pytest.raises(UsageError, match="merges must be"):
        alpha_shares(0)
