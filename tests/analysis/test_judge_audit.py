"""Probes of a judge become a finding with the item as unit: the audit table, stored votes, two judges."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
import pytest
from scipy import stats

from aliquot import probe_judge
from aliquot.analysis.judge_audit import AuditChoices, audit_judge
from aliquot.analysis.probe_items import probed_items
from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.tables import OUTCOMES, Evidence
from aliquot.files.probe_records import ProbeRecord, ProbeVerdict, Winner
from aliquot.findings.probe import JudgeAudit, ProbeLine
from aliquot.reports.render import render
from aliquot.stats import wilson
from aliquot.stats.results import Estimate, Undefined
from aliquot.stats.shown_share import fewest_above, smallest_shown_gap, smallest_shown_share
from tests.oracles import case
from tests.shared import shared

ARTICLES = 60


def both_orders(probe: str, winners: Sequence[Winner | tuple[Winner, Winner]]) -> list[ProbeVerdict]:
    """Verdicts in both orders: one winner for both, or one each."""
    pairs = [won if isinstance(won, tuple) else (won, won) for won in winners]
    return [
        ProbeVerdict(probe=probe, item=f"article {i}", order=order, verdict=won)
        for i, pair in enumerate(pairs)
        for order, won in zip((1, 2), pair, strict=True)
    ]


def audited(counts: dict[str, int]) -> ProbeRecord:
    """A judge with the counts of the table; slot A is the first slot.

    A steady article gives the reference two wins or none, a turned one a single win; where that cannot add up one
    turned article holds a tie.
    """
    same, slot_a, right, padded = (
        counts[name]
        for name in (
            "same_winner_both_orders",
            "slot_a_of_120",
            "preferred_reference_of_120",
            "preferred_padded",
        )
    )
    flips = ARTICLES - same
    first = (slot_a - same) // 2  # a steady article gives slot A one win of two, a flip two or none
    odd = (right - flips) % 2
    reference = (right - flips + odd) // 2
    steady: list[Winner | tuple[Winner, Winner]] = ["plain"] * reference + ["changed"] * (same - reference)
    turned: list[Winner | tuple[Winner, Winner]] = [("plain", "changed")] * first
    turned += [("changed", "plain")] * (flips - first - odd) + [("changed", "tie")] * odd
    rows = both_orders("identical", ["tie"] * counts["identical_tie"])
    rows += both_orders("order", [*steady, *turned]) + both_orders("weak", [*steady, *turned])
    rows += both_orders("padding", ["changed"] * padded + ["plain"] * (ARTICLES - padded))
    return ProbeRecord(judge="j", verdicts=tuple(rows))


def line(found: JudgeAudit, probe: str) -> ProbeLine:
    return next(one for one in found.lines if one.probe == probe)


def percent(share: Estimate | Undefined) -> list[float]:
    assert isinstance(share, Estimate)
    return [round(100 * share.low, 1), round(100 * share.high, 1)]


@pytest.mark.parametrize("judge", ["small", "large"])
def test_the_audit_table_from_its_counts(judge: str):
    """Where a share is printed of the other kind (ties, the same winner) its complement is held against it."""
    told = case("seeds_more", "s-judge-audit")
    found = audit_judge(audited(told["inputs"][judge]), choices=AuditChoices())
    expected = told["expected"][judge]
    tolerance = told["tolerance"]
    half = {"small": 0.5, "large": 0.0}[judge]  # the tie that the small judge's counts need

    def turned(limits: Sequence[float]) -> list[float]:
        return [100 - limits[1], 100 - limits[0]]

    assert percent(line(found, "identical").share) == pytest.approx(
        turned(expected["identical_tie"]), abs=tolerance
    )
    assert percent(line(found, "order").share) == pytest.approx(
        turned(expected["same_winner"]), abs=tolerance
    )
    assert percent(line(found, "padding").share) == pytest.approx(expected["preferred_padded"], abs=tolerance)
    assert line(found, "order").items == ARTICLES
    shown_first = found.positions[0].first_slot
    assert isinstance(shown_first, Estimate)
    assert shown_first.point == pytest.approx((told["inputs"][judge]["slot_a_of_120"] + half) / 120)
    weak = line(found, "weak").share
    assert isinstance(weak, Estimate)
    assert weak.point == pytest.approx((told["inputs"][judge]["preferred_reference_of_120"] + half) / 120)


def test_the_preference_is_as_sure_as_there_are_articles():
    """62 of 120 with the two orders of each article alike: 31 of 60 articles, not 62 of 120."""
    told = case("seeds_more", "s-judge-audit")["expected"]
    record = ProbeRecord(
        judge="small", verdicts=tuple(both_orders("weak", ["plain"] * 31 + ["changed"] * 29))
    )
    share = line(audit_judge(record, choices=AuditChoices()), "weak").share
    assert percent(share) == pytest.approx(told["small_reference_by_article"], abs=0.06)
    pooled = wilson(62, 120)
    assert isinstance(share, Estimate)
    assert share.width > pooled.width


def test_the_small_judge_is_refused_for_the_padding_and_told_to_ask_both_orders():
    inputs = case("seeds_more", "s-judge-audit")["inputs"]
    records = {
        name: ProbeRecord(
            judge=name, verdicts=tuple(one for one in audited(inputs[name]).verdicts if one.probe != "weak")
        )
        for name in ("small", "large")
    }
    small = audit_judge(records["small"], choices=AuditChoices(against=records["large"]))
    assert small.verdict.text.startswith(
        "USE WITH CARE, small: padded answer won on 17 of 60 items (19 to 41%)"
    )
    assert small.both_orders
    large = audit_judge(records["large"], choices=AuditChoices())
    assert (large.verdict.word, large.both_orders) == ("undecided", False)  # 9 of 60 flips: 8.1 to 26.1%
    contrast = {one.probe: one for one in small.contrasts}
    assert (contrast["padding"].only_first, contrast["padding"].only_second) == (17, 0)
    assert contrast["padding"].test.p == pytest.approx(2 * 0.5**17)
    assert contrast["padding"].adjusted == pytest.approx(3 * 2 * 0.5**17)  # the least of three by Holm


def test_both_orders_are_demanded_when_the_lower_limit_is_above_ten_percent():
    """Of 30 the fewest with a Wilson limit above 10% are 7 (11.8 to 40.9%); 6 give 9.5%."""

    def demanded(flips: int) -> bool:
        turned: list[Winner | tuple[Winner, Winner]] = [("plain", "changed")] * flips
        record = ProbeRecord(
            judge="j", verdicts=tuple(both_orders("order", [*turned, *["plain"] * (30 - flips)]))
        )
        return audit_judge(record, choices=AuditChoices()).both_orders

    assert wilson(7, 30).low > 0.1 > wilson(6, 30).low
    assert fewest_above(30, 0.1) == 7
    assert [demanded(flips) for flips in (0, 6, 7)] == [False, False, True]


def test_the_smallest_share_that_shows_is_found_by_four_of_five_draws():
    drawn = np.random.default_rng(3)
    share = smallest_shown_share(30, 0.1)
    assert isinstance(share, float)
    shown = np.array([wilson(count, 30).low > 0.1 for count in range(31)])
    assert shown[drawn.binomial(30, share, 40000)].mean() == pytest.approx(0.8, abs=0.01)
    assert isinstance(smallest_shown_share(1, 0.5), Undefined)


@pytest.mark.parametrize("pairs", [6, 12, 30, 76, 250])
def test_the_smallest_gap_is_one_that_the_deciding_test_shows(pairs: int):
    gap = smallest_shown_gap(pairs)
    assert isinstance(gap, float)
    rejects = np.array([stats.binomtest(won, pairs).pvalue <= 0.05 for won in range(pairs + 1)])
    wins = np.arange(pairs + 1) > pairs / 2
    power = stats.binom.pmf(np.arange(pairs + 1), pairs, 0.5 + gap / 2)[rejects & wins].sum()
    assert power == pytest.approx(0.8, abs=1e-9)


def test_five_pairs_show_no_gap_as_five_to_none_is_undecided():
    rows = both_orders("order", ["plain"] * 5 + ["tie"] * 20)
    found = audit_judge(ProbeRecord(judge="j", verdicts=tuple(rows)), choices=AuditChoices())
    assert found.smallest_gap == Undefined("no gap shows in so few pairs (5)")
    assert "none (no gap shows in so few pairs (5))" in " ".join(render(found).split())


def test_a_judge_that_mostly_does_what_it_must_not_is_not_to_be_used():
    """16 of 60 is between 17 and 39%: care; 40 of 60 lies above 53%: wrong more often than not."""

    def said(padded: int) -> str:
        rows = both_orders("padding", ["changed"] * padded + ["plain"] * (60 - padded))
        return audit_judge(ProbeRecord(judge="j", verdicts=tuple(rows)), choices=AuditChoices()).verdict.text

    assert said(16).startswith("USE WITH CARE, j: padded answer won on 16 of 60")
    assert said(40).startswith("DO NOT USE, WRONG MORE OFTEN THAN NOT, j: padded answer won on 40 of 60")


def test_an_item_without_one_of_its_verdicts_is_left_out_and_counted():
    rows = both_orders("padding", ["plain"] * 30)
    rows[3] = ProbeVerdict(probe="padding", item="article 1", order=2, status="unparsed")
    found = audit_judge(ProbeRecord(judge="j", verdicts=tuple(rows)), choices=AuditChoices())
    assert (line(found, "padding").items, line(found, "padding").unanswered) == (29, 1)
    assert "1 of 60 verdicts are missing (unparsed)" in found.warnings[0].text


def test_a_judge_that_said_nothing_is_judged_by_nothing():
    rows = tuple(ProbeVerdict(probe="padding", item=str(i), order=1, status="error") for i in range(30))
    found = audit_judge(ProbeRecord(judge="j", verdicts=rows), choices=AuditChoices())
    assert found.verdict.word == "nothing_to_judge"
    assert "error" in render(found)


def test_ties_and_both_bad_are_one_and_a_tie_beside_a_winner_is_a_change():
    rows = both_orders("order", [("tie", "both_bad"), ("tie", "plain"), "changed"])
    items, lost = probed_items(rows, "same")
    assert ([one.outcome for one in items], lost) == (["neither", "split", "changed"], 0)


def votes(rows: Sequence[dict[str, object]]) -> Evidence:
    told = {
        "task": "t",
        "system_a": "x",
        "system_b": "y",
        "rater": "r",
        "by": "judge",
        "status": "ok",
        "repeat": 1,
    }
    frame = pl.DataFrame([{**told, **row} for row in rows], infer_schema_length=None)
    return assemble(pl.DataFrame(schema=dict(OUTCOMES)), votes=frame)


def stored(verdict: Callable[[int, str], str], *, n: int = 40) -> Evidence:
    return votes(
        [
            {"item": str(i), "shown_first": first, "verdict": verdict(i, first), "repeat": place}
            for i in range(n)
            for place, first in enumerate("ab", start=1)
        ]
    )


def test_a_judge_that_always_takes_the_first_is_told_by_its_votes():
    found = probe_judge(stored(lambda _, first: first))
    assert line(found, "order").word == "fail"
    effect = found.positions[0].effect
    assert isinstance(effect, Estimate)
    assert effect.point == 1.0
    assert "it prefers the first slot by 100.0 points" in found.verdict.text
    assert isinstance(found.smallest_gap, Undefined)


def test_a_steady_judge_passes():
    found = probe_judge(stored(lambda i, _: "ab"[i % 2]))
    assert (found.verdict.word, line(found, "order").share.point) == ("met", 0.0)  # type: ignore[union-attr]
    assert not found.both_orders


def test_who_voted_must_be_said_when_several_did_and_what_stood_first_must_be_known():
    evidence = votes(
        [{"item": "1", "rater": name, "verdict": "a", "shown_first": "a"} for name in ("r", "s")]
    )
    with pytest.raises(UsageError, match="Name one: --judge NAME"):
        probe_judge(evidence)
    with pytest.raises(UsageError, match="there is no judge 'q'"):
        probe_judge(evidence, judge="q")
    with pytest.raises(InputError, match="which answer was shown first"):
        probe_judge(votes([{"item": "1", "verdict": "a"}]))
    with pytest.raises(InputError, match="no vote of a judge"):
        probe_judge(votes([{"item": "1", "verdict": "a", "by": "person"}]))


def test_preferences_of_the_alpaca_judge_show_the_slot_that_it_prefers():
    """Recovered by those who wrote the table: +9.6 to +17.6 points for the answer shown second."""
    found = probe_judge(shared("logs", "alpaca_eval", "preferences_long.csv"))
    by_pair = {one.what: one.effect for one in found.positions}
    points = {
        what: round(-100 * effect.point, 1)
        for what, effect in by_pair.items()
        if isinstance(effect, Estimate)
    }
    del points["all pairs"]
    assert (min(points.values()), max(points.values())) == (9.6, 17.6)
    assert (points["claude-2.1"], points["example"]) == (14.6, 17.6)
    assert all(isinstance(effect, Estimate) and effect.high < 0 for effect in by_pair.values())
    assert any("2,438 of 8,050" in note.text for note in found.warnings)
    assert found.verdict.text.startswith("ASK BOTH ORDERS")


def test_stored_judgments_of_llmbar_have_the_agreement_that_their_authors_printed():
    """Share of the same verdict in both orders and mean accuracy, of 1300 pairs by their own files."""
    path = shared("data", "llmbar", "judgments.parquet")
    rows = pl.read_parquet(path)
    printed = pl.read_csv(shared("data", "llmbar", "published_statistics.csv"))
    checked = 0
    for told in printed.gather_every(30).iter_rows(named=True):
        named = {"judge": told["llm"], **{name: told[name] for name in ("strategy", "group", "subset")}}
        part = rows.filter(**named)
        if (
            not part.height
            or part.select("verdict_order1", "verdict_order2").null_count().sum_horizontal()[0]
        ):
            continue
        found = probe_judge(evidence_of_pairs(part))
        flips, with_people = line(found, "order").share, found.agreements[0].share
        assert isinstance(flips, Estimate)
        assert isinstance(with_people, Estimate)
        assert 100 * (1 - flips.point) == pytest.approx(told["equal_pct"])
        assert 100 * with_people.point == pytest.approx(told["correct_average_pct"])
        checked += 1
    assert checked > 10


def evidence_of_pairs(rows: pl.DataFrame) -> Evidence:
    told = [
        {
            "item": str(row["item"]),
            "verdict": "ab"[int(row[column]) - 1],
            "shown_first": first,
            "repeat": place,
        }
        for row in rows.iter_rows(named=True)
        for place, (column, first) in enumerate((("verdict_order1", "a"), ("verdict_order2", "b")), start=1)
    ]
    people = [
        {"item": str(row["item"]), "verdict": "ab"[int(row["gold"]) - 1], "rater": "people", "by": "person"}
        for row in rows.iter_rows(named=True)
    ]
    return votes([*told, *people])
