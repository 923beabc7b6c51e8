"""The rule that compares numbers within a tolerance and across units."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from functools import lru_cache

from aliquot.errors import InputError, UsageError
from aliquot.item_sets.items import Item
from aliquot.scorers.answers import led_parts, right_answers
from aliquot.scorers.rule import Settings
from aliquot.scorers.scores import Score, unparsed, verdict
from aliquot.scorers.texts import NUMBER, plain


class Tolerance(Settings, frozen=True):
    """How near a number must come.

    Attributes:
        absolute: largest distance from the reference.
        relative: largest distance as a share of the reference; the larger of the two counts.
        units: what one of each unit is in the unit of a number without one: ``{"m": 1, "km": 1000, "%": 0.01}``. Once
            an answer names one of them, its numbers without one of them do not count.
        bare: whether an answer that names no unit counts, and a number with a unit that is not listed.
    """

    absolute: float = 0.0
    relative: float = 0.0
    units: dict[str, float] = {}  # noqa: RUF012 - msgspec copies it
    bare: bool = True

    def __post_init__(self) -> None:
        if not (0 <= self.absolute < math.inf and 0 <= self.relative < math.inf):
            raise UsageError("the rule 'number_near': a tolerance is a finite number from 0")
        for unit, size in self.units.items():
            if not 0 < size < math.inf or not unit.strip():
                raise UsageError(
                    f"the rule 'number_near': the unit {unit!r} must have a name and a size above 0"
                )
        if len({plain(unit) for unit in self.units}) < len(self.units):
            raise UsageError(
                "the rule 'number_near': two units differ in case only, which answers do not keep to"
            )
        if not (self.bare or self.units):
            raise UsageError("the rule 'number_near': without units every number is bare")


def score_number_near(item: Item, text: str, settings: Tolerance) -> Score:
    """1 when the quantity the text settles on is near enough to the reference.

    That is the first one after the last "answer is", "answer:" or "="; without these, the last one.

    Raises:
        InputError: the reference is no number.
    """
    wanted = [found for answer in right_answers(item) for found in _quantities(answer, settings)[-1:]]
    if not wanted:
        raise InputError(
            f"item {item.id!r}: the rule 'number_near' needs a number as reference",
            field="reference",
            row=item.row,
        )
    found = _quantities(text, settings)
    if not found:
        return unparsed("no number in the answer")
    led = [_quantities(part, settings) for part in led_parts(plain(text))]
    settled = next((part[0] for part in reversed(led) if part), found[-1])
    return verdict(right=any(_near(settled, one, settings) for one in wanted), label=f"{settled:g}")


def _quantities(text: str, settings: Tolerance) -> list[Decimal]:
    """Return the numbers of a text in the unit of a number without one."""
    sizes = {plain(unit): Decimal(str(size)) for unit, size in settings.units.items()}
    read = [
        (Decimal(number.replace(",", "")), unit)
        for number, unit in _pattern(tuple(sizes)).findall(plain(text))
    ]
    named = [number * sizes[unit] for number, unit in read if unit]
    return named or [number for number, _ in read if settings.bare]


@lru_cache(maxsize=256)
def _pattern(units: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of a number and the unit behind it, the longest unit first."""
    named = "|".join(re.escape(unit) for unit in sorted(units, key=len, reverse=True))
    behind = rf"(?:\s?({named})(?!\w))?" if units else "()"
    return re.compile(NUMBER + behind)


def _near(found: Decimal, wanted: Decimal, settings: Tolerance) -> bool:
    most = max(Decimal(str(settings.absolute)), Decimal(str(settings.relative)) * abs(wanted))
    return abs(found - wanted) <= most
