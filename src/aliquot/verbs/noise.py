"""``noise``: the same system twice; how much a suite moves by itself."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from aliquot.analysis.noise import fingerprint, measure_noise
from aliquot.errors import UsageError
from aliquot.evidence.contents import headline_metric, systems, tasks
from aliquot.evidence.derivation import with_metric
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units
from aliquot.files.noise_memory import NOISE_FILE, Measurement, recall, remember
from aliquot.findings.noise import Noise
from aliquot.readers.options import ReadOptions
from aliquot.stats.results import Estimate
from aliquot.verbs.pairing import pair_sources
from aliquot.verbs.read import load
from aliquot.verbs.reproduce import command_line


def noise(
    *sources: str | Path | Evidence,
    task: str | None = None,
    metric: str | None = None,
    level: float = 0.95,
    memory: str | Path | None = NOISE_FILE,
    options: ReadOptions | None = None,
) -> Noise:
    """Measure what a suite moves by itself: two runs of one system, or one run with several attempts an item.

    Args:
        *sources: one or two paths of runs, logs or tables, or evidence already read.
        task: the task, when there are several.
        metric: the metric; by default the log's own headline.
        level: confidence level.
        memory: file in which the measurement is remembered, so that ``compare`` shows it beside later differences;
            None to remember nothing.
        options: what the columns of a table mean.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: not one or two sources, or several systems in one of them.
        InputError: a source that cannot be read.
    """
    evidence, runs = _runs(sources, task=task, metric=metric, options=options)
    first = runs[0]
    suite = fingerprint(evidence, [run.system for run in runs], task=first.task, metric=first.metric)
    names = sorted(str(source) for source in sources if not isinstance(source, Evidence))
    stored = [] if memory is None else recall(Path(memory), suite=suite)
    given = {"--task": task, "--metric": metric, "--level": None if level == 0.95 else level}
    found = measure_noise(
        evidence,
        runs,
        level=level,
        earlier=[one.flipped for one in stored if one.runs != names],
        command=command_line("noise", sources, given, reading=options),
    )
    if memory is not None and names and isinstance(found.wobble, Estimate):
        remember(
            Path(memory),
            Measurement(
                suite=suite,
                measured=datetime.now(UTC).isoformat(timespec="seconds"),
                runs=names,
                wobble=found.wobble.point,
                n_items=found.n_items,
                flipped=[one.item for one in found.flipped],
            ),
        )
    return found


def _runs(
    sources: tuple[str | Path | Evidence, ...],
    *,
    task: str | None,
    metric: str | None,
    options: ReadOptions | None,
) -> tuple[Evidence, list[Units]]:
    """Return the evidence and the one or two runs in it."""
    if len(sources) == 2:
        pairing = pair_sources(sources, task=task, options=options)
        evidence, names, task = pairing.evidence, [pairing.baseline, pairing.candidate], pairing.task
    elif len(sources) == 1:
        evidence = load(sources, options=options)
        names = list(systems(evidence))
        if len(names) != 1:
            raise UsageError(
                f"noise is of one system; the source holds {len(names)}: {', '.join(names)}. Give one run, or two"
            )
        task = task or tasks(evidence)[0]
    else:
        raise UsageError(
            f"noise takes two runs of one system, or one with several attempts; got {len(sources)}"
        )
    evidence = with_metric(evidence, metric)
    metric = metric or headline_metric(evidence, task)
    return evidence, [units(evidence, name, task=task, metric=metric) for name in names]
