"""The order in which a finding's fields are told: its own, what every finding ends with, what stands beside it."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from inspect import get_annotations
from typing import Any, Final

ENDING: Final = (
    "warnings", "not_checked", "checklist", "why", "estimand", "verdict", "seed", "versions", "command", "assumptions",
)  # fmt: skip
"""How a finding ends: what must be said beside it, why it was done so, what may be said, and how to make it again."""


@cache
def fields_in_order(record: type[Any]) -> tuple[str, ...]:
    """Return the names of the fields of a record in the order in which JSON and frames hold them.

    Python puts inherited fields first; here a class's own come first. A class that inherits none keeps its order.

    Args:
        record: a dataclass.
    """
    own = get_annotations(record)
    names = [field.name for field in fields(record)]
    if all(name in own for name in names):
        return tuple(names)
    return tuple(sorted(names, key=lambda name: _place(name, inherited=name not in own)))


def _place(name: str, *, inherited: bool) -> tuple[int, int]:
    """Return where a field stands: among its class's own (0), in the ending (1), or beside (2)."""
    if name in ENDING:
        return 1, ENDING.index(name)
    return (2 if inherited else 0), 0
