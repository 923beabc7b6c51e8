"""Any finding as a tidy frame: a row for each estimate, test, number and verdict, wherever in the finding it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any, Final

import numpy as np
import polars as pl

from aliquot.findings.field_order import fields_in_order
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

COLUMNS: Final = {
    "what": pl.String,
    "part": pl.String,
    "name": pl.String,
    "point": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "level": pl.Float64,
    "method": pl.String,
    "n": pl.Float64,
    "se": pl.Float64,
    "df": pl.Float64,
    "statistic": pl.Float64,
    "p": pl.Float64,
    "decides": pl.Boolean,
    "word": pl.String,
    "reason": pl.String,
}
"""Columns of the frame. ``what`` is estimate, test, number or word; ``part`` the dotted path of the fields that lead
there; ``name`` what tells rows of one part apart; ``reason`` why there is no number."""

_NAMING: Final = (
    "system", "candidate", "task", "metric", "scorer", "field", "level", "item", "weighting", "name", "statistic",
    "label", "claim", "goal", "factor",
)  # fmt: skip
"""Fields whose text says which of several records one is."""

_WORDS: Final = frozenset({"word", "outcome"})
"""Fields whose text is a verdict."""

_NO_RESULTS: Final = frozenset({"level", "seed", "scale", "versions", "values", "strip_a", "strip_b"})
"""Fields that hold how a finding was made, or the rows it was made of."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the walk is: the fields that led there, what names the records passed, whether the test decides."""

    part: tuple[str, ...] = ()
    name: tuple[str, ...] = ()
    decides: bool | None = None


def frame_of(finding: object) -> pl.DataFrame:
    """Return a finding as a frame of the columns ``COLUMNS``, in the order of its fields.

    Args:
        finding: a record of any kind.

    Examples:
        >>> @dataclass(frozen=True)
        ... class Small:
        ...     rate: Estimate
        >>> frame_of(Small(Estimate(0.5, 0.4, 0.6, 0.95, "wilson", 100))).select("part", "point", "n").row(0)
        ('rate', 0.5, 100.0)
    """
    return pl.DataFrame(list(_rows(finding, _Place())), schema=COLUMNS, orient="row")


def _rows(value: object, place: _Place) -> Iterator[Mapping[str, Any]]:
    match value:
        case Undefined():
            yield _row("estimate", place, reason=value.reason)
        case Estimate():
            shown = ("point", "low", "high", "level", "method", "n", "se", "df")
            yield _row("estimate", place, **{name: getattr(value, name) for name in shown})
        case HypothesisTest():
            shown = {"method": value.name, "p": value.p, "df": value.df, "statistic": value.statistic}
            yield _row("test", place, decides=place.decides, **shown)
        case Mapping():
            for key, part in value.items():
                yield from _rows(part, _named(place, (str(key), *_names(part))))
        case list() | tuple():
            yield from _listed(value, place)
        case bool() | np.bool_():
            return
        case int() | float() | np.integer() | np.floating():
            yield _row("number", place, point=float(value))
        case _ if is_dataclass(value):
            yield from _fields(value, place)
        case _:
            return


def _fields(record: object, place: _Place) -> Iterator[Mapping[str, Any]]:
    decides = getattr(record, "decides", place.decides)
    for name in fields_in_order(type(record)):
        value = getattr(record, name)
        within = _Place((*place.part, name), place.name, decides)
        if name in _WORDS and isinstance(value, str):
            yield _row("word", within, word=value)
        elif name not in _NO_RESULTS:
            yield from _rows(value, _named(within, _names(value)))


def _listed(values: Sequence[object], place: _Place) -> Iterator[Mapping[str, Any]]:
    """Walk records by what names them; those of one name, or of none, also by their place in the list."""
    names = [_names(value) for value in values]
    seen = Counter(names)
    for position, (value, name) in enumerate(zip(values, names, strict=True), start=1):
        told = name if name and seen[name] == 1 else (*name, str(position))
        yield from _rows(value, _named(place, told))


def _names(value: object) -> tuple[str, ...]:
    if isinstance(value, Estimate | HypothesisTest | Undefined) or not is_dataclass(value):
        return ()
    found = (getattr(value, name, None) for name in _NAMING)
    return tuple(name for name in found if isinstance(name, str) and name)


def _named(place: _Place, names: tuple[str, ...]) -> _Place:
    return _Place(place.part, (*place.name, *names), place.decides)


def _row(what: str, place: _Place, **cells: object) -> Mapping[str, Any]:
    named = {"what": what, "part": ".".join(place.part), "name": " / ".join(place.name)}
    return dict.fromkeys(COLUMNS) | named | cells
