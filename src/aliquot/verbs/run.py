"""``run``: ask the systems of an evaluation about every item, once, and keep every answer."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from aliquot.errors import InputError, RunStoppedError, UsageError
from aliquot.evidence.tables import Evidence
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.cache import AnswerCache
from aliquot.runner.evaluation import Evaluation
from aliquot.runner.evaluation_python import Loaded, load_evaluation
from aliquot.runner.executions import require_on
from aliquot.runner.executor import Terms
from aliquot.runner.notebook_progress import own_observer
from aliquot.runner.only import ATTEMPTS, ItemAgain, differing_items, how_they_came, narrowed, read_only
from aliquot.runner.opening import open_models
from aliquot.runner.plan import make_plan
from aliquot.runner.price_list import with_listed_prices
from aliquot.runner.progress import Observer, Progress, Silent
from aliquot.runner.session import Clocks, run_session
from aliquot.runner.stopping import Stopper, read_rule
from aliquot.verbs.read import read

if TYPE_CHECKING:
    from aliquot.systems.system import System


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run.

    Attributes:
        path: its directory.
        evidence: its tables.
        again: with ``only``, how each item came out that was asked again.
    """

    path: Path
    evidence: Evidence
    again: tuple[ItemAgain, ...] = ()


def run(
    evaluation: str | Path | Evaluation,
    *,
    directory: str | Path = "runs",
    models: Mapping[str, System] | None = None,
    observer: Observer | None = None,
    quiet: bool = False,
    limit: int | str | None = None,
    only: str | None = None,
    attempts: int | None = None,
    concurrency: int | None = None,
    threads: int | None = None,
    interleave: bool = False,
    cache: str | Path | None = None,
    max_cost: float | None = None,
    execute_code: bool = False,
    allow_self_judge: bool = False,
    stop_when: str | None = None,
) -> Run:
    """Run an evaluation into ``directory/<name>``; run it again to go on where it stopped.

    Works in a script and inside a running event loop (a notebook), where it uses a thread with its own loop.

    Args:
        evaluation: an evaluation file, or an ``Evaluation``; a Python file is executed.
        directory: where run directories are kept.
        models: systems by the name under which the evaluation's ``model`` asks for them; ``embedded`` and what the
            evaluation describes itself are there without being given. They are not closed.
        observer: receives progress; in a notebook a line shows it when none is given.
        quiet: say nothing, in a notebook either; what a reader has to know is kept in ``run.json``.
        limit: ask this many items only, or a share like ``50%`` (rounded up): a seeded stratified part.
        only: ``broke:A,B`` (or ``fixed``, ``differ``): of a run that is there, ask only the items on which systems A
            and B differ that way again, into a directory of its own within the run's, which stays as it is.
        attempts: with ``only``: answers asked of A and of B for each item; 5 by default.
        concurrency: requests in flight; None for what each model says it can take.
        threads: computing threads of the embedded model; None for the cores available.
        interleave: let the systems take turns question by question instead of one after the other.
        cache: a file of answers kept between runs; the same question to the same system is asked once for each
            attempt. Failures are never kept, and answers from it count for no latency and no cost.
        max_cost: money that the run may cost, in the currency of the systems' ``prices``: no answer is asked for
            whose ceiling would pass it.
        execute_code: let programs that a model wrote be executed in the sandbox to score them, whatever the evaluation
            says; it does not protect from everything (docs/scorers.md).
        allow_self_judge: let a judge judge answers of its own model or family, though it was not probed on that.
        stop_when: stop as soon as the comparison of the two systems is settled: ``decided``, ``better by 2pt``,
            ``not worse by 2pt`` or ``equivalent within 2pt``, with ``at 99%`` behind it for another level than 95%.

    Returns:
        The run's directory and its evidence.

    Raises:
        UsageError: an unknown name, or a directory whose answers belong to another evaluation.
        NothingToJudgeError: with ``only``, no item differs that way.
        InputError: an evaluation file or item that cannot be used.
        MachineError: the model is missing, the disk is full, another process works on this run.
        RunStoppedError: a guard or an interrupt stopped the run; what was answered is kept.
    """
    watcher = _Watcher(_settled(observer, quiet=quiet))
    work = run_async(
        evaluation,
        directory=directory,
        models=models,
        observer=watcher,
        limit=limit,
        only=only,
        attempts=attempts,
        concurrency=concurrency,
        threads=threads,
        interleave=interleave,
        cache=cache,
        max_cost=max_cost,
        execute_code=execute_code,
        allow_self_judge=allow_self_judge,
        stop_when=stop_when,
    )
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        runner = asyncio.run
    else:
        runner = _run_in_thread
    try:
        return runner(work)
    except KeyboardInterrupt as interrupt:
        raise RunStoppedError(watcher.farewell()) from interrupt


