"""Evidence on two systems becomes one analysed claim."""

from __future__ import annotations

import platform
from dataclasses import dataclass, replace
from importlib.metadata import version

import polars as pl

from aliquot.analysis.arrays import PairedSample, paired_sample
from aliquot.analysis.checklist import fill_checklist
from aliquot.analysis.costs import latency_of, price_of
from aliquot.analysis.margins import margin_on
from aliquot.analysis.method import Analysed, analyse_pairs, analyse_system
from aliquot.analysis.missing import read_missing
from aliquot.analysis.remarks import find_unchecked, find_warnings
from aliquot.analysis.settings import contrast_settings, settings_of
from aliquot.analysis.settle import find_detectable, find_settlement
from aliquot.evidence.contents import headline_metric, tasks
from aliquot.evidence.matching import MatchOn, pair
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units
from aliquot.findings.comparison import Comparison, MissingReadings, PairTable, Scale, SystemSummary
from aliquot.findings.verdict import Verdict, read_verdict
from aliquot.findings.words import write_verdict
from aliquot.stats.inputs import DEFAULT_SEED, Floats, Integers


@dataclass(frozen=True, slots=True)
class Choices:
    """What the caller may decide; everything else is read from the data.

    Attributes:
        metric: the metric; None for the log's own headline.
        cluster: field that names the cluster; None for the evidence's own.
        margin: largest loss that does not matter, in the metric's units, or as points of its scale (``2pt``).
        level: confidence level.
        match_on: whether items of one id must have the same content.
        seed: seed of everything random.
    """

    metric: str | None = None
    cluster: str | None = None
    margin: float | str | None = None
    level: float = 0.95
    match_on: MatchOn = "content"
    seed: int = DEFAULT_SEED


def compare_systems(
    evidence: Evidence, baseline: str, candidate: str, *, task: str, choices: Choices, command: str = ""
) -> Comparison:
    """Return the finding of candidate against baseline on one task.

    Args:
        evidence: the tables, holding both systems.
        baseline: system A.
        candidate: system B.
        task: the task.
        choices: what the caller decided.
        command: the command line that reproduces the finding.

    Raises:
        UsageError: an unknown system, task or metric.
        InputError: items of the same id whose content differs.
    """
    metric = choices.metric or headline_metric(evidence, task)
    pairs = pair(
        evidence,
        baseline,
        candidate,
        task=task,
        metric=metric,
        cluster=choices.cluster,
        match_on=choices.match_on,
    )
    scale = scale_of(evidence, metric)
    margin = margin_on(scale, choices.margin)
    sample = paired_sample(pairs)
    analysed = analyse_pairs(sample, scale, level=choices.level, seed=choices.seed)
    verdict = _verdict(analysed, sample, scale, baseline=baseline, candidate=candidate, margin=margin)
    a, b = (
        settings_of(evidence.settings, system, task=task, tasks=tasks(evidence))
        for system in (baseline, candidate)
    )
    contrast = contrast_settings(a, b)
    fixed, broke = (_moved(sample, scale, better=direction) for direction in (True, False))
    missing = read_missing(
        pairs, scale, level=choices.level, margin=margin, seed=choices.seed, verdict=verdict
    )
    baseline_side, candidate_side = (
        _summary(side, values, attempts, of=sample, scale=scale, evidence=evidence, level=choices.level)
        for side, values, attempts in (
            (pairs.baseline, sample.a, sample.k_a),
            (pairs.candidate, sample.b, sample.k_b),
        )
    )
    return Comparison(
        baseline=baseline_side,
        candidate=candidate_side,
        task=task,
        metric=metric,
        scale=scale,
        level=choices.level,
        margin=margin,
        n_items=sample.n,
        n_clusters=sample.n_clusters,
        attempts=(int(sample.k_a.max(initial=0)), int(sample.k_b.max(initial=0))),
        paired=True,
        difference=analysed.difference,
        tests=analysed.tests,
        table=_table(sample, scale),
        fixed=fixed,
        broke=broke,
        detectable=find_detectable(sample, analysed.difference, scale, level=choices.level),
        to_settle=find_settlement(
            sample,
            analysed.difference,
            scale,
            level=choices.level,
            price=price_of(evidence, baseline, candidate, task=task),
        ),
        matching=pairs.attrition,
        if_missing=missing,
        same=contrast.same,
        differs=contrast.differs,
        reconciliation=(),
        comparisons=1,
        warnings=find_warnings(
            evidence, pairs, contrast, analysed, (baseline_side.estimate, candidate_side.estimate)
        ),
        not_checked=find_unchecked(evidence, sample),
        checklist=fill_checklist(evidence, pairs, sample, a=a, b=b),
        why=analysed.why,
        estimand=_estimand(metric, scale),
        verdict=_with_caveat(verdict, missing),
        seed=choices.seed,
        versions=_versions(),
        command=command,
    )


