"""How much a suite moves by itself: the variance of one item's attempts, when nothing was changed."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from aliquot.analysis.attempts_seen import attempt_values
from aliquot.analysis.scales import scale_of
from aliquot.analysis.software import versions
from aliquot.evidence.status import resolve
from aliquot.evidence.tables import Evidence, Note
from aliquot.evidence.units import Units
from aliquot.findings.noise import Flipped, JudgeNoise, Noise
from aliquot.findings.noise_words import write_noise
from aliquot.findings.numbers import write_p
from aliquot.findings.scale import Scale
from aliquot.stats.decision import rejects
from aliquot.stats.distributions import two_sided_z
from aliquot.stats.inputs import DEFAULT_SEED, Floats
from aliquot.stats.means import mean, mean_bounded
from aliquot.stats.permutation import sign_flip
from aliquot.stats.rates import rate
from aliquot.stats.repeats import item_means
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

REPEATS = (1, 2, 3, 5, 10)
"""Attempts a run for which the suite's own movement is given."""


def measure_noise(
    evidence: Evidence,
    runs: Sequence[Units],
    *,
    level: float = 0.95,
    earlier: Sequence[Sequence[str]] = (),
    seed: int = DEFAULT_SEED,
    command: str = "",
) -> Noise:
    """Return the noise finding of one or two runs of the same system on the same items.

    With every attempt of an item drawn from one distribution, the difference of two runs of k attempts has
    variance Σ 2 s²_i / k / n², s²_i the variance between all attempts at item i whichever run they are of.

    Args:
        evidence: the tables, for the values of single attempts.
        runs: one or two runs under one metric.
        level: confidence level.
        earlier: items that flipped in each earlier measurement of this suite.
        seed: seed of the drift test.
        command: the command line that reproduces the finding.
    """
    first = runs[0]
    scale = scale_of(evidence, first.metric)
    values = [attempt_values(evidence, run) for run in runs]
    shared = _repeated(values)
    frame = pl.concat([one.with_columns(run=pl.lit(place)) for place, one in enumerate(values)])
    frame = frame.filter(pl.col("item").is_in(shared.implode())).sort("item", "run", "attempt")
    wobble, repeated = _wobble(frame, scale, level=level)
    differences = _differences(frame) if len(runs) == 2 and shared.len() else None
    drift = None if differences is None else sign_flip(differences, rng=seed)
    net = None if differences is None else _net(differences, scale)
    flipped = _flipped(frame, earlier)
    return Noise(
        systems=tuple(run.system for run in runs),
        task=first.task,
        metric=first.metric,
        scale=scale,
        level=level,
        n_items=shared.len(),
        runs=tuple(int(one["attempt"].n_unique()) for one in values),
        flipped=flipped,
        flip_rate=_flip_rate(frame, scale, level=level),
        net=net,
        wobble=wobble,
        repeated=repeated,
        drift=drift,
        judge=_judge_noise(evidence, runs, shared.to_list()),
        warnings=() if drift is None else _drift_note(drift, level=level),
        why="the variance between attempts at one item, pooled over items; nothing else was changed",
        verdict=write_noise(
            scale,
            wobble,
            n_items=shared.len(),
            flipped=len(flipped),
            net=net,
            attempts=max((len(one.values) for one in flipped), default=2),
            drifted=drift is not None and rejects(drift, level=level),
        ),
        seed=seed,
        versions=versions(),
        command=command,
    )


def _net(differences: Floats, scale: Scale) -> int:
    """Return the items that got better minus those that got worse in the second run."""
    gain = -differences if scale.better == "lower" else differences
    return int((gain > 0).sum() - (gain < 0).sum())


def fingerprint(evidence: Evidence, systems: Sequence[str], *, task: str, metric: str) -> str:
    """Return what tells one suite from another: the hash of its task, metric and items."""
    items: set[str] = set()
    for system in systems:
        rows = evidence.scan("responses", system=system, task=task).select("item").unique()
        items |= set(rows.collect(backend="polars").to_native()["item"].to_list())
    return hashlib.sha256("\x1f".join([task, metric, *sorted(items)]).encode()).hexdigest()[:32]


def _drift_note(drift: HypothesisTest, *, level: float) -> tuple[Note, ...]:
    if not rejects(drift, level=level):
        return ()
    text = "the two runs differ by more than noise alone; something between them changed"
    return (Note("drift", f"{text} ({drift.name} {write_p(drift)})"),)


def _repeated(values: Sequence[pl.DataFrame]) -> pl.Series:
    """Return the items with at least two values in all, with two runs at least one in each."""
    counts = [one.group_by("item").len("k") for one in values]
    if len(counts) == 1:
        return counts[0].filter(pl.col("k") >= 2)["item"]
    return counts[0].join(counts[1], on="item", how="inner")["item"]


