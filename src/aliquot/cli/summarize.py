"""``aliquot summarize``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import Shown, label_options, output_forms, reading_options, take_reading


@click.command("summarize")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--system", "systems", multiple=True, help="Only this system (repeatable).")
@click.option("--task", help="Only this task.")
@click.option(
    "--metric",
    help="The metric, or an expression such as 'all(g1, g2)'; default: the log's own headline.",
)
@click.option("--cluster", help="Field that names an item's cluster (document, template, conversation).")
@click.option("--at-least", metavar="SHARE", help="A floor the pass rate should reach: 0.9 or 90%.")
@click.option("--level", type=float, help="Confidence level.  [default: 0.95, or a run's success criteria]")
@label_options
@reading_options
@output_forms
def command(paths: tuple[str, ...], *, shown: Shown, **choices: Any) -> None:
    """What each system reached, how much it answered, and how sure that is; nothing is compared.

    \b
      aliquot summarize run.json
      aliquot summarize pr.csv --at-least 90%
      aliquot summarize judged.csv --labels labels.csv
      aliquot summarize tonight.csv --labels calibration.json
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.verbs.summarize import summarize

    found = summarize(*paths, options=take_reading(choices), **choices)
    print_finding(found, shown)
