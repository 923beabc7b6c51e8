"""``aliquot read``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import reading_options, take_reading


@click.command("read")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@reading_options
@click.option("--cluster", help="Column that names an item's cluster.")
@click.option("--metric", help="Column of the metrics' names, or the metric's own name.")
@click.option("--json", "as_json", is_flag=True, help="Print the description as JSON.")
def command(
    paths: tuple[str, ...], *, cluster: str | None, metric: str | None, as_json: bool, **options: Any
) -> None:
    """Say what is in a log, a table or a run, and what would be lost.

    \b
      aliquot read main.csv
      aliquot read results.csv --item-column question_id --value-column graded
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    import json
    from dataclasses import replace

    from aliquot.reports.description import description_document, render_description
    from aliquot.verbs.read import description_of, read

    reading = replace(take_reading(options), cluster=cluster, metric=metric)
    found = description_of(read(*paths, options=reading))
    click.echo(
        json.dumps(description_document(found), indent=2) if as_json else render_description(found),
        nl=as_json,
    )
