"""``aliquot failures``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import Shown, output_forms, reading_options, take_reading


@click.command("failures")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--codes",
    multiple=True,
    metavar="FILE",
    help="Table with item and codes (several behind commas), or note with #codes.",
)
@click.option("--add", metavar="FILE", help="Keep the codes of such a table with the run, and count them.")
@click.option("--system", "systems", multiple=True, help="Only these systems (repeatable); default: all.")
@click.option("--task", help="The task; default: the first.")
@click.option("--metric", help="What failing is; default: the log's own headline.")
@click.option(
    "--taxonomy", metavar="FILE", help="YAML of the kinds that have names: 'name: {says: ..., was: [...]}'."
)
@click.option("--grow", "grow_taxonomy", is_flag=True, help="Add kinds that the taxonomy lacks to its file.")
@click.option("--cluster", help="Field that names an item's cluster (document, template, conversation).")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--seed", type=int, default=None, help="Seed of everything random; stored in the finding.")
@reading_options
@output_forms
def command(paths: tuple[str, ...], *, shown: Shown, **choices: Any) -> None:
    """What goes wrong, how often, and which kinds moved from the first to the second.

    Answers that nobody has coded are put down to retrieval, context, tools, generation or parsing by what is on record.

    \b
      aliquot failures runs/rag
      aliquot failures last-week.csv this-week.csv
      aliquot failures runs/rag --add notes.csv --taxonomy kinds.yaml --grow
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.verbs.failures import failures

    print_finding(failures(*paths, options=take_reading(choices), **choices), shown)
