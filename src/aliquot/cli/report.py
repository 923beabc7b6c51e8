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
    "--no-text", is_flag=True, help="Leave out what items ask, references, answers, notes, metadata."
)
@click.option(
    "--redact",
    multiple=True,
    metavar="FIELD",
    help="Leave out input, reference, answer, note or metadata; give item, cluster or a segment salted names "
    "(repeatable).",
)
@click.option(
    "--bundle",
    metavar="ZIP",
    help="Also write the rows without texts and names, for others to recompute from.",
)
@click.option("-n", "--items", type=click.IntRange(min=0), default=20_000, help="Most items in the page.")
@click.option(
    "-o",
    "--output",
    default="report.html",
    show_default=True,
    help="File: .html, .md, .json, .txt, .csv, .tex or .xml (JUnit).",
)
def command(paths: tuple[str, ...], *, output: str, **choices: Any) -> None:
    """Write one self-contained page of a comparison or of one system, with every item to read.

    The file's ending chooses another form.

    \b
      aliquot report main.csv pr.csv -o report.html
      aliquot report main.csv pr.csv --no-text --bundle supplement.zip
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.reports.plain import neutralise
    from aliquot.verbs.report import report

    path, found = report(*paths, output=output, options=take_reading(choices), **choices)
    click.echo(neutralise(found.verdict.text, limit=400))
    click.echo(f"{path} ({path.stat().st_size / 1000:.0f} kB)")
    if choices["bundle"] is not None:
        click.echo(
            f"{choices['bundle']}; its names are salted by the key in the .salt file beside it, which is yours alone"
        )
    if found.verdict.word == "nothing_to_judge":
        raise click.exceptions.Exit(5)
