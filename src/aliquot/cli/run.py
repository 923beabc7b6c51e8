"""``aliquot run``."""

from __future__ import annotations

import os

import click

from aliquot.cli.options import threads_from_environment
from aliquot.cli.progress import ProgressLine


@click.command("run")
@click.argument("evaluation", metavar="FILE")
@click.option("--directory", default="runs", show_default=True, help="Where runs are kept.")
@click.option(
    "--limit", type=click.IntRange(min=1), help="Ask this many items only: a seeded stratified part."
)
@click.option("--concurrency", type=click.IntRange(min=1), help="Requests in flight.")
def command(evaluation: str, *, directory: str, limit: int | None, concurrency: int | None) -> None:
    """Ask the systems of an evaluation file about every item, once; run it again to go on where it stopped.

    \b
      aliquot run two-prompts.yaml
      aliquot compare runs/two-prompts
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.verbs.run import run

    found = run(
        evaluation,
        directory=directory,
        observer=ProgressLine(),
        limit=limit,
        concurrency=concurrency,
        threads=threads_from_environment(os.environ),
    )
    click.echo(f"{found.path}{os.sep}")
