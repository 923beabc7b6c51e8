"""``aliquot probe``: instruments held against what is known."""

from __future__ import annotations

import os
from typing import Any

import click

from aliquot.cli.options import Shown, output_forms, reading_options, take_reading, threads_from_environment
from aliquot.cli.progress import ProgressLine


@click.group("probe")
def command() -> None:
    """An instrument held against what is known: does a judge do what it must?

    \b
      aliquot probe judge votes.csv
    """  # noqa: D301 - \b is click's mark for a block kept as it stands


@command.command("judge")
@click.argument("source", metavar="JUDGE.yaml|LOG")
@click.argument("items", required=False)
@click.option(
    "--model",
    multiple=True,
    metavar="MODEL",
    help="Whom the judge asks: embedded, or '{base_url: ..., model: ..., prices: ...}' (repeatable: a panel).",
)
@click.option(
    "--pairs", type=click.IntRange(min=1), default=30, show_default=True, help="Items drawn at most."
)
@click.option("--only", multiple=True, metavar="PROBE", help="Only this probe (repeatable).")
@click.option("--keep-going", is_flag=True, help="Ask on although identical texts were told apart.")
@click.option("--cluster", help="Field that names an item's cluster.")
@click.option("--judge", metavar="NAME", help="Whose votes of a log, when several judges voted.")
@click.option(
    "--against",
    metavar="NAME|FILE",
    help="Another judge of the log, or a file of kept probes of another judge.",
)
@click.option(
    "--labels",
    metavar="FILE",
    help="What people prefer: item and label (answer, weak, tie, both_bad), and rater.",
)
@click.option("--cache", metavar="FILE", help="Replies of judges kept between runs; failures never are.")
@click.option(
    "--max-cost", type=click.FloatRange(min=0), help="Let the judge cost this much at most (needs prices)."
)
@click.option("--concurrency", type=click.IntRange(min=1), help="Questions to the judge in flight.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing while the judge is asked.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--seed", type=int, default=None, help="Seed of everything random; stored in the finding.")
@reading_options
@output_forms
def judge_command(source: str, *, shown: Shown, quiet: bool, **choices: Any) -> None:
    """What a judge does where the right verdict is known.

    A judge's file is asked about pairs built from items with good answers: identical texts, both orders, padding,
    wrong facts, injected orders. A log of a judge's votes is looked at as it is.

    \b
      aliquot probe judge preference --model embedded
      aliquot probe judge judge.yaml items.jsonl --model '{base_url: https://host/v1, model: name}'
      aliquot probe judge votes.csv --judge gpt-4 --against gpt-3.5 -v
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.runner.progress import Silent
    from aliquot.verbs.probe_judge import probe_judge

    found = probe_judge(
        source,
        options=take_reading(choices),
        observer=Silent() if quiet else ProgressLine(),
        threads=threads_from_environment(os.environ),
        **choices,
    )
    print_finding(found, shown)
