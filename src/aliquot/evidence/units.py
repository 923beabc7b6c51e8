"""What an analysis starts from: one row an item, for one system or for a pair of systems on one metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from aliquot.evidence.tables import Note


@dataclass(frozen=True, slots=True)
class Units:
    """One system's items under one metric.

    Attributes:
        system: the system's name.
        task: the task.
        metric: the metric.
        frame: a row an item, sorted by id: item, cluster, stratum, weight, segment.*, mean (null without a
            value), k (attempts with a value), missing (attempts without one).
        statuses: number of responses (attempts) by response status.
        rows: number of attempts.
        answered: share of rows whose response has status ok.
        scorer: whose outcomes these are.
    """

    system: str
    task: str
    metric: str
    frame: pl.DataFrame
    statuses: Mapping[str, int]
    rows: int
    answered: float
    scorer: str = ""


@dataclass(frozen=True, slots=True)
class Attrition:
    """What matching two systems kept and lost, in items, with up to ten example ids of each loss.

    Attributes:
        shared: items both systems were given.
        only_a: items only the baseline was given.
        only_b: items only the candidate was given.
        duplicates: shared items whose inputs and reference are those of another shared item, beyond the first
            of each.
        content_differs: shared ids whose inputs or reference differ between the two (matched by id on request
            only).
        missing_a: shared items on which no attempt of the baseline has a value.
        missing_b: the same for the candidate.
        examples: ids by the names above.
    """

    shared: int
    only_a: int
    only_b: int
    duplicates: int
    content_differs: int
    missing_a: int
    missing_b: int
    examples: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Pairs:
    """The items two systems share, under one metric.

    Attributes:
        baseline: units of system A.
        candidate: units of system B.
        frame: a row an item present in both, sorted by id: item, cluster, stratum, weight, segment.*, a, k_a,
            missing_a, b, k_b, missing_b (a and b are null where every attempt lacks a value).
        attrition: counts and examples.
        notes: what the matching has to say.
    """

    baseline: Units
    candidate: Units
    frame: pl.DataFrame
    attrition: Attrition
    notes: tuple[Note, ...] = ()
