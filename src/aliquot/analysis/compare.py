"""Evidence on two systems becomes one analysed claim."""

from __future__ import annotations

from dataclasses import dataclass, replace

from aliquot.analysis.arrays import SystemSample
from aliquot.analysis.checklist import fill_checklist
from aliquot.analysis.claims import Claim, claim_paired, claim_unpaired
from aliquot.analysis.corrected import PeoplesLabels, corrected_rate_of
from aliquot.analysis.corrected_claims import correct_claim
from aliquot.analysis.costs import latency_of, price_of
from aliquot.analysis.further import Further, SharesOf, Terms, look_further
from aliquot.analysis.further_remarks import in_order, unsettled_clusters, warn_further
from aliquot.analysis.judges import refuse_other_judge
from aliquot.analysis.margins import check_level, margin_on
from aliquot.analysis.method import analyse_system
from aliquot.analysis.remarks import find_assumptions, find_unchecked, find_warnings
from aliquot.analysis.scales import scale_of
from aliquot.analysis.settings import contrast_settings, settings_of
from aliquot.analysis.software import versions
from aliquot.errors import UsageError
from aliquot.evidence.contents import headline_metric, tasks
from aliquot.evidence.matching import MatchOn, pair
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Pairs, Units
from aliquot.findings.comparison import Comparison, SystemSummary
from aliquot.findings.numbers import write_count
from aliquot.findings.scale import Scale
from aliquot.findings.verdict import Verdict
from aliquot.stats.inputs import DEFAULT_SEED


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
        unpaired: compare each system's own items although some are shared.
        allow: components that may differ although the comparison is then refused by default (``judge``).
        shares: a field and the share of each of its levels, to which the difference is reweighted.
        labels: people's labels of the answers that a judge scored, with which the difference is corrected.
    """

    metric: str | None = None
    cluster: str | None = None
    margin: float | str | None = None
    level: float = 0.95
    match_on: MatchOn = "content"
    seed: int = DEFAULT_SEED
    unpaired: bool = False
    allow: tuple[str, ...] = ()
    shares: SharesOf | None = None
    labels: PeoplesLabels | None = None


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
        UsageError: an unknown system, task or metric, or different judges that were not allowed.
        InputError: items of the same id whose content differs.
    """
    check_level(choices.level)
    metric = choices.metric or headline_metric(evidence, task)
    refuse_other_judge(evidence, baseline, candidate, task=task, metric=metric, allowed=choices.allow)
    pairs = pair(
        evidence,
        baseline,
        candidate,
        task=task,
        metric=metric,
        cluster=choices.cluster,
        match_on=choices.match_on,
    )
    return _finding(_analysed(evidence, pairs, choices), choices, command=command)


@dataclass(frozen=True, slots=True)
class _Analysed:
    """What two systems' rows came to.

    Attributes:
        evidence: the tables.
        pairs: the rows of both, matched.
        scale: how the metric's numbers are read.
        margin: the margin in the metric's units.
        claim: the difference and what hangs on it, corrected by people's labels where there are some.
        further: what else the same rows show.
    """

    evidence: Evidence
    pairs: Pairs
    scale: Scale
    margin: float | None
    claim: Claim
    further: Further


def _analysed(evidence: Evidence, pairs: Pairs, choices: Choices) -> _Analysed:
    scale = scale_of(evidence, pairs.baseline.metric)
    margin = margin_on(scale, choices.margin)
    claim, corrected = _claim(evidence, pairs, scale, margin=margin, choices=choices), None
    if choices.labels is not None:
        _refuse_stopped(claim)
        claim, corrected = correct_claim(
            evidence,
            claim,
            scale,
            told=choices.labels,
            margin=margin,
            cluster=choices.cluster,
            level=choices.level,
        )
    terms = Terms(choices.level, margin, choices.cluster, choices.match_on, choices.seed, choices.shares)
    further = replace(look_further(evidence, claim, scale, terms=terms), corrected=corrected)
    return _Analysed(evidence, pairs, scale, margin, claim, further)


