"""``aliquot report``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import comparison_options, reading_options, take_reading


@click.command("report")
@click.argument("paths", nargs=-1, metavar="A [B]")
@comparison_options
@reading_options
@click.option(
    "-o", "--output", default="report.html", show_default=True, help="File: .html, .md, .json or .txt."
)
def command(paths: tuple[str, ...], *, output: str, **choices: Any) -> None:
    """Write one self-contained page of a comparison (or Markdown, JSON, text by the file's ending).

    \b
      aliquot report main.csv pr.csv -o report.html
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.reports.plain import neutralise
    from aliquot.verbs.report import report

    path, found = report(*paths, output=output, options=take_reading(choices), **choices)
    click.echo(neutralise(found.verdict.text, limit=400))
    click.echo(f"{path} ({path.stat().st_size / 1000:.0f} kB)")
    if found.verdict.word == "nothing_to_judge":
        raise click.exceptions.Exit(5)
