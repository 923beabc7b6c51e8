"""The error that one merge gets of the year's: an equal part, or what the merges before it left and earned."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from aliquot.evidence.tables import Evidence
from aliquot.files.gate_history import Judged
from aliquot.findings.gate import Condition
from aliquot.gates.policy import Policy
from aliquot.stats.online_tests import addis, lord
from aliquot.stats.results import Estimate


@dataclass(frozen=True, slots=True)
class Share:
    """The error of one merge.

    Attributes:
        alpha: level of its tests together.
        place: which merge of the history it is, from 1.
        known: whether just this was judged before, so that it is no new merge.
    """

    alpha: float
    place: int
    known: bool


def share_of_merge(policy: Policy, history: Sequence[Judged], digest: str) -> Share:
    """Return the error of the merge that is judged now.

    What was judged before, byte for byte, is that merge again: it gets the error it had, and the year none for it.

    Args:
        policy: with its merges.
        history: the merges before, the oldest first.
        digest: of what is judged.
    """
    before = next((place for place, one in enumerate(history) if one.digest == digest), len(history))
    ps = [one.p for one in history[:before]]
    share = policy.merges.share if policy.merges is not None else "equal"
    if share == "equal":
        alpha = policy.alpha
    else:
        alpha = (lord if share == "lord" else addis)(ps, level=policy.level).next_alpha
    return Share(min(alpha, 1 - policy.level), before + 1, known=before < len(history))


def p_of_merge(conditions: Sequence[Condition]) -> float:
    """Return the smallest p by Holm of the blocking conditions that are on the side of a loss; 1 where none is."""
    return min((one.p_holm for one in conditions if one.p_holm is not None and _loses(one)), default=1.0)


def _loses(one: Condition) -> bool:
    found = one.estimate
    if not isinstance(found, Estimate):
        return False
    if one.asked is not None:
        return found.point < one.asked
    return found.point > 0 if one.scale.better == "lower" else found.point < 0


def digest_of(
    evidence: Evidence, candidate: str, *, task: str, policy: Policy, answers: dict[tuple[str, int], str]
) -> str:
    """Return what tells one merge from another: the candidate's answers or values, and what it was held to.

    Args:
        evidence: the tables.
        candidate: the system.
        task: the task.
        policy: what it is held to.
        answers: hashes of its answers, where they are known.
    """
    rows = evidence.rows("outcomes", system=candidate, task=task).sort(
        "item", "attempt", "metric", "scorer", "repeat"
    )
    told = rows.select("item", "attempt", "metric", "value", "status").write_csv()
    asked = [(rule.metric, str(rule.no_worse_than), rule.at_least, rule.effect) for rule in policy.metrics]
    costs = [(name, str(rule.no_worse_than), rule.effect) for name, rule in policy.costs.items()]
    said = [told, sorted((item, k, digest) for (item, k), digest in answers.items()), asked, costs]
    return hashlib.sha256(json.dumps(said, ensure_ascii=True).encode()).hexdigest()[:24]
