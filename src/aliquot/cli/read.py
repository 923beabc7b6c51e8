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
@click.option("-o", "output", metavar="FILE", help="Write it as a long table: .parquet, .csv or .jsonl.")
@click.option("--save-mapping", metavar="FILE", help="Write these reading options for --mapping.")
@click.option("--json", "as_json", is_flag=True, help="Print the description as JSON.")
def command(
    paths: tuple[str, ...],
    *,
    cluster: str | None,
    metric: str | None,
    output: str | None,
    save_mapping: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Say what is in a log, a table or a run, and what would be lost.

    \b
      aliquot read main.csv
      aliquot read results.csv --item-column question_id --value-column graded
      aliquot read logs/ -o out.parquet
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    import json
    from dataclasses import replace

    from aliquot.reports.description import description_document, render_description
    from aliquot.reports.plain import neutralise
    from aliquot.verbs import read as verbs

    saved = take_reading(options)
    reading = replace(saved, cluster=cluster or saved.cluster, metric=metric or saved.metric)
    evidence = verbs.read(*paths, options=reading)
    if save_mapping is not None:
        verbs.save_mapping(reading, save_mapping)
    if output is not None:
        written = verbs.convert(evidence, output)
        left = f"; not in it: {', '.join(written.left_out)}" if written.left_out else ""
        click.echo(f"{written.rows} rows written to {neutralise(written.path)}{left}", err=as_json)
    found = verbs.description_of(evidence)
    click.echo(
        json.dumps(description_document(found), indent=2) if as_json else render_description(found),
        nl=as_json,
    )
