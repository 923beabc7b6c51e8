"""What a page holds, whatever the finding: a verdict, parts of a few kinds in sections, a footer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from aliquot.reports.charts import Chart
from aliquot.reports.sheet import Grid


@dataclass(frozen=True, slots=True)
class Bullets:
    """Sentences, each on its own."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """Names of items under a title; many are folded."""

    title: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Commands:
    """What to type for what."""

    lines: tuple[tuple[str, str], ...]


Part: TypeAlias = Grid | Chart | Bullets | Names | Commands | str
"""A part of a page; a text is a paragraph."""


@dataclass(frozen=True, slots=True)
class Section:
    """Parts under a heading.

    Attributes:
        title: the heading.
        parts: what stands under it.
        folded: whether it is closed at first.
    """

    title: str
    parts: tuple[Part, ...]
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A finding as a page.

    Attributes:
        word: the word of its verdict, for its colour.
        headline: the verdict.
        lead: what stands below it without a heading: what it is about, the table, the first picture.
        sections: everything else, in reading order; empty ones are left out.
        footer: seed and versions.
    """

    word: str
    headline: str
    lead: tuple[Part, ...]
    sections: tuple[Section, ...]
    footer: str
