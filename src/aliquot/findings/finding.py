"""What every finding has, whatever it is about."""

from __future__ import annotations

from typing import ClassVar, Protocol

from aliquot.evidence.tables import Note
from aliquot.findings.verdict import Verdict


class Finding(Protocol):
    """One analysed claim: a kind, a verdict in words, warnings, and the command that makes it again."""

    kind: ClassVar[str]

    @property
    def verdict(self) -> Verdict:
        """What may be said."""
        ...

    @property
    def warnings(self) -> tuple[Note, ...]:
        """What must be said beside it."""
        ...

    @property
    def command(self) -> str:
        """The command line that makes it again."""
        ...
