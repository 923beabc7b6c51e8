"""Baselines by name: evidence of one system, blessed on purpose, kept as a small file and read back as evidence."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import polars as pl

from aliquot.errors import InputError, NothingToJudgeError
from aliquot.evidence.assembly import select
from aliquot.evidence.long_table import to_polars
from aliquot.evidence.tables import SETTINGS, Evidence, Source
from aliquot.files.baseline_file import Baseline, parse_baseline
from aliquot.findings.gate import BaselineFacts
from aliquot.gates.answers import answer_digests
from aliquot.readers.frame import from_frame

ANSWER: Final = "answer.sha256"
"""Column of a baseline's rows that holds the hash of the answer."""

FORMAT: Final = "aliquot baseline"


@dataclass(frozen=True, slots=True)
class Blessed:
    """A baseline as evidence.

    Attributes:
        head: the first line of its file.
        evidence: its rows.
        digests: hashes of its answers.
    """

    head: Baseline
    evidence: Evidence
    digests: dict[tuple[str, int], str]


def rows_to_bless(
    evidence: Evidence,
    system: str,
    *,
    task: str,
    name: str,
    now: datetime,
    commit: str,
    sources: tuple[str, ...],
) -> tuple[Baseline, list[dict[str, object]]]:
    """Return what is written of a system that becomes the baseline: its outcomes and hashes, no text.

    Args:
        evidence: the tables.
        system: the system.
        task: the task.
        name: of the baseline.
        now: the time.
        commit: of the repository; may be empty.
        sources: what the evidence was read from.

    Raises:
        NothingToJudgeError: no row of it has a value.
    """
    own = select(evidence, systems=[system], tasks=[task])
    if own.outcomes["value"].null_count() == own.outcomes.height:
        raise NothingToJudgeError(f"no row of {system} has a value; there is nothing to bless")
    table = to_polars(own).sort("item", "attempt", "metric", "scorer")
    digests = answer_digests(own, system, task=task)
    if digests:
        keys = table.select("item", "attempt").iter_rows()
        table = table.with_columns(
            pl.Series(ANSWER, [digests.get((item, attempt)) for item, attempt in keys])
        )
    settings = own.settings.filter(pl.col("system") == system).drop_nulls("value")
    head = Baseline(
        name=name,
        blessed=now.isoformat(timespec="seconds"),
        commit=commit,
        system=system,
        task=task,
        sources=sources,
        attempts=int(own.responses["attempt"].n_unique()),
        rows=table.height,
        settings=dict(settings.select("name", "value").iter_rows()),
    )
    return head, table.drop("system", "task").to_dicts()


def read_blessed(data: bytes, *, file: str) -> Blessed:
    """Return the baseline that a file's bytes hold.

    Raises:
        InputError: it is none, or damaged.
    """
    head, rows = parse_baseline(data, file=file)
    if not rows:
        raise InputError("holds no row", file=file, remedy="Bless it anew")
    table = pl.DataFrame(rows, infer_schema_length=None)
    digests: dict[tuple[str, int], str] = {}
    if ANSWER in table.columns:
        known = table.drop_nulls(ANSWER).select("item", "attempt", ANSWER).iter_rows()
        digests = {(str(item), int(attempt)): digest for item, attempt, digest in known}
        table = table.drop(ANSWER)
    table = table.with_columns(pl.lit(head.system).alias("system"), pl.lit(head.task).alias("task"))
    settings = pl.DataFrame(
        [(head.system, name, value) for name, value in head.settings.items()],
        schema=dict(SETTINGS),
        orient="row",
    )
    evidence = from_frame(table).revise(settings=settings, sources=(Source(path=file, format=FORMAT),))
    return Blessed(head, evidence, digests)


def facts_of(head: Baseline, *, now: datetime) -> BaselineFacts:
    """Return what is said of a baseline."""
    try:
        blessed = datetime.fromisoformat(head.blessed)
        age = (now - blessed).total_seconds() / 86400
    except (ValueError, TypeError):  # TypeError: a time without its zone
        age = None
    return BaselineFacts(
        name=head.name, blessed=head.blessed, commit=head.commit, age_days=age, attempts=head.attempts
    )
