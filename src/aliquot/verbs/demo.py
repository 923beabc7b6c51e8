"""``demo``: two prompts of one small model compared, from bundled logs in seconds or asked live."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, overload

from aliquot import item_sets
from aliquot.errors import UsageError, nearest
from aliquot.findings.comparison import Comparison
from aliquot.verbs.compare import compare
from aliquot.verbs.report import write_report

if TYPE_CHECKING:
    from aliquot.runner.progress import Observer
    from aliquot.verbs.breaking import Broken

BUNDLED: Final = Path(item_sets.__file__).parent / "bundled"
LOGS: Final = ("demo_chat.csv", "demo_few_shot.csv")
"""Outcomes of the live demo's two systems over the whole item set, recorded by ``benchmarks/make_demo_logs.py``."""


@dataclass(frozen=True, slots=True)
class Demo:
    """What a demo found, and where its report is."""

    comparison: Comparison
    report: Path


@overload
def demo(
    *,
    live: bool = False,
    directory: str | Path = ".",
    items: int | None = None,
    broken: None = None,
    observer: Observer | None = None,
    threads: int | None = None,
    say: Callable[[str], None] | None = None,
) -> Demo: ...


@overload
def demo(
    *,
    live: bool = False,
    directory: str | Path = ".",
    items: int | None = None,
    broken: str,
    observer: Observer | None = None,
    threads: int | None = None,
    say: Callable[[str], None] | None = None,
) -> Broken: ...


def demo(
    *,
    live: bool = False,
    directory: str | Path = ".",
    items: int | None = None,
    broken: str | None = None,
    observer: Observer | None = None,
    threads: int | None = None,
    say: Callable[[str], None] | None = None,
) -> Demo | Broken:
    """Compare two prompts of the embedded model, instruct chat against few-shot completion, or show a broken run.

    Args:
        live: ask the model (installing it first), instead of reading the bundled logs.
        directory: where the report goes, and the run when live.
        items: when live, ask this many items; by default the demo's own stratified part.
        broken: ``thinking-budget``: instead of the comparison, run an evaluation whose budget a model's thoughts use
            up, so that a careless harness prints the rate of the most frequent label, and show that it is caught.
        observer: receives the progress of the live run.
        threads: computing threads of the model; None for the cores available.
        say: receives a line before a download.

    Raises:
        UsageError: there is no such broken run, or it was to take only some items.
        MachineError: the model or its engine is missing and cannot be fetched, or a file cannot be written.
    """
    if broken is not None:
        return _break(
            broken, Path(directory), live=live, items=items, observer=observer, threads=threads, say=say
        )
    if live:
        return _ask(Path(directory), items=items, observer=observer, threads=threads, say=say)
    found = compare(*(BUNDLED / name for name in LOGS))
    return Demo(found, write_report(found, Path(directory) / "aliquot-demo.html"))


def _break(
    scenario: str,
    directory: Path,
    *,
    live: bool,
    items: int | None,
    observer: Observer | None,
    threads: int | None,
    say: Callable[[str], None] | None,
) -> Broken:
    from aliquot.verbs.breaking import SCENARIOS, break_thinking_budget

    if scenario not in SCENARIOS:
        raise UsageError(f"there is no broken run {scenario!r}. {nearest(scenario, SCENARIOS)}")
    if items is not None:
        raise UsageError("a broken run is asked whole; leave items out")
    if not live:
        return break_thinking_budget(directory / "runs", model=None, observer=None)
    from aliquot.systems.embedded import EmbeddedModel
    from aliquot.verbs.model import model

    model(say=say)
    embedded = EmbeddedModel(threads=threads)
    try:
        return break_thinking_budget(directory / "runs-live", model=embedded, observer=observer)
    finally:
        with ThreadPoolExecutor(1) as pool:  # a notebook has a running loop here
            pool.submit(asyncio.run, embedded.close()).result()


def _ask(
    directory: Path,
    *,
    items: int | None,
    observer: Observer | None,
    threads: int | None,
    say: Callable[[str], None] | None,
) -> Demo:
    from aliquot.verbs.model import model
    from aliquot.verbs.run import run

    model(say=say)
    finished = run(
        BUNDLED / "demo.yaml",
        directory=directory / "runs",
        observer=observer,
        limit=items,
        threads=threads,
    )
    found = compare(finished.path)
    return Demo(found, write_report(found, finished.path / "report.html"))
