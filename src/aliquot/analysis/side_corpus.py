"""A metric of the whole corpus beside the headline, resampled from the parts of its items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast, get_args

import numpy as np
import polars as pl

from aliquot.evidence.tables import Evidence, Note
from aliquot.evidence.units import Pairs
from aliquot.findings.comparison import Scale
from aliquot.findings.side_metrics import SideMetric
from aliquot.stats.corpus import COLUMNS, Combine, corpus_difference, corpus_metric, corpus_swap, corpus_value
from aliquot.stats.decision import decided_interval
from aliquot.stats.inputs import Floats
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

COMBINED: Final[Mapping[str, Combine]] = {
    "f1": "f1",
    "mcc": "mcc",
    "word_perplexity": "perplexity",
    "byte_perplexity": "perplexity",
    "bits_per_byte": "bits",
    "wer": "ratio",
    "cer": "ratio",
    "ter": "ratio",
    "bleu": "bleu",
    "chrf": "chrf",
}
"""How the parts of a metric are combined when the log does not say, by the metric's name."""

_LABELLED: Final = 2
"""Columns of parts that are the true and the predicted class (0 or 1) of an item, and not counts."""


def compare_corpus(
    evidence: Evidence, pairs: Pairs, scale: Scale, *, level: float, seed: int
) -> SideMetric | Note:
    """Return the metric made of its items' parts for both systems, or why it cannot be made.

    Args:
        evidence: the tables; not lazy, as engines hold no parts.
        pairs: the shared items under the metric.
        scale: the metric's scale.
        level: confidence level.
        seed: seed of resampling and test.
    """
    name = pairs.baseline.metric
    combine = _combine(evidence, name)
    if combine is None:
        return Note("no_combine", f"{name}: how its parts become one value is not known")
    sides = [_parts(evidence, pairs, candidate=candidate) for candidate in (False, True)]
    shared = sorted(sides[0].keys() & sides[1].keys())
    tables = [_columns([side[item] for item in shared], combine) for side in sides]
    if not shared or any(table is None for table in tables):
        return Note("no_parts", f"{name}: the evidence holds no numbers that add up to it")
    a, b = cast("list[Floats]", tables)
    clusters = _clusters(pairs, shared)
    one, other = (
        corpus_metric(side, combine=combine, clusters=clusters, level=level, rng=seed) for side in (a, b)
    )
    difference = corpus_difference(a, b, combine=combine, clusters=clusters, level=level, rng=seed)
    test = corpus_swap(a, b, combine=combine, clusters=clusters, rng=seed)
    return SideMetric(
        name=name,
        statistic="corpus",
        label="",
        unit="",
        scale=scale,
        n=a.shape[0],
        points=(_value(a, combine), _value(b, combine)),
        a=one,
        b=other,
        difference=decided_interval(difference, test, level=level),
        ratio=None,
        test=test if isinstance(test, HypothesisTest) else None,
    )


def corpus_alone(evidence: Evidence, pairs: Pairs, *, level: float, seed: int) -> Estimate | Undefined:
    """Return the metric made of its items' parts for the candidate of a pairing, or why there is none.

    Args:
        evidence: the tables.
        pairs: items under the metric; the baseline is not looked at.
        level: confidence level.
        seed: seed of resampling.
    """
    name = pairs.candidate.metric
    combine = _combine(evidence, name)
    parts: dict[str, Floats] = {}
    if combine is not None:
        parts = _parts(evidence, pairs, candidate=True)
    items = sorted(parts)
    table = None if combine is None else _columns([parts[item] for item in items], combine)
    if combine is None or table is None or not items:
        return Undefined(f"{name}: the evidence holds no numbers that add up to it")
    return corpus_metric(table, combine=combine, clusters=_clusters(pairs, items), level=level, rng=seed)


def _value(parts: Floats, combine: Combine) -> float | None:
    found = corpus_value(parts, combine=combine)
    return None if isinstance(found, Undefined) else found


def _combine(evidence: Evidence, metric: str) -> Combine | None:
    said = evidence.metrics.filter(pl.col("metric") == metric)["combine"][0]
    if said is not None:
        return said if said in get_args(Combine) else None
    return COMBINED.get(metric.split(",", maxsplit=1)[0].lower())


def _parts(evidence: Evidence, pairs: Pairs, *, candidate: bool) -> dict[str, Floats]:
    """Return the parts of each item of one system, averaged over its attempts."""
    units = pairs.candidate if candidate else pairs.baseline
    rows = evidence.rows(
        "outcomes", system=units.system, task=units.task, metric=units.metric, scorer=units.scorer
    ).drop_nulls("parts")
    found: dict[str, list[list[float]]] = {}
    for item, parts in rows.select("item", "parts").iter_rows():
        found.setdefault(item, []).append(parts)
    kept = {item: parts for item, parts in found.items() if len({len(part) for part in parts}) == 1}
    return {item: np.array(parts, dtype=np.float64).mean(axis=0) for item, parts in kept.items()}


def _columns(parts: Sequence[Floats], combine: Combine) -> Floats | None:
    """Return the parts as a table whose columns add up; true and predicted classes become counts."""
    if not parts or len({part.size for part in parts}) != 1:
        return None
    table = np.stack(parts)
    if combine in ("f1", "mcc") and table.shape[1] == _LABELLED:
        if not np.isin(table, (0.0, 1.0)).all():
            return None
        true, said = table.T
        counts = [true * said, (1 - true) * said, true * (1 - said), (1 - true) * (1 - said)]
        return np.stack(counts[: 3 if combine == "f1" else 4], axis=1)
    return table if table.shape[1] == COLUMNS[combine] else None


def _clusters(pairs: Pairs, items: Sequence[str]) -> list[str] | None:
    named = dict(pairs.frame.select("item", "cluster").iter_rows())
    found = [named.get(item) for item in items]
    return None if any(name is None for name in found) else cast("list[str]", found)
