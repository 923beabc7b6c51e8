"""``aliquot plan``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import Shown, output_forms, passing_options, reading_options, take_reading


@click.command("plan")
@click.argument("paths", nargs=-1, metavar="[PILOT [PILOT]]")
@click.option("--detect", help="The smallest difference that matters: 3pt, or in the metric's units.")
@click.option(
    "--margin", "--no-worse-than", "margin", help="Plan to show that the candidate is not worse by this: 2pt."
)
@click.option(
    "--items", type=click.IntRange(min=1), help="A number of items to look at; default: the pilot's."
)
@click.option(
    "--half-width",
    help="Half width wanted of the interval of the difference (with --labels, of a rate): 3pt.",
)
@click.option(
    "--budget", type=click.FloatRange(min=0), help="Money for one comparison, in the pilot's currency."
)
@click.option(
    "--psi",
    type=click.FloatRange(0, 1),
    help="Share of items on which the systems differ; default: the pilot's.",
)
@click.option(
    "--rate",
    type=click.FloatRange(0, 1),
    help="The baseline's pass rate (for a judge that errs); default: the pilot's.",
)
@click.option(
    "--sensitivity",
    type=click.FloatRange(0, 1),
    default=1.0,
    help="Chance that the judge passes what is right.",
)
@click.option(
    "--specificity", type=click.FloatRange(0, 1), default=1.0, help="Chance that it fails what is wrong."
)
@click.option(
    "--systems", nargs=2, metavar="BASELINE CANDIDATE", help="The two systems, when the pilot holds several."
)
@click.option("--task", help="The task, when there are several.")
@click.option("--metric", help="The metric; default: the log's own headline.")
@click.option("--cluster", help="Field that names an item's cluster (document, template, conversation).")
@click.option("--power", type=float, default=0.8, show_default=True, help="The power wanted.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option(
    "--comparisons",
    type=click.IntRange(min=1),
    default=1,
    help="Comparisons of which this is one (Bonferroni).",
)
@click.option("--write", metavar="FILE", help="Fix the plan in a file, hashed and dated, for compare --plan.")
@click.option(
    "--labels", multiple=True, metavar="FILE", help="People's labels of some of the pilot's answers."
)
@passing_options
@click.option("--by", metavar="FIELD", help="Draw labels within the levels of this field too.")
@click.option(
    "--cost-judge", type=click.FloatRange(min=0, min_open=True), help="Cost of one verdict of the judge."
)
@click.option("--cost-label", type=click.FloatRange(min=0, min_open=True), help="Cost of one label.")
@reading_options
@output_forms
def command(paths: tuple[str, ...], *, shown: Shown, **choices: Any) -> None:
    """How many items, attempts, minutes and how much money a difference would take.

    \b
      aliquot plan main.json pr.json --detect 3pt
      aliquot plan --detect 5pt --psi 0.2 --items 200
      aliquot plan judged.csv --labels labels.csv --half-width 3pt
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.verbs.plan import plan

    found = plan(*paths, options=take_reading(choices), **choices)
    print_finding(found, shown)
