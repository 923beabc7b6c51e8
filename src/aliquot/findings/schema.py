"""The JSON Schema of every kind of finding, read off the types of its fields as ``finding_document`` shapes them."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from inspect import get_annotations
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import aliquot.findings as room
from aliquot.errors import UsageError, nearest
from aliquot.evidence.tables import Note
from aliquot.findings.comparison import Comparison, NamedTest, SystemSummary
from aliquot.findings.document import SHAPED
from aliquot.findings.field_order import fields_in_order
from aliquot.findings.finding import Finding
from aliquot.findings.plain_values import ESTIMATE, TEST
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_PLAIN: Final = {str: "string", bool: "boolean", int: "integer", NoneType: "null"}

_BOUNDS: Final[Mapping[tuple[type, str], Mapping[str, Any]]] = {
    (HypothesisTest, "p"): {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    (Estimate, "level"): {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    (Estimate, "point"): {"type": "number"},
}
"""Numbers of which more is known than that they are numbers."""

_SHOWN: Final[Mapping[type, Sequence[str]]] = {
    Estimate: ESTIMATE,
    HypothesisTest: TEST,
    Note: ("code", "text"),
}
"""Records of which JSON holds these fields only."""


def finding_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of what ``--json`` prints of one kind of finding.

    Every field is required, and others may stand beside them: a later version of the same number adds, and takes
    nothing away. A value that does not exist is ``{"undefined": reason}``, also an interval's side that is unbounded.

    Args:
        kind: ``comparison``, ``summary``, ``table``, ``noise``, ``plan``, ``verification``, ``explanation`` …

    Raises:
        UsageError: an unknown kind.

    Examples:
        >>> finding_schema("verification")["properties"]["schema"]
        {'const': 'aliquot.verification/1'}
    """
    known = finding_kinds()
    if kind not in known:
        raise UsageError(f"unknown kind of finding {kind!r}. {nearest(kind, known)}")
    definitions: dict[type, Any] = {}
    found = known[kind]
    shaped = (
        _comparison(definitions) if issubclass(found, Comparison) else _record_properties(found, definitions)
    )
    properties = {"schema": {"const": f"aliquot.{kind}/1"}, **shaped}
    return {
        "$schema": DIALECT,
        "$id": f"urn:aliquot:{kind}:1",
        "title": f"aliquot.{kind}/1",
        **_object(properties),
        "$defs": _by_name(definitions),
    }


def _by_name(definitions: Mapping[type, Any]) -> dict[str, Any]:
    named = {
        record.__name__: definitions[record] for record in sorted(definitions, key=lambda one: one.__name__)
    }
    if len(named) < len(definitions):
        raise TypeError(f"two records of one name: {sorted(map(repr, definitions))}")
    return named


@cache
def finding_kinds() -> Mapping[str, type[Finding]]:
    """Return every kind of finding by its name."""
    _room()
    return {found.kind: found for found in Finding.__subclasses__()}


@cache
def _room() -> Mapping[str, type]:
    """Return every class the room knows by its name, for fields whose types are imported for the checker alone."""
    modules = [import_module(f"{room.__name__}.{one.name}") for one in pkgutil.iter_modules(room.__path__)]
    named = [pair for module in modules for pair in vars(module).items() if isinstance(pair[1], type)]
    return dict(sorted(named, key=lambda pair: pair[1].__module__.startswith(room.__name__)))  # its own win


def _hints(record: type) -> Mapping[str, Any]:
    """Return the types of a record's fields; each class of its line is read with the names of its own module."""
    wanted = {field.name for field in fields(record)}
    hints: dict[str, Any] = {}
    for base in reversed(record.__mro__):
        own = {name: text for name, text in get_annotations(base).items() if name in wanted}
        names = {**_room(), **vars(sys.modules[base.__module__])}
        hints |= get_type_hints(SimpleNamespace(__annotations__=own), globalns=names)
    return hints


def _comparison(definitions: dict[type, Any]) -> dict[str, Any]:
    """Return the properties of a comparison, which ``comparison_document`` shapes by hand."""
    plain = _record_properties(Comparison, definitions)
    sides = {"baseline": {"type": "string"}, "candidate": {"type": "string"}}
    estimates = dict.fromkeys(sides, _system(definitions))
    attempts = {name: {"type": "integer"} for name in sides}
    return {
        "systems": _object(sides),
        "estimates": _object(estimates),
        "attempts": _object(attempts),
        **{name: form for name, form in plain.items() if name not in SHAPED},
    }


def _system(definitions: dict[type, Any]) -> dict[str, Any]:
    """Return a side of a comparison: its estimate, or why there is none, with its counts in the same object."""
    counts = _record_properties(SystemSummary, definitions)
    shared = {name: counts[name] for name in ("total", "rows", "answered")}
    shared |= {"status": counts["statuses"], "latency": counts["latency"]}
    estimate = _record_properties(Estimate, definitions)
    return {"anyOf": [_object({**estimate, **shared}), _object({**_undefined(), **shared})]}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": list(properties)}


def _undefined() -> dict[str, Any]:
    return {"undefined": {"type": "string"}}


def _record_properties(record: type, definitions: dict[type, Any]) -> dict[str, Any]:
    hints = _hints(record)
    names = _SHOWN.get(record) or fields_in_order(record)
    return {name: _BOUNDS.get((record, name)) or _type(hints[name], definitions) for name in names}


def _type(hint: Any, definitions: dict[type, Any]) -> dict[str, Any]:  # noqa: PLR0911 - a case for each type
    """Return the schema of one type; records are put into ``definitions`` and referred to."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if hint is float:
        return {"anyOf": [{"type": "number"}, _type(Undefined, definitions)]}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in {Union, UnionType}:
        return _any_of([_type(one, definitions) for one in arguments])
    if origin is tuple:
        return _tuple(arguments, definitions)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _type(arguments[1], definitions)}
    if isinstance(hint, type) and is_dataclass(hint):
        return _reference(hint, definitions)
    raise TypeError(f"{hint!r} has no form in JSON")


def _any_of(choices: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Join choices into one level, each once."""
    flat = [one for choice in choices for one in choice.get("anyOf", [choice])]
    return {"anyOf": [one for place, one in enumerate(flat) if one not in flat[:place]]}


def _tuple(arguments: tuple[Any, ...], definitions: dict[type, Any]) -> dict[str, Any]:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return {"type": "array", "items": _type(arguments[0], definitions)}
    places = [_type(one, definitions) for one in arguments]
    return {"type": "array", "prefixItems": places, "items": False, "minItems": len(places)}


def _reference(record: type, definitions: dict[type, Any]) -> dict[str, Any]:
    """Refer to a record's definition, which is made when it is first met."""
    record = Undefined if issubclass(record, Undefined) else record
    if record not in definitions:
        definitions[record] = {}  # a record within itself would be met again
        definitions[record] = _object(_definition(record, definitions))
    return {"$ref": f"#/$defs/{record.__name__}"}


def _definition(record: type, definitions: dict[type, Any]) -> dict[str, Any]:
    if record is Undefined:
        return _undefined()
    if record is NamedTest:
        return {**_record_properties(HypothesisTest, definitions), "decides": {"type": "boolean"}}
    return _record_properties(record, definitions)
