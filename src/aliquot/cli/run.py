"""``aliquot run``."""

from __future__ import annotations

import os
import shlex
import signal
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from aliquot.cli.options import threads_from_environment
from aliquot.cli.progress import JsonLines, ProgressLine

if TYPE_CHECKING:
    from aliquot.evidence.tables import Evidence


@click.command("run")
@click.argument("evaluation", metavar="FILE")
@click.option("--directory", default="runs", show_default=True, help="Where runs are kept.")
@click.option(
    "--limit", metavar="N|SHARE", help="Ask this many items only, or a share (50%): a seeded stratified part."
)
@click.option(
    "--only",
    metavar="CHANGE:A,B",
    help="Of a run that is there, ask again only the items that broke, fixed or differ from A to B.",
)
@click.option(
    "--attempts", type=click.IntRange(min=1), help="With --only: answers of A and B an item.  [default: 5]"
)
@click.option("--concurrency", type=click.IntRange(min=1), help="Requests in flight.")
@click.option("--interleave", is_flag=True, help="Let the systems take turns, question by question.")
@click.option("--cache", metavar="FILE", help="Answers kept between runs; failures never are.")
@click.option(
    "--max-cost", type=click.FloatRange(min=0), help="Let the run cost this much at most (needs prices)."
)
@click.option(
    "--execute-code",
    is_flag=True,
    help="Let programs that models wrote be executed, in the sandbox, to score them.",
)
@click.option(
    "--allow-self-judge", is_flag=True, help="Let a judge judge its own model or family, though unprobed."
)
@click.option(
    "--stop-when",
    metavar="RULE",
    help="Stop as soon as the comparison of the two systems is settled: decided, 'better by 2pt', 'not worse by "
    "2pt', 'equivalent within 2pt'; 'at 99%' may follow.",
)
@click.option("--progress", type=click.Choice(["line", "json"]), default="line", help="How progress is said.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing while it runs.")
@click.option("--dry-run", is_flag=True, help="Show what would be asked first, and ask nothing.")
def command(evaluation: str, *, progress: str, quiet: bool, dry_run: bool, **choices: Any) -> None:
    """Ask the systems of an evaluation file about every item, once; run it again to go on where it stopped.

    A file that ends in .py is executed; what it calls evaluation is run.

    \b
      aliquot run two-prompts.yaml
      aliquot compare runs/two-prompts
      aliquot run two-prompts.yaml --only broke:short,shown --attempts 5
      aliquot run two-prompts.yaml --stop-when "not worse by 2pt"
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    if dry_run:
        _show_first(evaluation, limit=choices["limit"])
        return
    from aliquot.verbs.run import run

    signal.signal(signal.SIGTERM, _stop)
    found = run(
        evaluation,
        observer=None if quiet else JsonLines() if progress == "json" else ProgressLine(),
        quiet=quiet,
        threads=threads_from_environment(os.environ),
        **choices,
    )
    if found.again:
        from aliquot.reports.asked_again import render_again

        click.echo(
            render_again(tuple(found.evidence.responses["system"].unique(maintain_order=True)), found.again)
        )
    click.echo(f"{found.path}{os.sep}")
    if not quiet and progress != "json" and not found.again:
        click.echo(f"Next: {shlex.join(['aliquot', _next_verb(found.evidence), str(found.path)])}", err=True)


def _next_verb(evidence: Evidence) -> str:
    """Return the verb that says what came out."""
    if "variant.of" in evidence.settings["name"]:
        return "variants"
    return {1: "summarize", 2: "compare"}.get(evidence.responses["system"].n_unique(), "table")


def _stop(number: int, frame: FrameType | None) -> None:
    """Let a job that is cancelled end as Ctrl-C does: what was answered is kept, and the run says how to go on."""
    interrupt = signal.getsignal(signal.SIGINT)
    if callable(interrupt):  # while a run is going on that of its event loop, which cancels what is under way
        interrupt(number, frame)
    else:  # a shell that started this in the background has it ignored
        raise KeyboardInterrupt


def _show_first(evaluation: str, *, limit: str | None) -> None:
    """Print the first question of each system."""
    from aliquot.reports.asked_first import render_first
    from aliquot.verbs.preview import preview

    found = preview(evaluation, limit=limit)
    click.echo(
        render_first(
            found.systems,
            name=found.name,
            answers=found.answers,
            attempts=found.attempts,
            selection=found.selection,
            item=found.item,
        )
    )
