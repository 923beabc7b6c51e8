"""The keywords of a JSON Schema that search with patterns, each search bounded in time."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any, cast

from aliquot.files.patterns import compile_pattern


def bounded(known: Any) -> Any:
    """Return a class of validators of jsonschema whose patterns cannot take for ever.

    Args:
        known: the class that it has for a version of JSON Schema.
    """
    validators: Any = importlib.import_module("jsonschema.validators")
    own = {"pattern": _pattern, "patternProperties": _properties, "additionalProperties": _additional}
    return validators.extend(known, own)


def _pattern(validator: Any, pattern: str, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:  # noqa: ARG001 - their signature
    if isinstance(value, str) and not compile_pattern(pattern).search(value):
        yield _violation(f"{value!r} does not match {pattern!r}")


def _properties(validator: Any, patterns: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:  # noqa: ARG001 - as above
    if isinstance(value, dict):
        held = cast("dict[str, object]", value)
        for pattern, below in patterns.items():
            for name in held:
                if compile_pattern(pattern).search(name):
                    yield from validator.descend(held[name], below, path=name, schema_path=pattern)


def _additional(validator: Any, below: Any, value: Any, schema: Mapping[str, Any]) -> Iterator[Any]:
    if not isinstance(value, dict):
        return
    held = cast("dict[str, object]", value)
    patterns = [compile_pattern(pattern) for pattern in schema.get("patternProperties", {})]
    further = [name for name in held if name not in schema.get("properties", {})]
    further = [name for name in further if not any(pattern.search(name) for pattern in patterns)]
    if isinstance(below, dict):
        for name in further:
            yield from validator.descend(held[name], below, path=name)
    elif not below and further:
        named = ", ".join(map(repr, sorted(further)))
        yield _violation(f"additional properties are not allowed: {named}")


def _violation(text: str) -> Any:
    return importlib.import_module("jsonschema.exceptions").ValidationError(text)
