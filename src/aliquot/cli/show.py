"""``aliquot show``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import pairing_options, reading_options, take_reading


@click.command("show")
@click.argument("paths", nargs=-1, required=True, metavar="A [B]")
@click.option(
    "--broke", "changes", flag_value="broke", help="Items the candidate gets wrong and the baseline not."
)
@click.option(
    "--fixed", "changes", flag_value="fixed", help="Items the candidate gets right and the baseline not."
)
@click.option("--still-failing", "changes", flag_value="still_failing", help="Items both get wrong.")
@click.option("--differ", "changes", flag_value="differ", help="Every item on which they differ.")
@click.option("--status", help="Items on which a system has this status (refused, truncated, error ...).")
@click.option("--item", "items", multiple=True, help="This item (repeatable).")
@click.option(
    "-n", "limit", type=click.IntRange(min=1), default=10, show_default=True, help="Most rows shown."
)
@pairing_options
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def command(paths: tuple[str, ...], *, changes: str | None, as_json: bool, **options: Any) -> None:
    """Show the rows behind a comparison: what broke, what was fixed, both answers side by side.

    \b
      aliquot show main.csv pr.csv --broke
      aliquot show runs/two-prompts --item refund-014
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    import json

    from aliquot.reports.rows import render_rows, rows_document
    from aliquot.verbs.show import show

    reading = take_reading(options)
    if changes is not None:
        options["changes"] = ("broke", "fixed", "differ") if changes == "differ" else (changes,)
    elif options["status"] is not None:
        options["changes"] = ("broke", "fixed", "still_failing", "differ", "same")
    found = show(*paths, options=reading, **options)
    click.echo(json.dumps(rows_document(found), indent=2) + "\n" if as_json else render_rows(found), nl=False)
