"""``probe_judge``: what a judge does where the right verdict is known, from its own answers or from stored votes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import cast

from aliquot.analysis.judge_audit import AuditChoices, audit_judge
from aliquot.analysis.probe_people import said_of_pairs
from aliquot.analysis.stored_votes import stored_votes
from aliquot.errors import UsageError, nearest
from aliquot.evidence.tables import Evidence
from aliquot.files.probe_records import FOLDER, Winner, read_probes
from aliquot.findings.probe import JudgeAudit
from aliquot.item_sets.items import Item
from aliquot.item_sets.sources import load as load_items
from aliquot.readers.labels import read_labels
from aliquot.readers.options import ReadOptions
from aliquot.runner.judge_specs import JudgeModel, JudgeSpec
from aliquot.runner.judging_stored import AskTerms
from aliquot.runner.probing import ProbePlan, ask_probes
from aliquot.runner.progress import Observer, Silent
from aliquot.scorers.judge_files import rubric_names
from aliquot.scorers.judges import Judge
from aliquot.scorers.probe_questions import winning_words
from aliquot.scorers.probes import PAIRS, Probing, build_probes
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.systems.system import System
from aliquot.verbs.judging import panel_of, scoring_of, waited_for
from aliquot.verbs.read import load
from aliquot.verbs.reproduce import command_line, given_options

SHIPPED = "judge_probes"
"""The items that a judge is probed on when a user gives none."""


def probe_judge(
    source: str | Path | Evidence | Judge,
    items: str | Path | None = None,
    *,
    model: str | JudgeModel | Sequence[str | JudgeModel] | None = None,
    judge: str | None = None,
    against: str | None = None,
    labels: str | Path | None = None,
    pairs: int = PAIRS,
    only: tuple[str, ...] = (),
    keep_going: bool = False,
    cluster: str | None = None,
    models: Mapping[str, System] | None = None,
    observer: Observer | None = None,
    cache: str | Path | None = None,
    max_cost: float | None = None,
    concurrency: int | None = None,
    threads: int | None = None,
    folder: str | Path = FOLDER,
    level: float = 0.95,
    seed: int | None = None,
    options: ReadOptions | None = None,
) -> JudgeAudit:
    """Say what a judge does where the right verdict is known: ask it about pairs, or look at its stored votes.

    A judge that tells identical texts apart is asked nothing further, unless ``keep_going``. What it said is kept in
    ``folder``, so that runs know that it was probed.

    Args:
        source: a judge: a file that describes one, or the name of one that comes with this package; or a log of a
            judge's votes between systems, with what was shown first.
        items: items to probe on, each with a good answer (``answer``, else ``reference``), and ``weak``, ``own`` and
            ``other`` where there are such answers; by default a small set that comes with the package.
        model: the model that is asked as the judge: its name, or a mapping in YAML; several are a panel.
        judge: whose votes of a log, when several judges voted.
        against: another judge of the same log; of a judge that is asked, a file of its kept probes.
        labels: a file of what people said of the items' answers, ``answer`` and ``weak``: which serves better.
        pairs: items drawn at most.
        only: these probes alone.
        keep_going: ask on although identical texts were told apart.
        cluster: field that names the cluster of an item.
        models: models that a judge may ask, by name; they are not closed.
        observer: receives progress.
        cache: a file of replies kept between runs.
        max_cost: money that it may cost, in the currency of the model's prices.
        concurrency: questions in flight; None for what the model says it can take.
        threads: computing threads of the embedded model; None for the cores available.
        folder: where probes are kept.
        level: confidence level.
        seed: seed of everything random; by default a fixed one.
        options: how a log is read.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: several judges and none is named, a judge without a model, or an unknown name.
        InputError: a source that cannot be read, that does not say what was shown first, or items without answers.
        RunStoppedError: it was interrupted, or the limit of the cost was reached.
        MachineError: a model cannot be opened, or the machine refuses.

    Examples:
        >>> import polars as pl
        >>> from aliquot.evidence.assembly import assemble
        >>> from aliquot.evidence.tables import OUTCOMES
        >>> asked = [(str(i), first) for i in range(30) for first in "ab"]
        >>> told = {"task": "t", "system_a": "x", "system_b": "y", "rater": "r", "by": "judge", "status": "ok"}
        >>> votes = [{**told, "item": item, "repeat": "ab".index(first) + 1, "verdict": first, "shown_first": first}
        ...          for item, first in asked]
        >>> found = probe_judge(assemble(pl.DataFrame(schema=dict(OUTCOMES)), votes=pl.DataFrame(votes)))
        >>> print(found.lines[0].share)
        1.0000 [0.8865, 1.0000] 95% wilson, n = 30
    """
    asking = ["models", "observer", "cache", "max_cost", "concurrency", "threads", "folder"]
    given = given_options(probe_judge, locals(), unsaid=asking) | {"--model": panel_of(model)}
    sources = [source] if items is None else [source, items]
    command = command_line("probe judge", sources, given, reading=options)
    choices = AuditChoices(level=level, seed=DEFAULT_SEED if seed is None else seed)
    if not _is_judge(source):
        _refuse_asking(source, model=model, items=items, labels=labels)
        return _of_log(source, judge, against, choices=choices, options=options, command=command)  # type: ignore[arg-type] - no judge
    told_judge = source if isinstance(source, Judge) else str(source)
    spec = cast("JudgeSpec", scoring_of(None, told_judge, model, None).judge)
    told = load_items(SHIPPED if items is None else items)
    people = _people(labels, told.items, options)
    terms = AskTerms(
        models=models or {},
        observer=observer or Silent(),
        seconds=time.monotonic,
        now=lambda: datetime.now().astimezone(),
        cache=cache,
        max_cost=max_cost,
        concurrency=concurrency,
        threads=threads,
        probing=True,
    )
    plan = ProbePlan(
        spec=spec,
        probing=_probing(spec, told.items, pairs=pairs, only=only, seed=choices.seed),
        items_hash=told.hash,
        seed=choices.seed,
        cluster=cluster,
        keep_going=keep_going,
        level=level,
    )
    record, notes = waited_for(ask_probes(plan, folder=Path(folder), terms=terms))
    other = None if against is None else read_probes(Path(against))
    return audit_judge(
        record, choices=replace(choices, against=other, people=people, notes=notes), command=command
    )


def _refuse_asking(source: object, *, model: object, items: object, labels: object) -> None:
    """Refuse, of a log, what goes with a judge that is asked.

    Raises:
        UsageError: something of that was given.
    """
    if model or items is not None:
        raise UsageError(
            f"{source} is no judge that can be asked: a judge's file ends with .yaml, or it is a rubric that comes "
            f"with aliquot. {nearest(str(source), rubric_names())}"
        )
    if labels is not None:
        raise UsageError("labels goes with a judge that is asked: of a log people's own votes are taken")


def _people(
    labels: str | Path | None, items: Sequence[Item], options: ReadOptions | None
) -> Mapping[str, Sequence[Winner]] | None:
    """Return what people said of the items' answers; None without labels."""
    if labels is None:
        return None
    return said_of_pairs(read_labels(Path(labels), options), [item.id for item in items])


def _probing(
    spec: JudgeSpec, items: Sequence[Item], *, pairs: int, only: tuple[str, ...], seed: int
) -> Probing:
    """Return the questions that a judge is probed with."""
    judge = cast("Judge", spec.judge)
    return build_probes(
        items, pairwise=judge.pairwise, pairs=pairs, seed=seed, only=only, wins=winning_words(judge)
    )


def _is_judge(source: object) -> bool:
    """Tell a judge from a log: by its kind, its name, or the ending of its file."""
    if isinstance(source, Judge):
        return True
    if not isinstance(source, str | Path):
        return False
    return str(source) in rubric_names() or str(source).lower().endswith((".yaml", ".yml"))


def _of_log(
    source: str | Path | Evidence,
    judge: str | None,
    against: str | None,
    *,
    choices: AuditChoices,
    options: ReadOptions | None,
    command: str,
) -> JudgeAudit:
    evidence = load([source], options=options)
    stored = stored_votes(evidence, judge=judge)
    other = None if against is None else stored_votes(evidence, judge=against).record
    return audit_judge(
        stored.record,
        choices=replace(choices, against=other, people=stored.people, notes=stored.notes),
        command=command,
    )
