"""The number a comparison claims, paired or not, with what the same rows say about it: table, gaps, reach."""

from __future__ import annotations

from dataclasses import dataclass

from aliquot.analysis.arrays import PairedSample, SystemSample, paired_sample, system_sample
from aliquot.analysis.costs import Price
from aliquot.analysis.method import Analysed, analyse_pairs
from aliquot.analysis.missing import read_missing, read_missing_unpaired
from aliquot.analysis.sequence import BY_FIXED_N, ONLY_PAIRED
from aliquot.analysis.settle import find_detectable, find_settlement
from aliquot.analysis.unpaired import analyse_unpaired
from aliquot.analysis.unpaired_reach import unpaired_detectable, unpaired_settlement
from aliquot.evidence.units import Pairs
from aliquot.findings.comparison import Detectable, MissingReadings, PairTable, Settlement
from aliquot.findings.scale import Scale
from aliquot.findings.verdict import Verdict, read_verdict
from aliquot.findings.words import write_verdict
from aliquot.stats.results import Undefined


@dataclass(frozen=True, slots=True)
class Claim:
    """What is claimed of two systems under one metric.

    Attributes:
        pairs: what the two systems were given.
        paired: the shared items with a value on both sides; None when the systems are not paired.
        sides: each system's items.
        analysed: the difference and its tests.
        verdict: what may be said of it.
        table: items by what the two did; None when not paired, not binary or repeated.
        fixed: items on which the candidate did better.
        broke: items on which it did worse.
        if_missing: what the missing rows could hide.
        detectable: what this design can show.
        to_settle: what would settle the difference.
    """

    pairs: Pairs
    paired: PairedSample | None
    sides: tuple[SystemSample, SystemSample]
    analysed: Analysed
    verdict: Verdict
    table: PairTable | None
    fixed: tuple[str, ...]
    broke: tuple[str, ...]
    if_missing: MissingReadings | None
    detectable: Detectable | Undefined
    to_settle: Settlement | Undefined

    @property
    def n_items(self) -> int:
        """Items with a value: shared ones, or those of both systems when they are not paired."""
        return self.paired.n if self.paired is not None else sum(side.n for side in self.sides)

    @property
    def n_clusters(self) -> int | None:
        """Clusters these items lie in, or None when none are known; not paired, those of both systems."""
        if self.paired is not None:
            return self.paired.n_clusters
        counts = [side.n_clusters for side in self.sides]
        if all(count is None for count in counts):
            return None
        return sum(side.n if count is None else count for side, count in zip(self.sides, counts, strict=True))


def claim_paired(
    pairs: Pairs, scale: Scale, *, level: float, margin: float | None, seed: int, price: Price
) -> Claim:
    """Return the claim over the items two systems share.

    Args:
        pairs: the shared items.
        scale: the metric's scale.
        level: confidence level.
        margin: margin of the verdict, in the metric's units.
        seed: seed of the tests.
        price: what one more item costs.
    """
    sample = paired_sample(pairs)
    analysed = analyse_pairs(sample, scale, level=level, seed=seed)
    verdict = verdict_of(pairs, analysed, scale, margin=margin, n_items=sample.n)
    fixed, broke = (_moved(sample, scale, better=direction) for direction in (True, False))
    stoppable = sample.places is not None
    return Claim(
        pairs=pairs,
        paired=sample,
        sides=(sample.baseline(), sample.candidate()),
        analysed=analysed,
        verdict=verdict,
        table=_table(sample, scale, fixed=len(fixed), broke=len(broke)),
        fixed=fixed,
        broke=broke,
        if_missing=read_missing(pairs, scale, level=level, margin=margin, seed=seed, verdict=verdict),
        detectable=Undefined(BY_FIXED_N)
        if stoppable
        else find_detectable(sample, analysed.difference, scale, level=level),
        to_settle=Undefined(BY_FIXED_N)
        if stoppable
        else find_settlement(sample, analysed.difference, scale, level=level, price=price),
    )


def claim_unpaired(
    pairs: Pairs, scale: Scale, *, level: float, margin: float | None, seed: int, price: Price, why: str
) -> Claim:
    """Return the claim over each system's own items; arguments as in ``claim_paired``, ``why`` says why not paired."""
    sides = (system_sample(pairs.baseline), system_sample(pairs.candidate))
    if any(side.places is not None for side in sides):
        analysed = Analysed(Undefined(ONLY_PAIRED), (), "")
    else:
        analysed = analyse_unpaired(*sides, scale, level=level, seed=seed, why=why)
    verdict = verdict_of(pairs, analysed, scale, margin=margin, n_items=sides[0].n + sides[1].n)
    difference = analysed.difference
    return Claim(
        pairs=pairs,
        paired=None,
        sides=sides,
        analysed=analysed,
        verdict=verdict,
        table=None,
        fixed=(),
        broke=(),
        if_missing=read_missing_unpaired(
            pairs, scale, level=level, margin=margin, seed=seed, verdict=verdict
        ),
        detectable=unpaired_detectable(sides, difference, scale, level=level),
        to_settle=unpaired_settlement(sides, difference, scale, level=level, price=price),
    )


def verdict_of(
    pairs: Pairs, analysed: Analysed, scale: Scale, *, margin: float | None, n_items: int
) -> Verdict:
    """Return what may be said of a difference.

    Args:
        pairs: of which two systems.
        analysed: the difference.
        scale: the metric's scale.
        margin: margin of the verdict, in the metric's units.
        n_items: items it rests on.
    """
    word, within = read_verdict(analysed.difference, margin=margin, better=scale.better)
    text = write_verdict(
        word,
        analysed.difference,
        baseline=pairs.baseline.system,
        candidate=pairs.candidate.system,
        scale=scale,
        margin=margin,
        within_margin=within,
        n_items=n_items,
    )
    return Verdict(word=word, within_margin=within, text=text)


def _moved(sample: PairedSample, scale: Scale, *, better: bool) -> tuple[str, ...]:
    """Return the items on which the candidate did better (or worse); lower is better flips the sign."""
    gain = -sample.d if scale.better == "lower" else sample.d
    return sample.ids_where(gain > 0 if better else gain < 0)


def _table(sample: PairedSample, scale: Scale, *, fixed: int, broke: int) -> PairTable | None:
    """Return the table of right and wrong; where lower is better, 0 is right."""
    if scale.kind != "binary" or sample.repeated or sample.n == 0:
        return None
    right = 0.0 if scale.better == "lower" else 1.0
    both = int(((sample.a == right) & (sample.b == right)).sum())
    return PairTable(both=both, broke=broke, fixed=fixed, neither=sample.n - both - fixed - broke)
