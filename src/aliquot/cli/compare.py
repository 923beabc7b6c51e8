"""``aliquot compare``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import (
    Shown,
    comparison_options,
    label_options,
    output_forms,
    reading_options,
    take_reading,
)


@click.command("compare")
@click.argument("paths", nargs=-1, metavar="A [B]")
@click.option(
    "--between", metavar="FIELD", help="Compare versions of the same questions, such as gender, with --pair."
)
@click.option("--pair", metavar="FIELD", help="Field that the versions of one question share.")
@comparison_options
@label_options
@reading_options
@output_forms
def command(paths: tuple[str, ...], *, shown: Shown, **choices: Any) -> None:
    """Compare two systems on the items they share; A is the baseline, B the candidate.

    A and B are runs, logs or tables; one path is enough when it holds two systems.

    \b
      aliquot compare main.csv pr.csv --margin 2pt
      aliquot compare runs/two-prompts -v
      aliquot compare pr.csv --against 0.82/500
      aliquot compare judged.csv --labels labels.csv
      aliquot compare runs/hiring --between gender --pair question
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.verbs.compare import compare

    found = compare(*paths, options=take_reading(choices), **choices)
    print_finding(found, shown)
