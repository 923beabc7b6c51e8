"""Paired binary intervals and the family call: outside numbers, plain second implementations, degenerate tables."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from aliquot.errors import UsageError
from aliquot.stats.family import Family
from aliquot.stats.paired_family import paired_binary
from aliquot.stats.paired_intervals import (
    agresti_min,
    bonett_price,
    discordant_ratio,
    newcombe_paired,
    rate_ratio_paired,
    wald_paired,
)
from aliquot.stats.paired_score import tango, tango_limits
from aliquot.stats.results import Estimate, Undefined
from tests.oracles import cases

TOPIC = "02_paired_binary"


def by_method(case_id: str, table: dict[str, int], level: float) -> Estimate | Undefined:
    """Call the method an id names; the files' b (only A) is our broke, their c (only B) our fixed."""
    both, broke, fixed, neither = table["a"], table["b"], table["c"], table["d"]
    n = both + broke + fixed + neither
    if "tango" in case_id.rpartition("-")[2] or "-tab" in case_id:
        return tango(fixed, broke, n, level=level)
    if "agrestimin" in case_id.rpartition("-")[2]:
        return agresti_min(fixed, broke, n, level=level)
    if "bonettprice" in case_id:
        return bonett_price(fixed, broke, n, level=level)
    if case_id.endswith("wald"):
        return wald_paired(fixed, broke, n, level=level)
    return newcombe_paired(both, broke, fixed, neither, level=level, corrected=not case_id.endswith("m8"))


@pytest.mark.parametrize(
    "case", [p for p in cases(TOPIC) if "lower" in p.values[0]["expected"] and "-or-" not in p.id]
)
def test_interval_agrees_with_the_outside_number(case):
    found = by_method(case["id"], case["inputs"], case["inputs"].get("conf_level", 0.95))
    # theirs is A − B, ours B − A: the limits change places and signs
    assert -found.high == pytest.approx(case["expected"]["lower"], abs=case["tolerance"])
    assert -found.low == pytest.approx(case["expected"]["upper"], abs=case["tolerance"])
    assert found.method in {"tango", "newcombe_paired", "bonett_price", "agresti_min", "wald_paired"}


def test_every_interval_method_has_outside_numbers():
    ids = [p.id for p in cases(TOPIC) if "lower" in p.values[0]["expected"] and "-or-" not in p.id]
    table = {"a": 20, "b": 12, "c": 2, "d": 16}
    methods = [by_method(case_id, table, 0.95).method for case_id in ids]
    assert {m: methods.count(m) for m in set(methods)} == {
        "tango": 15,
        "newcombe_paired": 16,
        "bonett_price": 5,
        "agresti_min": 5,
        "wald_paired": 3,
    }


@pytest.mark.parametrize("case", cases(TOPIC, "ezra-or-cp"))
def test_discordant_ratio_agrees_with_the_outside_number(case):
    # theirs is b/c = only A over only B: call with the systems exchanged
    found = discordant_ratio(fixed=case["inputs"]["b"], broke=case["inputs"]["c"])
    for name, value in (("estimate", found.point), ("lower", found.low), ("upper", found.high)):
        assert value == pytest.approx(case["expected"][name], abs=case["tolerance"])


def test_rate_ratio_agrees_with_the_book():
    # Fagerland, Lydersen & Laake (2017), Cavo data, hybrid Wilson score: A/B = 65/75 = .8667 (.7579 to .9910)
    # (R package contingencytables, tests/testthat/test-ch8.R); with the systems exchanged it is A over B
    found = rate_ratio_paired(59, 16, 6, 80)
    assert [round(value, 4) for value in (found.point, found.low, found.high)] == [0.8667, 0.7579, 0.9910]
    assert found.n == 161


def score(fixed: float, broke: float, n: float, delta: float) -> float:
    """Tango's statistic, plainly: the restricted likelihood is maximised by golden section."""
    low, high = max(0.0, -delta), (1 - delta) / 2

    def likelihood(q: float) -> float:
        total = 0.0
        for count, p in ((broke, q), (fixed, q + delta), (n - fixed - broke, 1 - 2 * q - delta)):
            if count:
                total += count * (math.log(p) if p > 0 else -math.inf)
        return total

    ratio = (math.sqrt(5) - 1) / 2
    for _ in range(200):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if likelihood(left) < likelihood(right):
            low = left
        else:
            high = right
    q = (low + high) / 2
    variance = 2 * q + delta - delta**2
    gap = fixed - broke - n * delta
    return gap / math.sqrt(n * variance) if variance > 0 else math.copysign(math.inf, gap) if gap else 0.0