def _with_caveat(verdict: Verdict, missing: MissingReadings | None) -> Verdict:
    """Say in the verdict itself when the rows that are missing could change it."""
    if missing is None or not missing.changes_verdict:
        return verdict
    text = f"{verdict.text.removesuffix('.')}; {missing.rows} items lack a row and could change this."
    return replace(verdict, text=text)


def _versions() -> dict[str, str]:
    return {
        "aliquot": version("aliquot"),
        "numpy": version("numpy"),
        "python": platform.python_version(),
    }


def scale_of(evidence: Evidence, metric: str) -> Scale:
    """Return how a metric's numbers are read."""
    row = evidence.metrics.filter(pl.col("metric") == metric).row(0, named=True)
    return Scale(kind=row["kind"], low=row["low"], high=row["high"], better=row["better"])


def _verdict(
    analysed: Analysed,
    sample: PairedSample,
    scale: Scale,
    *,
    baseline: str,
    candidate: str,
    margin: float | None,
) -> Verdict:
    word, within = read_verdict(analysed.difference, margin=margin, better=scale.better)
    text = write_verdict(
        word,
        analysed.difference,
        baseline=baseline,
        candidate=candidate,
        scale=scale,
        margin=margin,
        within_margin=within,
        n_items=sample.n,
    )
    return Verdict(word=word, within_margin=within, text=text)


def _summary(
    side: Units,
    values: Floats,
    attempts: Integers,
    *,
    of: PairedSample,
    scale: Scale,
    evidence: Evidence,
    level: float,
) -> SystemSummary:
    return SystemSummary(
        system=side.system,
        estimate=analyse_system(values, attempts, of, scale, level=level),
        total=float((values * attempts).sum()) if of.n else None,
        rows=side.rows,
        answered=side.answered,
        statuses=side.statuses,
        latency=latency_of(evidence, side.system, task=side.task),
    )


def _moved(sample: PairedSample, scale: Scale, *, better: bool) -> tuple[str, ...]:
    """Return the items on which the candidate did better (or worse); lower is better flips the sign."""
    sign = -1 if scale.better == "lower" else 1
    return sample.ids_where(sign * sample.d > 0 if better else sign * sample.d < 0)


def _table(sample: PairedSample, scale: Scale) -> PairTable | None:
    """Return the table of right and wrong; where lower is better, 0 is right."""
    if scale.kind != "binary" or sample.repeated or sample.n == 0:
        return None
    fixed, broke = (len(_moved(sample, scale, better=better)) for better in (True, False))
    right = 0.0 if scale.better == "lower" else 1.0
    both = int(((sample.a == right) & (sample.b == right)).sum())
    return PairTable(both=both, broke=broke, fixed=fixed, neither=sample.n - both - fixed - broke)


def _estimand(metric: str, scale: Scale) -> str:
    what = "pass rate" if scale.kind == "binary" else f"mean {metric}"
    return (
        f"Difference in {what} between these two systems on items like these, with these prompts, decoding and scorer; "
        "it says nothing about other kinds of items, other prompts or what users prefer."
    )
