"""``variants``: how much a prompt's wording, format, order of options and shots move the score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aliquot.analysis.variants import VariantChoices, compare_variants
from aliquot.errors import UsageError
from aliquot.evidence.derivation import with_metric
from aliquot.evidence.tables import Evidence
from aliquot.findings.variants import Variants
from aliquot.readers.options import ReadOptions
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.verbs.clustering import cluster_field, reading_cluster
from aliquot.verbs.read import load
from aliquot.verbs.reproduce import command_line, given_options


def variants(
    *sources: str | Path | Evidence,
    systems: Sequence[str] = (),
    task: str | None = None,
    metric: str | None = None,
    cluster: str | None = None,
    level: float = 0.95,
    seed: int | None = None,
    options: ReadOptions | None = None,
) -> Variants:
    """Say how much the variants of a system move its score, and compare systems over their variants.

    Args:
        *sources: paths of runs, logs or tables, or evidence already read.
        systems: only these; systems that the source does not call variants are taken as variants of one.
        task: the task; by default the first.
        metric: the metric, or an expression such as ``all(g1, g2)``; by default the log's own headline.
        cluster: field that names the cluster of an item.
        level: confidence level.
        seed: seed of everything random; by default a fixed one.
        options: what the columns of a table mean.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: an unknown name, or fewer than two variants.
        InputError: a source that cannot be read, or items whose content differs.

    Examples:
        >>> import polars as pl
        >>> from aliquot import from_frame
        >>> rows = {"system": ["plain"] * 4 + ["polite"] * 4, "item": list("abcdabcd"), "value": [1, 1, 1, 0] * 2}
        >>> variants(from_frame(pl.DataFrame(rows))).verdict.text.split(":")[0]
        'NOT SHOWN TO MATTER'
    """
    given = given_options(variants, locals(), named={"systems": "--system"})
    if not sources:
        raise UsageError("there are no variants. Name at least one file or folder.")
    evidence = with_metric(load(sources, options=reading_cluster(options, cluster)), metric)
    return compare_variants(
        evidence,
        choices=VariantChoices(
            systems=tuple(systems),
            task=task,
            metric=metric,
            cluster=cluster_field(evidence, cluster),
            level=level,
            seed=DEFAULT_SEED if seed is None else seed,
        ),
        command=command_line("variants", sources, given, reading=options),
    )
