"""``aliquot table``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import Shown, output_forms, reading_options, take_reading


@click.command("table")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--baseline", help="The system every other is compared with; default: the first.")
@click.option("--system", "systems", multiple=True, help="A candidate (repeatable); default: all others.")
@click.option(
    "--task", "tasks", multiple=True, help="A task (repeatable); default: all with items of their own."
)
@click.option(
    "--metric", "metrics", multiple=True, help="TASK=METRIC, or METRIC for every task (repeatable)."
)
@click.option("--cluster", help="Field that names an item's cluster (document, template, conversation).")
@click.option(
    "--level", type=float, default=0.95, show_default=True, help="Confidence level, of all together."
)
@click.option(
    "--match-on",
    type=click.Choice(["content", "id"]),
    default="content",
    show_default=True,
    help="Refuse items of one id whose content differs, or match by id alone.",
)
@click.option("--seed", type=int, default=None, help="Seed of everything random; stored in the finding.")
@click.option(
    "--allow",
    multiple=True,
    type=click.Choice(["judge"]),
    help="Compare although this differs: two different judges are refused by default.",
)
@click.option("--latex", metavar="FILE", help="Also write the table for a paper (booktabs).")
@reading_options
@output_forms
def command(
    paths: tuple[str, ...],
    *,
    shown: Shown,
    latex: str | None,
    metrics: tuple[str, ...],
    **choices: Any,
) -> None:
    """Every system against a baseline on every task: intervals that hold together, adjusted p-values.

    \b
      aliquot table logs/stub-a logs/stub-b --baseline stub-a --latex table.tex
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.verbs.table import table, write_latex

    named = {pair.rpartition("=")[0]: pair.rpartition("=")[2] for pair in metrics}
    found = table(*paths, metrics=named, options=take_reading(choices), **choices)
    if latex is not None:
        write_latex(found, latex)
    print_finding(found, shown)
