"""``calibrate``: a judge held against people, and the rates it gives corrected for its errors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from aliquot.analysis.calibrate import CalibrationChoices, calibrate_judge
from aliquot.analysis.judged import judged_answers
from aliquot.analysis.label_parts import Part, part_of
from aliquot.analysis.scales import scale_of
from aliquot.errors import UsageError
from aliquot.evidence.derivation import with_metric
from aliquot.evidence.labels import Labels
from aliquot.evidence.passing import as_passes, passing_of, require_use
from aliquot.evidence.tables import Evidence
from aliquot.findings.calibration import Calibration
from aliquot.readers.options import ReadOptions
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.stats.judged_rows import Drawn
from aliquot.verbs.clustering import cluster_field, reading_cluster
from aliquot.verbs.labels import judge_metric, listed, people_labels
from aliquot.verbs.read import load
from aliquot.verbs.reproduce import command_line, given_options


def calibrate(
    *sources: str | Path | Evidence,
    labels: Sequence[str | Path | Labels] = (),
    judge: str | None = None,
    question: str | None = None,
    raters: Sequence[str] = (),
    systems: Sequence[str] = (),
    task: str | None = None,
    pass_from: float | None = None,
    passes: Sequence[str] = (),
    drawn: Drawn = "at random",
    split: str | None = None,
    margin: float = 0.1,
    cluster: str | None = None,
    level: float = 0.95,
    seed: int | None = None,
    options: ReadOptions | None = None,
) -> Calibration:
    """Hold a judge against people's labels of some of the answers, and correct the rates that it gives.

    Args:
        *sources: what was judged: paths of runs, logs or tables, or evidence already read.
        labels: files of labels; by default what people said in the sources themselves.
        judge: the metric that the judge gives, or an expression such as ``score >= 4``; by default the one that a
            judge or, failing that, the log gives.
        question: what people were asked, when the labels answer several.
        raters: only the labels of these people.
        systems: only these systems.
        task: the task; by default the one that was labelled.
        pass_from: the score from which on a grade passes, of people and of the judge, where either gives grades.
        passes: labels that pass, every other label failing, where people said words such as good and bad.
        drawn: how the answers to label were drawn: ``at random``, ``by verdict``, ``by stratum``,
            ``by stratum and verdict``, or ``unknown`` for answers that were picked.
        split: ``dev`` or ``test``: only the labels of that part, when a judge is being tuned: by the column ``split``,
            else halves drawn by the seed.
        margin: how far below people's own agreement still counts as as good as a second labeller.
        cluster: field that names the cluster of an item.
        level: confidence level.
        seed: seed of everything random; by default a fixed one.
        options: what the columns of a table mean.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: an unknown name, or grades beside labels that pass or fail without ``pass_from``.
        InputError: a source that cannot be read, no labels, or labels of answers that are not there.

    Examples:
        >>> import polars as pl
        >>> from aliquot import from_frame, labels_from
        >>> judged = {"item": [str(i) for i in range(60)], "value": [1, 0, 1] * 20}
        >>> said = {"item": [str(i) for i in range(30)], "label": [1, 0, 1, 1, 0, 0] * 5}
        >>> found = calibrate(from_frame(pl.DataFrame(judged)), labels=[labels_from(pl.DataFrame(said))])
        >>> found.lines[0].true_pass, found.lines[0].false_pass
        (15, 5)
    """
    given = given_options(calibrate, locals(), named={"raters": "--rater", "systems": "--system"})
    if not sources:
        raise UsageError("there is no judge to calibrate. Name at least one file or folder.")
    labels = listed(labels)
    evidence = with_metric(load(sources, options=reading_cluster(options, cluster)), judge)
    passing = passing_of(pass_from, passes)
    people = people_labels(evidence, labels, options=options).about(question)
    told = as_passes(people, passing)
    if raters:
        told = told.by(raters)
    named = split is not None and told.frame["split"].null_count() < told.frame.height
    if split is not None and named:
        told = told.part(split)
    metric = judge_metric(evidence, judge)
    grades = scale_of(evidence, metric).kind != "binary"
    require_use(passing, people, judged=grades)
    judged = judged_answers(
        evidence,
        told,
        metric=metric,
        task=task,
        systems=systems,
        cut=pass_from if grades else None,
        cluster=cluster_field(evidence, cluster),
    )
    drawing = DEFAULT_SEED if seed is None else seed
    if split is not None and not named:
        if split not in get_args(Part):
            raise UsageError(
                f"the labels have no column split to hold {split!r}; without one it is dev or test"
            )
        judged = part_of(judged, "dev" if split == "dev" else "test", seed=drawing)
    return calibrate_judge(
        evidence,
        judged,
        choices=CalibrationChoices(drawn=drawn, margin=margin, level=level, seed=drawing),
        command=command_line("calibrate", sources, given, reading=options),
    )
