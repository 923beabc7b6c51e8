"""``aliquot verify``."""

from __future__ import annotations

import os
from typing import Any

import click

from aliquot.cli.options import Shown, output_forms, reading_options, take_reading


@click.command("verify")
@click.argument("inputs", nargs=-1, metavar="[PATH... | FIGURE...]")
@click.option("--n", type=click.IntRange(min=1), help="Number of items the figures are out of.")
@click.option(
    "--claims", metavar="FILE", help="Published figures: system, value, task, metric, n, stderr, statistic."
)
@reading_options
@output_forms
def command(
    inputs: tuple[str, ...], *, n: int | None, claims: str | None, shown: Shown, **options: Any
) -> None:
    """Printed numbers against their rows, or against arithmetic alone.

    \b
      aliquot verify logs/run.json
      aliquot verify --n 124 22.4 27.2 52.0
      aliquot verify logs/ --claims table.csv
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.verbs.verify import verify

    paths = [one for one in inputs if n is None or os.path.exists(one)]  # noqa: PTH110 - no pathlib at start-up
    figures = [one for one in inputs if one not in paths]
    bare = [one for one in paths if not os.path.exists(one) and one.rstrip("%").replace(".", "", 1).isdigit()]  # noqa: PTH110 - as above
    if bare:
        from aliquot.errors import UsageError

        raise UsageError(f"figures need the number of items they are out of: --n ITEMS {' '.join(bare)}")
    found = verify(*paths, figures=figures, n=n, claims=claims, options=take_reading(options))
    print_finding(found, shown)
