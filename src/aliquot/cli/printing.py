"""How every command prints a finding, and the code it exits with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from aliquot.findings.finding import Finding

NOTHING_TO_JUDGE = 5
"""Exit code when no valid row is left."""


def print_finding(finding: Finding, *, form: str, verbose: bool) -> None:
    """Print a finding; exit with 5 when there was nothing to judge."""
    from aliquot.reports.render import render

    click.echo(render(finding, form=form, verbose=verbose), nl=False)
    if finding.verdict.word == "nothing_to_judge":
        raise click.exceptions.Exit(NOTHING_TO_JUDGE)
