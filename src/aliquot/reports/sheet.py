"""What the renderings of a finding share: a headline, grids of digits, sentences; each medium escapes for itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from aliquot.evidence.tables import Note
from aliquot.findings.verdict import Verdict
from aliquot.reports.charts import Chart


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts.

    Attributes:
        title: above it; may be empty.
        columns: headings.
        rows: cells, as many a row as there are headings.
        names: how many of the first columns hold names and stand left; the others stand right.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    names: int = 1


Block: TypeAlias = Grid | str
"""A grid or a sentence."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A finding as text, part by part; nothing is neutralised yet.

    Attributes:
        headline: the verdict.
        blocks: what everyone sees, in reading order.
        warnings: each in a sentence, the most important first.
        details: what is behind ``-v``.
        footer: seed and versions.
        charts: the pictures, where the medium has any; they hold nothing that the rest does not.
    """

    headline: str
    blocks: tuple[Block, ...]
    warnings: tuple[str, ...]
    details: tuple[Block, ...]
    footer: str
    charts: tuple[Chart, ...] = ()


class Seeded(Protocol):
    """A finding that draws at random, and says with which seed and versions."""

    @property
    def verdict(self) -> Verdict:
        """What may be said."""
        ...

    @property
    def warnings(self) -> tuple[Note, ...]:
        """What must be said beside it."""
        ...

    @property
    def seed(self) -> int:
        """Seed of everything random."""
        ...

    @property
    def versions(self) -> Mapping[str, str]:
        """Versions of the software, by name."""
        ...


def lay_out(
    found: Seeded, blocks: Iterable[Block], details: Iterable[Block], charts: Iterable[Chart] = ()
) -> Sheet:
    """Return the sheet of a finding: its verdict and warnings, these blocks and pictures, its seed and versions.

    Args:
        found: the finding.
        blocks: what everyone sees, in reading order.
        details: what is behind ``-v``.
        charts: the pictures.
    """
    return Sheet(
        headline=found.verdict.text,
        blocks=tuple(blocks),
        warnings=tuple(note.text for note in found.warnings),
        details=tuple(details),
        charts=tuple(charts),
        footer=f"Seed {found.seed}. {', '.join(f'{name} {text}' for name, text in found.versions.items())}.",
    )
