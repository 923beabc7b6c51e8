"""A noise measurement as a sheet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aliquot.findings.noise import Flipped, Noise
from aliquot.findings.numbers import difference_unit, write_difference, write_p, write_percent
from aliquot.reports.sheet import Block, Grid, Sheet, lay_out
from aliquot.stats.results import Estimate

_NAMED = 10
"""Flipped items shown without ``-v``."""


def sheet_of(noise: Noise) -> Sheet:
    """Return the text of a noise measurement."""
    return lay_out(noise, _blocks(noise), _details(noise))


def _blocks(noise: Noise) -> Iterator[Block]:
    if isinstance(noise.wobble, Estimate) and noise.wobble.point > 0:
        low, high = (_size(noise, limit) for limit in (noise.wobble.low, noise.wobble.high))
        unit = difference_unit(noise.scale)
        yield f"Measured on these items, that is {low} to {high}{unit} ({100 * noise.level:g}% interval)."
        three, five = (_size(noise, noise.repeated[k]) for k in (3, 5))
        yield f"3 attempts an item would bring it down to {three}{unit}, 5 to {five}."
    if noise.flipped:
        title = "Items that flipped" if noise.scale.kind == "binary" else "Items whose attempts differ"
        cut = f", the first {_NAMED} of {len(noise.flipped)}" if len(noise.flipped) > _NAMED else ""
        yield _flipped(noise, noise.flipped[:_NAMED], title + cut)
    if noise.judge is not None:
        total = noise.judge.system + noise.judge.judge
        share = noise.judge.judge / total if total > 0 else 0.0
        asked = f"asked {noise.judge.repeats:.3g} times an answer"
        yield f"{write_percent(share, decimals=0)}% of that variance is the judge's ({asked}), the rest the system's."


def _size(noise: Noise, size: float) -> str:
    width = noise.wobble.point if isinstance(noise.wobble, Estimate) else 1.0
    return write_difference(size, noise.scale, width=width).lstrip("+")


def _flipped(noise: Noise, items: Sequence[Flipped], title: str) -> Grid:
    stored = max((one.of for one in noise.flipped), default=1)
    head = ("item", "attempts", *((f"flipped, of {stored}",) if stored > 1 else ()))
    rows = tuple(
        (
            one.item,
            " ".join(f"{value:g}" for value in one.values[:10]),
            *((str(one.times),) if stored > 1 else ()),
        )
        for one in items
    )
    return Grid(title, head, rows)


def _details(noise: Noise) -> Iterator[Block]:
    if len(noise.flipped) > _NAMED:
        yield _flipped(noise, noise.flipped[_NAMED:], "The others")
    if isinstance(noise.flip_rate, Estimate):
        low, point, high = (
            write_percent(share)
            for share in (noise.flip_rate.low, noise.flip_rate.point, noise.flip_rate.high)
        )
        yield f"Two single attempts disagree on {point}% of the items ({low} to {high}%)."
    if noise.drift is not None:
        yield f"Second run against the first: {noise.drift.name}, {write_p(noise.drift)}."
    yield f"Method: {noise.why}."
