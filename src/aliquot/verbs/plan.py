"""``plan``: how many items, attempts, minutes and how much money a difference would take."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from aliquot.analysis.arrays import system_sample
from aliquot.analysis.claims import claim_paired
from aliquot.analysis.costs import Price, price_of
from aliquot.analysis.judge_lines import accuracy_of, weighed
from aliquot.analysis.judged import Judged, judged_answers
from aliquot.analysis.label_design import LabelWish, design_labels
from aliquot.analysis.margins import margin_on
from aliquot.analysis.plan import make_plan
from aliquot.analysis.plan_design import Pilot, Wish
from aliquot.analysis.repeats_worth import find_repeats_worth
from aliquot.analysis.scales import scale_of
from aliquot.errors import UsageError
from aliquot.evidence.contents import headline_metric
from aliquot.evidence.contents import systems as systems_of
from aliquot.evidence.contents import tasks as tasks_of
from aliquot.evidence.derivation import with_metric
from aliquot.evidence.labels import Labels
from aliquot.evidence.matching import pair
from aliquot.evidence.passing import as_passes, require_use
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.files.plan_file import PlanFile, write_plan
from aliquot.findings.planning import Plan
from aliquot.findings.scale import Scale
from aliquot.readers.options import ReadOptions
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.stats.results import Estimate, Undefined
from aliquot.verbs.clustering import cluster_field, reading_cluster
from aliquot.verbs.labels import listed, passing_labels, people_labels, rate_metric
from aliquot.verbs.pairing import pair_sources
from aliquot.verbs.read import load
from aliquot.verbs.reproduce import command_line, given_options

RATE = Scale(kind="binary", low=0.0, high=1.0, better="higher")
"""The scale planned on without a pilot."""


def plan(
    *sources: str | Path | Evidence,
    detect: float | str | None = None,
    margin: float | str | None = None,
    items: int | None = None,
    half_width: float | str | None = None,
    budget: float | None = None,
    psi: float | None = None,
    rate: float | None = None,
    sensitivity: float = 1.0,
    specificity: float = 1.0,
    systems: Sequence[str] | None = None,
    task: str | None = None,
    metric: str | None = None,
    cluster: str | None = None,
    power: float = 0.8,
    level: float = 0.95,
    comparisons: int = 1,
    write: str | Path | None = None,
    labels: Sequence[str | Path | Labels] = (),
    pass_from: float | None = None,
    passes: Sequence[str] = (),
    by: str | None = None,
    cost_judge: float | None = None,
    cost_label: float | None = None,
    options: ReadOptions | None = None,
) -> Plan:
    """Plan a comparison from a target, a pilot, a budget or a half width.

    Args:
        *sources: a pilot: two systems on shared items (one or two sources), one system, or nothing.
        detect: the smallest difference that matters: ``"3pt"``, or in the metric's units.
        margin: plan to show that the candidate is not worse by this.
        items: a number of items to look at; by default the pilot's.
        half_width: half width of the interval of the difference that is wanted.
        budget: money for one comparison, in the currency of the pilot.
        psi: share of items on which the two systems differ; by default the pilot's.
        rate: the baseline's pass rate; by default the pilot's. It matters with a fallible judge only.
        sensitivity: chance that the judge passes what is right.
        specificity: chance that it fails what is wrong.
        systems: baseline and candidate by name, when the pilot holds several.
        task: the task, when there are several.
        metric: the metric; by default the log's own headline.
        cluster: field that names the cluster of an item.
        power: the power wanted.
        level: confidence level of the whole family.
        comparisons: comparisons of which this is one; each is planned at its share of the error.
        write: file to fix the plan in, hashed and dated, for ``compare --plan``.
        labels: files of people's labels of some of the pilot's answers: labels are planned for the corrected rate of
            each system, and the judge's errors are those seen.
        pass_from: with ``labels``, the score from which on a grade passes, of people and of the judge.
        passes: labels that pass, every other label failing, where people said words such as good and bad.
        by: field of the items within whose levels labels are drawn.
        cost_judge: cost of one verdict of the judge.
        cost_label: cost of one label.
        options: what the columns of a table mean.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: a target that cannot be, or a pilot that does not tell what is needed.
        InputError: a source that cannot be read.

    Examples:
        >>> plan(detect="5pt", psi=0.2, items=200).verdict.text
        'PLAN: about 658 items show 5.0 points with 80% power.'
    """
    given = given_options(plan, locals())
    labels = listed(labels)
    passing = passing_labels(pass_from, passes, labels)
    answers, rated = None, metric
    if labels:
        answers = with_metric(load(sources, options=reading_cluster(options, cluster)), metric)
        rated = rate_metric(answers, metric, task=task, passing=passing)
    pilot = _pilot(
        sources, systems=systems, task=task, metric=rated, cluster=cluster, level=level, options=options
    )
    judged = None
    if answers is not None:
        people = people_labels(answers, labels, options=options).about(None)
        require_use(passing, people, judged=rated != metric)
        judged = _judged(answers, as_passes(people, passing), pilot.metric, task=task, cluster=cluster)
    if judged is not None and sensitivity == specificity == 1:
        sensitivity, specificity, rate = _errors_seen(judged, rate, level=level)
    wish = Wish(
        difference=margin_on(pilot.scale, detect),
        margin=margin_on(pilot.scale, margin),
        power=_share(power, "power"),
        level=_share(level, "level"),
        comparisons=_counted(comparisons),
        items=items,
        half_width=margin_on(pilot.scale, half_width),
        budget=budget,
        psi=psi,
        rate=rate,
        sensitivity=sensitivity,
        specificity=specificity,
    )
    asked = LabelWish(wish.half_width, by, cost_judge, cost_label, wish.level)
    found = make_plan(
        pilot,
        wish,
        corrected=() if judged is None else tuple(design_labels(judged, asked)),
        command=command_line("plan", sources, given, systems=systems, reading=options),
    )
    if write is not None:
        write_plan(_fixed(found), Path(write))
    return found


def _judged(
    answers: Evidence, labels: Labels, metric: str, *, task: str | None, cluster: str | None
) -> Judged:
    """Return the pilot's answers with people's labels."""
    evidence = with_metric(answers, metric)
    judged = judged_answers(
        evidence, labels, metric=metric, task=task, cluster=cluster_field(evidence, cluster)
    )
    if not judged.binary:
        raise UsageError(
            "labels are planned for rates, of answers that pass or fail, and these labels are grades: say from which "
            "score on they pass: --pass-from SCORE"
        )
    return judged


def _errors_seen(judged: Judged, rate: float | None, *, level: float) -> tuple[float, float, float | None]:
    """Return a judge's sensitivity and specificity as its labels show them, and people's rate unless one is named.

    A judge that labels do not show to err in a way that can be reckoned with is taken as one that does not err.
    """
    seen = accuracy_of(weighed(judged, drawn="at random"), level=level)
    if not isinstance(seen.factor, float):
        return 1.0, 1.0, rate
    right = [one.point if isinstance(one, Estimate) else 1.0 for one in (seen.sensitivity, seen.specificity)]
    passes = seen.prevalence.point if isinstance(seen.prevalence, Estimate) else None
    return right[0], right[1], passes if rate is None else rate


def _share(value: float, name: str) -> float:
    if not 0 < value < 1:
        raise UsageError(f"{name} lies between 0 and 1; got {value:g}")
    return value


def _counted(comparisons: int) -> int:
    if comparisons < 1:
        raise UsageError(f"comparisons are at least 1; got {comparisons}")
    return comparisons


def _fixed(found: Plan) -> PlanFile:
    """Return what a plan fixes: the items of its best guess, and on what terms."""
    counts = [one.items for one in found.needed]
    best = counts[len(counts) // 2] if counts else None
    return PlanFile(
        written=datetime.now(UTC).isoformat(timespec="seconds"),
        task=found.task or None,
        metric=found.metric or None,
        margin=found.margin,
        difference=found.difference,
        disagreement=found.psi,
        items=best if isinstance(best, int) else found.pilot_items,
        scorer=found.scorer or None,
        attempts=1,  # of which the items needed are; more are a table of their own
        comparisons=found.comparisons,
        level=found.level,
        power=found.power,
    )


def _pilot(
    sources: Sequence[str | Path | Evidence],
    *,
    systems: Sequence[str] | None,
    task: str | None,
    metric: str | None,
    cluster: str | None,
    level: float,
    options: ReadOptions | None,
) -> Pilot:
    nothing = Price(None, None, None)
    if not sources:
        return Pilot(task or "", metric or "", "", RATE, None, None, None, None, nothing)
    if len(sources) == 1 and systems is None:
        evidence = load(sources, options=reading_cluster(options, cluster))
        if len(systems_of(evidence)) == 1:
            return _one_system(evidence, task=task, metric=metric)
    pairing = pair_sources(sources, systems=systems, task=task, cluster=cluster, options=options)
    evidence = with_metric(pairing.evidence, metric)
    metric = metric or headline_metric(evidence, pairing.task)
    pairs = pair(
        evidence,
        pairing.baseline,
        pairing.candidate,
        task=pairing.task,
        metric=metric,
        cluster=cluster_field(evidence, cluster),
    )
    price = price_of(evidence, pairing.baseline, pairing.candidate, task=pairing.task)
    scale = scale_of(evidence, metric)
    claim = claim_paired(pairs, scale, level=level, margin=None, seed=DEFAULT_SEED, price=price)
    sample = claim.paired
    if sample is None or sample.n == 0:
        raise UsageError("the two systems of the pilot share no item with a value on both sides")
    worth = (
        find_repeats_worth(evidence, pairs, sample, claim.analysed.difference, scale, level=level)
        if sample.repeated
        else None
    )
    return Pilot(
        task=pairing.task,
        metric=metric,
        scorer=pairs.baseline.scorer,
        scale=scale,
        sample=sample,
        difference=claim.analysed.difference,
        items=sample.n,
        repeats=None if isinstance(worth, Undefined) else worth,
        price=price,
    )


def _one_system(evidence: Evidence, *, task: str | None, metric: str | None) -> Pilot:
    """Return what one system tells: its items and half the price of a comparison."""
    system = systems_of(evidence)[0]
    task = task or tasks_of(evidence, system=system)[0]
    evidence = with_metric(evidence, metric)
    metric = metric or headline_metric(evidence, task)
    alone = price_of(evidence, system, task=task)
    price = Price(
        seconds=None if alone.seconds is None else 2 * alone.seconds,
        cost=None if alone.cost is None else 2 * alone.cost,
        currency=alone.currency,
    )
    answers = units(evidence, system, task=task, metric=metric)
    n = system_sample(answers).n
    return Pilot(task, metric, answers.scorer, scale_of(evidence, metric), None, None, n, None, price)
