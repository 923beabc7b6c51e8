"""The first sentence about variants: whether the prompt moves the score, and by how much."""

from __future__ import annotations

from collections.abc import Sequence

from aliquot.findings.numbers import difference_unit, write_count, write_difference, write_value
from aliquot.findings.scale import Scale
from aliquot.findings.variants import BaseContrast, VariantGroup
from aliquot.findings.verdict import Verdict
from aliquot.findings.words import write_verdict
from aliquot.stats.results import Estimate, Undefined

DIFFER = frozenset({"better", "worse", "higher", "lower"})
"""Words of a difference that is claimed."""


def write_variants(
    groups: Sequence[VariantGroup], contrasts: Sequence[BaseContrast], scale: Scale, *, level: float
) -> Verdict:
    """Return the verdict about variants: of the one system, or of several, whose comparison comes first.

    Args:
        groups: the variants of each system.
        contrasts: systems against each other over their variants.
        scale: the metric's scale.
        level: confidence level of all pairs of a group together.
    """
    judged = [group for group in groups if isinstance(group.range, Estimate)]
    if not judged:
        reason = next(
            (group.range.reason for group in groups if isinstance(group.range, Undefined)), "no row"
        )
        return Verdict("nothing_to_judge", text=f"NOTHING TO JUDGE: {reason}.")
    if len(groups) == 1:
        return Verdict("estimated", text=_of_one(judged[0], scale, level=level))
    shown = [group.system for group in judged if _differs(group)]
    matters = f"The prompt matters for {', '.join(shown)}" if shown else "No prompt is shown to matter"
    if not contrasts:
        return Verdict("estimated", text=f"{matters} ({100 * level:g}%, all pairs of a system at once).")
    first = contrasts[0]
    text = write_verdict(
        first.word,
        first.difference,
        baseline=first.baseline,
        candidate=first.candidate,
        scale=scale,
        n_items=first.n_items,
    )
    over = f"Over {write_count(len(first.by_variant), 'shared variant')}; {write_turns(first)}"
    return Verdict(first.word, text=f"{text} {over}. {matters}.")


def write_turns(contrast: BaseContrast) -> str:
    """Say whether the difference of two systems keeps its sign over their variants.

    Args:
        contrast: the two.
    """
    words = [pair.word for pair in contrast.by_variant]
    sides = {word for word in words if word in DIFFER}
    if len(sides) > 1:
        return "the sign TURNS with the prompt, and both ways are shown"
    if contrast.turns:
        return "the sign turns with the prompt, though not shown both ways"
    shown = sum(word in DIFFER for word in words)
    return f"the sign is the same in each, shown alone in {shown} of {len(words)}"


def _differs(group: VariantGroup) -> bool:
    return any(pair.word in DIFFER for pair in group.pairs)


def _of_one(group: VariantGroup, scale: Scale, *, level: float) -> str:
    rates = [line.rate for line in group.variants if isinstance(line.rate, Estimate)]
    width = max(rate.width for rate in rates)
    low, high = (write_value(pick(rate.point for rate in rates), scale, width=width) for pick in (min, max))
    unit = "%" if scale.in_points else ""
    whose = f" of {group.system}" if group.system else ""
    verb = "pass" if scale.kind == "binary" and scale.better != "lower" else "reach"
    who = f"the {len(group.variants)} variants{whose} {verb} {low} to {high}{unit}"
    counted = f"all {len(group.pairs)} pairs at once" if len(group.pairs) > 1 else "one pair"
    bracket = f"({100 * level:g}% interval, {counted})"
    if not _differs(group) or not isinstance(group.range, Estimate):
        return f"NOT SHOWN TO MATTER: {who}; no two of them are shown to differ {bracket}."
    worst = group.worst
    if worst is None or worst.word not in DIFFER or isinstance(worst.difference, Undefined):
        return f"THE PROMPT MATTERS: {who}; some of them differ {bracket}."
    names = (worst.candidate, worst.baseline)
    limits = (worst.difference.low, worst.difference.high)
    if worst.difference.high < 0:
        names, limits = names[::-1], (-limits[1], -limits[0])
    low, high = (write_difference(x, scale, width=worst.difference.width).lstrip("+") for x in limits)
    by = f"by {low} to {high}{difference_unit(scale)}"
    return f"THE PROMPT MATTERS: {who}; {names[0]} lies above {names[1]} {by} {bracket}."
