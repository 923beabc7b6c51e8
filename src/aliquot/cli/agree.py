"""``aliquot agree``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import Shown, output_forms, passing_options, reading_options, take_reading


@click.command("agree")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--labels", multiple=True, metavar="FILE", help="Labels of the answers in the paths (repeatable)."
)
@click.option(
    "--judge", multiple=True, metavar="METRIC", help="A metric of the paths as one more rater (repeatable)."
)
@click.option(
    "--rater", "raters", multiple=True, metavar="NAME", help="Only these raters, in this order (repeatable)."
)
@click.option("--rater-column", metavar="NAME", help="Column that names who labelled.")
@click.option("--question", metavar="NAME", help="What was asked, when the labels answer several questions.")
@passing_options
@click.option("--levels", metavar="A,B,C", help="All labels there are, in order, used or not.")
@click.option(
    "--measured",
    type=click.Choice(["nominal", "ordinal", "interval", "ratio"]),
    help="What distances between labels mean; default: the order of numbers, nothing for names.",
)
@click.option("--cluster", help="Column that names an answer's cluster (document, template, conversation).")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--seed", type=int, default=None, help="Seed of everything random; stored in the finding.")
@reading_options
@output_forms
def command(paths: tuple[str, ...], *, levels: str | None, shown: Shown, **choices: Any) -> None:
    """How far raters say the same of the same answers, beyond chance, and where they differ.

    A file of labels has a row a label (item, rater, label), or a row an answer and a column a rater.

    \b
      aliquot agree labels.csv
      aliquot agree ratings.csv --wide ana --wide ben --levels 1,2,3,4,5
      aliquot agree run.json --labels labels.csv --judge correct
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.verbs.agree import agree

    options = take_reading(choices)
    named = tuple(part.strip() for part in levels.split(",")) if levels else ()
    print_finding(agree(*paths, levels=named, options=options, **choices), shown)
