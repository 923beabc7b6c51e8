"""What the analyses that were not used would have said, and why pairing matters here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from aliquot.findings.verdict import Word
from aliquot.stats.results import Estimate, Undefined

AnalysisName: TypeAlias = Literal["unpaired", "clusters_ignored", "attempts_as_items"]
"""``unpaired``: as if the systems had answered different items; ``clusters_ignored``: pairs, every item for itself;
``attempts_as_items``: every attempt for itself, unpaired."""


@dataclass(frozen=True, slots=True)
class OtherAnalysis:
    """One analysis that does not fit the design, with the word its interval would have given."""

    name: AnalysisName
    difference: Estimate | Undefined
    word: Word


@dataclass(frozen=True, slots=True)
class MethodContrast:
    """The finding beside analyses that ignore a part of the design.

    Attributes:
        others: these analyses, each read by the rule of the verdict without a deciding test.
        correlation: of the two systems' scores over items.
        variance_ratio: variance of the unpaired difference over that of the paired one: how many times the items an
            unpaired design would need.
        own_intervals_overlap: whether the two systems' own intervals overlap, which tests nothing: two intervals may
            overlap while the difference is clear; None where a side has no interval.
    """

    others: tuple[OtherAnalysis, ...]
    correlation: float | Undefined
    variance_ratio: float | Undefined
    own_intervals_overlap: bool | None
