"""The JSON Schema of policy files, which editors complete and check by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aliquot.analysis.margins import HIGHEST_LEVEL
from aliquot.findings.schema import DIALECT
from aliquot.gates.policy import COSTS, EFFECTS, SHARES, UNDECIDED
from aliquot.gates.policy_file import BASELINE_KEYS, KEYS, MERGES_KEYS, METRIC_KEYS, RULE_KEYS

_MARGIN: Final[Mapping[str, Any]] = {
    "description": "Largest loss that passes: 2pt, 20% of the baseline's (costs), or a number in its own unit",
    "anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string"}],
}
_FLOOR: Final[Mapping[str, Any]] = {
    "description": "Share of the items the candidate has to pass: 90%, or 0.9",
    "anyOf": [{"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, {"type": "string"}],
}
_EFFECT: Final[Mapping[str, Any]] = {
    "enum": list(EFFECTS),
    "description": "Whether it counts for the decision, or is only shown",
}


def _keys(known: tuple[str, ...], shapes: Mapping[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: shapes[name] for name in known},
        "required": list(required),
        "additionalProperties": False,
    }


_RULE: Final = _keys(RULE_KEYS, {"no_worse_than": _MARGIN, "effect": _EFFECT}, "no_worse_than")
_METRIC: Final = _keys(
    METRIC_KEYS,
    {
        "no_worse_than": _MARGIN,
        "at_least": _FLOOR,
        "effect": _EFFECT,
        "segments": {
            "type": "object",
            "additionalProperties": _RULE,
            "description": "Fields of the items; each level is held to the margin by itself",
        },
    },
)
_TEXTS: Final[Mapping[str, Any]] = {"type": "array", "items": {"type": "string"}}

FILE: Final[Mapping[str, Any]] = {
    "metrics": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": _METRIC,
        "description": "What each metric may lose or has to reach; headline is the log's own",
    },
    "costs": {
        **_keys(COSTS, dict.fromkeys(COSTS, _RULE)),
        "description": "What answering may take more",
    },
    "critical": {**_TEXTS, "description": "Items that must pass on every attempt"},
    "quarantine": {
        "description": "Items left out of every condition: a list, or ids with the reason",
        "anyOf": [_TEXTS, {"type": "object", "additionalProperties": {"type": ["string", "null"]}}],
    },
    "baseline": {
        "description": "The blessed baseline the candidate is held against",
        "anyOf": [
            {"type": "string"},
            _keys(
                BASELINE_KEYS, {"name": {"type": "string"}, "oldest_days": {"type": "number", "minimum": 0}}
            ),
        ],
    },
    "merges": {
        **_keys(
            MERGES_KEYS,
            {
                "a_year": {"type": "integer", "minimum": 1},
                "false_fails_a_year": {"type": "number", "exclusiveMinimum": 0},
                "share": {
                    "enum": list(SHARES),
                    "description": "Equal parts, or by LORD or ADDIS from the history",
                },
                "history": {
                    "type": "string",
                    "description": "File of the merges before (aliquot gate --record)",
                },
            },
            "a_year",
        ),
        "description": "Merges a year, and how they share its false fails",
    },
    "undecided": {"enum": list(UNDECIDED), "description": "What to do when the data do not decide"},
    "level": {
        "type": "number",
        "minimum": 0.5,
        "maximum": HIGHEST_LEVEL,
        "description": "Confidence level of the intervals",
    },
}
"""What each key of a policy takes."""


def policy_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a policy file.

    Examples:
        >>> policy_schema()["title"]
        'A policy of aliquot gate'
    """
    head = {"$schema": DIALECT, "$id": "urn:aliquot:policy:1", "title": "A policy of aliquot gate"}
    asks = {"anyOf": [{"required": [name]} for name in ("metrics", "costs", "critical")]}
    return head | _keys(KEYS, FILE) | asks
