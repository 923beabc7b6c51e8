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

import polars as pl

from aliquot.errors import UsageError
from aliquot.evidence.assembly import select
from aliquot.evidence.concealment import NAMES, conceal
from aliquot.evidence.contents import headline_metric
from aliquot.evidence.long_table import to_polars
from aliquot.evidence.reduction import EACH_ITEM
from aliquot.evidence.tables import Evidence
from aliquot.files.table_writing import csv_bytes
from aliquot.files.writing import write_whole
from aliquot.findings.comparison import Comparison
from aliquot.findings.summary import Summary
from aliquot.reports.render import render
from aliquot.verbs.clustering import cluster_field
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

_LABEL: Final = "outcome.label"
"""The column of a scorer's own word for an outcome, where a reader keeps an error or an answer that is no number."""


def new_salt() -> bytes:
    """Return a key of names."""
    return secrets.token_bytes(32)


def concealed(subject: Pairing | Evidence, names: Collection[str], *, salt: bytes) -> Pairing | Evidence:
    """Return a subject whose items, clusters or segments go by salted names.

    Args:
        subject: the evidence of one system, or of a pair.
        names: of ``evidence.concealment.concealable``.
        salt: the key.
    """
    if isinstance(subject, Pairing):
        return replace(subject, evidence=conceal(subject.evidence, names, salt=salt))
    return conceal(subject, names, salt=salt)


def write_bundle(
    path: Path,
    subject: Pairing | Evidence,
    choices: Mapping[str, Any],
    *,
    names: Collection[str] = (),
    salt: bytes,
) -> Path:
    """Write a bundle: the outcomes with salted names, the finding made from them, and how to make it again.

    The key of the names is written beside the bundle (``NAME.salt``) for its owner alone.

    Args:
        path: the archive to write; ends in ``.zip``.
        subject: what the finding is about, with its own names: those of names that were salted before could not be
            found again.
        choices: how it was made.
        names: segments that go by salted names, beside items and clusters.
        salt: the key of the names.

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
    subject, choices, fields = _clustered(subject, choices)
    hidden = concealed(subject, dict.fromkeys((*NAMES, *fields, *names)), salt=salt)
    table = to_polars(_of_subject(hidden, choices))
    rows = csv_bytes(_without_words(table, hidden), file=ROWS)
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
    write_whole(key, salt.hex().encode() + b"\n", mode=0o600)
    return key


def _clustered(
    subject: Pairing | Evidence, choices: Mapping[str, Any]
) -> tuple[Pairing | Evidence, Mapping[str, Any], tuple[str, ...]]:
    """Return a subject whose items hold the clusters that were chosen, that choice, and the segment they came from.

    A field of a log is no column of the bundle's table, and the clusters' names in a segment would be read there.
    """
    evidence = subject.evidence if isinstance(subject, Pairing) else subject
    field = cluster_field(evidence, choices.get("cluster"))
    if field is None or field == EACH_ITEM:
        return subject, choices, ()
    column = f"segment.{field}"
    chosen = {**choices, "cluster": "cluster"}
    if column not in evidence.items.columns:
        return subject, chosen, ()
    evidence = evidence.revise(items=evidence.items.with_columns(cluster=pl.col(column)))
    return replace(subject, evidence=evidence) if isinstance(subject, Pairing) else evidence, chosen, (field,)


def _without_words(table: pl.DataFrame, subject: Pairing | Evidence) -> pl.DataFrame:
    """Return a long table without what quotes an answer or an error; the label of a class is a value and stays."""
    if _LABEL in table.columns:
        evidence = subject.evidence if isinstance(subject, Pairing) else subject
        classes = evidence.metrics.filter(pl.col("kind") == "category")["metric"].to_list()
        told = table.get_column("outcome.status" if "outcome.status" in table.columns else "status")
        kept = table["metric"].is_in(classes) & (told == "ok")
        table = table.with_columns(pl.when(kept).then(_LABEL).alias(_LABEL))
        if not kept.any():
            table = table.drop(_LABEL)
    return table.select([name for name in table.columns if name not in _HELD_BACK])


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
