"""What a finished run has to say of its answers: the guards of every comparison, and the majority baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import polars as pl

from aliquot.analysis.guards import find_guards
from aliquot.analysis.majority import find_majority
from aliquot.analysis.scales import scale_of
from aliquot.errors import excerpt
from aliquot.evidence.contents import metrics
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.findings.majority import write_majority
from aliquot.findings.numbers import write_count

_MOST_NAMED: Final = 200
"""Letters of the metrics that a sentence names."""


def closing_words(
    evidence: Evidence, *, task: str, metric: str, further: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return what must be known before a rate of this run is read, as sentences; often there is nothing.

    Args:
        evidence: the tables of the run.
        task: its task.
        metric: the metric of its headline.
        further: the metrics of the further ways to score it.
    """
    scale = scale_of(evidence, metric)
    names: list[str] = evidence.responses["system"].unique(maintain_order=True).to_list()
    sides = [units(evidence, name, task=task, metric=metric) for name in names]
    majority = next(filter(None, (find_majority(evidence, side, scale) for side in sides)), None)
    said = [write_majority(majority)] if majority is not None and majority.telling else []
    said += _without_logprobs(evidence)
    said += _not_read(evidence, names, task=task, further=further)
    return (*said, *(f"{note.text}." for note in find_guards(evidence, sides, scale, texts=True)))


def _not_read(
    evidence: Evidence, systems: Sequence[str], *, task: str, further: Sequence[str]
) -> Iterator[str]:
    """Yield which systems are left out of a further way to score, as no answer holds what it reads."""
    for system in systems:
        own = metrics(evidence, task, system=system)
        if lacking := [name for name in further if name not in own]:
            yield (
                f"{system!r} is not scored by {excerpt(', '.join(lacking), limit=_MOST_NAMED)}: none of its answers "
                "holds what is read there."
            )


def _without_logprobs(evidence: Evidence) -> Iterator[str]:
    """Yield which systems were asked for log-probabilities of their answers and did not tell them all."""
    asked = evidence.settings.filter(pl.col("name") == "decoding.logprobs")["system"]
    for system in asked:
        written = evidence.responses.filter(
            pl.col("system") == system, pl.col("status").is_in(["ok", "unparsed", "refused"])
        )
        if without := written["log_probability"].null_count():
            yield (
                f"Log-probabilities were asked of {system!r}, and {write_count(without, 'answer')} of "
                f"{written.height} came without: its server does not tell them, or tells tokens that do not make up "
                "the answer."
            )
