"""Evidence and a policy become the gate's finding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import polars as pl

from aliquot.analysis.noise_seen import remembered_noise
from aliquot.analysis.software import versions
from aliquot.errors import InputError, MachineError, UsageError
from aliquot.files.gate_history import Judged
from aliquot.findings.comparison import Comparison
from aliquot.findings.gate import EXIT_CODES, BaselineFacts, Condition, CriticalItems, Decision, Gate
from aliquot.findings.gate_words import write_gate
from aliquot.gates.answers import SameAnswers
from aliquot.gates.conditions import hold, read_held
from aliquot.gates.critical import judge_critical
from aliquot.gates.decision import decide
from aliquot.gates.flips import find_flips
from aliquot.gates.held import Held, Sides
from aliquot.gates.lacking import items_lacking
from aliquot.gates.policy import Policy
from aliquot.gates.remarks import find_remarks
from aliquot.gates.settlement import settle
from aliquot.gates.shares import digest_of, p_of_merge, share_of_merge
from aliquot.gates.subsets import with_items
from aliquot.gates.year import year_of

WHY: Final = (
    "passes when every blocking condition has L > -margin (no correction: all must hold); fails when one has L <= "
    "-margin, U < 0 and its test rejects after Holm; else undecided"
)
_CODE: Final = re.compile(r"[A-Za-z0-9_.:-]{1,40}")
"""A reason that is a code and no sentence."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a gate has to know that is in no row.

    Attributes:
        against: what the candidate is held against; None for floors alone.
        same_answers: answers of the candidate that are byte for byte the baseline's; None when unknown.
        noise: file in which the suite's own noise is remembered; None to look up none.
        history: merges before this one; None when none are kept.
        answers: hashes of the candidate's answers, where they are known.
        command: the command line that makes the finding again.
    """

    against: BaselineFacts | None = None
    same_answers: SameAnswers | None = None
    noise: Path | None = None
    history: tuple[Judged, ...] | None = None
    answers: dict[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    command: str = ""


def assess(sides: Sides, policy: Policy, known: Circumstances) -> Gate:
    """Return the decision on a candidate.

    Args:
        sides: who is held against whom, with all items.
        policy: what it is held to.
        known: what is in no row.

    Raises:
        UsageError: a name of the policy that there is not, or different judges that were not allowed.
        InputError: items of the same id whose content differs.
    """
    sides, quarantined = _without_quarantine(sides, policy)
    digest = digest_of(sides.evidence, sides.candidate, task=sides.task, policy=policy, answers=known.answers)
    share = share_of_merge(policy, known.history or (), digest)
    held = hold(sides, policy, alpha=share.alpha)
    read = read_held(held, alpha=share.alpha, names=(sides.baseline, sides.candidate))
    critical, conditions = _with_critical(sides, policy, read)
    decision, refusal = _decision(conditions, held, known.against, policy)
    first = _with_noise(held, sides, known.noise)
    left_open = [
        one for one, told in zip(held, read, strict=True) if told.blocks and told.decision == "undecided"
    ]
    to_settle = settle(sides, left_open) if decision == "undecided" and left_open else None
    verdict = write_gate(
        decision,
        conditions,
        candidate=sides.candidate,
        to_settle=to_settle,
        nothing=_nothing(sides),
        errors=refusal,
    )
    return Gate(
        baseline=sides.baseline,
        candidate=sides.candidate,
        task=sides.task,
        decision=decision,
        exit_code=EXIT_CODES[decision],
        acted="",
        level=policy.level,
        alpha=share.alpha,
        p=p_of_merge(conditions),
        digest=digest,
        place=None if known.history is None else share.place,
        conditions=conditions,
        flips=() if first is None else find_flips(sides.evidence, first, cluster=sides.choices.cluster),
        n_items=conditions[0].n if conditions else 0,
        critical=critical,
        quarantined=quarantined,
        to_settle=to_settle,
        against=known.against,
        policy=policy.source,
        year=year_of(
            held,
            policy,
            alpha=share.alpha,
            critical=critical,
            moves=_moves(first),
            seed=sides.choices.seed,
        ),
        noise=None if first is None else first.noise,
        identical=known.same_answers is not None and known.same_answers.all,
        same=() if first is None else first.same,
        differs=() if first is None else first.differs,
        warnings=tuple(
            find_remarks(held, policy, quarantined, against=known.against, same_answers=known.same_answers)
        ),
        why=WHY,
        verdict=verdict,
        seed=sides.choices.seed,
        versions=versions(),
        command=known.command,
    )


def nothing_gate(reason: str, policy: Policy, *, command: str, seed: int) -> Gate:
    """Return the finding where a source holds no row at all.

    Args:
        reason: why there is nothing, with the file.
        policy: what the candidate would have been held to.
        command: the command line that makes the finding again.
        seed: of everything random.
    """
    verdict = write_gate(
        "nothing_to_judge", (), candidate="", to_settle=None, nothing=reason.removesuffix(".")
    )
    return Gate(
        baseline="", candidate="", task="", decision="nothing_to_judge", acted="", level=policy.level,
        exit_code=EXIT_CODES["nothing_to_judge"], alpha=policy.alpha, p=1.0, digest="", place=None,
        conditions=(), flips=(), n_items=0, critical=None, quarantined=(), to_settle=None, against=None,
        policy=policy.source, year=None, noise=None, identical=False, same=(), differs=(), warnings=(),
        why=WHY, verdict=verdict, seed=seed, versions=versions(), command=command,
    )  # fmt: skip


def _with_noise(held: Sequence[Held], sides: Sides, noise: Path | None) -> Comparison | None:
    """Return the first comparison, with what is remembered of its suite; a damaged memory is said by ``compare``."""
    found = next((one.comparison for one in held if one.comparison is not None), None)
    if found is None or noise is None or not noise.exists():
        return found
    try:
        return replace(found, noise=remembered_noise(found, sides.evidence, noise))
    except (InputError, MachineError):
        return found


def _moves(first: Comparison | None) -> float:
    """Return the share of items that were seen to flip when nothing was changed."""
    noise = None if first is None else first.noise
    return 0.0 if noise is None or not noise.n_items else noise.flipped / noise.n_items


def _without_quarantine(sides: Sides, policy: Policy) -> tuple[Sides, tuple[str, ...]]:
    """Return the sides without quarantined items, and which of those there were."""
    present = set(sides.evidence.items.filter(pl.col("task") == sides.task)["item"])
    quarantined = tuple(item for item in policy.quarantine if item in present)
    if not quarantined:
        return sides, ()
    if len(quarantined) == len(present):
        raise UsageError("every item is in quarantine; there is nothing left to hold the candidate to")
    return replace(sides, evidence=with_items(sides.evidence, quarantined, kept=False)), quarantined


def _with_critical(
    sides: Sides, policy: Policy, read: tuple[Condition, ...]
) -> tuple[CriticalItems | None, tuple[Condition, ...]]:
    """Return the critical items, and all conditions with theirs behind the other blocking ones."""
    if not policy.critical:
        return None, read
    metric = policy.metrics[0].metric if policy.metrics else ""
    critical, one = judge_critical(sides, policy.critical, metric=metric)
    blocking = sum(condition.blocks for condition in read)
    return critical, (*read[:blocking], one, *read[blocking:])


def _decision(
    conditions: Sequence[Condition], held: Sequence[Held], against: BaselineFacts | None, policy: Policy
) -> tuple[Decision, str]:
    """Return the decision, and why a pass is not given although the rule would; empty when it is none of that."""
    decision = decide([one.decision for one in conditions if one.blocks])
    refusal = _refusal(conditions, held, against, policy) if decision == "pass" else ""
    return ("undecided", refusal) if refusal else (decision, "")


def _refusal(
    conditions: Sequence[Condition], held: Sequence[Held], against: BaselineFacts | None, policy: Policy
) -> str:
    """Return why a pass is not given: items or rows that are lacking, or a baseline too old; empty when it is."""
    lacking = next(filter(None, map(items_lacking, held)), "")
    if lacking:
        return lacking
    hangs = [one.name for one in conditions if one.blocks and one.if_failed not in (None, "pass")]
    if hangs:
        named = ", ".join(hangs[:3])
        return (
            f"it passes with the rows without a value left out, and not with them as failures ({named}). Whose fault "
            "they are decides; it is not passed"
        )
    oldest = policy.baseline.oldest_days
    if against is None or oldest is None or against.age_days is None or against.age_days <= oldest:
        return ""
    return (
        f"it would pass, but the baseline {against.name!r} is {against.age_days:.0f} days old and the policy takes "
        f"it up to {oldest:g}. Run it again and bless it"
    )


def _nothing(sides: Sides) -> str:
    """Return whose rows have no value at all, with their status; empty when that is not the reason."""
    said: list[str] = []
    for name in filter(None, (sides.baseline, sides.candidate)):
        rows = sides.evidence.rows("responses", system=name, task=sides.task)
        counted = rows["status"].value_counts(sort=True)
        if counted.height == 1 and counted["status"][0] not in ("ok", "refused"):
            status = counted["status"][0]
            reason = _reason(rows)
            plural = "errors" if status == "error" else status
            said.append(f"all {rows.height:,} rows of {name} are {plural}{reason}")
    return "; ".join(said)


def _reason(rows: pl.DataFrame) -> str:
    """Return the most frequent reason when it is a code, such as 429; a message may repeat the request."""
    known = rows["reason"].drop_nulls()
    if known.is_empty():
        return ""
    most = str(known.value_counts(sort=True)["reason"][0])
    return f" ({most})" if _CODE.fullmatch(most) else ""
