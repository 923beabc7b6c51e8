"""A bundle for those who are to recompute a finding without seeing a question, an answer or a name of an item."""

from __future__ import annotations

import io
import secrets
import tempfile
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from aliquot.errors import UsageError
from aliquot.evidence.assembly import select
from aliquot.evidence.concealment import conceal
from aliquot.evidence.contents import headline_metric
from aliquot.evidence.long_table import to_polars
from aliquot.evidence.tables import Evidence
from aliquot.files.table_writing import csv_bytes
from aliquot.files.writing import write_whole
from aliquot.findings.comparison import Comparison
from aliquot.findings.summary import Summary
from aliquot.reports.render import render
from aliquot.verbs.compare import compare
from aliquot.verbs.pairing import Pairing
from aliquot.verbs.summarize import summarize

ROWS: Final = "outcomes.csv"
FINDING: Final = "finding.json"
TEXT: Final = "finding.txt"

_README: Final = """This archive holds what a published evaluation rests on: the value of every item and attempt.
Items and clusters go by salted names; what they ask and what was answered is not here.

  {rows:14} a row an outcome
  {finding:14} the finding made from these rows, as JSON
  {text:14} the same to read

To make it again (pip install aliquot), in the folder of {rows}:

  {command}

The same version and seed give the same numbers to the last digit.
"""

_KEPT: Final = ("cluster", "margin", "level", "match_on", "seed", "unpaired", "shares")
"""Choices of a comparison that its rows are analysed by."""

_HELD_BACK: Final = ("reason", "started", "item.content")
"""Columns that may quote an error, or tell when or what."""


def concealed(
    subject: Pairing | Evidence, names: Collection[str], *, salt: bytes | None = None
) -> Pairing | Evidence:
    """Return a subject whose items, clusters or segments go by salted names.

    Args:
        subject: the evidence of one system, or of a pair.
        names: of ``evidence.concealment.concealable``.
        salt: the key; a new one by default, which nobody keeps.
    """
    key = salt or secrets.token_bytes(32)
    if isinstance(subject, Pairing):
        return replace(subject, evidence=conceal(subject.evidence, names, salt=key))
    return conceal(subject, names, salt=key)


def write_bundle(path: Path, subject: Pairing | Evidence, choices: Mapping[str, Any]) -> Path:
    """Write a bundle: the outcomes with salted names, the finding made from them, and how to make it again.

    The key of the names is written beside the bundle (``NAME.salt``) for its owner alone.

    Args:
        path: the archive to write; ends in ``.zip``.
        subject: what the finding is about.
        choices: how it was made.

    Returns:
        The file of the key.

    Raises:
        UsageError: another ending, or a printed figure, which has no rows.
        MachineError: a file cannot be written.
    """
    if choices.get("against") is not None or choices.get("counts"):
        raise UsageError("a bundle holds rows, and a printed figure has none")
    if path.suffix.lower() != ".zip":
        raise UsageError(f"a bundle is a zip archive; write to {path.with_suffix('.zip').name}")
    salt = secrets.token_bytes(32)
    hidden = concealed(subject, ("item", "cluster"), salt=salt)
    table = to_polars(_of_subject(hidden, choices))
    rows = csv_bytes(table.select([name for name in table.columns if name not in _HELD_BACK]), file=ROWS)
    found, folder = _recomputed(rows, hidden, choices)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", compression=zipfile.ZIP_DEFLATED) as members:
        members.writestr(ROWS, rows)
        members.writestr(FINDING, render(found, form="json").replace(folder, ""))
        members.writestr(TEXT, render(found, verbose=True).replace(folder, ""))
        members.writestr(
            "README.txt", _README.format(command=found.command, rows=ROWS, finding=FINDING, text=TEXT)
        )
    write_whole(path, archive.getvalue())
    key = path.with_suffix(".salt")
    write_whole(key, salt.hex().encode() + b"\n")
    key.chmod(0o600)
    return key


def _of_subject(subject: Pairing | Evidence, choices: Mapping[str, Any]) -> Evidence:
    """Return the rows the finding rests on: the task compared, and both systems."""
    if isinstance(subject, Pairing):
        return select(subject.evidence, systems=[subject.baseline, subject.candidate], tasks=[subject.task])
    task = choices.get("task")
    return subject if task is None else select(subject, tasks=[task])


def _recomputed(
    rows: bytes, subject: Pairing | Evidence, choices: Mapping[str, Any]
) -> tuple[Comparison | Summary, str]:
    """Return the finding that the rows of the bundle give, by the command its readers type; and where they lay."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ROWS
        path.write_bytes(rows)
        metric = choices.get("metric")
        if isinstance(subject, Pairing):
            kept = {name: choices[name] for name in _KEPT if choices.get(name) is not None}
            found = compare(
                path,
                systems=(subject.baseline, subject.candidate),
                task=subject.task,
                metric=metric or headline_metric(subject.evidence, subject.task),
                noise=None,
                **kept,
            )
        else:
            mine = {name: choices[name] for name in ("cluster", "level") if choices.get(name) is not None}
            found = summarize(path, metric=metric, task=choices.get("task"), **mine)
        return replace(found, command=found.command.replace(str(path), ROWS)), f"{folder}/"
