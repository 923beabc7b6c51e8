"""What else changed: other metrics, classes, corpus metrics, time, tokens and money, and quality and cost together."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from aliquot import read
from aliquot.analysis.arrays import paired_sample
from aliquot.analysis.method import analyse_pairs
from aliquot.analysis.scales import scale_of
from aliquot.analysis.side_metrics import find_side_metrics
from aliquot.evidence.assembly import assemble
from aliquot.evidence.matching import pair
from aliquot.evidence.merging import merge
from aliquot.stats.corpus import corpus_difference, corpus_swap
from aliquot.stats.quantiles import quantile_difference
from aliquot.stats.ratios import UnboundedRatio, fieller
from aliquot.stats.results import Undefined
from tests.shared import shared


def responses_of(sides, n, **columns):
    """Responses of main and pr; a column is a function of (system, item number) or a constant."""
    return pl.DataFrame(
        [
            {"system": system, "item": f"q{i:03d}", "status": "ok"}
            | {name: value(system, i) if callable(value) else value for name, value in columns.items()}
            for system in sides
            for i in range(n)
        ]
    )


def values_of(a, b, *, metric="success"):
    return pl.DataFrame(
        [
            {"system": system, "item": f"q{i:03d}", "value": float(value), "metric": metric}
            for system, values in (("main", a), ("pr", b))
            for i, value in enumerate(values)
        ]
    )


def side_metrics(evidence, metric="success", **options):
    pairs = pair(evidence, "main", "pr", task="task", metric=metric)
    difference = analyse_pairs(
        paired_sample(pairs), scale_of(evidence, metric), level=0.95, seed=1
    ).difference
    return find_side_metrics(evidence, pairs, difference, level=0.95, seed=1, **options)


def named(found, name, statistic=None):
    return next(one for one in found if one.name == name and statistic in (None, one.statistic))


RIGHT = [i % 3 != 0 for i in range(60)]
BETTER = [i % 3 != 0 or i % 2 == 0 for i in range(60)]  # every second failure fixed


def test_another_metric_is_compared_as_the_headline_is():
    graded = values_of([0.5] * 60, [0.5 + 0.1 * (i % 4) for i in range(60)], metric="score")
    found = side_metrics(assemble(pl.concat([values_of(RIGHT, BETTER), graded])))
    other = named(found.metrics, "score")
    assert other.difference.point == pytest.approx(0.15)
    assert other.points == (pytest.approx(0.5), pytest.approx(0.65))
    assert other.test.name == "sign_flip"
    assert found.costs == ()
    assert (found.per_pass, found.trade, found.currency) == (None, None, None)
    assert found.comparisons == 1


def test_the_rates_of_the_classes_of_a_categorical_metric():
    labels = [("main", i, "yes" if i < 20 else "no") for i in range(30)]
    labels += [("pr", i, "yes" if i < 26 else "unsure") for i in range(30)]
    tone = pl.DataFrame(
        [
            {"system": s, "item": f"q{i:03d}", "value": None, "label": label, "metric": "tone"}
            for s, i, label in labels
        ],
        schema_overrides={"value": pl.Float64},
    )
    outcomes = pl.concat([values_of(RIGHT[:30], BETTER[:30]), tone], how="diagonal")
    metrics = pl.DataFrame(
        [
            {"metric": "success", "kind": "binary", "low": 0.0, "high": 1.0, "better": "higher"},
            {"metric": "tone", "kind": "category", "low": None, "high": None, "better": "none"},
        ]
    )
    found = side_metrics(assemble(outcomes, metrics=metrics))
    rates = {one.label: one for one in found.metrics}
    assert set(rates) == {"yes", "no", "unsure"}
    assert all(one.statistic == "class_rate" and one.name == "tone" for one in rates.values())
    assert rates["yes"].points == (pytest.approx(20 / 30), pytest.approx(26 / 30))
    # six items turned to yes and none away: exact p 2/2**6
    assert rates["yes"].test.p == pytest.approx(2 / 64)
    assert sum(one.difference.point for one in rates.values()) == pytest.approx(0)
    assert found.comparisons == 3


def corpus_evidence(metric, a, b, combine=None, n=40):
    parts = pl.DataFrame(
        [
            {
                "system": s,
                "item": f"q{i:03d}",
                "value": None,
                "metric": metric,
                "parts": [float(x) for x in make(i)],
            }
            for s, make in (("main", a), ("pr", b))
            for i in range(n)
        ],
        schema_overrides={"value": pl.Float64},
    )
    metrics = pl.DataFrame(
        [
            {
                "metric": "success",
                "kind": "binary",
                "low": 0.0,
                "high": 1.0,
                "better": "higher",
                "combine": None,
            },
            {
                "metric": metric,
                "kind": "real",
                "low": None,
                "high": None,
                "better": "lower",
                "combine": combine,
            },
        ],
        schema_overrides={"combine": pl.String},
    )
    return assemble(pl.concat([values_of(RIGHT[:n], BETTER[:n]), parts], how="diagonal"), metrics=metrics)


def test_a_corpus_metric_is_made_of_its_parts():
    def a(i):
        return (-9.0 - i % 5, 4 + i % 3)

    def b(i):
        return (-8.0 - i % 4, 4 + i % 3)

    found = side_metrics(corpus_evidence("word_perplexity", a, b))
    one = named(found.metrics, "word_perplexity")
    sides = [[a(i) for i in range(40)], [b(i) for i in range(40)]]
    expected = corpus_difference(*sides, combine="perplexity", rng=1)
    assert (one.difference.low, one.difference.high) == (expected.low, expected.high)
    assert one.statistic == "corpus"
    assert one.points[0] == pytest.approx(
        math.exp(-sum(p[0] for p in sides[0]) / sum(p[1] for p in sides[0]))
    )
    assert one.test.p == corpus_swap(*sides, combine="perplexity", rng=1).p


def test_true_and_predicted_classes_become_counts_and_a_named_combination_wins():
    # of 40 items 20 are true; main says so on 20 of which 10 right: F1 1/2; pr on the same 20 true ones: 1
    found = side_metrics(corpus_evidence("f1", lambda i: (i < 20, 10 <= i < 30), lambda i: (i < 20, i < 20)))
    assert named(found.metrics, "f1").points == (0.5, 1.0)
    found = side_metrics(corpus_evidence("rate", lambda i: (i, 100), lambda i: (2 * i, 100), combine="ratio"))
    assert named(found.metrics, "rate").points == (pytest.approx(19.5 / 100), pytest.approx(39 / 100))


@pytest.mark.parametrize(
    ("metric", "parts", "code"),
    [("f1", (0, 3), "no_parts"), ("rouge", (1, 2), "no_combine"), ("word_perplexity", (1, 2, 3), "no_parts")],
)
def test_parts_that_do_not_add_up_are_said(metric, parts, code):
    found = side_metrics(corpus_evidence(metric, lambda _: parts, lambda _: parts))
    assert found.metrics == ()
    assert [note.code for note in found.notes] == [code]


def cost(system, i):
    return 0.002 + 0.0001 * (i % 7) + (0.001 + 0.0002 * (i % 3) if system == "pr" else 0)


def test_money_by_item_and_for_an_additional_pass():
    responses = responses_of(("main", "pr"), 60, cost=cost, currency="USD")
    found = side_metrics(assemble(values_of(RIGHT, BETTER), responses=responses))
    money = named(found.costs, "cost")
    more = np.array([cost("pr", i) - cost("main", i) for i in range(60)])
    assert money.difference.point == pytest.approx(more.mean())
    assert money.ratio.point == pytest.approx(
        sum(cost("pr", i) for i in range(60)) / sum(cost("main", i) for i in range(60))
    )
    assert (money.unit, found.currency, money.scale.better) == ("USD", "USD", "lower")
    gain = np.array(BETTER, float) - np.array(RIGHT, float)
    expected = fieller(more, gain)
    assert found.per_pass.point == pytest.approx(more.mean() / gain.mean())
    assert (found.per_pass.low, found.per_pass.high) == pytest.approx((expected.low, expected.high))
    assert found.trade == "costs_more_for_more"
    assert found.comparisons == 2


def test_the_cost_of_a_pass_is_unbounded_when_no_gain_is_shown():
    one = [i % 10 != 0 for i in range(40)]
    two = [i % 10 != 1 for i in range(40)]
    responses = responses_of(("main", "pr"), 40, cost=cost, currency="USD")
    found = side_metrics(assemble(values_of(one, two), responses=responses))
    assert isinstance(found.per_pass, UnboundedRatio)
    assert found.trade == "dearer_quality_undecided"


@pytest.mark.parametrize(
    ("right", "dearer", "trade"),
    [
        ((RIGHT, BETTER), "main", "dominates"),
        ((BETTER, RIGHT), "pr", "dominated"),
        ((BETTER, RIGHT), "main", "costs_less_for_less"),
        ((RIGHT, RIGHT), "main", "cheaper_quality_undecided"),
        ((RIGHT, BETTER), None, "better_cost_undecided"),
        ((BETTER, RIGHT), None, "worse_cost_undecided"),
        ((RIGHT, RIGHT), None, "undecided"),
    ],
)
def test_quality_and_cost_together(right, dearer, trade):
    def price(system, i):
        swing = 0.0005 * (-1) ** (i + (system == "pr"))
        return 0.002 + swing + (0.002 if system == dearer else 0)

    responses = responses_of(("main", "pr"), 60, cost=price, currency="EUR")
    assert side_metrics(assemble(values_of(*right), responses=responses)).trade == trade


def test_two_currencies_are_not_compared():
    responses = responses_of(
        ("main", "pr"), 60, cost=cost, currency=lambda system, _: "USD" if system == "main" else "EUR"
    )
    found = side_metrics(assemble(values_of(RIGHT, BETTER), responses=responses))
    assert [note.code for note in found.notes] == ["currencies"]
    assert (found.currency, found.trade, found.costs) == (None, None, ())


def test_latency_by_quantiles_without_cached_rows():
    def latency(system, i):
        return 1 + i / 50 + (0.2 + 0.01 * (i % 3 - 1) if system == "pr" else 0)

    n = 100
    responses = responses_of(
        ("main", "pr"), n, latency_s=latency, cached=lambda system, i: system == "main" and i < 10
    )
    found = side_metrics(assemble(values_of(RIGHT + RIGHT[:40], BETTER + BETTER[:40]), responses=responses))
    median, p95 = named(found.costs, "latency", "median"), named(found.costs, "latency", "p95")
    kept = np.array([latency("main", i) for i in range(10, n)])
    assert (median.n, median.points[0]) == (90, pytest.approx(np.median(kept)))
    assert median.difference.point == pytest.approx(0.2)
    expected = quantile_difference(kept, [latency("pr", i) for i in range(10, n)], q=0.95, rng=1)
    assert (p95.difference.low, p95.difference.high) == pytest.approx((expected.low, expected.high))
    assert p95.test is None
    # 368 values would give p99 an interval; its points are known without
    assert isinstance(named(found.costs, "latency", "p99").a, Undefined)
    assert named(found.costs, "latency", "p99").points[0] == pytest.approx(np.quantile(kept, 0.99))
    assert [note.code for note in found.notes] == ["cached_rows"]
    assert "main: 10 of 100" in found.notes[0].text


def test_unlike_load_is_warned_of():
    def started(gap):
        return lambda system, i: (
            f"2026-01-01T00:{int(i * gap[system]) // 60:02d}:{i * gap[system] % 60:06.3f}+00:00"
        )

    def notes(gap):
        responses = responses_of(("main", "pr"), 30, latency_s=2.0, started=started(gap))
        return side_metrics(assemble(values_of(RIGHT[:30], BETTER[:30]), responses=responses)).notes

    # 2 s each: a new one every 2 s is one at a time, every half second four
    assert notes({"main": 2.0, "pr": 2.0}) == ()
    found = notes({"main": 2.0, "pr": 0.5})
    assert [note.code for note in found] == ["unlike_load"]
    # 30 × 2 s in 60 s, and in 29 × 0.5 + 2 = 16.5 s: 3.6 at a time
    assert "main was asked 1.0 things at a time, pr 3.6" in found[0].text


def test_counts_are_means_an_item_and_attempts_lie_within():
    rows = [
        {
            "system": s,
            "item": f"q{i}",
            "attempt": k,
            "status": "ok",
            "tokens_out": 10 * k + (5 if s == "pr" else i),
        }
        for s in ("main", "pr")
        for i in range(8)
        for k in (1, 2)
    ]
    values = pl.DataFrame([{**row, "value": 1.0} for row in rows]).drop("tokens_out")
    found = side_metrics(assemble(values, responses=pl.DataFrame(rows)), metric="value")
    tokens = named(found.costs, "tokens out")
    assert tokens.points == (pytest.approx(15 + 3.5), pytest.approx(20))
    assert (tokens.n, tokens.unit) == (8, "tokens")
    assert tokens.difference.n == 8


def test_what_is_nowhere_recorded_or_always_zero_is_left_out():
    responses = responses_of(
        ("main", "pr"), 60, tool_calls=0, steps=lambda system, _: None if system == "pr" else 3
    )
    found = side_metrics(assemble(values_of(RIGHT, BETTER), responses=responses))
    assert found.costs == ()


def test_failures_are_counted_by_status_stage_and_reason():
    outcomes = values_of([1] * 6, [1] * 6)
    responses = responses_of(("main", "pr"), 6).with_columns(
        status=pl.when(pl.col("system") == "pr", pl.col("item") < "q003")
        .then(pl.lit("timeout"))
        .otherwise("status"),
        reason=pl.when(pl.col("item") == "q000").then(pl.lit("slow")),
    )
    found = side_metrics(assemble(outcomes, responses=responses)).failures
    assert [(one.system, one.status, one.stage, one.reason, one.rows) for one in found] == [
        ("pr", "timeout", "", "", 2),
        ("pr", "timeout", "", "slow", 1),
    ]


class Answers:
    """Texts: main answers with 4 characters, pr with 4 and one more on every second item."""

    def inputs(self, *_):
        return None

    def reference(self, *_):
        return None

    def response(self, system, _task, item, _attempt):
        return "word" + ("s" if system == "pr" and int(item[1:]) % 2 else "")


def test_the_length_of_answers_is_read_when_it_may_be():
    evidence = assemble(values_of(RIGHT, BETTER), texts=Answers())
    assert side_metrics(evidence).costs == ()
    length = named(side_metrics(evidence, texts=True).costs, "answer length")
    assert length.points == (4.0, 4.5)
    assert length.ratio.point == pytest.approx(4.5 / 4)
    assert length.scale.better == "none"


def test_no_shared_item_leaves_nothing_to_compare():
    outcomes = pl.DataFrame(
        {"system": ["main", "pr"], "item": ["a", "b"], "value": [1.0, 0.0], "metric": "success"}
    )
    responses = pl.DataFrame(
        {"system": ["main", "pr"], "item": ["a", "b"], "status": "ok", "cost": 1.0, "currency": "USD"}
    )
    found = side_metrics(assemble(outcomes, responses=responses))
    assert (found.metrics, found.costs, found.comparisons, found.trade) == ((), (), 0, None)


def test_a_shared_log_of_promptfoo():
    evidence = read(shared("logs", "promptfoo", "results_v3_repeat2.json"))
    pairs = pair(evidence, "model-a", "model-b", task="promptfoo", metric="success")
    found = find_side_metrics(evidence, pairs, Undefined("not needed"), level=0.95, seed=1)
    assert [one.name for one in found.metrics] == ["score", "correctness", "format", "concise"]
    assert {one.name for one in found.costs} == {"latency", "tokens in", "tokens out", "cost"}
    assert found.currency == "USD"
    assert sum(one.rows for one in found.failures) == 8


def test_a_shared_log_of_lm_eval_says_that_bleu_has_no_parts():
    evidence = merge(*(read(shared("logs", "lm-eval", f"org__stub-{one}")) for one in "ab"))
    pairs = pair(evidence, "org/stub-a", "org/stub-b", task="toy_bleu", metric="exact_match")
    found = find_side_metrics(evidence, pairs, Undefined("not needed"), level=0.95, seed=1)
    assert [note.code for note in found.notes] == ["no_parts"]
    assert isinstance(found.metrics, tuple)
