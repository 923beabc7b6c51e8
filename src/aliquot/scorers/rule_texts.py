"""The text of a rule with its settings, ``number_near(relative=0.01)``: one for files, commands and manifests."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from aliquot.errors import UsageError, excerpt

MOST: Final = 20_000
"""Letters of one rule."""

_NAME: Final = re.compile(r"\s*([a-z][a-z0-9_]*)\s*")
_DECODER: Final = json.JSONDecoder()


def write_rule(name: str, settings: Mapping[str, Any]) -> str:
    """Return a rule's text: its name, and its settings as JSON values in the order of their names.

    Examples:
        >>> write_rule("regex", {"pattern": "#### ([0-9]+)"})
        'regex(pattern="#### ([0-9]+)")'
        >>> write_rule("exact", {})
        'exact'
    """
    if not settings:
        return name
    told = (
        f"{key}={json.dumps(value, ensure_ascii=False, sort_keys=True)}"
        for key, value in sorted(settings.items())
    )
    return f"{name}({', '.join(told)})"


def read_rule(text: str) -> tuple[str, dict[str, Any]]:
    """Return name and settings of a rule's text.

    Raises:
        UsageError: it is none.

    Examples:
        >>> read_rule('number_near(relative=0.01, units={"km": 1000})')
        ('number_near', {'relative': 0.01, 'units': {'km': 1000}})
    """
    begin = _NAME.match(text)
    if begin is None or len(text) > MOST:
        raise UsageError(f"{excerpt(text)} names no rule")
    name, at = begin[1], begin.end()
    if at == len(text):
        return name, {}
    body = text[at:].rstrip()
    if not (body.startswith("(") and body.endswith(")")):
        raise UsageError(f"{excerpt(text)} is no rule: write {name}(setting=value)")
    return name, _settings(name, body[1:-1])


def _settings(name: str, body: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    at = 0
    while body[at:].strip():
        key = re.compile(r"\s*([a-z_]+)\s*=\s*").match(body, at)
        if key is None:
            raise UsageError(f"the settings of {name} break at {excerpt(body[at:])}: write setting=value")
        try:
            value, end = _DECODER.raw_decode(body, key.end())
        except (ValueError, RecursionError) as error:
            raise UsageError(
                f"the setting {key[1]} of {name} has no value that can be read: texts stand in double quotes"
            ) from error
        if key[1] in found:
            raise UsageError(f"the setting {key[1]} of {name} is given twice")
        found[key[1]] = value
        comma = re.compile(r"\s*(,|$)").match(body, end)
        if comma is None:
            raise UsageError(
                f"the settings of {name} break at {excerpt(body[end:])}: put a comma between them"
            )
        at = comma.end()
    return found
