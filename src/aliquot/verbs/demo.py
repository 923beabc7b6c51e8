"""``demo``: two prompts of one small model compared, from bundled logs in seconds or asked live."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aliquot import item_sets
from aliquot.findings.comparison import Comparison
from aliquot.verbs.compare import compare
from aliquot.verbs.report import write_report

if TYPE_CHECKING:
    from aliquot.runner.progress import Observer

BUNDLED: Final = Path(item_sets.__file__).parent / "bundled"
LOGS: Final = ("demo_chat.csv", "demo_few_shot.csv")
"""Outcomes of the live demo's two systems over the whole item set, recorded by ``benchmarks/make_demo_logs.py``."""


@dataclass(frozen=True, slots=True)
class Demo:
    """What a demo found, and where its report is."""

    comparison: Comparison
    report: Path


def demo(
    *,
    live: bool = False,
    directory: str | Path = ".",
    items: int | None = None,
    observer: Observer | None = None,
    threads: int | None = None,
    say: Callable[[str], None] | None = None,
) -> Demo:
    """Compare two prompts of the embedded model: instruct chat against few-shot completion.

    Args:
        live: ask the model (installing it first), instead of reading the bundled logs.
        directory: where the report goes, and the run when live.
        items: when live, ask this many items; by default the demo's own stratified part.
        observer: receives the progress of the live run.
        threads: computing threads of the model; None for the cores available.
        say: receives a line before a download.

    Raises:
        MachineError: the model or its engine is missing and cannot be fetched, or a file cannot be written.
    """
    if live:
        return _ask(Path(directory), items=items, observer=observer, threads=threads, say=say)
    found = compare(*(BUNDLED / name for name in LOGS))
    return Demo(found, write_report(found, Path(directory) / "aliquot-demo.html"))


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
