"""``aliquot noise``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import Shown, output_forms, reading_options, take_reading


@click.command("noise")
@click.argument("paths", nargs=-1, required=True, metavar="A1 [A2]")
@click.option("--system", help="The system, when the logs hold several.")
@click.option("--task", help="The task, when there are several.")
@click.option("--metric", help="The metric; default: the log's own headline.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--forget", is_flag=True, help="Do not remember it in .aliquot/noise.json.")
@reading_options
@output_forms
def command(paths: tuple[str, ...], *, shown: Shown, forget: bool, **choices: Any) -> None:
    """The same system twice: which items flip, and how much the suite moves by itself.

    It is remembered in .aliquot/noise.json, and compare shows it beside later differences.

    \b
      aliquot noise main-1.json main-2.json
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.files.noise_memory import NOISE_FILE
    from aliquot.stats.results import Estimate
    from aliquot.verbs.noise import noise

    memory = {"memory": None} if forget else {}
    found = noise(*paths, options=take_reading(choices), **memory, **choices)
    print_finding(found, shown)
    remembered = not any(note.code in {"not_remembered", "drift"} for note in found.warnings)
    if shown.form == "text" and not forget and remembered and isinstance(found.wobble, Estimate):
        click.echo(f"\nRemembered in {NOISE_FILE}; compare shows it beside later differences.")
