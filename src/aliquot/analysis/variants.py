"""Evidence becomes the finding about variants: which systems are variants of which, each group, groups compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from aliquot.analysis.judges import refuse_other_judge
from aliquot.analysis.margins import check_level
from aliquot.analysis.method import analyse_pairs
from aliquot.analysis.scales import scale_of
from aliquot.analysis.settings import variant_levels
from aliquot.analysis.software import versions
from aliquot.analysis.variant_groups import Asked, analyse_group, ask_all, pair_all, paired_of
from aliquot.errors import UsageError
from aliquot.evidence.contents import headline_metric, require, systems, tasks
from aliquot.evidence.matching import pair
from aliquot.evidence.tables import Evidence, Note
from aliquot.evidence.units import Units
from aliquot.findings.numbers import write_count
from aliquot.findings.scale import Scale
from aliquot.findings.variants import BaseContrast, VariantGroup, Variants
from aliquot.findings.variants_words import write_variants
from aliquot.findings.verdict import read_verdict
from aliquot.stats.inputs import DEFAULT_SEED

MOST = 40
"""Variants of one system at most: 780 pairs."""

FEW = 4
"""Variants of one system below which little is known of others like them."""

Levels = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class VariantChoices:
    """What the caller may decide.

    Attributes:
        systems: only these systems; all variants by default. Systems that the source does not call variants are taken
            as variants of one.
        task: the task; by default the first.
        metric: the metric; the log's own headline by default.
        cluster: field that names the cluster; None for the evidence's own.
        level: confidence level.
        seed: seed of everything random.
    """

    systems: Sequence[str] = ()
    task: str | None = None
    metric: str | None = None
    cluster: str | None = None
    level: float = 0.95
    seed: int = DEFAULT_SEED


def compare_variants(evidence: Evidence, *, choices: VariantChoices, command: str = "") -> Variants:
    """Return how much variants move the score of each system.

    Args:
        evidence: the tables.
        choices: what the caller decided.
        command: the command line that reproduces the finding.

    Raises:
        UsageError: an unknown name, fewer than two variants, too many of them, or different judges.
        InputError: items of one id whose content differs.
    """
    check_level(choices.level)
    task = choices.task or next(iter(tasks(evidence)), "")
    require(task, tasks(evidence), what="task")
    metric = choices.metric or headline_metric(evidence, task)
    grouped, notes = _grouped(evidence, choices, task=task)
    scale = scale_of(evidence, metric)
    asked, groups = dict[str, Asked](), list[VariantGroup]()
    for base, levels in grouped.items():
        units, said = _units(evidence, list(levels), task=task, metric=metric, cluster=choices.cluster)
        notes += said
        asked[base] = ask_all(units)
        groups.append(
            analyse_group(evidence, base, levels, asked[base], scale, level=choices.level, seed=choices.seed)
        )
    contrasts = tuple(_contrasts(grouped, asked, scale, choices=choices))
    return Variants(
        task=task,
        metric=metric,
        scale=scale,
        level=choices.level,
        groups=tuple(groups),
        contrasts=contrasts,
        warnings=(*dict.fromkeys(notes), *_remarks(groups)),
        why=_why(groups, several=len(groups) > 1),
        estimand=(
            "Rates on items like these. The spread is that of variants like these, of which those asked are taken as a "
            "sample; pairs and range are of these variants alone."
        ),
        verdict=write_variants(groups, contrasts, scale, level=choices.level),
        seed=choices.seed,
        versions=versions(),
        command=command,
    )


def _grouped(
    evidence: Evidence, choices: VariantChoices, *, task: str
) -> tuple[dict[str, dict[str, Levels]], list[Note]]:
    """Return base system → variant → levels, and what is to be said about the grouping."""
    known = tuple(name for name in systems(evidence) if task in tasks(evidence, system=name))
    for name in choices.systems:
        require(name, known, what="system")
    chosen = tuple(dict.fromkeys(choices.systems)) or known
    said = {name: variant_levels(evidence, name, task=task) for name in chosen}
    found: dict[str, dict[str, Levels]] = {}
    for name, levels in said.items():
        if levels is not None:
            found.setdefault(levels[0], {})[name] = levels[1]
    others = [name for name, levels in said.items() if levels is None]
    notes: list[Note] = []
    if not found:
        found = {"": {name: {"variant": name} for name in others}}
        if not choices.systems:
            text = "the source does not say that these systems are variants of one; they are taken as such"
            notes.append(Note("taken_as_variants", text))
    elif others:
        text = (
            f"{', '.join(others)} {'is no variant' if len(others) == 1 else 'are no variants'} and left out"
        )
        notes.append(Note("no_variants", text))
    return _enough(found, notes, chosen), notes


def _enough(
    found: dict[str, dict[str, Levels]], notes: list[Note], chosen: Sequence[str]
) -> dict[str, dict[str, Levels]]:
    """Return the systems that have several variants, and say which have one only."""
    several = {base: levels for base, levels in found.items() if len(levels) > 1}
    if not several:
        raise UsageError(
            f"variants are two systems or more; found {', '.join(chosen) or 'none'}. "
            "An evaluation file makes them: variants"
        )
    if (most := max(map(len, several.values()))) > MOST:
        raise UsageError(f"{most} variants are too many; name up to {MOST} with --system")
    notes += [
        Note("single_variant", f"of {base} there is one variant only; it is left out")
        for base in found
        if base not in several
    ]
    return several


def _units(
    evidence: Evidence, names: list[str], *, task: str, metric: str, cluster: str | None
) -> tuple[list[Units], list[Note]]:
    """Return each variant's items, after checking that all were asked the same and judged alike."""
    found, notes = list[Units](), list[Note]()
    for name in names[1:]:
        refuse_other_judge(evidence, names[0], name, task=task, metric=metric, allowed=())
        matched = pair(evidence, names[0], name, task=task, metric=metric, cluster=cluster)
        found += [matched.candidate] if found else [matched.baseline, matched.candidate]
        notes += matched.notes
    return found, notes


