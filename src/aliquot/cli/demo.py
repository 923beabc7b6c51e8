"""``aliquot demo``."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import click

from aliquot.cli.options import threads_from_environment
from aliquot.cli.progress import ProgressLine


@click.command("demo")
@click.option(
    "--live", is_flag=True, help="Ask the embedded model (fetched once, 93 MB) instead of bundled logs."
)
@click.option(
    "--items", type=click.IntRange(min=1), help="With --live: ask this many items, a stratified part."
)
@click.option(
    "--break",
    "broken",
    type=click.Choice(["thinking-budget"]),
    help="Show instead how a run that is broken this way is caught; needs no model.",
)
@click.option("--directory", default=".", help="Where the report goes, and with --live the run.")
def command(*, live: bool, items: int | None, broken: str | None, directory: str) -> None:
    """Compare two prompts of one small model: from bundled logs in seconds, or asked live.

    \b
      aliquot demo
      aliquot demo --live
      aliquot demo --break thinking-budget
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.errors import UsageError
    from aliquot.reports.render import render
    from aliquot.verbs.demo import demo

    if items is not None and not live:
        raise UsageError("--items goes with --live; the bundled logs are compared whole")
    asking: dict[str, Any] = {
        "live": live,
        "directory": directory,
        "items": items,
        "observer": ProgressLine(),
        "threads": threads_from_environment(os.environ),
        "say": partial(click.echo, err=True),
    }
    if broken is not None:
        from aliquot.reports.broken_demo import render_broken

        click.echo(render_broken(demo(broken=broken, **asking)))
        return
    found = demo(**asking)
    click.echo(render(found.comparison), nl=False)
    click.echo(f"\nReport: {found.report}")
