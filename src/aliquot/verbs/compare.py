"""``compare``: candidate against baseline, from whatever the paths hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from aliquot.analysis.compare import Choices, compare_systems
from aliquot.evidence.derivation import with_metric
from aliquot.evidence.matching import MatchOn
from aliquot.evidence.tables import Evidence
from aliquot.files.noise_memory import NOISE_FILE
from aliquot.findings.comparison import Comparison
from aliquot.readers.options import ReadOptions
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.verbs.beside import put_beside
from aliquot.verbs.clustering import cluster_field
from aliquot.verbs.criteria import criteria_of, level_of
from aliquot.verbs.labels import correcting_labels, listed, passing_labels, rate_metric
from aliquot.verbs.pairing import Pairing, settle_pairing, swapped
from aliquot.verbs.reproduce import command_line, given_options
from aliquot.verbs.shares import read_shares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aliquot.evidence.labels import Labels
    from aliquot.stats.judged_rows import Drawn


def compare(
    *sources: str | Path | Evidence | Pairing,
    systems: Sequence[str] | None = None,
    between: str | None = None,
    pair: str | None = None,
    task: str | None = None,
    metric: str | None = None,
    cluster: str | None = None,
    margin: float | str | None = None,
    level: float | None = None,
    match_on: MatchOn = "content",
    seed: int | None = None,
    against: str | None = None,
    counts: Sequence[str] = (),
    unpaired: bool = False,
    allow: Sequence[str] = (),
    shares: str | None = None,
    plan: str | Path | None = None,
    labels: Sequence[str | Path | Labels] = (),
    drawn: Drawn = "at random",
    pass_from: float | None = None,
    passes: Sequence[str] = (),
    noise: str | Path | None = NOISE_FILE,
    options: ReadOptions | None = None,
) -> Comparison:
    """Compare two systems on the items they share.

    Args:
        *sources: baseline and candidate: paths of runs, logs or tables, or evidence already read. One source is enough
            when it holds two systems; two sources holding one system each are compared whatever their names.
        systems: baseline and candidate by name, when the sources hold several.
        between: a field of the items, such as ``gender``: its versions of the same questions are compared within the
            systems, which are then called ``system: version``.
        pair: the field that versions of one question share; needed with ``between``.
        task: the task, when there are several.
        metric: the metric, or an expression over metrics such as ``all(g1, g2)``; by default the log's own headline.
        cluster: field that names the cluster of an item.
        margin: largest loss that does not matter, in the metric's own units, or as points: ``0.02`` or ``"2pt"``; by
            default that of a run's success criteria.
        level: confidence level; by default that of a run's success criteria, else 0.95.
        match_on: ``content`` refuses items of one id whose content differs; ``id`` matches by id alone.
        seed: seed of everything random; by default a fixed one.
        against: a printed figure as the baseline (``0.82/500``, ``17/20``), compared unpaired with the one system of
            the sources.
        counts: the same as passes of items; two of them, baseline first, need no source.
        unpaired: compare each system's own items although some are shared.
        allow: components that may differ although that is refused by default: ``judge``.
        shares: shares of a field to which the difference is reweighted: ``"lang=de:30,en:60,fr:10"``.
        plan: a plan file (``aliquot plan --write``) to hold the comparison against, in place of the success criteria
            that a run was begun with.
        labels: files of people's labels of some answers, with which a judge's difference is corrected.
        drawn: how the answers to label were drawn, as in ``calibrate``.
        pass_from: with ``labels``, the score from which on a grade passes, of people and of the judge.
        passes: labels that pass, every other label failing, where people said words such as good and bad.
        noise: the file in which ``noise`` remembers what the suite moves by itself; None to look up none.
        options: what the columns of a table mean.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: not exactly two systems, an unknown name, a printed figure that cannot be, different judges.
        InputError: a source that cannot be read, or items whose content differs.
    """
    given = given_options(compare, locals(), unsaid=["noise"])
    named, sources = sources, swapped(sources, between=between, pair=pair, options=options)
    figures = (*([against] if against is not None else []), *counts)
    pairing = settle_pairing(
        sources, systems=systems, task=task, metric=metric, cluster=cluster, figures=figures, options=options
    )
    if between is not None:
        pairing = replace(pairing, sources=tuple(one for one in named if not isinstance(one, Pairing)))
    evidence, labels = with_metric(pairing.evidence, metric), listed(labels)
    passing = passing_labels(pass_from, passes, labels)
    rated = rate_metric(evidence, metric, task=pairing.task, passing=passing)
    criteria = None if plan is not None else criteria_of(evidence, task=pairing.task, metric=metric)
    evidence = with_metric(evidence, rated)
    choices = Choices(
        metric=rated,
        cluster=cluster_field(evidence, cluster),
        margin=criteria.plan.margin if margin is None and criteria else margin,
        level=level_of(level, criteria),
        match_on=match_on,
        seed=DEFAULT_SEED if seed is None else seed,
        unpaired=unpaired,
        allow=tuple(allow),
        shares=None if shares is None else read_shares(shares),
        labels=correcting_labels(
            evidence, labels, drawn=drawn, passing=passing, judged=rated != metric, options=options
        ),
    )
    found = compare_systems(
        evidence,
        pairing.baseline,
        pairing.candidate,
        task=pairing.task,
        choices=choices,
        command=command_line("compare", pairing.sources, given, systems=systems, reading=options),
    )
    return put_beside(
        found, evidence, pairing.sources, noise=noise, plan=plan, criteria=criteria, cluster=choices.cluster
    )
