"""``aliquot rescore``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import Shown, reading_options, take_reading


@click.command("rescore")
@click.argument("source", metavar="RUN|LOG")
@click.option(
    "--scorer",
    metavar="RULE",
    help="The rule, with its settings in brackets: words, choice_by_bytes, 'number_near(relative=0.01)' ...",
)
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
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@reading_options
@click.option(
    "-o", "output", metavar="FILE", help="Write both outcomes as a long table: .parquet, .csv or .jsonl."
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole finding as JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Everything: every answer that counts otherwise.")
def command(source: str, *, as_json: bool, verbose: bool, **choices: Any) -> None:
    """Score stored answers by another rule; nothing is asked, and both outcomes are kept.

    \b
      aliquot rescore runs/two-prompts --scorer exact
      aliquot rescore logs/run.eval --scorer words -o both.parquet
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.verbs.rescore import rescore

    found = rescore(source, options=take_reading(choices), **choices)
    print_finding(found, Shown("json" if as_json else "text", verbose, None))
