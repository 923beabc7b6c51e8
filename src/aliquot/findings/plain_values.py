"""Any record of a finding as plain JSON values: undefined ones carry their reason, nothing is NaN."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from aliquot.evidence.tables import Note
from aliquot.findings.comparison import NamedTest
from aliquot.findings.field_order import fields_in_order
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

UNBOUNDED = "the interval is unbounded on this side"

ESTIMATE = ("point", "low", "high", "level", "method", "n", "se", "df", "clusters", "n_eff", "why")
TEST = ("name", "statistic", "p", "alternative", "floor", "n_resamples")
"""The fields of an estimate and of a test that JSON holds."""


def plain_value(value: object) -> Any:  # noqa: C901, PLR0911 - a case for each type
    """Return a value of a finding as JSON has it.

    Records become objects of their fields, without the ``settings`` of estimates and tests; an undefined value is
    ``{"undefined": reason}``.

    Raises:
        ArithmeticError: NaN, which no finding may hold.
        TypeError: something that is no part of a finding.

    Examples:
        >>> plain_value({"rate": Undefined("no item has a value"), "n": 0})
        {'rate': {'undefined': 'no item has a value'}, 'n': 0}
    """
    match value:
        case None | bool() | str() | int():
            return value
        case float():
            return _number(value)
        case Undefined():
            return {"undefined": value.reason}
        case Estimate():
            return {name: plain_value(getattr(value, name)) for name in ESTIMATE}
        case HypothesisTest():
            return {name: plain_value(getattr(value, name)) for name in TEST}
        case Note():
            return {"code": value.code, "text": value.text}
        case NamedTest():
            return {**plain_value(value.test), "decides": value.decides}
        case Mapping():
            return {str(key): plain_value(part) for key, part in value.items()}
        case list() | tuple():
            return [plain_value(part) for part in value]
        case np.ndarray() | np.generic():
            return plain_value(value.tolist())
        case _ if is_dataclass(value):
            return {name: plain_value(getattr(value, name)) for name in fields_in_order(type(value))}
        case _:
            raise TypeError(f"{type(value).__name__} is no part of a finding")


def _number(value: float) -> Any:
    if math.isnan(value):
        raise ArithmeticError("a finding holds NaN; a value that does not exist is Undefined(reason)")
    return {"undefined": UNBOUNDED} if math.isinf(value) else value
