"""Answers that are on record, as ``rescore`` scores them: those of a run with its journal, or those of a log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.assembly import conform
from aliquot.evidence.tables import Evidence
from aliquot.files.journal import Journal
from aliquot.files.judgements import Judgement
from aliquot.files.records import Response, settle
from aliquot.files.run_directory import MANIFEST, RunDirectory, is_run
from aliquot.files.whole_records import WholeRecords
from aliquot.item_sets.items import Item
from aliquot.item_sets.option_order import OptionOrder
from aliquot.readers.options import ReadOptions
from aliquot.runner.executions import Executions
from aliquot.runner.results import build_evidence, order_of, read_kept_items
from aliquot.runner.scoring import Whole
from aliquot.runner.stored import WholeAnswers, responses_of, voted_answers
from aliquot.scorers.judge_prompts import CONTEXT_FIELDS
from aliquot.verbs.read import load


@dataclass(frozen=True, slots=True)
class Answers:
    """What is scored: evidence, answers as a run would have recorded them, items by task, and orders of options.

    ``whole`` reads an answer with how it came about, ``code`` knows how programs in answers ended, ``judgements`` are
    what judges replied, and ``keep`` puts a new one on record.
    """

    evidence: Evidence
    responses: tuple[Response, ...]
    items: Mapping[str, Mapping[str, Item]]
    file: str
    inputs_known: bool
    whole: Whole
    orders: Mapping[str, OptionOrder] = field(default_factory=dict[str, OptionOrder])
    code: Executions = field(default_factory=Executions)
    components: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    judgements: tuple[Judgement, ...] = ()
    keep: Callable[[Judgement], None] | None = None


def run_of(source: str | Path | Evidence) -> RunDirectory | None:
    """Return the run that a source is; None when it is something else.

    Raises:
        InputError: the run holds no answers yet.
    """
    if isinstance(source, Evidence):
        return None
    path = Path(source)
    path = path.parent if path.name == MANIFEST else path
    if not is_run(path):
        return None
    run = RunDirectory(path)
    if not (run.journal_path.exists() and read_kept_items(run)):
        raise InputError("holds no answers yet", file=str(path), remedy="Start it: aliquot run FILE")
    return run


def of_run(run: RunDirectory, journal: Journal, *, keep: bool) -> Answers:
    """Return the answers of a run.

    Args:
        run: the run.
        journal: its journal, open for this process.
        keep: whether what is executed or judged is put there.
    """
    kept = read_kept_items(run)
    evidence = build_evidence(run) if run.evidence_is_stale else run.read_evidence()
    items: dict[str, dict[str, Item]] = {}
    for one in kept:
        items.setdefault(one.task, {})[one.item] = one.as_asked()
    manifest = run.manifest
    orders = {} if manifest is None else {name: order_of(manifest, name) for name in manifest.systems}
    whole = WholeRecords(run.journal_path, run.read_journal())
    responses = settle(journal.records)
    code = Executions(journal.programs, keep=journal.append) if keep else Executions(journal.programs)
    return Answers(
        evidence,
        responses,
        items,
        str(run.path),
        inputs_known=True,
        whole=whole,
        orders=orders,
        code=code,
        components={
            name: about["components"] for name, about in (manifest.systems if manifest else {}).items()
        },
        judgements=journal.judgements,
        keep=journal.append if keep else None,
    )


def of_log(source: str | Path | Evidence, options: ReadOptions | None) -> Answers:
    """Return the answers of a log as a run would have recorded them."""
    evidence = load([source], options=options)
    named = "the evidence" if isinstance(source, Evidence) else str(source)
    texts, items = evidence.texts, dict[str, dict[str, Item]]()
    voted = voted_answers(evidence)
    responses = (*responses_of(evidence), *voted)
    if voted and evidence.outcomes.is_empty():  # votes alone: what is judged needs its rows
        rows = pl.DataFrame(
            [
                {name: getattr(one, name) for name in ("system", "task", "item", "attempt", "status")}
                for one in voted
            ]
        )
        evidence = evidence.revise(responses=conform("responses", rows))
    for response in responses:
        if texts and response.item not in items.setdefault(response.task, {}):
            reference = texts.reference(response.task, response.item)
            told = texts.options(response.system, response.task, response.item, response.attempt)
            fields: dict[str, object] = {}
            if told is not None:
                reference = told.right
                fields["options"] = [one.option for one in told.options]
            if reference is not None:
                fields["reference"] = reference
            items[response.task][response.item] = Item(
                response.item, {**_shown(evidence, response), **fields}
            )
    if not any(response.text for response in responses):
        raise InputError("keeps no answers, so there is nothing to score", file=named)
    components: dict[str, dict[str, str]] = {}
    for system, name, value in evidence.settings.iter_rows():
        components.setdefault(system, {})[name] = value
    return Answers(
        evidence,
        responses,
        items,
        named,
        inputs_known=False,
        whole=WholeAnswers(evidence),
        components=components,
    )


def _shown(evidence: Evidence, response: Response) -> dict[str, object]:
    """Return what a judge is shown of an item beside its answer, as far as the log tells: the question, its context."""
    texts = evidence.texts
    if texts is None:
        return {}
    told = texts.metadata(response.task, response.item)
    found: dict[str, object] = {name: told[name] for name in CONTEXT_FIELDS if told.get(name)}
    asked = texts.inputs(response.task, response.item)
    return found if asked is None else {"input": asked, **found}
