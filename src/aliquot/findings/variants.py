"""The finding about variants of one system: how much its prompt's wording, format, order and shots move the score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from aliquot.findings.finding import Finding
from aliquot.findings.scale import Scale
from aliquot.findings.verdict import Word
from aliquot.stats.results import Estimate, HypothesisTest, Undefined


@dataclass(frozen=True, slots=True)
class VariantLine:
    """One variant.

    Attributes:
        system: its name.
        levels: its level of each factor.
        rate: its rate or mean over the items that every variant has a value for.
        picked: how often it is the best on a random half of these items; None without a better side.
    """

    system: str
    levels: Mapping[str, str]
    rate: Estimate | Undefined
    picked: float | None


@dataclass(frozen=True, slots=True)
class VariantPair:
    """Two variants, or one variant of two systems, on the same items.

    Attributes:
        baseline: the one.
        candidate: the other.
        difference: candidate minus baseline; the intervals of all pairs hold together (max-T).
        test: the test that decides, allowing for all pairs.
        word: the verdict, read from the interval.
    """

    baseline: str
    candidate: str
    difference: Estimate | Undefined
    test: HypothesisTest | None
    word: Word


@dataclass(frozen=True, slots=True)
class FactorLevel:
    """A level of one of several crossed factors, averaged over the others.

    Attributes:
        factor: the factor.
        level: the level.
        rate: rate or mean over items and the other factors' levels.
    """

    factor: str
    level: str
    rate: Estimate | Undefined


@dataclass(frozen=True, slots=True)
class Winner:
    """The best variant, marked as picked.

    Attributes:
        system: which one.
        rate: its rate or mean on the items it was picked by, too good by the picking.
        honest: what picking gives on items that had no say in it; the interval holds whichever was picked.
        chance: how often half the items pick it.
    """

    system: str
    rate: Estimate | Undefined
    honest: Estimate | Undefined
    chance: float


@dataclass(frozen=True, slots=True)
class VariantGroup:
    """All variants of one system.

    Attributes:
        system: the system they are variants of; empty when the source does not say.
        factors: what varies.
        n_items: items that every variant has a value for; every figure is of these.
        n_clusters: clusters they lie in, or None.
        left_out: items that lack a value in some variant.
        variants: each of them.
        range: best minus worst rate, with an interval for the true range: it holds together for all pairs.
        by_chance: the range to be expected if all variants were the same.
        spread: standard deviation between variants like these, the sampling error of the items taken out.
        share: share of the variants in the variance of one score.
        shares: share of each source: variant, item, item:variant, and attempt when items were attempted several times.
        worst: the two variants that differ most.
        pairs: all pairs.
        levels: each level over the others, when several factors are crossed in full.
        winner: the best one; None when neither direction is better.
    """

    system: str
    factors: tuple[str, ...]
    n_items: int
    n_clusters: int | None
    left_out: int
    variants: tuple[VariantLine, ...]
    range: Estimate | Undefined
    by_chance: float
    spread: Estimate | Undefined
    share: Estimate | Undefined
    shares: Mapping[str, float]
    worst: VariantPair | None
    pairs: tuple[VariantPair, ...]
    levels: tuple[FactorLevel, ...]
    winner: Winner | Undefined | None


@dataclass(frozen=True, slots=True)
class BaseContrast:
    """Two systems over the variants they share.

    Attributes:
        baseline: the one system.
        candidate: the other.
        n_items: items that both have a value for in every shared variant.
        difference: candidate minus baseline, each item's score averaged over the variants.
        test: the test that decides.
        word: the verdict.
        by_variant: the difference in each variant; their intervals hold together.
        turns: whether the difference changes its sign with the variant.
    """

    baseline: str
    candidate: str
    n_items: int
    difference: Estimate | Undefined
    test: HypothesisTest | None
    word: Word
    by_variant: tuple[VariantPair, ...]
    turns: bool


@dataclass(frozen=True, slots=True, repr=False)
class Variants(Finding):
    """How much a prompt's variants move the score of each system, and the systems over their variants.

    Attributes:
        task: the task.
        metric: the metric.
        scale: how its numbers are read.
        level: confidence level.
        groups: the variants of each system.
        contrasts: each further system against the first, over the variants they share.
        why: one line on the method.
        estimand: what the numbers are about.
        seed: seed of everything random.
    """

    kind: ClassVar[str] = "variants"

    task: str
    metric: str
    scale: Scale
    level: float
    groups: tuple[VariantGroup, ...]
    contrasts: tuple[BaseContrast, ...]
    why: str
    estimand: str
    seed: int
