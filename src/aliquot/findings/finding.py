"""What every finding has, whatever it is about, and how it shows itself: in a console, in a notebook, as a frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

# Nothing heavy at the top: the package's own start hands the presenters in, also before ``--help``.
if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from aliquot.evidence.tables import Note
    from aliquot.findings.verdict import Verdict

_PRESENTERS: dict[str, Callable[[Finding], Any]] = {}


def present_with(presenters: Mapping[str, Callable[[Finding], Any]]) -> None:
    """Say how findings are shown; this room knows no renderer, so a higher one hands them in.

    Args:
        presenters: form (``html``, ``markdown``, ``plot``) → function that takes a finding of any kind.
    """
    _PRESENTERS.update(presenters)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Finding:
    """One analysed claim; each kind adds what it is about.

    Attributes:
        warnings: what must be said beside it.
        verdict: the first thing to say.
        versions: of the software.
        command: the command line that makes it again.
    """

    kind: ClassVar[str]

    warnings: tuple[Note, ...]
    verdict: Verdict
    versions: Mapping[str, str]
    command: str = ""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"

    def __str__(self) -> str:
        return self.verdict.text

    def to_frame(self) -> pl.DataFrame:
        """Return a tidy Polars frame: a row for each estimate, test, number and verdict of the finding.

        ``part`` says which (the dotted path of its fields), ``name`` of what; a value that is Undefined has nulls and
        its ``reason``.
        """
        from aliquot.findings.frame import frame_of  # noqa: PLC0415 - Polars, which the package's start must not load

        return frame_of(self)

    def plot(self) -> alt.TopLevelMixin:
        """Return the pictures of the finding as an Altair chart, for a notebook (``pip install 'aliquot[plot]'``).

        Raises:
            MachineError: Altair is not installed.
            UsageError: a finding that has no picture.
        """
        return _PRESENTERS["plot"](self)

    def _repr_html_(self) -> str:
        return _PRESENTERS["html"](self)

    def _repr_markdown_(self) -> str:
        return _PRESENTERS["markdown"](self)
