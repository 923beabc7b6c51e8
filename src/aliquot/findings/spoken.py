"""How a finding shows itself: its verdict, in a console, as text and in a notebook."""

from __future__ import annotations

from html import escape
from typing import ClassVar

from aliquot.findings.verdict import Verdict


class Spoken:
    """What the findings share; a subclass is a dataclass with a ``kind`` and a ``verdict``."""

    __slots__ = ()

    kind: ClassVar[str]
    verdict: Verdict

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"

    def __str__(self) -> str:
        return self.verdict.text

    def _repr_html_(self) -> str:
        return f"<p><strong>{escape(str(self))}</strong></p>"
