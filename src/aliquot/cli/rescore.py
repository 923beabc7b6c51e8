"""``aliquot rescore``."""

from __future__ import annotations

import os
from typing import Any

import click

from aliquot.cli.options import Shown, reading_options, take_reading, threads_from_environment
from aliquot.cli.progress import ProgressLine


@click.command("rescore")
@click.argument("source", metavar="RUN|LOG")
@click.option(
    "--scorer",
    metavar="RULE",
    help="The rule, with its settings in brackets: words, choice_by_bytes, 'number_near(relative=0.01)' ...",
)
@click.option(
    "--judge", metavar="FILE", help="A judge in its place: a rubric's file, or the name of a shipped one."
)
@click.option(
    "--model",
    multiple=True,
    metavar="MODEL",
    help="Whom the judge asks: embedded, or '{base_url: ..., model: ..., prices: ...}' (repeatable: a panel).",
)
@click.option("--swapped", is_flag=True, help="Ask a comparison in its other order too.")
@click.option(
    "--evaluation",
    metavar="FILE",
    help="Evaluation file whose items give references and options (and whose scorer, without --scorer).",
)
@click.option(
    "--execute-code",
    is_flag=True,
    help="Let programs in the answers be executed, in the sandbox, to score them.",
)
@click.option("--cache", metavar="FILE", help="Replies of judges kept between runs; failures never are.")
@click.option(
    "--max-cost", type=click.FloatRange(min=0), help="Let the judge cost this much at most (needs prices)."
)
@click.option("--concurrency", type=click.IntRange(min=1), help="Questions to the judge in flight.")
@click.option(
    "--allow-self-judge", is_flag=True, help="Let a judge judge its own model or family, though unprobed."
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing while the judge is asked.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@reading_options
@click.option(
    "-o", "output", metavar="FILE", help="Write both outcomes as a long table: .parquet, .csv or .jsonl."
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole finding as JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Everything: every answer that counts otherwise.")
def command(source: str, *, as_json: bool, verbose: bool, quiet: bool, **choices: Any) -> None:
    """Score stored answers by another rule, or by a judge; no system is asked, and both outcomes are kept.

    \b
      aliquot rescore runs/two-prompts --scorer exact
      aliquot rescore logs/run.eval --scorer words -o both.parquet
      aliquot rescore runs/two-prompts --judge correctness --model '{base_url: https://host/v1, model: name}'
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.runner.progress import Silent
    from aliquot.verbs.rescore import rescore

    found = rescore(
        source,
        options=take_reading(choices),
        observer=Silent() if quiet else ProgressLine(),
        threads=threads_from_environment(os.environ),
        **choices,
    )
    print_finding(found, Shown("json" if as_json else "text", verbose, None))
