"""Fields nobody named are tried as clusters: where one makes the error too small, the finding warns.

A field of the items (``segment.<name>``) is tried when enough of its values recur: a permutation test asks whether the
paired differences within a value are alike. The p-values are corrected for the fields tried by weighted Bonferroni
(Genovese, Roeder & Wasserman 2006, Biometrika 93:509): a field whose name says where items come from weighs more. A
field is reported when it is significant at 5% and its design effect is at least 1.2, where an interval of 95% holds
the truth in less than 93%.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import polars as pl

from aliquot.analysis.arrays import PairedSample, paired_sample
from aliquot.analysis.likeness import likeness_test
from aliquot.analysis.method import analyse_pairs
from aliquot.evidence.units import Pairs
from aliquot.findings.cluster_search import ClusterField, ClusterSearch, TriedField
from aliquot.findings.scale import Scale
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.inputs import Floats, Integers
from aliquot.stats.results import Estimate, Undefined

SMALLEST_EFFECT: Final = 1.2
"""Smaller design effects hardly matter: at 1.2 an interval of 95% holds the truth in 92.6%, at 1.1 in 93.8%."""

FEWEST_VALUES: Final = 8
"""A field with fewer recurring values is a slice of the items (difficulty, language), not what they come from."""

ALPHA: Final = 0.05
"""Share of comparisons without clusters that may warn, over all fields together."""

SOURCES: Final = frozenset(
    {
        "article",
        "author",
        "book",
        "cluster",
        "context",
        "conversation",
        "dialogue",
        "doc",
        "document",
        "family",
        "file",
        "group",
        "page",
        "paragraph",
        "parent",
        "passage",
        "patient",
        "repo",
        "repository",
        "session",
        "site",
        "source",
        "story",
        "template",
        "thread",
        "url",
        "user",
        "video",
    }
)
"""Words in a field's name that say where items come from."""

NO_SOURCES: Final = frozenset(
    {
        "answer",
        "answers",
        "choices",
        "expected",
        "gold",
        "input",
        "inputs",
        "instruction",
        "label",
        "messages",
        "prompt",
        "prompts",
        "query",
        "question",
        "questions",
        "reference",
        "solution",
        "target",
    }
)
"""Names of fields that hold what is asked or expected: never tried."""

