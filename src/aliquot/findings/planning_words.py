"""The sentences of a plan."""

from __future__ import annotations

from collections.abc import Sequence

from aliquot.findings.numbers import difference_unit, write_difference
from aliquot.findings.planning import LabelDesign, Needed, PowerPoint
from aliquot.findings.scale import Scale
from aliquot.findings.verdict import Verdict
from aliquot.stats.results import Undefined

JOBS = (
    (20, "fewer than 20 items are fit for nothing but a first look"),
    (50, "20 to 50 items are fit for reading failures"),
    (100, "50 to 100 items catch only very large regressions"),
    (300, "100 to 300 items catch large regressions"),
    (500, "300 to 500 items catch middling regressions"),
)
"""What numbers of items below each limit are fit for."""


def write_fit(items: int) -> str:
    """Return what a number of items is fit for."""
    return next((text for limit, text in JOBS if items < limit), "500 and more items compare close systems")


def write_plan(
    needed: Sequence[Needed], at: Sequence[PowerPoint], scale: Scale, *, difference: float | None, margin: float | None,
    power: float, half_width: int | Undefined | None, corrected: Sequence[LabelDesign] = (),
) -> Verdict:  # fmt: skip
    """Return the verdict of a plan: the items needed, as a range where the pilot leaves one.

    Args:
        needed: items under each assumption.
        at: what numbers of items are worth.
        scale: the metric's scale.
        difference: the difference planned for.
        margin: the margin.
        power: the power wanted.
        half_width: items for a half width.
        corrected: labels for the corrected rate of each system.
    """
    if corrected:
        return _labels(corrected)
    said = [
        text
        for goal, size in (("differ", difference), ("not_worse", margin))
        if (mine := [one for one in needed if one.goal == goal]) and size is not None
        if (text := _needed(mine, size, scale, power=power))
    ]
    if isinstance(half_width, int):
        said.append(f"{half_width:,} items for the half width asked for")
    if said:
        return Verdict("estimated", text=f"PLAN: {'; '.join(said)}.")
    if at and not isinstance(at[0].detectable, Undefined):
        size = _size(at[0].detectable, scale)
        return Verdict(
            "estimated", text=f"PLAN: {at[0].items:,} items can show {size} ({100 * power:g}% power)."
        )
    return Verdict(
        "nothing_to_judge", text="NOTHING TO PLAN: name --detect, --margin, --items or --half-width."
    )


def _labels(designs: Sequence[LabelDesign]) -> Verdict:
    """Return the verdict of a plan of labels: how many, and what they are to bring."""
    asked = designs[0].half_width
    if asked is None:
        now = "; ".join(
            f"{one.system} ±{100 * one.half_width_now:.1f} points with {one.labelled}" for one in designs
        )
        return Verdict("estimated", text=f"PLAN: labels give {now}. Say what is wanted: --half-width 3pt.")
    said = [
        f"{one.system} {one.labels} of {one.judged} answers" for one in designs if isinstance(one.labels, int)
    ]
    beyond = [
        f"{one.system} is out of reach ({one.labels.reason})"
        for one in designs
        if isinstance(one.labels, Undefined)
    ]
    told = "; ".join([*([f"label {'; '.join(said)}"] if said else []), *beyond])
    return Verdict("estimated", text=f"PLAN: for a corrected rate within ±{100 * asked:g} points {told}.")


def _needed(needed: Sequence[Needed], size: float, scale: Scale, *, power: float) -> str:
    what = "show" if needed[0].goal == "differ" else "show not worse by"
    counts = sorted(one.items for one in needed if isinstance(one.items, int))
    if not counts:
        reason = next(one.items.reason for one in needed if isinstance(one.items, Undefined))
        return f"{_size(size, scale)} is out of reach: {reason}"
    middle = needed[len(needed) // 2].items
    first = middle if isinstance(middle, int) else counts[-1]
    open_end = len(counts) < len(needed)
    spread = (
        f" ({counts[0]:,} to {'out of reach' if open_end else f'{counts[-1]:,}'})" if len(needed) > 1 else ""
    )
    return f"about {first:,} items{spread} {what} {_size(size, scale)} with {100 * power:g}% power"


def _size(size: float, scale: Scale) -> str:
    return write_difference(abs(size), scale, width=abs(size)).lstrip("+") + difference_unit(scale)


def write_sentence(n: int, detectable: float | Undefined, scale: Scale, *, power: float) -> str:
    """Return what to write of a comparison whose items are too few; never a claim that nothing differs."""
    if isinstance(detectable, Undefined):
        return f"With {n} items no difference could have been shown; none is claimed, and none is ruled out."
    return (
        f"With {n} items a difference below {_size(detectable, scale)} would have been shown in fewer than "
        f"{100 * power:g} of 100 runs; none is claimed, and none of that size is ruled out."
    )
