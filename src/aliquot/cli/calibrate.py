"""``aliquot calibrate``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import Shown, label_options, output_forms, reading_options, take_reading


@click.command("calibrate")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--judge", metavar="METRIC", help="The metric that the judge gives; default: the one a judge gave."
)
@click.option(
    "--question", metavar="NAME", help="What people were asked, when the labels answer several questions."
)
@click.option(
    "--rater", "raters", multiple=True, metavar="NAME", help="Only the labels of these people (repeatable)."
)
@click.option("--system", "systems", multiple=True, help="Only these systems (repeatable).")
@click.option("--task", help="The task; default: the one that was labelled.")
@click.option(
    "--split",
    metavar="PART",
    help="Only the labels of this half: dev or test, by the column split or drawn by the seed.",
)
@click.option(
    "--margin",
    type=float,
    default=0.1,
    show_default=True,
    help="So far below people's own agreement is as good.",
)
@click.option("--cluster", help="Field that names an item's cluster (document, template, conversation).")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--seed", type=int, default=None, help="Seed of everything random; stored in the finding.")
@label_options
@reading_options
@output_forms
def command(paths: tuple[str, ...], *, shown: Shown, **choices: Any) -> None:
    """A judge held against people's labels of some answers, and its rates corrected for its errors.

    \b
      aliquot calibrate answers.csv --labels labels.csv
      aliquot calibrate run.json --labels labels.csv --judge correct -v
      aliquot calibrate graded.csv --labels labels.csv --pass-from 4
      aliquot calibrate judged.csv --labels said.csv --passes good
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.verbs.calibrate import calibrate

    print_finding(calibrate(*paths, options=take_reading(choices), **choices), shown)
