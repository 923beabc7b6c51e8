"""A judge that compares the stored answers of two systems, and the same comparison asked in the other order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from aliquot.analysis.rescoring import compare_rules
from aliquot.errors import InputError, UsageError
from aliquot.evidence.contents import headline_metric, systems
from aliquot.evidence.tables import Evidence, Note
from aliquot.files.records import Response
from aliquot.findings.rescoring import RescoredSystem
from aliquot.item_sets.items import Item
from aliquot.runner.judge_specs import JudgeSpec
from aliquot.runner.judging import Judging
from aliquot.runner.judging_stored import Asked
from aliquot.runner.pairing_judged import Paired, with_paired
from aliquot.runner.scoring import Whole
from aliquot.scorers.judges import Judge
from aliquot.stats.inputs import DEFAULT_SEED


@dataclass(frozen=True, slots=True)
class Compared:
    """Systems that were compared by a judge.

    Attributes:
        evidence: the tables with votes and preferences.
        pairings: who was compared with whom.
        asked: what is on record of judges.
        systems: each candidate's preference.
        warnings: what must be said beside it.
    """

    evidence: Evidence
    pairings: tuple[Paired, ...]
    asked: Asked
    systems: tuple[RescoredSystem, ...]
    warnings: tuple[Note, ...]


def compares(spec: JudgeSpec) -> bool:
    """Tell whether a judge compares two answers."""
    return isinstance(spec.judge, Judge) and spec.judge.pairwise


def in_both_orders(spec: JudgeSpec | None) -> JudgeSpec:
    """Return a judge that asks a pair in both orders, where its file draws one of them.

    Raises:
        UsageError: it does not compare.
    """
    judge = None if spec is None else spec.judge
    if spec is None or not isinstance(judge, Judge) or not judge.pairwise:
        raise UsageError("--swapped asks a comparison in its other order: name a judge with pairwise: true")
    if judge.order != "random":
        return spec
    return JudgeSpec(judge=msgspec.structs.replace(judge, order="agree"), models=spec.models)


def pairings_of(
    spec: JudgeSpec, evidence: Evidence, tasks: Iterable[str], *, voted: bool
) -> tuple[Paired, ...]:
    """Return the first system against each other one, on each task; or the pairs that a log votes on.

    Args:
        spec: the judge.
        evidence: the tables.
        tasks: the tasks.
        voted: whether pairs are those of its votes, where it has any.

    Raises:
        InputError: there is one system only, which has nothing to be compared with.
    """
    if voted and not evidence.votes.is_empty():
        named = evidence.votes.select("task", "system_a", "system_b").unique(maintain_order=True)
        found = {(task, frozenset((a, b))): (task, a, b) for task, a, b in reversed(named.rows()) if a != b}
        return tuple(
            Paired(task=task, baseline=baseline, candidate=candidate, judge=spec.kept)
            for task, baseline, candidate in reversed(found.values())
            if task in set(tasks)
        )
    baseline, *others = systems(evidence)
    if not others:
        raise InputError(
            f"holds the answers of {baseline!r} alone",
            remedy="A judge that compares needs those of two systems",
        )
    return tuple(
        Paired(task=task, baseline=baseline, candidate=other, judge=spec.kept)
        for task in tasks
        for other in others
    )


def compared(
    evidence: Evidence,
    pairings: Sequence[Paired],
    responses: Sequence[Response],
    items: Mapping[str, Mapping[str, Item]],
    asked: Asked,
    *,
    whole: Whole,
    level: float,
) -> Compared:
    """Return the evidence with all comparisons, and what they come to; ``whole`` reads an answer whole."""
    judged, after = Judging(asked.records), evidence
    for paired in pairings:
        after = with_paired(after, paired, responses, items[paired.task], judged=judged, whole=whole)
    found = tuple(
        compare_rules(
            after,
            one.candidate,
            task=one.task,
            before=None if evidence.outcomes.is_empty() else headline_metric(evidence, one.task),
            after=one.metric,
            level=level,
            seed=DEFAULT_SEED,
        )
        for one in pairings
    )
    return Compared(after, tuple(pairings), asked, found, tuple(_turned(after, pairings)))


def _turned(evidence: Evidence, pairings: Iterable[Paired]) -> Iterable[Note]:
    """Yield how many pairs had another winner in the other order."""
    for one in pairings:
        votes = evidence.rows("outcomes", task=one.task, metric=one.metric)
        turned = votes.filter(votes["label"].str.starts_with("flip").fill_null(value=False)).height
        if turned:
            text = (
                f"{turned} of {votes.height} pairs of {one.candidate} and {one.baseline} turn with the order"
            )
            yield Note("order_flips", f"{text}: their verdicts count as missing under order: agree.")
