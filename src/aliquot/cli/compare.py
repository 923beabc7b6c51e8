"""``aliquot compare``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import comparison_options, reading_options, take_reading


@click.command("compare")
@click.argument("paths", nargs=-1, metavar="A [B]")
@comparison_options
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print the whole finding as JSON.")
@click.option("--markdown", is_flag=True, help="Print Markdown for a pull request.")
@click.option("-v", "--verbose", is_flag=True, help="All tests, the checklist, every warning.")
def command(paths: tuple[str, ...], *, as_json: bool, markdown: bool, verbose: bool, **choices: Any) -> None:
    """Compare two systems on the items they share; A is the baseline, B the candidate.

    A and B are runs, logs or tables; one path is enough when it holds two systems.

    \b
      aliquot compare main.csv pr.csv --margin 2pt
      aliquot compare runs/two-prompts -v
      aliquot compare pr.csv --against 0.82/500
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.errors import UsageError
    from aliquot.reports.render import render
    from aliquot.verbs.compare import compare

    if as_json and markdown:
        raise UsageError("--json and --markdown exclude each other")
    form = "json" if as_json else "markdown" if markdown else "text"
    found = compare(*paths, options=take_reading(choices), **choices)
    click.echo(render(found, form=form, verbose=verbose), nl=False)
    if found.verdict.word == "nothing_to_judge":
        raise click.exceptions.Exit(5)
