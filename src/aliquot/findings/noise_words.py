"""The first sentence of a noise measurement."""

from __future__ import annotations

from aliquot.findings.numbers import difference_unit, write_count, write_difference, write_percent
from aliquot.findings.scale import Scale
from aliquot.findings.verdict import Verdict
from aliquot.stats.results import Estimate, Undefined

FEW_FLIPS = 8
"""Flipped items below which the upper limit of the suite's movement is given."""


def write_noise(
    scale: Scale,
    wobble: Estimate | Undefined,
    *,
    n_items: int,
    flipped: int,
    net: int | None,
    attempts: int = 2,
    drifted: bool = False,
) -> Verdict:
    """Return the verdict of a noise measurement: how many items flipped, and what that does to a difference.

    Args:
        scale: the metric's scale.
        wobble: half the range between two single runs.
        n_items: items with two values.
        flipped: those whose attempts disagree.
        net: items better minus items worse in the second run.
        attempts: attempts an item has in all runs together, the most.
        drifted: whether the two runs differ by more than noise alone.
    """
    if n_items == 0:
        reason = wobble.reason if isinstance(wobble, Undefined) else "no item has two values"
        return Verdict("nothing_to_judge", text=f"NOTHING TO JUDGE: {reason}.")
    apart = "differ between attempts" if attempts <= 2 else f"differ between their {attempts} attempts"
    word = "flipped" if scale.kind == "binary" and attempts <= 2 else apart
    moved = "" if net is None else f", net {net:+d}" if net else ", net 0"
    share = write_percent(flipped / n_items)
    if drifted:
        counted = f"{flipped} of {write_count(n_items, 'item')} {word} ({share}%){moved}"
        text = f"THE TWO RUNS DIFFER BY MORE THAN NOISE: {counted}."
        return Verdict("estimated", text=f"{text} They are not one system run twice; compare them instead.")
    text = f"SAME SYSTEM, RUN AGAIN: {flipped} of {write_count(n_items, 'item')} {word} ({share}%){moved}."
    return Verdict("estimated", text=f"{text} {write_wobble(scale, wobble, flipped=flipped)}")


def write_wobble(scale: Scale, wobble: Estimate | Undefined, *, flipped: int) -> str:
    """Say what the suite's own movement does to the difference of two single runs.

    With few flips the upper limit is given too, as the range made of so few holds a new difference too seldom.
    """
    if isinstance(wobble, Undefined):
        return f"Its own movement could not be seen: {wobble.reason}."
    if wobble.point == 0:
        size = write_difference(wobble.high, scale, width=wobble.high).lstrip("+")
        return (
            f"None was seen to move; differences up to {size}{difference_unit(scale)} between two single runs could "
            f"still be its own noise ({100 * wobble.level:g}% interval)."
        )
    size, most = (
        write_difference(reach, scale, width=wobble.point).lstrip("+")
        for reach in (wobble.point, wobble.high)
    )
    size = f"{size}, perhaps {most}," if flipped < FEW_FLIPS else size
    return f"Between two single runs, differences up to {size}{difference_unit(scale)} can be its own noise."
