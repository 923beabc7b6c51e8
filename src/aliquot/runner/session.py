"""One session of a run: open the directory, ask what is still owed, write the evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from aliquot.evidence.tables import Evidence
from aliquot.files.journal import Journal
from aliquot.files.manifest import Manifest, Session
from aliquot.files.neighbours import runs_beside
from aliquot.files.run_directory import RunDirectory
from aliquot.item_sets.option_order import AS_GIVEN
from aliquot.runner.closing import closing_words
from aliquot.runner.earlier import earlier_answers
from aliquot.runner.evaluation import ModelName
from aliquot.runner.executor import Executor, Terms
from aliquot.runner.grounding import ungrounded_words
from aliquot.runner.judge_guard import require_no_self_judge
from aliquot.runner.judge_specs import kept_as
from aliquot.runner.manifest import continue_manifest, make_manifest, note_observed, told_by_servers
from aliquot.runner.plan import Plan
from aliquot.runner.price_list import price_notes
from aliquot.runner.progress import Observer, Tally
from aliquot.runner.results import build_evidence, keep_item, order_of
from aliquot.runner.success import criteria_notes, with_criteria
from aliquot.systems.system import System


@dataclass(frozen=True, slots=True)
class Clocks:
    """Time, as arguments.

    Attributes:
        seconds: a clock that never goes back.
        now: the time of day with its zone.
    """

    seconds: Callable[[], float]
    now: Callable[[], datetime]


async def run_session(
    plan: Plan,
    path: Path,
    *,
    models: Mapping[ModelName, System],
    observer: Observer,
    clocks: Clocks,
    terms: Terms | None = None,
) -> Evidence:
    """Ask what the run still owes and return its evidence; running again asks only what has no answer.

    Args:
        plan: what is asked.
        path: the run's directory.
        models: the opened systems by model name.
        observer: whom to tell.
        clocks: time.
        terms: how it asks.

    Raises:
        UsageError: the directory's answers belong to another evaluation.
        MachineError: another process works on this run, or the disk refuses.
        RunStoppedError: a guard stopped the run; what was answered is kept.
    """
    terms = terms or Terms()
    run = RunDirectory.create_or_open(path)
    with Journal.open(run.journal_path) as journal:
        for note in journal.notes:
            observer.noted(note.text)
        tally = Tally(plan.total, observer=observer, clock=clocks.seconds)
        executor = Executor(plan, models, journal=journal, tally=tally, now=clocks.now, terms=terms)
        fresh = make_manifest(plan, models, now=clocks.now(), terms=terms)
        if executor.owes and not terms.allow_self_judge:
            require_no_self_judge(
                plan.judge_specs,
                {name: about["components"] for name, about in fresh.systems.items()},
                {name: models[one.model] for name, one in plan.evaluation.judges.items()},
            )
        manifest = _settle_manifest(run, plan, fresh, executor, observer=observer, now=clocks.now())
        _keep_items(run, plan, manifest)
        manifest = await _ask(executor, run, manifest, plan, models, terms=terms, now=clocks.now)
        for note in told_by_servers(plan, models):
            observer.noted(note)
        manifest = msgspec.structs.replace(manifest, finished=clocks.now().isoformat(timespec="seconds"))
        run.write_manifest(manifest)
        evidence = build_evidence(RunDirectory(path), scored=executor.scored)
        run.write_evidence(evidence)
        if plan.is_headline:
            words = closing_words(
                evidence, task=plan.task, metric=plan.metric, further=[one.metric for one in plan.rescored()]
            )
            words += tuple(ungrounded_words(plan, evidence))
            run.write_manifest(msgspec.structs.replace(manifest, warnings=(*manifest.warnings, *words)))
            for text in words:
                observer.noted(text)
    return evidence


def _settle_manifest(
    run: RunDirectory, plan: Plan, fresh: Manifest, executor: Executor, *, observer: Observer, now: datetime
) -> Manifest:
    """Return the manifest to go on with, written, after saying what there is to say of it.

    Raises:
        UsageError: the directory's answers belong to another evaluation.
    """
    old = run.manifest
    manifest = with_criteria(
        continue_manifest(old, fresh, anything_left=executor.owes),
        old,
        plan.evaluation.success,
        answers=executor.answers,
        now=now,
    )
    prices = price_notes(plan.evaluation, now.date())
    for warning in (*manifest.warnings, *criteria_notes(manifest, old), *prices):
        observer.noted(warning)
    run.write_manifest(manifest)
    return manifest


def _keep_items(run: RunDirectory, plan: Plan, manifest: Manifest) -> None:
    orders = {order_of(manifest, system) for system in manifest.systems} - {AS_GIVEN}
    run.write_items(
        keep_item(
            item,
            task=plan.task,
            rule=plan.rules[item.id],
            alternatives=tuple(kept_as(rules[item.id]) for rules in plan.alternatives),
            orders=orders,
        )
        for item in plan.items
    )


async def _ask(
    executor: Executor,
    run: RunDirectory,
    manifest: Manifest,
    plan: Plan,
    models: Mapping[ModelName, System],
    *,
    terms: Terms,
    now: Callable[[], datetime],
) -> Manifest:
    """Ask what is owed; return the manifest with this session and what servers told, which is written in any case."""
    if not executor.owes:
        await executor.execute()
        return _with_stop(manifest, terms)
    session = _begin(run.path, terms, now=now())
    run.write_manifest(_with_session(manifest, session))
    try:
        await executor.execute(earlier_answers(run.path, manifest))
    finally:
        manifest = note_observed(manifest, plan, models)
        manifest = _with_session(_with_stop(manifest, terms), _end(run.path, session, executor, now=now()))
        run.write_manifest(manifest)
    return manifest


def _with_stop(manifest: Manifest, terms: Terms) -> Manifest:
    """Return the manifest with what is to be known of where the run stopped."""
    return manifest if terms.stop is None else msgspec.structs.replace(manifest, stopping=terms.stop.record)


def _begin(path: Path, terms: Terms, *, now: datetime) -> Session:
    """Return the record of a session that is about to ask."""
    started = now.isoformat(timespec="milliseconds")
    return Session(
        started=started,
        concurrency=terms.concurrency,
        interleave=terms.interleave,
        beside=runs_beside(path, since=started),
    )


def _end(path: Path, session: Session, executor: Executor, *, now: datetime) -> Session:
    """Return the record of a session that has ended, with what went on beside it in the meantime."""
    return msgspec.structs.replace(
        session,
        finished=now.isoformat(timespec="milliseconds"),
        load=executor.load,
        beside=tuple(sorted({*session.beside, *runs_beside(path, since=session.started)})),
    )


def _with_session(manifest: Manifest, session: Session) -> Manifest:
    return msgspec.structs.replace(manifest, sessions=(*manifest.sessions, session))
