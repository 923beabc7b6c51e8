"""A metric of the whole corpus beside the headline, resampled from the parts of its items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast, get_args

import numpy as np
import polars as pl

from aliquot.evidence.tables import Evidence, Note
from aliquot.evidence.units import Pairs, Units
from aliquot.findings.scale import Scale
from aliquot.findings.side_metrics import SideMetric
from aliquot.stats.corpus import (
    Combine,
    corpus_difference,
    corpus_metric,
    corpus_swap,
    corpus_value,
    takes_columns,
)
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
    sides = [_parts(evidence, units) for units in (pairs.baseline, pairs.candidate)]
    shared = sorted(sides[0].keys() & sides[1].keys())
    tables = [_columns([side[item] for item in shared], combine) for side in sides]
    if not shared or any(table is None for table in tables):
        return Note("no_parts", f"{name}: the evidence holds no numbers that add up to it")
    a, b = cast("list[Floats]", tables)
    clusters = _clusters(pairs.frame, shared)
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


def corpus_of(
    evidence: Evidence, units: Units, *, level: float, seed: int
) -> tuple[Estimate | Undefined, int] | None:
    """Return the value that one system's parts make together and of how many items, or None where they make none.

    Args:
        evidence: the tables; not lazy.
        units: the system's items under the metric.
        level: confidence level.
        seed: seed of resampling.
    """
    combine = _combine(evidence, units.metric)
    found = _parts(evidence, units) if combine is not None else {}
    items = sorted(found)
    table = _columns([found[item] for item in items], combine) if combine is not None else None
    if combine is None or table is None:
        return None
    clusters = _clusters(units.frame, items)
    return corpus_metric(table, combine=combine, clusters=clusters, level=level, rng=seed), len(items)


def _value(parts: Floats, combine: Combine) -> float | None:
    found = corpus_value(parts, combine=combine)
    return None if isinstance(found, Undefined) else found


def _combine(evidence: Evidence, metric: str) -> Combine | None:
    said = evidence.metrics.filter(pl.col("metric") == metric)["combine"][0]
    if said is not None:
        return said if said in get_args(Combine) else None
    return COMBINED.get(metric.split(",", maxsplit=1)[0].lower())


def _parts(evidence: Evidence, units: Units) -> dict[str, Floats]:
    """Return the parts of each item of one system, averaged over its attempts."""
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
    return table if takes_columns(combine, table.shape[1]) else None


def _clusters(frame: pl.DataFrame, items: Sequence[str]) -> list[str] | None:
    named = dict(frame.select("item", "cluster").iter_rows())
    found = [named.get(item) for item in items]
    return None if any(name is None for name in found) else cast("list[str]", found)
