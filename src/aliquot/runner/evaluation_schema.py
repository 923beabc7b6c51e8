"""The JSON Schema of evaluation files, made from the keys that the reader knows, for editors and other tools."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from aliquot.item_sets.sources import bundled_names
from aliquot.runner.endpoints import MODEL_KEYS, MODEL_REQUIRED
from aliquot.runner.evaluation import MODES, NAME
from aliquot.runner.evaluation_file import (
    DECODING_KEYS,
    GUARD_KEYS,
    KEYS,
    PRICE_KEYS,
    REQUIRED,
    SYSTEM_KEYS,
    SYSTEM_REQUIRED,
)
from aliquot.scorers.rules import RULES
from aliquot.systems.endpoint import PATHS

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_TEXT: Final[Mapping[str, Any]] = {"type": "string"}
_TEXTS: Final[Mapping[str, Any]] = {"type": "array", "items": {"type": "string"}}


def _whole(low: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": low}


def _keys(known: Collection[str], forms: Mapping[str, Any], required: Collection[str] = ()) -> dict[str, Any]:
    """Return the schema of a mapping whose keys are all known; a key without a form of its own takes anything."""
    shaped = {"type": "object", "properties": {name: dict(forms.get(name, {})) for name in known}}
    return shaped | {"additionalProperties": False} | ({"required": list(required)} if required else {})


DECODING: Final[Mapping[str, Any]] = {
    "temperature": {
        "type": ["number", "null"],
        "minimum": 0,
        "description": "0 takes the most probable token; null sends none",
    },
    "max_tokens": _whole(1) | {"description": "An answer that uses them up is truncated"},
    "stop": {**_TEXTS, "description": "Texts that end the answer"},
    "top_p": {"type": "number", "exclusiveMinimum": 0, "maximum": 1, "description": "Nucleus share"},
    "seed": _whole(0) | {"description": "Seed of the draw, where the system takes one"},
}
"""What each key of ``decoding`` takes."""

_MONEY: Final[Mapping[str, Any]] = {"type": "number", "minimum": 0}

PRICES: Final[Mapping[str, Any]] = {
    "input": {**_MONEY, "description": "Of the request's tokens"},
    "output": {**_MONEY, "description": "Of the answer's tokens, thinking included"},
    "cached": {**_MONEY, "description": "Of tokens that the provider served from its cache"},
    "per": _whole(1) | {"description": "Tokens that a price is for; a million by default"},
    "currency": _TEXT,
    "source": {**_TEXT, "description": "Where the prices stand, and of which day they are"},
}
"""What each key of ``prices`` takes."""

_SHARE_OR_OFF: Final[Mapping[str, Any]] = {
    "anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"const": False}]
}

GUARDS: Final[Mapping[str, Any]] = {
    "parse_rate": {**_SHARE_OR_OFF, "description": "Smallest share of the first answers that could be read"},
    "truncated": {**_SHARE_OR_OFF, "description": "Largest share of them that used up max_tokens"},
    "errors": {**_SHARE_OR_OFF, "description": "Largest share of them that were lost"},
    "first": _whole(1) | {"description": "Items that every system is asked before any is asked the rest"},
}
"""What each key of ``guards`` takes."""

_SECONDS: Final[Mapping[str, Any]] = {"type": "number", "exclusiveMinimum": 0}

MODEL: Final[Mapping[str, Any]] = {
    "base_url": {**_TEXT, "pattern": "^https?://", "description": "What stands before /chat/completions"},
    "model": {**_TEXT, "minLength": 1, "description": "The server's name of the model"},
    "api": {"enum": list(PATHS), "description": "The one that goes with the mode by default"},
    "api_key_env": {**_TEXT, "description": "The variable of the environment that holds the key"},
    "api_version": {**_TEXT, "description": "Azure's api-version"},
    "stream": {"type": "boolean", "description": "Ask for the answer token by token"},
    "concurrency": _whole(1) | {"description": "Requests in flight at most"},
    "tries": _whole(1) | {"description": "Requests made for one answer before it counts as lost"},
    "timeout_s": {**_SECONDS, "description": "For one whole answer"},
    "connect_timeout_s": {**_SECONDS, "description": "For a connection"},
    "first_token_timeout_s": {**_SECONDS, "description": "Until the answer begins"},
    "json_schema": {"type": "object", "description": "JSON Schema that the answer has to follow"},
    "extra": {"type": "object", "description": "Further fields of the request's body; null leaves one out"},
}
"""What each key of a model over HTTP takes."""

SYSTEM: Final[Mapping[str, Any]] = {
    "model": {
        "description": "embedded, a name given to aliquot.run(models=...), or where it is asked over HTTP",
        "anyOf": [_TEXT, _keys(MODEL_KEYS, MODEL, MODEL_REQUIRED)],
    },
    "mode": {
        "enum": list(MODES),
        "description": "chat sends the prompt as a message, completion continues it",
    },
    "instructions": {**_TEXT, "description": "The system message, sent as it stands; with mode chat only"},
    "prompt": {**_TEXT, "description": "Jinja2 template over the fields of an item"},
    "decoding": _keys(DECODING_KEYS, DECODING) | {"description": "How the answer is drawn"},
    "prices": _keys(PRICE_KEYS, PRICES, ("input", "output")) | {"description": "What its tokens cost"},
}
"""What each key of a system takes."""

FILE: Final[Mapping[str, Any]] = {
    "name": {**_TEXT, "pattern": f"^{NAME.pattern}$", "description": "The run is kept in runs/NAME"},
    "task": {**_TEXT, "description": "The task's name; the item set's by default"},
    "items": {
        **_TEXT,
        "description": f"A .jsonl or .csv file beside this one, or a bundled set: {', '.join(bundled_names())}",
    },
    "sample": _keys(("items", "by"), {"items": _whole(1), "by": _TEXT}, ("items",))
    | {"description": "Ask a seeded part; by is the field whose values keep their shares"},
    "seed": _whole(0) | {"description": "Seed of the sample and of the order of asking"},
    "attempts": _whole(1) | {"description": "Answers asked of each system for each item"},
    "cluster": {**_TEXT, "description": "Field that names what items share (document, conversation)"},
    "segments": {**_TEXTS, "description": "Fields that become slices of the report"},
    "scorer": {
        "description": "One rule, or the field of the items that names each one's",
        "anyOf": [{"enum": list(RULES)}, _keys(("field",), {"field": _TEXT}, ("field",))],
    },
    "guards": {
        "description": "When the run stops by itself, by a smoke test; off for never",
        "anyOf": [_keys(GUARD_KEYS, GUARDS), {"const": False}],
    },
    "systems": {
        "type": "object",
        "minProperties": 1,
        "description": "What is under test, by name; the first is the baseline",
        "additionalProperties": _keys(SYSTEM_KEYS, SYSTEM, SYSTEM_REQUIRED)
        | {
            "if": {"properties": {"mode": {"const": "completion"}}, "required": ["mode"]},
            "then": {"not": {"required": ["instructions"]}},
        },
    },
}
"""What each key of an evaluation file takes."""


def evaluation_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of an evaluation file.

    It knows the keys that ``read_evaluation`` knows and refuses what that refuses for its form alone; whether items,
    prompts and rules fit each other is checked when a run begins.

    Examples:
        >>> evaluation_schema()["required"]
        ['name', 'items', 'scorer', 'systems']
    """
    head = {"$schema": DIALECT, "$id": "urn:aliquot:evaluation:1", "title": "An evaluation file of aliquot"}
    return head | _keys(KEYS, FILE, REQUIRED)