@given(
    cells=st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 60)).filter(lambda c: sum(c) > 0),
    scale=st.sampled_from([1.0, 0.37, 2.5]),
    level=st.sampled_from([0.8, 0.95, 0.99]),
)
def test_tango_limits_are_where_the_score_statistic_meets_z(cells, scale, level):
    fixed, broke, rest = (scale * cell for cell in cells)
    n = fixed + broke + rest
    found, z = tango(fixed, broke, n, level=level), float(ndtri(0.5 + level / 2))
    assert -1 <= found.low < found.point + 1e-15
    assert found.point - 1e-15 < found.high <= 1
    assert found.low < found.high
    for limit, inward in ((found.low, 1), (found.high, -1)):
        if abs(limit) < 1 - 1e-12:
            assert abs(score(fixed, broke, n, limit + inward * 1e-5)) < z
            if abs(limit - inward * 1e-5) <= 1:
                assert abs(score(fixed, broke, n, limit - inward * 1e-5)) > z
        else:
            assert found.point == pytest.approx(limit, abs=1e-12)


@given(fixed=st.integers(0, 300), broke=st.integers(0, 300), rest=st.integers(1, 300))
def test_tango_mirrors_when_the_systems_change_places(fixed, broke, rest):
    n = fixed + broke + rest
    one, other = tango(fixed, broke, n), tango(broke, fixed, n)
    assert (one.low, one.high) == (-other.high, -other.low)
    assert one.se == pytest.approx(math.sqrt(((fixed + broke) / n - one.point**2) / n))


@given(fixed=st.integers(0, 60), broke=st.integers(0, 60), rest=st.integers(0, 60))
def test_tango_excludes_0_exactly_when_the_asymptotic_test_rejects(fixed, broke, rest):
    if fixed + broke == 0 or abs((fixed - broke) ** 2 / (fixed + broke) - float(ndtri(0.975)) ** 2) < 1e-9:
        return
    found = tango(fixed, broke, fixed + broke + rest)
    rejected = (fixed - broke) ** 2 / (fixed + broke) > float(ndtri(0.975)) ** 2
    assert (found.low > 0 or found.high < 0) == rejected


Z2 = float(ndtri(0.975)) ** 2


@pytest.mark.parametrize("n", [1, 20, 1e9, 0.4])
def test_tango_with_nothing_discordant_has_its_closed_form(n):
    # variance δ(1 − δ): n δ² = z² δ(1 − δ) gives δ = z²/(n + z²)
    found = tango(0, 0, n)
    assert found.high == pytest.approx(Z2 / (n + Z2), rel=1e-13)
    assert found.low == -found.high
    assert found.se == 0


@pytest.mark.parametrize("n", [1, 20, 1e9])
def test_tango_with_everything_fixed_has_its_closed_form(n):
    # variance 1 − δ²: n (1 − δ)² = z² (1 − δ)(1 + δ) gives δ = (n − z²)/(n + z²)
    found = tango(n, 0, n)
    assert found.low == pytest.approx((n - Z2) / (n + Z2), abs=1e-14)
    assert found.high == 1


def test_tango_keeps_its_digits_at_huge_n():
    # at 3e8 against 3e8 of 1e9 the interval is ±z √(ψ/n) to first order
    assert tango(3e8, 3e8, 1e9).high == pytest.approx(math.sqrt(Z2 * 0.6 / 1e9), rel=1e-6)


def test_tango_one_sided_and_simultaneous():
    ninety = tango(9, 3, 32, level=0.90)
    assert tango(9, 3, 32, alternative="greater").low == pytest.approx(ninety.low, abs=1e-14)
    assert tango(9, 3, 32, alternative="greater").high == math.inf
    assert tango(9, 3, 32, alternative="less").high == pytest.approx(ninety.high, abs=1e-14)
    assert tango(9, 3, 32, alternative="less").low == -math.inf
    wide = tango(9, 3, 32, z=2.5)
    assert (wide.low, wide.high) == tuple(float(limit) for limit in tango_limits(9, 3, 32, z=2.5))
    assert wide.level == 0.95
    assert wide.settings["z"] == 2.5
    assert wide.low < tango(9, 3, 32).low


def test_tango_limits_broadcast():
    low, high = tango_limits(np.arange(4)[:, None], np.arange(3), 10, z=1.96)
    assert low.shape == high.shape == (4, 3)
    assert low[3, 1] == pytest.approx(tango(3, 1, 10, z=1.96).low, abs=1e-15)


