"""The stages of a pipeline: what each did on the way to one answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.evidence.bounds import bounded_fields
from aliquot.evidence.transcripts import Turn

ROLE = "stage"
"""The role of a turn that tells of a stage; the stage's name follows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage of a pipeline.

    Attributes:
        name: its name: ``retrieval``, ``context``, ``generation``, ``parsing``.
        status: ``ok``, or why it gave nothing: a status word of responses.
        reason: why, in words.
        latency_s: seconds it took.
        values: small values to judge it by, such as the ids and versions of what was retrieved.
    """

    name: str
    status: str = "ok"
    reason: str | None = None
    latency_s: float | None = None
    values: Mapping[str, object] = field(default_factory=dict[str, object])

    def turn(self) -> Turn:
        r"""Return the stage as a turn of a conversation, to be read among the others.

        Examples:
            >>> Stage(name="retrieval", latency_s=0.25, values={"documents": ["d7@2"]}).turn().text
            'ok, 0.25 s\ndocuments: ["d7@2"]'
        """
        took = None if self.latency_s is None else f"{self.latency_s:.3g} s"
        first = ", ".join(filter(None, (self.status, took, self.reason)))
        told = (f"{name}: {text}" for name, text in bounded_fields(self.values).items())
        return Turn(f"{ROLE} {self.name}", "\n".join((first, *told)))
