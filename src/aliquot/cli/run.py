"""``aliquot run``."""

from __future__ import annotations

import os
from typing import Any

import click

from aliquot.cli.options import threads_from_environment
from aliquot.cli.progress import JsonLines, ProgressLine


@click.command("run")
@click.argument("evaluation", metavar="FILE")
@click.option("--directory", default="runs", show_default=True, help="Where runs are kept.")
@click.option(
    "--limit", type=click.IntRange(min=1), help="Ask this many items only: a seeded stratified part."
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
@click.option("--progress", type=click.Choice(["line", "json"]), default="line", help="How progress is said.")
def command(evaluation: str, *, progress: str, **choices: Any) -> None:
    """Ask the systems of an evaluation file about every item, once; run it again to go on where it stopped.

    \b
      aliquot run two-prompts.yaml
      aliquot compare runs/two-prompts
      aliquot run two-prompts.yaml --only broke:short,shown --attempts 5
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.verbs.run import run

    found = run(
        evaluation,
        observer=JsonLines() if progress == "json" else ProgressLine(),
        threads=threads_from_environment(os.environ),
        **choices,
    )
    if found.again:
        from aliquot.reports.asked_again import render_again

        click.echo(
            render_again(tuple(found.evidence.responses["system"].unique(maintain_order=True)), found.again)
        )
    click.echo(f"{found.path}{os.sep}")
