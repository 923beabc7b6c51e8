"""``aliquot probe``: instruments held against what is known."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import Shown, output_forms, reading_options, take_reading


@click.group("probe")
def command() -> None:
    """An instrument held against what is known: does a judge do what it must?

    \b
      aliquot probe judge votes.csv
    """  # noqa: D301 - \b is click's mark for a block kept as it stands


@command.command("judge")
@click.argument("source", metavar="LOG")
@click.option("--judge", metavar="NAME", help="Whose votes, when several judges voted.")
@click.option("--against", metavar="NAME", help="Another judge of the log, on the same items.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--seed", type=int, default=None, help="Seed of everything random; stored in the finding.")
@reading_options
@output_forms
def judge_command(source: str, *, shown: Shown, **choices: Any) -> None:
    """What a judge does where the right verdict is known: does the winner change with the order, does a slot win?

    A log of a judge's votes says it when it keeps which answer was shown first.

    \b
      aliquot probe judge annotations.json
      aliquot probe judge votes.csv --judge gpt-4 --against gpt-3.5 -v
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.verbs.probe_judge import probe_judge

    print_finding(probe_judge(source, options=take_reading(choices), **choices), shown)