_SOURCE_WEIGHT: Final = 8.0
_SEGMENT: Final = "segment."


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A field and the cluster code that it gives each item."""

    column: str
    clusters: Integers

    @property
    def name(self) -> str:
        return self.column.removeprefix(_SEGMENT)

    @property
    def weight(self) -> float:
        words = re.split(r"[^a-z]+", self.name.rpartition(".")[2].lower())
        return 1.0 if SOURCES.isdisjoint(words) else _SOURCE_WEIGHT


def find_clusters(
    pairs: Pairs,
    scale: Scale,
    *,
    headline: Estimate | Undefined,
    cluster: str | None,
    level: float,
    seed: int,
) -> ClusterSearch | None:
    """Return which fields of the items act as clusters of the difference.

    Simulated as in ``tests/analysis/test_cluster_search.py`` (seed 5; a field named as a source and four others of 8 to
    n/2 values that carry nothing; a tenth or three tenths of the items differ). Without clusters 1.6 to 5.2% of 1,000
    comparisons warn (±.7), at 60, 200 and 500 items. With clusters these shares of 200 to 500 comparisons warn (±3):

    ===========  ==========  ========  =========
    clusters     effect 1.5  effect 2  effect 3
    ===========  ==========  ========  =========
    15 of 4      23-35%      49-71%    74-97%
    20 of 10     35-37%      53-70%    80-94%
    50 of 4      55-73%      87-98%    99-100%
    50 of 10     58-65%      86-97%
    100 of 5     76-90%      97-100%
    ===========  ==========  ========  =========

    With few clusters likeness cannot be told from chance more often at 5% of false alarms: the field alone, without a
    correction, reaches 51 to 74% at 15 of 4 and an effect of 2. ``ClusterSearch.unsettled`` names such fields.

    Args:
        pairs: the shared items with their ``segment.*`` columns.
        scale: the metric's scale.
        headline: the difference as printed.
        cluster: what the user said of clusters; anything but None ends the search.
        level: confidence level.
        seed: seed of the permutations and of the tests by cluster.

    Returns:
        The search; None when clusters are known, the user said something about them, or there is no field to try.
    """
    sample = paired_sample(pairs)
    if cluster is not None or isinstance(headline, Undefined) or sample.clusters is not None:
        return None
    candidates = _distinct(_candidates(pairs.frame.drop_nulls(["a", "b"])))
    if not candidates:
        return None
    total = sum(candidate.weight for candidate in candidates)
    tried = [(_try(one, sample, share=one.weight / total, seed=seed), one) for one in candidates]
    tried.sort(key=lambda pair: (-pair[0].design_effect, pair[0].n_clusters, pair[0].field))
    return ClusterSearch(
        tried=tuple(field for field, _ in tried),
        found=tuple(
            _by(field, pairs, one.column, scale, level=level, seed=seed)
            for field, one in tried
            if field.p_adjusted is not None and field.p_adjusted <= ALPHA
        ),
        headline=headline,
        smallest_effect=SMALLEST_EFFECT,
    )


def _candidates(valued: pl.DataFrame) -> Iterator[_Candidate]:
    """Yield the fields that could matter: enough values recur, in clusters large enough (no effect exceeds Σm²/Σm)."""
    for column in valued.columns:
        if not column.startswith(_SEGMENT) or column.rpartition(".")[2].lower() in NO_SOURCES:
            continue
        clusters = _codes(valued[column])
        sizes = np.bincount(clusters)
        enough = np.count_nonzero(sizes > 1) >= FEWEST_VALUES
        if enough and float(sizes @ sizes) / clusters.size >= SMALLEST_EFFECT:
            yield _Candidate(column, clusters)


def _codes(column: pl.Series) -> Integers:
    """Return a code for each value, in order of appearance; an item without one is a cluster of its own."""
    codes = column.cast(pl.Categorical).to_physical().cast(pl.Int64)
    own = -1 - pl.int_range(codes.len(), eager=True)
    return _in_order(codes.fill_null(own).to_numpy())


def _in_order(codes: Integers) -> Integers:
    first, inverse = np.unique(codes, return_index=True, return_inverse=True)[1:]
    return np.argsort(np.argsort(first))[inverse].astype(np.int64)


def _distinct(candidates: Iterator[_Candidate]) -> list[_Candidate]:
    """Leave out fields that group the items as an earlier one does (a document's id and its title)."""
    seen: dict[bytes, _Candidate] = {}
    for candidate in candidates:
        seen.setdefault(candidate.clusters.tobytes(), candidate)
    return list(seen.values())


def _try(candidate: _Candidate, sample: PairedSample, *, share: float, seed: int) -> TriedField:
    """Return the field's design effect, and its test where that is large enough to matter."""
    clusters, weights = candidate.clusters, sample.weights
    effect = _design_effect(sample.d, clusters, weights)
    test = (
        likeness_test(sample.d, clusters, weights=weights, seed=seed) if effect >= SMALLEST_EFFECT else None
    )
    sizes = np.bincount(clusters)
    return TriedField(
        field=candidate.name,
        n_clusters=sizes.size,
        largest=int(sizes.max()),
        design_effect=effect,
        test=test,
        p_adjusted=None if test is None else min(1.0, test.p / share),
    )


def _by(
    field: TriedField, pairs: Pairs, column: str, scale: Scale, *, level: float, seed: int
) -> ClusterField:
    """Return what ``--cluster`` with this field would give."""
    frame = pairs.frame.with_columns(cluster=pl.col(column))
    analysed = analyse_pairs(paired_sample(replace(pairs, frame=frame)), scale, level=level, seed=seed)
    deciding = next((named.test for named in analysed.tests if named.decides), None)
    return ClusterField(tried=field, difference=analysed.difference, deciding=deciding)


def _design_effect(d: Floats, clusters: Integers, weights: Floats | None) -> float:
    """Return V by cluster over V of independent items (both CR2); 1 where nothing varies."""
    clustered = cluster_variance(d, clusters=clusters, weights=weights)
    independent = cluster_variance(d, weights=weights)
    if isinstance(clustered, Undefined) or isinstance(independent, Undefined) or independent.variance == 0:
        return 1.0
    return clustered.variance / independent.variance
