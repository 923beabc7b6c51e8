"""``aliquot variants``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import Shown, output_forms, reading_options, take_reading


@click.command("variants")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--system", "systems", multiple=True, help="Only these systems (repeatable); default: all variants."
)
@click.option("--task", help="The task; default: the first.")
@click.option(
    "--metric",
    help="The metric, or an expression such as 'all(g1, g2)'; default: the log's own headline.",
)
@click.option("--cluster", help="Field that names an item's cluster (document, template, conversation).")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--seed", type=int, default=None, help="Seed of everything random; stored in the finding.")
@reading_options
@output_forms
def command(paths: tuple[str, ...], *, shown: Shown, **choices: Any) -> None:
    """Variants of one system on the same items: range, spread, worst pair, and what the best of them is worth.

    \b
      aliquot variants runs/wordings
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.verbs.variants import variants

    print_finding(variants(*paths, options=take_reading(choices), **choices), shown)
