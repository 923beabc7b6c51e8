"""What the renderings of a finding share: a headline, grids of digits, sentences; each medium escapes for itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

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
