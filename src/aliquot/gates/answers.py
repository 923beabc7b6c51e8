"""Answers that are byte for byte those judged before: what a judge says of them again is no news of the system."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import polars as pl

from aliquot.evidence.tables import Evidence

Digests: TypeAlias = Mapping[tuple[str, int], str]
"""(item, attempt) → hash of the answer."""

MOST_ANSWERS: Final = 20_000
"""Answers of one system that are read for this."""

_KEY: Final = ("item", "attempt")


def answer_digests(evidence: Evidence, system: str, *, task: str) -> dict[tuple[str, int], str]:
    """Return the hash of each answer of a system whose text is known; empty without texts, and for too many.

    Args:
        evidence: with its texts.
        system: whose answers.
        task: on which task.
    """
    if evidence.texts is None or evidence.is_lazy:
        return {}
    rows = evidence.rows("responses", system=system, task=task)
    if rows.height > MOST_ANSWERS:
        return {}
    found: dict[tuple[str, int], str] = {}
    for item, attempt in rows.select(*_KEY).iter_rows():
        text = evidence.texts.response(system, task, item, attempt)
        if text is not None:
            found[item, attempt] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return found


@dataclass(frozen=True, slots=True)
class SameAnswers:
    """How many of the candidate's answers are byte for byte the baseline's.

    Attributes:
        same: as many.
        of: answers whose text is known.
        kept: of the same ones, those a judge or a person had spoken of, whose word stays.
    """

    same: int
    of: int
    kept: int

    @property
    def all(self) -> bool:
        """Whether nothing the candidate said is new."""
        return 0 < self.same == self.of


def judged_once(
    evidence: Evidence, baseline: str, candidate: str, *, task: str, before: Digests, after: Digests
) -> tuple[Evidence, SameAnswers | None]:
    """Return the evidence with what was said of the baseline's answers on answers of the candidate that are the same.

    A rule scores the same answer the same way; a judge or a person may not, and that would be their noise and not the
    candidate's doing. The candidate's attempt takes over what they said of the first such attempt of the baseline at
    the item, so that it adds no row of its own.

    Args:
        evidence: of both.
        baseline: system A.
        candidate: system B.
        task: the task.
        before: hashes of the baseline's answers.
        after: those of the candidate's.

    Returns:
        The evidence, and how many answers are the same; None when none is known.
    """
    if not before or not after:
        return evidence, None
    first: dict[tuple[str, str], int] = {}
    for (item, attempt), digest in sorted(before.items()):
        first.setdefault((item, digest), attempt)
    same = [
        (item, attempt, first[item, digest])
        for (item, attempt), digest in after.items()
        if (item, digest) in first
    ]
    frame = pl.DataFrame(same, schema={"item": pl.String, "own": pl.Int64, "attempt": pl.Int64}, orient="row")
    outcomes, here = evidence.outcomes, pl.col("task") == task
    mine = here & (pl.col("system") == candidate)
    theirs = outcomes.filter(here & (pl.col("system") == baseline) & (pl.col("by") != "rule"))
    taken = frame.join(theirs, on=_KEY, how="inner")
    kept = taken.select("item", "own").n_unique() if taken.height else 0
    if not kept:
        return evidence, SameAnswers(len(same), len(after), 0)
    taken = taken.with_columns(pl.lit(candidate).alias("system"), pl.col("own").alias("attempt"))
    taken = taken.select(outcomes.columns)
    told = taken.select(*_KEY, "metric").unique()
    own = outcomes.filter(mine).join(told, on=[*_KEY, "metric"], how="anti", maintain_order="left")
    revised = evidence.revise(outcomes=pl.concat([outcomes.filter(~mine), own, taken]))
    return revised, SameAnswers(len(same), len(after), kept)
