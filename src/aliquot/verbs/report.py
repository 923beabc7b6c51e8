"""``report``: a comparison written to a file people open, believe and forward."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aliquot.errors import UsageError, nearest
from aliquot.evidence.tables import Evidence
from aliquot.files.writing import write_whole
from aliquot.findings.comparison import Comparison
from aliquot.findings.finding import Finding
from aliquot.reports.render import render
from aliquot.verbs.compare import compare

FORMS = {".html": "html", ".md": "markdown", ".json": "json", ".txt": "text"}
"""The form of a report by the ending of its file."""


def report(
    *sources: str | Path | Evidence, output: str | Path = "report.html", **choices: Any
) -> tuple[Path, Comparison]:
    """Compare two systems and write the finding to ``output``.

    Args:
        *sources: as in ``compare``.
        output: file to write; its ending chooses the form (.html, .md, .json, .txt).
        **choices: as in ``compare``.

    Returns:
        The path written, and the finding.

    Raises:
        UsageError: an unknown ending.
        MachineError: the file cannot be written.
    """
    form_of(output)
    found = compare(*sources, **choices)
    return write_report(found, output), found


def write_report(finding: Finding, output: str | Path) -> Path:
    """Write a finding of any kind to a file whose ending chooses the form, and return its path.

    Raises:
        UsageError: an unknown ending.
        MachineError: the file cannot be written.
    """
    path = Path(output)
    write_whole(path, render(finding, form=form_of(path), verbose=True).encode())
    return path


def form_of(output: str | Path) -> str:
    """Return the form that a file's ending stands for.

    Raises:
        UsageError: an unknown ending.
    """
    path = Path(output)
    form = FORMS.get(path.suffix.lower())
    if form is None:
        raise UsageError(
            f"cannot tell the form of {path.name!r} by its ending. {nearest(path.suffix, FORMS)}"
        )
    return form