def test_effective_counts_may_exceed_n_by_rounding_only():
    assert tango(0.1 + 0.2, 0, 0.3).point == 1
    with pytest.raises(UsageError, match="must not exceed n"):
        tango(4, 3, 6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tango(-1, 0, 5), "fixed must be"),
        (lambda: tango(0, 0, 0), "no shared item"),
        (lambda: tango(1, 0, 5, level=95), "0.95, not 95"),
        (lambda: tango(1, 0, 5, alternative="up"), "unknown alternative"),
        (lambda: tango(1, 0, 5, z=0), "z must be"),
        (lambda: tango(math.nan, 0, 5), "fixed must be"),
        (lambda: wald_paired(1, 0, 5, alternative="up"), "unknown alternative"),
        (lambda: newcombe_paired(1, 0, 0.5, 3), "fixed must be a whole number"),
        (lambda: discordant_ratio(-1, 2), "fixed must be"),
        (lambda: rate_ratio_paired(0, 0, 0, 0), "the table is empty"),
        (lambda: paired_binary([1, 0, 1]), r"paired_table\(a, b\)"),
        (lambda: paired_binary([["1", "2"], ["3", "4"]]), "the table must be"),
        (lambda: paired_binary([[0, 0], [0, 0]]), "the table is empty"),
    ],
)
def test_a_wrong_call_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()


def plain_newcombe(
    both: int, broke: int, fixed: int, neither: int, *, corrected: bool
) -> tuple[float, float]:
    """Newcombe (1998c) in his own terms: θ = p₁ − p₂ with p₁ the candidate's rate."""
    e, f, g, h = both, fixed, broke, neither
    n, z = e + f + g + h, float(ndtri(0.975))

    def wilson(x: int) -> tuple[float, float]:
        root = z * math.sqrt(z * z + 4 * x * (1 - x / n))
        return (2 * x + z * z - root) / (2 * (n + z * z)), (2 * x + z * z + root) / (2 * (n + z * z))

    p1, p2 = (e + f) / n, (e + g) / n
    (l1, u1), (l2, u2) = wilson(e + f), wilson(e + g)
    margin = (e + f) * (g + h) * (e + g) * (f + h)
    top = e * h - f * g
    if corrected:
        top = top - n / 2 if top > n / 2 else min(0, top)
    phi = top / math.sqrt(margin) if margin else 0.0
    down = (p1 - l1) ** 2 - 2 * phi * (p1 - l1) * (u2 - p2) + (u2 - p2) ** 2
    up = (p2 - l2) ** 2 - 2 * phi * (p2 - l2) * (u1 - p1) + (u1 - p1) ** 2
    return p1 - p2 - math.sqrt(max(down, 0)), p1 - p2 + math.sqrt(max(up, 0))


TABLES = st.tuples(*[st.integers(0, 50)] * 4).filter(lambda cells: sum(cells) > 0)


@given(cells=TABLES, corrected=st.booleans())
def test_newcombe_agrees_with_its_plain_form(cells, corrected):
    found = newcombe_paired(*cells, corrected=corrected)
    low, high = plain_newcombe(*cells, corrected=corrected)
    if isinstance(found, Undefined):
        assert not corrected
        assert high - low < 1e-6
        return
    assert found.low == pytest.approx(max(-1.0, low), abs=1e-9)
    assert found.high == pytest.approx(min(1.0, high), abs=1e-9)
    assert found.low < found.high


def test_newcombe_8_without_width_is_undefined():
    # φ = 1 and rates of one half: the two widths are equal and cancel
    assert isinstance(newcombe_paired(5, 0, 0, 5, corrected=False), Undefined)
    assert isinstance(newcombe_paired(5, 0, 0, 5), Estimate)


@given(cells=TABLES, added=st.sampled_from([0.0, 0.5, 1.0]))
def test_wald_forms_agree_with_the_plain_table(cells, added):
    _, broke, fixed, _ = cells
    n = sum(cells)
    found = {0.0: wald_paired, 0.5: agresti_min, 1.0: bonett_price}[added](fixed, broke, n)
    padded = np.array([fixed + added, broke + added, n + (2 if added else 0) - fixed - broke - 2 * added])
    scores = np.repeat([1.0, -1.0, 0.0], [1, 1, 1])
    size = padded.sum()
    mean = (padded @ scores) / size
    variance = (padded @ (scores - mean) ** 2) / size**2  # of +1, −1 and 0 as item differences
    if variance < 1e-15:
        assert isinstance(found, Undefined)
        return
    half = float(ndtri(0.975)) * math.sqrt(variance)
    assert found.low == pytest.approx(max(-1.0, mean - half), abs=1e-12)
    assert found.high == pytest.approx(min(1.0, mean + half), abs=1e-12)
    assert found.point == pytest.approx((fixed - broke) / n)
    assert found.se == pytest.approx(math.sqrt(variance))