async def run_async(
    evaluation: str | Path | Evaluation,
    *,
    directory: str | Path = "runs",
    models: Mapping[str, System] | None = None,
    observer: Observer | None = None,
    quiet: bool = False,
    limit: int | str | None = None,
    only: str | None = None,
    attempts: int | None = None,
    concurrency: int | None = None,
    threads: int | None = None,
    interleave: bool = False,
    cache: str | Path | None = None,
    max_cost: float | None = None,
    execute_code: bool = False,
    allow_self_judge: bool = False,
    stop_when: str | None = None,
) -> Run:
    """Do what ``run`` does, on the running event loop; parameters, result and errors are those of ``run``."""
    observer = _settled(observer, quiet=quiet)
    if concurrency is not None and concurrency < 1:
        raise UsageError(f"concurrency is {concurrency}; it must be 1 or more")
    loaded = Loaded(evaluation) if isinstance(evaluation, Evaluation) else load_evaluation(evaluation)
    evaluation = replace(loaded.evaluation, execute_code=True) if execute_code else loaded.evaluation
    _check_only(only, attempts, together={"limit": limit, "cache": cache, "stop_when": stop_when})
    path = Path(directory) / evaluation.name
    before = _stopped(path) if only is None else {}
    stoppable = stop_when is not None or bool(before)
    plan = with_listed_prices(make_plan(evaluation, limit=limit, whole_units=stoppable))
    stop = (
        Stopper(plan, None if stop_when is None else read_rule(stop_when, plan), before)
        if stoppable
        else None
    )
    require_on(plan.every_rule, on=evaluation.execute_code)
    paid = (*plan.evaluation.systems.values(), *plan.evaluation.judges.values())
    if max_cost is not None and all(one.stated is None for one in paid):
        raise UsageError("--max-cost needs prices: give the systems of the evaluation a key 'prices'")
    chosen, whole, changed = None, plan, dict[str, tuple[float, float]]()
    if only is not None:
        chosen = read_only(only, list(evaluation.systems))
        changed = differing_items(_evidence_of(path), chosen, task=plan.task)
        plan, folder = narrowed(plan, chosen, list(changed), attempts=attempts or ATTEMPTS)
        path /= folder
    given = {**loaded.models, **(models or {})}
    opened = await open_models(plan, given, threads=threads, whole=whole)
    zone = (
        datetime.now().astimezone().tzinfo
    )  # looked up once: the machine's rules of time zones are slow to ask
    clocks = Clocks(seconds=time.monotonic, now=lambda: datetime.now(zone))
    try:
        with ExitStack() as stack:
            kept = None if cache is None else stack.enter_context(AnswerCache(cache))
            evidence = await run_session(
                plan,
                path,
                models={**given, **opened},
                observer=observer,
                clocks=clocks,
                terms=Terms(
                    concurrency=concurrency,
                    interleave=interleave,
                    cache=kept,
                    max_cost=max_cost,
                    allow_self_judge=allow_self_judge,
                    stop=stop,
                ),
            )
    finally:
        for model in (*opened.values(), *loaded.models.values()):
            await model.close()
    if chosen is None:
        return Run(path, evidence)
    return Run(path, evidence, how_they_came(evidence, chosen, changed, task=plan.task))


def _settled(observer: Observer | None, *, quiet: bool) -> Observer:
    """Return whom to tell; what nobody is told is not said."""
    if quiet and observer is not None:
        raise UsageError("quiet and observer exclude each other: an observer is there to be told")
    return Silent() if quiet else observer or own_observer()


def _check_only(only: str | None, attempts: int | None, *, together: Mapping[str, object]) -> None:
    if only is None and attempts is not None:
        raise UsageError("attempts goes with only; for a whole run the evaluation says how many: attempts: 3")
    if attempts is not None and attempts < 1:
        raise UsageError(f"attempts is {attempts}; it must be 1 or more")
    for name, value in together.items():  # a cache would give the run's own answers back
        if only is not None and value is not None:
            raise UsageError(f"only and {name} exclude each other")


def _stopped(path: Path) -> dict[str, Any]:
    """Return what a run that is there recorded of where it stopped; nothing where it asks everything."""
    manifest = RunDirectory(path).manifest if path.is_dir() else None
    return {} if manifest is None else manifest.stopping


def _evidence_of(path: Path) -> Evidence:
    if not path.exists():
        raise InputError("there is no such run yet", file=str(path), remedy="Run it first, without only")
    return read(path)


class _Watcher:
    """Passes progress on and remembers the last, for the words at an interrupt."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._last: Progress | None = None

    def started(self, progress: Progress) -> None:
        self._last = progress
        self._observer.started(progress)

    def answered(self, progress: Progress) -> None:
        self._last = progress
        self._observer.answered(progress)

    def noted(self, text: str) -> None:
        self._observer.noted(text)

    def farewell(self) -> str:
        if self._last is None:
            return "interrupted before anything was asked"
        done, total = self._last.done, self._last.total
        if done == 0:
            return f"interrupted before the first of {total} answers: none is kept. Run the same command again to start"
        return f"interrupted with {done} of {total} answers, all kept. Run the same command again to go on"


def _run_in_thread(work: Coroutine[Any, Any, Run]) -> Run:
    """Run a coroutine on a loop of its own in a thread; an interrupt cancels it and waits for its end."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="aliquot-run", daemon=True)
    thread.start()
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        return future.result()
    except KeyboardInterrupt:
        future.cancel()
        raise
    finally:
        asyncio.run_coroutine_threadsafe(_finish_tasks(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _finish_tasks() -> None:
    """Wait until every other task of this loop has ended, so that files are closed and models freed."""
    others = asyncio.all_tasks() - {cast("asyncio.Task[Any]", asyncio.current_task())}
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_default_executor()