def _item_variances(frame: pl.DataFrame) -> Floats:
    found = item_means(frame["value"].to_numpy(), items=frame["item"].to_numpy())
    return found.variances


def _wobble(
    frame: pl.DataFrame, scale: Scale, *, level: float
) -> tuple[Estimate | Undefined, Mapping[int, float]]:
    """Return half the range between two single runs with its interval, and the same for more attempts a run."""
    if frame.is_empty():
        return Undefined("no item has two values; run the same system twice"), {}
    variances = _item_variances(frame)
    n, span = variances.size, scale.span()
    if scale.kind == "binary" and span is not None:
        found = mean_bounded(np.minimum(variances, span**2 / 2), low=0.0, high=span**2 / 2, level=level)
    else:
        found = mean(variances, level=level)
    if isinstance(found, Undefined):
        return Undefined(f"no item differs between its attempts ({found.reason})"), {}
    z = two_sided_z(level)

    def half(variance: float) -> float:
        return z * math.sqrt(2 * max(0.0, variance) / n)

    estimate = Estimate(
        point=half(found.point),
        low=half(found.low),
        high=half(found.high),
        level=level,
        method=f"within_item_variance, {found.method}",
        n=n,
    )
    return estimate, {k: half(found.point) / math.sqrt(k) for k in REPEATS}


def _flip_rate(frame: pl.DataFrame, scale: Scale, *, level: float) -> Estimate | Undefined:
    """Return the chance that two single attempts at an item disagree (2 s²_i); of scores, the share that differ."""
    if frame.is_empty():
        return Undefined("no item has two values")
    variances = _item_variances(frame)
    if scale.kind == "binary":
        chances = np.minimum(2 * variances, 1.0)
        if set(np.unique(chances)) <= {0.0, 1.0}:
            return rate(chances, level=level)
        return mean_bounded(chances, low=0.0, high=1.0, level=level)
    return rate((variances > 0).astype(np.float64), level=level)


def _differences(frame: pl.DataFrame) -> Floats:
    """Return second run minus first, one an item."""
    means = frame.group_by("item", "run", maintain_order=True).agg(pl.col("value").mean()).sort("item", "run")
    first, second = (means.filter(pl.col("run") == place)["value"].to_numpy() for place in (0, 1))
    return second - first


def _flipped(frame: pl.DataFrame, earlier: Sequence[Sequence[str]]) -> tuple[Flipped, ...]:
    grouped = frame.group_by("item", maintain_order=True).agg("value")
    stored = [set(items) for items in earlier]
    found = [
        Flipped(
            item=item,
            values=tuple(values),
            times=1 + sum(item in items for items in stored),
            of=1 + len(stored),
        )
        for item, values in grouped.iter_rows()
        if len(set(values)) > 1
    ]
    return tuple(sorted(found, key=lambda one: (-one.times, one.item)))


def _judge_noise(evidence: Evidence, runs: Sequence[Units], items: Sequence[str]) -> JudgeNoise | None:
    """Return the judge's own variance apart from the system's, when answers were judged more than once."""
    rows = [_scored(evidence, run, items).with_columns(run=pl.lit(place)) for place, run in enumerate(runs)]
    frame = pl.concat(rows)
    answers = frame.group_by("item", "run", "attempt", maintain_order=True).agg(
        pl.col("value").mean().alias("mean"), pl.col("value").var().alias("var"), pl.len().alias("k")
    )
    judged = answers.filter(pl.col("k") > 1)
    if judged.is_empty():
        return None
    judge = _pooled(judged["var"].to_numpy(), judged["k"].to_numpy())
    between = answers.group_by("item", maintain_order=True).agg(
        pl.col("mean").var().alias("var"), pl.len().alias("k")
    )
    between = between.filter(pl.col("k") > 1)
    if between.is_empty():
        return None
    total = _pooled(between["var"].to_numpy(), between["k"].to_numpy())
    harmonic = 1 / float(np.mean(1 / answers["k"].to_numpy()))
    return JudgeNoise(system=max(0.0, total - judge / harmonic), judge=judge, repeats=harmonic)


def _pooled(variances: Floats, counts: np.ndarray) -> float:
    return float(np.sum(variances * (counts - 1)) / np.sum(counts - 1))


def _scored(evidence: Evidence, run: Units, items: Sequence[str]) -> pl.DataFrame:
    """Return item, attempt and value of each repeat of the scorer."""
    outcomes = evidence.rows("outcomes", system=run.system, task=run.task, metric=run.metric)
    responses = evidence.rows("responses", system=run.system, task=run.task)
    resolved = resolve(outcomes.filter(pl.col("item").is_in(list(items))), responses, evidence.metrics)
    return resolved.select("item", "attempt", "value").drop_nulls("value")
