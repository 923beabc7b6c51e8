"""What stayed the same and what changed between two systems, from their settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from aliquot.evidence.contents import tasks
from aliquot.evidence.tables import Evidence

COST = "cost."
"""Begins the names of settings that say by whose word costs are known, and what other scopes cost; no component."""

_SHORT = 24
"""Values longer than this (prompts, hashes) are named, not printed."""

VARIANT = "variant."
"""What begins the names of the settings that say which variant a system is: ``variant.of``, ``variant.<factor>``."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Settings of two systems side by side.

    Attributes:
        same: names equal on both sides.
        differs: names that differ, with the two values where they are short.
        changed: the components that differ (``decoding`` for ``decoding.temperature``); which variant a system is only
            names what differs.
    """

    same: tuple[str, ...]
    differs: tuple[str, ...]
    changed: tuple[str, ...]


def settings_of(settings: pl.DataFrame, system: str, *, task: str, tasks: Sequence[str]) -> dict[str, str]:
    """Return a system's settings on one task, by name.

    A log of several tasks names a setting that is a task's own ``name.task``; those of other tasks are left out.
    """
    others = tuple(f".{other}" for other in tasks if other != task)
    rows = settings.filter(pl.col("system") == system).select("name", "value").iter_rows()
    return {
        name.removesuffix(f".{task}"): value
        for name, value in rows
        if value is not None and not name.endswith(others)
    }


def contrast_settings(a: dict[str, str], b: dict[str, str]) -> Contrast:
    """Return what two systems' settings share and where they differ; a name known on one side only differs."""
    names = sorted(name for name in a.keys() | b.keys() if not name.startswith(COST))
    different = [name for name in names if a.get(name) != b.get(name)]
    return Contrast(
        same=_components([name for name in names if name not in different], apart=different),
        differs=tuple(_change(name, a.get(name), b.get(name)) for name in different),
        changed=tuple(
            dict.fromkeys(name.split(".")[0] for name in different if not name.startswith(VARIANT))
        ),
    )


def variant_levels(evidence: Evidence, system: str, *, task: str) -> tuple[str, dict[str, str]] | None:
    """Return of which system another is a variant, and its level of each factor; None when nothing says so."""
    own = settings_of(evidence.settings, system, task=task, tasks=tasks(evidence))
    base = own.pop(f"{VARIANT}of", None)
    if base is None:
        return None
    return base, {
        name.removeprefix(VARIANT): value for name, value in own.items() if name.startswith(VARIANT)
    }


def variants_told(evidence: Evidence, systems: Sequence[str], *, task: str) -> str:
    """Return which of these systems are variants of one, and what looks at that, as a sentence; else nothing."""
    found = [
        levels[0] for name in systems if (levels := variant_levels(evidence, name, task=task)) is not None
    ]
    told = [
        f"{found.count(base)} are variants of {base}"
        for base in dict.fromkeys(found)
        if found.count(base) > 1
    ]
    return f"{', '.join(told)}; aliquot variants says how much the prompt moves the score" if told else ""


def _components(names: list[str], *, apart: list[str]) -> tuple[str, ...]:
    """Fold ``decoding.temperature`` and its kind into ``decoding`` when no part of it differs."""
    split = {name.split(".")[0] for name in apart}
    return tuple(dict.fromkeys(name if name.split(".")[0] in split else name.split(".")[0] for name in names))


def _change(name: str, a: str | None, b: str | None) -> str:
    shown = ["none" if value is None else value for value in (a, b)]
    if any(len(value) > _SHORT or "\n" in value for value in shown):
        return name
    return f"{name} ({shown[0]} -> {shown[1]})"
