"""A plan fixed before the data: what was to be measured, hashed and dated, so that it can be held against what was."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from aliquot.errors import InputError
from aliquot.files.text import read_bounded
from aliquot.files.typed_json import decode_document
from aliquot.files.writing import write_whole

SCHEMA: Final = "aliquot.fixed_plan/1"

Direction: TypeAlias = Literal["better", "not_worse", "equivalent"]
"""What a comparison is to show of the candidate."""

DIRECTIONS: Final = ("better", "not_worse", "equivalent")


class PlanFile(msgspec.Struct, frozen=True, kw_only=True):
    """A plan; what is None was left open.

    Attributes:
        schema: name and version of this layout.
        written: when, in ISO 8601.
        task: the task.
        metric: the metric.
        scorer: the scoring rule.
        margin: the margin, in the metric's units.
        difference: the difference planned for.
        disagreement: ψ, the share of items on which the two systems were thought to differ.
        items: number of items.
        attempts: attempts at each.
        comparisons: how many comparisons were to be made.
        level: confidence level of all comparisons together.
        power: the power planned for.
        direction: what the candidate has to show; None when the plan sets no criterion.
        at_least: share of the items that the candidate has to pass.
        hash: SHA-256 over everything else, so that a plan changed afterwards is seen.
    """

    schema: str = SCHEMA
    written: str = ""
    task: str | None = None
    metric: str | None = None
    scorer: str | None = None
    margin: float | None = None
    difference: float | None = None
    disagreement: float | None = None
    items: int | None = None
    attempts: int | None = None
    comparisons: int | None = None
    level: float = 0.95
    power: float = 0.8
    direction: Direction | None = None
    at_least: float | None = None
    hash: str = ""

    @property
    def test_level(self) -> float:
        """Confidence level of one of its comparisons: its share of the error (Bonferroni)."""
        return 1 - (1 - self.level) / (self.comparisons or 1)

    @property
    def criteria(self) -> bool:
        """Whether it says what counts as success, and not only what is to be measured."""
        return self.direction is not None or self.at_least is not None


class KeptCriteria(msgspec.Struct, frozen=True, kw_only=True):
    """Success criteria as a run keeps them.

    Attributes:
        plan: what counts as success, hashed and dated; None when the criteria were taken back.
        after: how many answers were there when they were set: 0 is before the run.
    """

    plan: PlanFile | None
    after: int = 0


_DECODER: Final = msgspec.json.Decoder(PlanFile)


def read_plan(path: Path) -> PlanFile:
    """Read a plan.

    Raises:
        InputError: it is none, or it was changed after it was written.
        MachineError: the machine refuses to read it.
    """
    plan = decode_document(read_bounded(path), _DECODER, file=str(path))
    if plan.schema != SCHEMA:
        raise InputError(f"its schema is {plan.schema!r}", file=str(path), remedy=f"A plan's is {SCHEMA}")
    if plan.hash != fingerprint(plan):
        raise InputError(
            "was changed after it was written: its hash does not fit",
            file=str(path),
            remedy="Write the plan anew, and say that it is another one",
        )
    return plan


def write_plan(plan: PlanFile, path: Path) -> None:
    """Write a plan with its hash.

    Raises:
        MachineError: the machine refuses.
    """
    write_whole(path, msgspec.json.format(msgspec.json.encode(seal(plan)), indent=1) + b"\n")


def seal(plan: PlanFile) -> PlanFile:
    """Return a plan with its hash."""
    return msgspec.structs.replace(plan, hash=fingerprint(plan))


def fingerprint(plan: PlanFile) -> str:
    """Return the SHA-256 over everything a plan says; criteria it does not set are no part of it."""
    said = msgspec.to_builtins(msgspec.structs.replace(plan, hash=""))
    unset = [name for name in ("direction", "at_least") if said[name] is None]
    return hashlib.sha256(
        msgspec.json.encode({name: value for name, value in said.items() if name not in unset})
    ).hexdigest()
