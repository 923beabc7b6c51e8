"""Ranks made over different items: systems side by side that did not answer the same questions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aliquot.analysis.arrays import paired_sample, system_sample
from aliquot.analysis.method import analyse_pairs
from aliquot.analysis.scales import scale_of
from aliquot.evidence.contents import headline_metric, metrics, systems, tasks
from aliquot.evidence.matching import pair
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.findings.numbers import write_p
from aliquot.stats.inputs import DEFAULT_SEED

MOST_SYSTEMS = 500
"""Systems looked at."""


def remark_item_sets(evidence: Evidence) -> Iterator[str]:
    """Say of each task on which systems were scored on different items, and what the first two do on shared ones.

    Args:
        evidence: the tables.
    """
    for task in tasks(evidence):
        if not metrics(evidence, task):
            continue
        metric = headline_metric(evidence, task)
        names = [
            name
            for name in systems(evidence)[:MOST_SYSTEMS]
            if task in tasks(evidence, system=name) and metric in metrics(evidence, task, system=name)
        ]
        samples = {name: system_sample(units(evidence, name, task=task, metric=metric)) for name in names}
        items = {name: frozenset(sample.items) for name, sample in samples.items() if sample.n}
        if len(set(items.values())) < 2:
            continue
        sizes = sorted(len(one) for one in items.values())
        common = len(frozenset.intersection(*items.values()))
        rates = {
            name: float(np.average(samples[name].values, weights=samples[name].weights)) for name in items
        }
        scale = scale_of(evidence, metric)
        best = sorted(rates, key=lambda name: rates[name] if scale.better == "lower" else -rates[name])[:2]
        yield (
            f"{task}: {len(items)} systems were scored on different items ({sizes[0]} to {sizes[-1]} each, {common} "
            f"common to all), so their ranks compare different questions. {_first_two(evidence, best, task, metric)}"
        )


def _first_two(evidence: Evidence, best: list[str], task: str, metric: str) -> str:
    pairs = pair(evidence, *best, task=task, metric=metric, match_on="id")
    sample = paired_sample(pairs)
    if sample.n == 0:
        return f"The first two ({best[0]}, {best[1]}) share none."
    scale = scale_of(evidence, metric)
    found = analyse_pairs(sample, scale, level=0.95, seed=DEFAULT_SEED)
    deciding = next((named.test for named in found.tests if named.decides), None)
    first, second = int((sample.d < 0).sum()), int((sample.d > 0).sum())
    first, second = (second, first) if scale.better == "lower" else (first, second)
    p = "" if deciding is None else f", {deciding.name} {write_p(deciding)}"
    return f"The first two ({best[0]}, {best[1]}) share {sample.n}: {first} to {second} in favour of the first{p}."
