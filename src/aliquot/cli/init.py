"""``aliquot init``."""

from __future__ import annotations

import shlex

import click


@click.command("init")
@click.argument("file", default="evaluation.yaml", metavar="[FILE]")
@click.option("--items", is_flag=True, help="Also write six items beside it, to be replaced by your own.")
@click.option(
    "--judge", metavar="NAME", help="Also write this rubric beside it, to be edited: correctness, tone ..."
)
def command(file: str, *, items: bool, judge: str | None) -> None:
    """Write a commented evaluation file to start from; nothing is overwritten.

    \b
      aliquot init two-prompts.yaml --items
      aliquot init judged.yaml --judge correctness
      aliquot run two-prompts.yaml
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.verbs.init import init

    written = init(file, items=items, judge=judge)
    for path in written:
        click.echo(path)
    click.echo(f"Next: {shlex.join(['aliquot', 'run', str(written[0])])}", err=True)
