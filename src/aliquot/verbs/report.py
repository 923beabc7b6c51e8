"""``report``: a comparison written to a file people open, believe and forward."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from aliquot.errors import MachineError, UsageError, nearest
from aliquot.evidence.tables import Evidence
from aliquot.findings.comparison import Comparison
from aliquot.reports.render import render
from aliquot.verbs.compare import compare

FORMS = {".html": "html", ".md": "markdown", ".json": "json", ".txt": "text"}
"""The form of a report by the ending of its file."""


def report(*sources: str | Path | Evidence, output: str | Path = "report.html", **choices: Any) -> tuple[Path, Comparison]:
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
    path = Path(output)
    form = FORMS.get(path.suffix.lower())
    if form is None:
        raise UsageError(f"cannot tell the form of {path.name!r} by its ending. {nearest(path.suffix, FORMS)}")
    found = compare(*sources, **choices)
    write_text(path, render(found, form=form, verbose=True))
    return path, found


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise MachineError(f"{path}: cannot be written ({error.strerror}). Free space or choose another --output") from error
