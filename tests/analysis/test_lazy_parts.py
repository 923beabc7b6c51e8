"""The parts that stand beside a comparison give the same on rows that stay in DuckDB, and leave them there."""

from __future__ import annotations

import duckdb
import polars as pl
import pytest

from aliquot import from_frame
from aliquot.analysis.answered import find_answered
from aliquot.analysis.arrays import paired_sample
from aliquot.analysis.guards import find_guards
from aliquot.analysis.method import analyse_pairs
from aliquot.analysis.reconcile import find_reconciliation
from aliquot.analysis.scales import scale_of
from aliquot.analysis.scoring_rule import find_scoring_rules
from aliquot.analysis.side_metrics import find_side_metrics
from aliquot.evidence.matching import pair

ROWS = pl.DataFrame(
    [
        {
            "system": system,
            "item": f"q{i:02d}",
            "attempt": attempt,
            "task": "basics",
            "metric": metric,
            "value": float((i * 7 + k * 3 + attempt) % 5 > (1 if metric == "acc" else 2)),
            "status": "unparsed" if i % 11 == 0 and system == "pr" else "ok",
            "latency_s": 1.0 + i / 10 + k,
            "cost": 0.01 + 0.001 * ((i + k) % 5),
            "currency": "USD",
            "tokens_out": 512 if i % 9 == 0 else i,
        }
        for k, system in enumerate(("main", "pr"))
        for metric in ("acc", "acc_norm")
        for attempt in (1, 2)
        for i in range(40)
    ]
)


def guards(evidence, pairs, scale, _sample):
    return find_guards(evidence, [pairs.baseline, pairs.candidate], scale)


def answered(evidence, pairs, scale, sample):
    return find_answered(evidence, pairs, (sample.baseline(), sample.candidate()), scale, level=0.95)


def scoring_rules(evidence, pairs, _scale, _sample):
    return find_scoring_rules(evidence, pairs, level=0.95, seed=1)


def side_metrics(evidence, pairs, scale, sample):
    difference = analyse_pairs(sample, scale, level=0.95, seed=1).difference
    return find_side_metrics(evidence, pairs, difference, level=0.95, seed=1, texts=True)


@pytest.mark.parametrize(
    "part", [guards, answered, scoring_rules, side_metrics], ids=lambda part: part.__name__
)
def test_rows_in_duckdb_give_the_same(part):
    found = []
    with duckdb.connect() as connection:
        for evidence in (from_frame(ROWS), from_frame(connection.from_arrow(ROWS.to_arrow()))):
            pairs = pair(evidence, "main", "pr", task="basics", metric="acc")
            found.append(part(evidence, pairs, scale_of(evidence, "acc"), paired_sample(pairs)))
        assert evidence.is_lazy
    assert found[0] == found[1]
    assert found[0]


def test_a_table_says_nothing_of_what_was_printed():
    evidence = from_frame(ROWS)
    pairs = pair(evidence, "main", "pr", task="basics", metric="acc")
    sample = paired_sample(pairs).baseline()
    assert find_reconciliation(evidence, pairs.baseline, sample, scale_of(evidence, "acc")) is None
