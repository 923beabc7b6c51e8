"""Margins that a suite can resolve: from what it moves by itself, the loss that can be excluded if nothing changed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from aliquot.analysis.margins import margin_on
from aliquot.errors import UsageError
from aliquot.findings.noise import Noise
from aliquot.findings.numbers import write_percent
from aliquot.findings.scale import Scale
from aliquot.gates.year import simulate_year
from aliquot.stats.distributions import two_sided_z
from aliquot.stats.merge_draws import MergeCondition, PairedMerges, ShiftedMerges
from aliquot.stats.results import Estimate, Undefined

POWER: Final = 0.8
"""Share of unchanged candidates that a margin has to let pass."""

WIDEST: Final = 0.25
"""A margin wider than this share of the scale protects from nothing, and is not proposed."""

_SIMULATED: Final = 4_000
_STEP: Final = 0.005
"""Margins of rates are proposed in half points."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A margin for one metric.

    Attributes:
        metric: its name.
        scale: how its numbers are read.
        margin: the loss that is proposed, in the metric's units; Undefined when the suite resolves none.
        passes: share of unchanged candidates that pass with it, alone.
        n_items: items it rests on.
        blocks: whether it is to block.
        text: the same in a sentence.
    """

    metric: str
    scale: Scale
    margin: float | Undefined
    passes: float
    n_items: int
    blocks: bool
    text: str


def propose(noise: Noise, *, wanted: float | str | None, blocks: bool, level: float = 0.95) -> Proposal:
    """Return the margin for one metric: the one wanted, or the smallest that four in five unchanged candidates pass.

    Args:
        noise: what the suite moves by itself under the metric.
        wanted: a margin that is asked for; refused when the suite cannot resolve it.
        blocks: whether it is to block.
        level: of the intervals.

    Raises:
        UsageError: the margin wanted cannot be resolved; the error says what can, and how many items it would take.
    """
    least = _least(noise, level=level)
    if isinstance(least, Undefined):
        if wanted is not None:
            raise UsageError(f"a margin of {wanted} cannot be judged on {noise.metric}: {least.reason}")
        text = f"{noise.metric}: no margin is proposed, as {least.reason}"
        return Proposal(noise.metric, noise.scale, least, 0.0, noise.n_items, blocks=False, text=text)
    own = margin_on(noise.scale, wanted)
    if own is not None and own < least:
        share = _passes(noise, own, level=level)
        raise UsageError(
            f"a margin of {wanted} cannot be resolved by these {noise.n_items} items: of candidates that change "
            f"nothing {write_percent(share, decimals=0)}% would pass. The smallest margin that can is "
            f"{shown_margin(least, noise.scale)}; {wanted} would take about {_needed(noise, own, level=level):,} items"
        )
    margin = least if own is None else own
    share = _passes(noise, margin, level=level)
    text = (
        f"{noise.metric}: no worse than {shown_margin(margin, noise.scale)}; of candidates that change nothing "
        f"{write_percent(share, decimals=0)}% pass on these {noise.n_items} items"
    )
    return Proposal(noise.metric, noise.scale, margin, share, noise.n_items, blocks=blocks, text=text)


def shown_margin(margin: float, scale: Scale) -> str:
    """Return a margin as a policy has it: points of a rate, else the metric's own units.

    Examples:
        >>> shown_margin(0.045, Scale("binary", 0.0, 1.0, "higher"))
        '4.5pt'
    """
    return f"{round(100 * margin, 6):g}pt" if scale.in_points else f"{margin:.3g}"


def _least(noise: Noise, *, level: float) -> float | Undefined:
    """Return the smallest margin with which an unchanged candidate passes with the power wanted."""
    if isinstance(noise.wobble, Undefined):
        return noise.wobble
    span = noise.scale.span()
    if noise.scale.better == "none":
        return Undefined("neither direction of it is better")
    if not noise.scale.in_points:
        return _rounded_up((1 + 0.8416 / two_sided_z(level)) * max(_wobble(noise), 1e-9))
    steps = math.ceil(WIDEST / _STEP)
    low, high = 1, steps
    if _passes(noise, steps * _STEP, level=level) < POWER:
        needed = _needed(noise, 0.05 * (span or 1.0), level=level)
        return Undefined(
            f"{noise.n_items} items resolve no loss below {100 * WIDEST:g} points; 5 points would take about {needed:,}"
        )
    while low < high:  # more margin, more passes
        middle = (low + high) // 2
        if _passes(noise, middle * _STEP, level=level) >= POWER:
            high = middle
        else:
            low = middle + 1
    return low * _STEP


def _wobble(noise: Noise) -> float:
    """Return half the range of the difference of two runs with the attempts that were made."""
    return noise.wobble.point / math.sqrt(_attempts(noise)) if isinstance(noise.wobble, Estimate) else 0.0


def _attempts(noise: Noise) -> int:
    """Return the attempts a side will have: those of one run, of two runs the fewer."""
    return max(1, min(noise.runs)) if len(noise.runs) == 2 else 1


def _condition(noise: Noise, margin: float) -> MergeCondition:
    se = _wobble(noise) / two_sided_z(noise.level)
    if noise.scale.kind == "binary" and isinstance(noise.flip_rate, Estimate) and _attempts(noise) == 1:
        psi = max(noise.flip_rate.point, 1 / noise.n_items)
        return PairedMerges(noise.n_items, margin, psi, loss=margin)
    return ShiftedMerges(margin, max(se, 1e-9), math.inf, loss=margin)


def _passes(noise: Noise, margin: float, *, level: float) -> float:
    found = simulate_year(
        [_condition(noise, margin)],
        merges=1,
        error=None,
        alpha=1 - level,
        level=level,
        n_simulated=_SIMULATED,
    )
    return found.unchanged[0]


def _needed(noise: Noise, margin: float, *, level: float) -> int:
    """Return the items with which this margin would be resolved, items being as these."""
    z = two_sided_z(level)
    se = _wobble(noise) / two_sided_z(noise.level)
    return max(noise.n_items + 1, math.ceil(noise.n_items * ((z + 0.8416) * se / margin) ** 2))


def _rounded_up(value: float) -> float:
    """Return a value with two significant digits, never less than it was."""
    scale = 10 ** (1 - math.floor(math.log10(value)))
    return math.ceil(value * scale - 1e-9) / scale
