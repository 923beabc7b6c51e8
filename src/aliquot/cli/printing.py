"""How every command prints a finding, and the code it exits with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from aliquot.cli.options import Shown
    from aliquot.findings.finding import Finding

NOTHING_TO_JUDGE = 5
"""Exit code when no valid row is left."""


def print_finding(finding: Finding, shown: Shown) -> None:
    """Print a finding, and write it to a file when one was named; exit with 5 when there was nothing to judge."""
    from aliquot.reports.render import render

    if shown.output is not None:
        from aliquot.verbs.report import write_report

        write_report(finding, shown.output)
    click.echo(render(finding, form=shown.form, verbose=shown.verbose), nl=False)
    if finding.verdict.word == "nothing_to_judge":
        raise click.exceptions.Exit(NOTHING_TO_JUDGE)
