"""``compare``: candidate against baseline, from whatever the paths hold."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from aliquot.analysis.compare import Choices, compare_systems
from aliquot.evidence.derivation import with_metric
from aliquot.evidence.matching import MatchOn
from aliquot.evidence.reduction import EACH_ITEM
from aliquot.evidence.tables import Evidence
from aliquot.findings.comparison import Comparison
from aliquot.readers.options import ReadOptions
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.verbs.pairing import pair_sources

if TYPE_CHECKING:
    from collections.abc import Sequence


def compare(
    *sources: str | Path | Evidence,
    systems: Sequence[str] | None = None,
    task: str | None = None,
    metric: str | None = None,
    cluster: str | None = None,
    margin: float | str | None = None,
    level: float = 0.95,
    match_on: MatchOn = "content",
    seed: int | None = None,
    options: ReadOptions | None = None,
) -> Comparison:
    """Compare two systems on the items they share.

    Args:
        *sources: baseline and candidate: paths of runs, logs or tables, or evidence already read. One source is enough
            when it holds two systems; two sources holding one system each are compared whatever their names.
        systems: baseline and candidate by name, when the sources hold several.
        task: the task, when there are several.
        metric: the metric, or an expression over metrics such as ``all(g1, g2)``; by default the log's own headline.
        cluster: field that names the cluster of an item.
        margin: largest loss that does not matter, in the metric's own units, or as points: ``0.02`` or ``"2pt"``.
        level: confidence level.
        match_on: ``content`` refuses items of one id whose content differs; ``id`` matches by id alone.
        seed: seed of everything random; by default a fixed one.
        options: what the columns of a table mean.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: not exactly two systems, several tasks and none named, an unknown name.
        InputError: a source that cannot be read, or items whose content differs.
    """
    pairing = pair_sources(sources, systems=systems, task=task, cluster=cluster, options=options)
    evidence = with_metric(pairing.evidence, metric)
    choices = Choices(
        metric=metric,
        cluster=_cluster_field(evidence, cluster),
        margin=margin,
        level=level,
        match_on=match_on,
        seed=DEFAULT_SEED if seed is None else seed,
    )
    return compare_systems(
        evidence,
        pairing.baseline,
        pairing.candidate,
        task=pairing.task,
        choices=choices,
        command=_command(sources, systems, task, choices),
    )


def _cluster_field(evidence: Evidence, cluster: str | None) -> str | None:
    """Return the field analysis clusters by: a table's reader has already taken a named column as the cluster."""
    if cluster is None or cluster == EACH_ITEM or f"segment.{cluster}" in evidence.items.columns:
        return cluster
    return "cluster" if evidence.items["cluster"].null_count() < evidence.items.height else cluster


def _command(
    sources: Sequence[str | Path | Evidence], wanted: Sequence[str] | None, task: str | None, choices: Choices
) -> str:
    """Return the command line that reproduces the finding; evidence read in Python has none."""
    if any(isinstance(source, Evidence) for source in sources):
        return ""
    words = ["aliquot", "compare", *(str(source) for source in sources)]
    words += ["--systems", *wanted] if wanted else []
    given = {
        "--task": task,
        "--metric": choices.metric,
        "--cluster": choices.cluster,
        "--margin": choices.margin,
        "--level": None if choices.level == 0.95 else choices.level,
        "--match-on": None if choices.match_on == "content" else choices.match_on,
        "--seed": None if choices.seed == DEFAULT_SEED else choices.seed,
    }
    words += [word for option, value in given.items() if value is not None for word in (option, str(value))]
    return shlex.join(words)