def _finding(found: _Analysed, choices: Choices, *, command: str) -> Comparison:
    evidence, pairs, claim = found.evidence, found.pairs, found.claim
    a, b = (
        settings_of(evidence.settings, units.system, task=units.task, tasks=tasks(evidence))
        for units in (pairs.baseline, pairs.candidate)
    )
    contrast = contrast_settings(a, b)
    sides = _sides(found, choices)
    return Comparison(
        baseline=sides[0],
        candidate=sides[1],
        task=pairs.baseline.task,
        metric=pairs.baseline.metric,
        scorer=" / ".join(dict.fromkeys((pairs.baseline.scorer, pairs.candidate.scorer))),
        scale=found.scale,
        level=choices.level,
        margin=found.margin,
        n_items=claim.n_items,
        n_clusters=claim.n_clusters,
        attempts=(_most(claim.sides[0]), _most(claim.sides[1])),
        paired=claim.paired is not None,
        difference=claim.analysed.difference,
        tests=claim.analysed.tests,
        table=claim.table,
        fixed=claim.fixed,
        broke=claim.broke,
        detectable=claim.detectable,
        to_settle=claim.to_settle,
        matching=pairs.attrition,
        if_missing=claim.if_missing,
        same=contrast.same,
        differs=contrast.differs,
        reconciliation=found.further.reconciliation,
        comparisons=1 + found.further.comparisons,
        warnings=in_order(
            *warn_further(found.further, found.scale),
            *find_warnings(evidence, claim, contrast, [side.estimate for side in sides]),
        ),
        not_checked=(*find_unchecked(evidence, claim), *unsettled_clusters(found.further)),
        checklist=fill_checklist(evidence, claim, a=a, b=b),
        why=claim.analysed.why,
        estimand=_estimand(pairs.baseline.metric, found.scale),
        verdict=_with_caveats(claim, choices),
        seed=choices.seed,
        versions=versions(),
        command=command,
        assumptions=find_assumptions(claim),
        **found.further.parts(),
    )


def _claim(
    evidence: Evidence, pairs: Pairs, scale: Scale, *, margin: float | None, choices: Choices
) -> Claim:
    """Return the paired claim, or the unpaired one when no item is shared or the caller asked for it."""
    a, b = pairs.baseline, pairs.candidate
    price = price_of(evidence, a.system, b.system, task=a.task)
    if pairs.attrition.shared and not choices.unpaired:
        return claim_paired(pairs, scale, level=choices.level, margin=margin, seed=choices.seed, price=price)
    why = (
        "not paired, as asked, although items are shared"
        if pairs.attrition.shared
        else "the systems share no item, so each is taken on its own items"
    )
    return claim_unpaired(
        pairs, scale, level=choices.level, margin=margin, seed=choices.seed, price=price, why=why
    )


def _refuse_stopped(claim: Claim) -> None:
    if claim.paired is not None and claim.paired.places is not None:
        raise UsageError(
            "labels correct a difference over a fixed number of items, and this run could stop at any time"
        )


def _most(side: SystemSample) -> int:
    return int(side.attempts.max(initial=0))


def _with_caveats(claim: Claim, choices: Choices) -> Verdict:
    """Say in the verdict itself when the systems are not paired, and when missing rows could change it."""
    verdict, missing = claim.verdict, claim.if_missing
    text = verdict.text.removesuffix(".")
    if claim.paired is None and verdict.word != "nothing_to_judge":
        text += "; not paired, as asked" if choices.unpaired else "; not paired, as the systems share no item"
    if missing is not None and missing.changes_verdict:
        rows = write_count(missing.rows, "item has", plural="items have")
        text += f"; {rows} no value on a side and could change this"
    return replace(verdict, text=f"{text}.")


def _sides(found: _Analysed, choices: Choices) -> list[SystemSummary]:
    return [
        _summary(units, side, scale=found.scale, evidence=found.evidence, choices=choices)
        for units, side in zip((found.pairs.baseline, found.pairs.candidate), found.claim.sides, strict=True)
    ]


def _summary(
    units: Units, side: SystemSample, *, scale: Scale, evidence: Evidence, choices: Choices
) -> SystemSummary:
    estimate = analyse_system(side, scale, level=choices.level)
    if choices.labels is not None:
        estimate = corrected_rate_of(
            evidence, units, choices.labels, cluster=choices.cluster, level=choices.level
        ).corrected
    return SystemSummary(
        system=units.system,
        estimate=estimate,
        total=float((side.values * side.attempts).sum()) if side.n else None,
        rows=units.rows,
        answered=units.answered,
        statuses=units.statuses,
        latency=latency_of(evidence, units.system, task=units.task),
    )


def _estimand(metric: str, scale: Scale) -> str:
    what = "pass rate" if scale.kind == "binary" else f"mean {metric}"
    return (
        f"Difference in {what} between these two systems on items like these, with these prompts, decoding and scorer; "
        "it says nothing about other kinds of items, other prompts or what users prefer."
    )