def test_wald_forms_one_sided():
    ninety = bonett_price(7, 1, 60, level=0.90)
    assert bonett_price(7, 1, 60, alternative="greater").low == pytest.approx(ninety.low)
    assert bonett_price(7, 1, 60, alternative="greater").high == math.inf
    assert agresti_min(7, 1, 60, alternative="less").low == -math.inf


def test_ratios_without_a_value_say_why():
    assert "no item differs" in discordant_ratio(0, 0).reason
    # 5 of 5: Clopper–Pearson low is .025^(1/5) = .4782, as odds .9164
    assert "at least 0.9164" in discordant_ratio(5, 0).reason
    never = discordant_ratio(0, 5)
    assert (never.point, never.low) == (0, 0)
    # the mirror image: the upper limit is the inverse of that lower one
    assert never.high == pytest.approx(1 / 0.91635, rel=1e-4)
    assert "gets nothing right" in rate_ratio_paired(0, 0, 3, 4).reason


@given(cells=TABLES.filter(lambda c: c[0] + c[1] > 0 and c[0] + c[2] > 0))
def test_rate_ratio_inverts_when_the_systems_change_places(cells):
    both, broke, fixed, neither = cells
    one, other = (
        rate_ratio_paired(both, broke, fixed, neither),
        rate_ratio_paired(both, fixed, broke, neither),
    )
    assert one.low == pytest.approx(1 / other.high, rel=1e-9)
    assert one.point == pytest.approx(1 / other.point, rel=1e-12)
    assert 0 < one.low <= one.point * (1 + 1e-9)
    assert one.high >= one.point * (1 - 1e-9)


@given(cells=TABLES)
def test_the_family_is_made_of_the_single_calls(cells):
    both, broke, fixed, neither = cells
    family = paired_binary([[both, broke], [fixed, neither]])
    n = sum(cells)
    assert family.estimates["tango"] == tango(fixed, broke, n)
    assert family.estimates["newcombe_paired"] == newcombe_paired(*cells)
    assert family.estimates["wald_paired"] == wald_paired(fixed, broke, n)
    assert list(family.tests) == [
        "mcnemar_exact",
        "mcnemar_midp",
        "mcnemar_asymptotic",
        "mcnemar_asymptotic_corrected",
    ]
    claimed = family.decided.low > 0 or family.decided.high < 0
    assert not claimed or family.tests["mcnemar_exact"].p <= 0.05
    assert family.decided.low < family.decided.high


def test_the_family_prints_what_decides_and_where_methods_disagree():
    text = str(paired_binary([[31, 1], [7, 21]]))
    assert text.splitlines()[0] == (
        "paired binary, n = 60, 8 discordant (fixed 7, broke 1)    B - A = +0.1000"
    )
    assert "  tango                          0.0098   0.2087   decides the verdict" in text
    assert "  mcnemar_exact                  0.0703   decides the verdict" in text
    assert text.count("decides the verdict") == 2
    joined = " ".join(text.split())
    assert "none: bonett_price, mcnemar_exact, mcnemar_asymptotic_corrected." in joined
    assert "The verdict reads 0.0000 to 0.2087 (tango, limit held at 0 by mcnemar_exact)." in joined
    assert max(map(len, text.splitlines())) <= 80


def test_the_family_stays_quiet_when_all_agree():
    family = paired_binary([[100, 30], [90, 80]])
    assert family.notes == ()
    assert family.decided == family.estimates["tango"]


def test_the_family_says_when_nothing_separates_the_systems():
    family = paired_binary([[12, 0], [0, 8]])
    assert family.notes[0] == "No item separates the two systems."
    assert isinstance(family.estimates["wald_paired"], Undefined)
    assert "undefined: the Wald interval has no width" in str(family)
    assert "undefined: the Wald interval has no width" in family._repr_html_()


def test_the_family_as_a_frame():
    frame = paired_binary([[12, 0], [0, 8]]).to_frame()
    assert frame.columns == ["kind", "name", "point", "low", "high", "p", "decides", "undefined"]
    assert frame.filter(pl.col("decides"))["name"].to_list() == ["tango", "mcnemar_exact"]
    assert frame.filter(pl.col("name") == "wald_paired")["undefined"][0].startswith("the Wald interval")
    assert frame.filter(pl.col("name") == "mcnemar_exact")["p"][0] == 1.0


def test_the_html_escapes_and_closes_its_tags():
    family = paired_binary([[31, 1], [7, 21]])
    assert isinstance(family, Family)
    page = family._repr_html_()
    assert page.count("<tr>") == page.count("</tr>") == 11
    assert page.count("<td>") == page.count("</td>")
    strange = Family("a <b>", 0.0, {}, {}, "x", "y", Undefined("none"), ("1 < 2",))
    assert "a &lt;b&gt;" in strange._repr_html_()
    assert "1 &lt; 2" in strange._repr_html_()