def _contrasts(
    grouped: Mapping[str, Mapping[str, Levels]],
    asked: Mapping[str, Asked],
    scale: Scale,
    *,
    choices: VariantChoices,
) -> Iterator[BaseContrast]:
    """Yield each further system against the first, over the variants of the same levels."""
    bases = list(grouped)
    for other in bases[1:]:
        first = {_key(levels): place for place, levels in enumerate(grouped[bases[0]].values())}
        shared = [
            (first[_key(levels)], place, " ".join(levels.values()))
            for place, levels in enumerate(grouped[other].values())
            if _key(levels) in first
        ]
        if shared:
            yield _contrast((bases[0], other), asked[bases[0]], asked[other], shared, scale, choices=choices)


def _key(levels: Levels) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(levels.items()))


def _contrast(
    names: tuple[str, str],
    a: Asked,
    b: Asked,
    shared: Sequence[tuple[int, int, str]],
    scale: Scale,
    *,
    choices: VariantChoices,
) -> BaseContrast:
    """Return two systems over the variants they share, the item the unit: its scores averaged over the variants."""
    both = ask_all([*(a.units[i] for i, _, _ in shared), *(b.units[j] for _, j, _ in shared)])
    k = len(shared)
    sides = both.samples[:k], both.samples[k:]
    once = np.ones(both.n, dtype=np.int64)
    means = [np.mean([sample.values for sample in side], axis=0) for side in sides]
    graded = replace(scale, kind="bounded") if scale.kind == "binary" and k > 1 else scale
    whole = paired_of(both.samples[0], *means, k_a=once, k_b=once) if k > 1 else both.paired(0, 1)
    own = analyse_pairs(whole, graded, level=choices.level, seed=choices.seed)
    by_variant = (
        pair_all(
            {(label, names[1]): both.paired(place, k + place) for place, (_, _, label) in enumerate(shared)},
            scale,
            level=choices.level,
            seed=choices.seed,
        )
        if both.n
        else ()
    )
    points = (
        [float(np.mean(one.values) - np.mean(other.values)) for one, other in zip(*sides, strict=True)]
        if both.n
        else []
    )
    return BaseContrast(
        baseline=names[0],
        candidate=names[1],
        n_items=both.n,
        difference=own.difference,
        test=next((named.test for named in own.tests if named.decides), None),
        word=read_verdict(own.difference, better=scale.better)[0],
        by_variant=by_variant,
        turns=any(point > 0 for point in points) and any(point < 0 for point in points),
    )


def _remarks(groups: Sequence[VariantGroup]) -> Iterator[Note]:
    for group in groups:
        whose = f" of {group.system}" if group.system else ""
        if group.left_out:
            lack = f"{write_count(group.left_out, 'item')} without a value in some variant{whose}"
            text = f"{lack}: left out of every figure here"
            yield Note("left_out", text)
        if len(group.variants) < FEW:
            few = f"{len(group.variants)} variants{whose} say little about others like them"
            text = f"{few}: the limits of the spread are wide"
            yield Note("few_variants", text)


def _why(groups: Sequence[VariantGroup], *, several: bool) -> str:
    clustered = any(group.n_clusters is not None for group in groups)
    unit = "clusters carry the error" if clustered else "the item is the unit"
    over = (
        "; systems are compared over the variants they share, each item's scores averaged" if several else ""
    )
    return (
        f"all variants met the same items, so pairs are paired by item ({unit}) and hold together (single-step max-T); "
        f"the spread is that of the crossed design items x variants{over}"
    )
