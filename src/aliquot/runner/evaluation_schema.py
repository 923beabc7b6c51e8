"""The JSON Schema of evaluation files, made from the keys that the reader knows, for editors and other tools."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, get_args

import msgspec

from aliquot.analysis.margins import HIGHEST_LEVEL
from aliquot.files.plan_file import DIRECTIONS
from aliquot.item_sets.sources import bundled_names
from aliquot.runner.evaluation import CHOICE, CONTINUATIONS, MODES, NAME, TAKEN, UNDRAWN
from aliquot.runner.evaluation_file import (
    DECODING_KEYS,
    GUARD_KEYS,
    KEYS,
    REQUIRED,
    SCORING,
    STORED_SYSTEM_KEYS,
    SUCCESS_KEYS,
    SYSTEM_KEYS,
    SYSTEM_REQUIRED,
)
from aliquot.runner.judge_keys import JUDGE_KEYS, PANEL_KEYS
from aliquot.runner.models import (
    BASELINE_KEYS,
    COMMAND_KEYS,
    FUNCTION_KEYS,
    MODEL_KEYS,
    MODEL_REQUIRED,
    STORED_KEYS,
)
from aliquot.runner.price_keys import PRICE_KEYS
from aliquot.runner.prompt_keys import PLAIN_ORDERS, SHOT_KEYS
from aliquot.runner.stored import MISSING
from aliquot.runner.variants import VARIANT_KEYS
from aliquot.scorers.rule import Rule
from aliquot.scorers.rules import RULES
from aliquot.systems.baselines import Among, BaselineKind
from aliquot.systems.endpoint import PATHS
from aliquot.systems.requests import MOST_LOGPROBS

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_TEXT: Final[Mapping[str, Any]] = {"type": "string"}
_TEXTS: Final[Mapping[str, Any]] = {"type": "array", "items": {"type": "string"}}
_AMOUNT: Final[Mapping[str, Any]] = {
    "anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": r"^\s*\d+(\.\d+)?\s*%\s*$"}],
    "description": "A number of items, or a share like 50%, rounded up",
}


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
    "logprobs": {
        "description": "Ask how probable each token was: true, or how many alternatives to tell at its place",
        "anyOf": [{"type": ["boolean", "null"]}, _whole(1) | {"maximum": MOST_LOGPROBS}],
    },
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

_COMPONENTS: Final[Mapping[str, Any]] = {"type": "object", "additionalProperties": _TEXT}

OWN: Final[Mapping[str, Any]] = {
    "python": {**_TEXT, "pattern": ".:.", "description": "app.py:answer or package.module:answer"},
    "command": {**_TEXTS, "minItems": 1, "description": "The program and its arguments; no shell"},
    "version": {**_TEXT, "description": "What changes when its answers may; the source's hash by default"},
    "components": {**_COMPONENTS, "description": "Versions of what else shapes an answer"},
    "concurrency": _whole(1) | {"description": "Calls at once"},
    "timeout_s": {**_SECONDS, "description": "For one answer"},
}
"""What each key of a function or command takes."""

STORED: Final[Mapping[str, Any]] = {
    "run": {**_TEXT, "description": "A run's directory, or a log that keeps its answers"},
    "system": {**_TEXT, "description": "Whose answers; needed where there are several"},
    "missing": {"enum": list(MISSING), "description": "What an answer that is not there is"},
}
"""What each key of a stored run takes."""

_VALUE: Final[Mapping[str, Any]] = {"type": ["string", "number", "boolean"]}

SHOTS: Final[Mapping[str, Any]] = {
    "from": {
        "description": "items, a bundled set, a .jsonl or .csv file, or the field of an item that lists its own",
        "anyOf": [_TEXT, _keys(("field",), {"field": _TEXT}, ("field",))],
    },
    "n": _whole(0) | {"description": "How many"},
    "seed": _whole(0) | {"description": "Seed of choice and order; the evaluation's by default"},
}
"""What each key of ``shots`` takes."""

VARIED: Final[Mapping[str, Any]] = {
    "prompt": {**_TEXT, "description": "Jinja2 template over the fields of an item"},
    "instructions": {
        "type": ["string", "null"],
        "description": "The system message, sent as it stands; with mode chat only",
    },
    "values": {
        "type": "object",
        "additionalProperties": {"anyOf": [_VALUE, {"type": "array", "items": _VALUE}]},
        "description": "Further variables of the template, by name",
    },
    "option_order": {
        "description": "The order in which an item's options are shown; the reference follows it",
        "anyOf": [
            {"enum": list(PLAIN_ORDERS)},
            _keys(("rotated",), {"rotated": _whole(1)}, ("rotated",)),
            _keys(("shuffled",), {"shuffled": _whole(0)}, ("shuffled",)),
        ],
    },
    "shots": _keys(SHOT_KEYS, SHOTS) | {"description": "The examples that the template sees as shots"},
    "continuations": {
        "enum": list(CONTINUATIONS),
        "description": "What stands for an option behind the prompt; with mode likelihood only",
    },
    "separator": {**_TEXT, "description": "What stands between prompt and continuation; a space by default"},
}
"""What each key takes that a variant may change."""

_CHANGES: Final[Mapping[str, Any]] = {**_keys(VARIANT_KEYS, VARIED), "type": ["object", "null"]}
_AT_LEAST_TWO: Final = 2

VARIANTS: Final[Mapping[str, Any]] = {
    "description": "The system in other words, formats, orders of options and shots, on the same items",
    "anyOf": [
        {
            "type": "array",
            "minItems": _AT_LEAST_TWO,
            "items": _keys(("name", *VARIANT_KEYS), {"name": _TEXT, **VARIED}, ("name",)),
        },
        {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {
                "type": "object",
                "minProperties": _AT_LEAST_TWO,
                "additionalProperties": _CHANGES,
            },
        },
    ],
}
"""What ``variants`` takes: a list, or factors with their levels, which are crossed."""

BASELINE: Final[Mapping[str, Any]] = {
    "baseline": {
        "enum": list(get_args(BaselineKind)),
        "description": "A system that knows nothing: the most frequent right answer, one drawn at random, the first "
        "sentence of its prompt, or the whole prompt",
    },
    "among": {
        "enum": list(get_args(Among)),
        "description": "What random draws from; lines are those of its prompt",
    },
    "seed": _whole(0) | {"description": "Seed of the draw"},
}
"""What each key of a baseline takes."""

_ASKED: Final[tuple[Mapping[str, Any], ...]] = (
    _TEXT,
    _keys(MODEL_KEYS, MODEL, MODEL_REQUIRED),
    _keys(FUNCTION_KEYS, OWN, ("python",)),
    _keys(COMMAND_KEYS, OWN, ("command",)),
)
_PRICED: Final[Mapping[str, Any]] = {
    "description": "What its tokens cost; none takes nothing from the price list of aliquot either",
    "anyOf": [_keys(PRICE_KEYS, PRICES, ("input", "output")), {"enum": ["none", False, None]}],
}
_JUDGING: Final[Mapping[str, Any]] = {"anyOf": [*_ASKED], "description": "The model that is asked as a judge"}

JUDGE: Final[Mapping[str, Any]] = {
    "judge": {
        **_TEXT,
        "description": "A file that describes a judge, or the name of one that comes with aliquot",
    },
    "model": _JUDGING,
    "prices": _PRICED,
    "models": {
        "type": "array",
        "minItems": 1,
        "items": {"anyOf": [*_ASKED, _keys(PANEL_KEYS, {"model": _JUDGING, "prices": _PRICED}, ("model",))]},
        "description": "A panel in the place of model, whose verdicts become one",
    },
}
"""What each key of a judge among the scorers takes."""

SYSTEM: Final[Mapping[str, Any]] = {
    "model": {
        "description": "embedded, a name given to aliquot.run(models=...), a model over HTTP, a function, a command, "
        "a stored run, or a baseline",
        "anyOf": [
            *_ASKED,
            _keys(STORED_KEYS, STORED, ("run",)),
            _keys(BASELINE_KEYS, BASELINE, ("baseline",)),
        ],
    },
    "mode": {
        "enum": list(MODES),
        "description": "chat sends the prompt as a message, completion continues it, likelihood asks how probable each "
        "option is behind it, perplexity how probable it is itself",
    },
    **VARIED,
    "variants": VARIANTS,
    "decoding": _keys(DECODING_KEYS, DECODING) | {"description": "How the answer is drawn"},
    "prices": _PRICED,
    "unconditional": {
        **_TEXT,
        "description": "A context without the question, behind which the options are asked too: 'Answer:'",
    },
    "components": {
        **_COMPONENTS,
        "propertyNames": {"not": {"enum": sorted(TAKEN)}},
        "description": "Versions of what else shapes an answer: index, retriever, tools, parser, commit",
    },
}
"""What each key of a system takes."""

_STORED: Final[Mapping[str, Any]] = {
    "if": {"properties": {"model": {"type": "object", "required": ["run"]}}, "required": ["model"]},
    "then": {"propertyNames": {"enum": list(STORED_SYSTEM_KEYS)}},
    "else": {"required": list(SYSTEM_REQUIRED)},
}


_SHARE: Final[Mapping[str, Any]] = {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, _TEXT]}

SUCCESS: Final[Mapping[str, Any]] = {
    "direction": {"enum": list(DIRECTIONS), "description": "What the candidate has to show"},
    "margin": {**_SHARE, "description": "Largest loss that does not matter: 2pt, or 0.02"},
    "at_least": {**_SHARE, "description": "Share of the items the candidate has to pass: 90%, or 0.9"},
    "level": {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": HIGHEST_LEVEL,
        "description": "Confidence level of all comparisons together",
    },
    "comparisons": _whole(1) | {"description": "Planned comparisons; one with each system but the first"},
}
"""What each key of ``success`` takes."""


def _with_settings(rule: Rule) -> dict[str, Any]:
    """Return the schema of a rule as a mapping with its settings, which come from the class that reads them."""
    _, told = msgspec.json.schema_components([rule.settings])
    known = msgspec.json.decode(msgspec.json.encode(told))  # as JSON has it: defaults are tuples
    (about,) = known.values()
    forms = {"rule": {"const": rule.name}, **about["properties"]}
    return _keys(tuple(forms), forms, ("rule", *about.get("required", ())))


SCORER: Final[Mapping[str, Any]] = {
    "description": "One rule, with its settings where it has any, the field of the items that names each one's, or a "
    "judge",
    "anyOf": [
        {"enum": [name for name, rule in RULES.items() if not rule.needs]},
        {
            "type": "string",
            "pattern": rf"^\s*({'|'.join(name for name, rule in RULES.items() if rule.settings)})\s*\(",
        },
        *(_with_settings(rule) for rule in RULES.values() if rule.settings),
        _keys(
            ("rule",),
            {"rule": {"enum": [name for name, rule in RULES.items() if not rule.settings]}},
            ("rule",),
        ),
        _keys(("field",), {"field": _TEXT}, ("field",)),
        _keys(JUDGE_KEYS, JUDGE, ("judge",))
        | {"oneOf": [{"required": [one]} for one in ("model", "models")]},
    ],
}
"""What a scorer is."""
_SCORER: Final[Mapping[str, Any]] = {"$ref": "#/$defs/scorer"}


def _only(keys: Collection[str], modes: Collection[str]) -> dict[str, Any]:
    """Return the schema by which the keys go with these modes alone; without a word of it the mode is chat."""
    said: dict[str, Any] = {"properties": {"mode": {"enum": list(modes)}}}
    said |= {} if "chat" in modes else {"required": ["mode"]}
    return {"if": {"not": said}, "then": {"not": {"anyOf": [{"required": [key]} for key in keys]}}}


FILE: Final[Mapping[str, Any]] = {
    "name": {**_TEXT, "pattern": f"^{NAME.pattern}$", "description": "The run is kept in runs/NAME"},
    "task": {**_TEXT, "description": "The task's name; the item set's by default"},
    "items": {
        **_TEXT,
        "description": f"A .jsonl or .csv file beside this one, or a bundled set: {', '.join(bundled_names())}",
    },
    "sample": _keys(("items", "by"), {"items": _AMOUNT, "by": _TEXT}, ("items",))
    | {"description": "Ask a seeded part; by is the field whose values keep their shares"},
    "seed": _whole(0) | {"description": "Seed of the sample and of the order of asking"},
    "attempts": _whole(1) | {"description": "Answers asked of each system for each item"},
    "cluster": {
        **_TEXT,
        "description": "Field that names what items share (document, template); turns share their conversation",
    },
    "segments": {**_TEXTS, "description": "Fields that become slices of the report"},
    "scorer": _SCORER,
    "scorers": {
        "type": "array",
        "minItems": 1,
        "uniqueItems": True,
        "items": _SCORER,
        "description": "Several in the place of scorer; the first makes the headline, the others stand beside it",
    },
    "execute_code": {
        "type": "boolean",
        "description": "Whether programs that a model wrote may be executed, in the sandbox, to score them",
    },
    "guards": {
        "description": "When the run stops by itself, by a smoke test; off for never",
        "anyOf": [_keys(GUARD_KEYS, GUARDS), {"const": False}],
    },
    "success": _keys(SUCCESS_KEYS, SUCCESS) | {"description": "What counts as success, said before the run"},
    "systems": {
        "type": "object",
        "minProperties": 1,
        "description": "What is under test, by name; the first is the baseline",
        "additionalProperties": _keys(SYSTEM_KEYS, SYSTEM, ("model",))
        | {
            "allOf": [
                _only(("instructions",), ("chat",)),
                _only(("decoding",), [mode for mode in MODES if mode not in UNDRAWN]),
                _only(tuple(CHOICE), ("likelihood",)),
                _STORED,
            ],
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
        ['name', 'items', 'systems']
    """
    head = {"$schema": DIALECT, "$id": "urn:aliquot:evaluation:1", "title": "An evaluation file of aliquot"}
    parts = {"$defs": {"scorer": dict(SCORER)}, "oneOf": [{"required": [name]} for name in SCORING]}
    return head | _keys(KEYS, FILE, REQUIRED) | parts
