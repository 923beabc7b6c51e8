"""``aliquot runs``."""

from __future__ import annotations

import click


@click.command("runs")
@click.argument("directory", default="runs", metavar="[DIRECTORY]")
@click.option("--json", "as_json", is_flag=True, help="Print the runs as JSON.")
def command(directory: str, *, as_json: bool) -> None:
    """What runs there are: how far each came, when, and the commands that compare them.

    \b
      aliquot runs
      aliquot runs nightly/ --json
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    import json

    from aliquot.reports.runs import render_runs, runs_document
    from aliquot.verbs.runs import runs

    found = runs(directory)
    parts = (found.directory, found.runs, found.commands)
    click.echo(
        json.dumps(runs_document(*parts), indent=2) + "\n" if as_json else render_runs(*parts), nl=False
    )
