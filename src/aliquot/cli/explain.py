"""``aliquot explain``."""

from __future__ import annotations

import click

from aliquot.cli.options import Shown, output_forms


@click.command("explain")
@click.argument("subject", metavar="METHOD | FINDING.json")
@output_forms
def command(subject: str, *, shown: Shown) -> None:
    """A method in plain words with its source; of a saved comparison, a methods paragraph and its limits to paste.

    \b
      aliquot explain mcnemar_midp
      aliquot compare a.csv b.csv --json > finding.json; aliquot explain finding.json
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.verbs.explain import explain

    print_finding(explain(subject), shown)
