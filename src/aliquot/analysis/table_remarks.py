"""What a table must say beside its rows: conclusions that hang on the scoring rule, clusters nobody named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aliquot.analysis.cluster_search import find_clusters
from aliquot.analysis.further_remarks import cluster_notes, scoring_notes
from aliquot.analysis.method import analyse_pairs
from aliquot.analysis.scoring_rule import find_scoring_rules
from aliquot.analysis.table_columns import Column
from aliquot.evidence.matching import MatchOn
from aliquot.evidence.tables import Evidence, Note

MOST_LOOKED_AT = 24
"""Rows of a table whose other scoring rules and unnamed clusters are looked at."""


def remark_rows(
    evidence: Evidence,
    rows: Sequence[Column],
    *,
    level: float,
    seed: int,
    cluster: str | None,
    match_on: MatchOn,
) -> Iterator[Note]:
    """Say of each row whether its conclusion hangs on the scoring rule, or on clusters nobody named.

    Args:
        evidence: the tables.
        rows: the table's rows before they are analysed together.
        level: confidence level.
        seed: seed of the tests.
        cluster: field that names the cluster, as in ``pair``.
        match_on: as in ``pair``.
    """
    many = len({row.candidate for row in rows}) > 1
    for row in rows[:MOST_LOOKED_AT]:
        who = f"{row.candidate} on {row.task}" if many else row.task
        rules = find_scoring_rules(
            evidence, row.pairs, level=level, seed=seed, cluster=cluster, match_on=match_on
        )
        headline = analyse_pairs(row.sample, row.scale, level=level, seed=seed).difference
        search = find_clusters(
            row.pairs, row.scale, headline=headline, cluster=cluster, level=level, seed=seed
        )
        for note in (*scoring_notes(rules, row.scale), *cluster_notes(search, row.scale)):
            yield replace(note, text=f"{who}: {note.text}")
