"""Whether an answer is the JSON that was asked for: what kept it from being read, and which of its fields are right."""

from __future__ import annotations

import importlib
import json
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, NoReturn, TypeAlias, cast

from aliquot.errors import MachineError, PatternTimeError, UsageError
from aliquot.scorers.json_patterns import bounded
from aliquot.scorers.refusals import is_refusal

Fault: TypeAlias = Literal["refused", "truncated", "syntax", "schema"]
"""Why an answer is not the JSON that was asked for: no answer, cut, not JSON, or JSON of another form."""

MOST_FIELDS: Final = 1000
"""Leaves of one reference."""

_FENCE: Final = re.compile(r"^\s*```(?:json|JSON)?[ \t]*\n(.*?)\n?[ \t]*```\s*$", re.DOTALL)
_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """What was read out of an answer.

    Attributes:
        value: the JSON value; None with a fault of reading.
        fault: what is wrong with its form; None when nothing is.
        reason: in one line, why.
    """

    value: object = None
    fault: Fault | None = None
    reason: str | None = None


def read_json_answer(text: str, *, cut: bool = False, schema: Mapping[str, Any] | None = None) -> JsonAnswer:
    """Return the JSON value that an answer is, or what kept it from being one.

    The whole answer must be JSON; a code fence around it is taken off, and nothing else. Names that occur twice, NaN
    and infinities are no JSON (RFC 8259).

    Args:
        text: what was answered.
        cut: whether the answer was cut by its budget.
        schema: JSON Schema that the value has to follow.

    Raises:
        UsageError: the schema is none that can be used.
        MachineError: a schema is given and the extra ``metrics`` is not installed.

    Examples:
        >>> read_json_answer('{"city": "Oslo"').reason
        'the JSON breaks off after 15 letters'
        >>> read_json_answer("I'm sorry, but I can't help with that.").fault
        'refused'
    """
    fenced = _FENCE.match(text)
    body = (fenced[1] if fenced else text).strip()
    try:
        value = _DECODER.decode(body)
    except RecursionError:
        return JsonAnswer(fault="syntax", reason="it is nested too deeply")
    except json.JSONDecodeError as error:
        if cut or (body.startswith(("{", "[")) and _breaks_off(error, body)):
            return JsonAnswer(fault="truncated", reason=f"the JSON breaks off after {len(body)} letters")
        if is_refusal(text):
            return JsonAnswer(fault="refused", reason="it refuses")
        return JsonAnswer(fault="syntax", reason=f"not JSON at letter {error.pos + 1}: {error.msg}")
    except ValueError as error:
        return JsonAnswer(fault="syntax", reason=str(error))
    wrong = None if schema is None else _first_violation(value, schema)
    return JsonAnswer(value, None if wrong is None else "schema", wrong)


def check_schema(schema: Mapping[str, Any]) -> None:
    """Refuse a schema that cannot be used, before anything is asked.

    Raises:
        UsageError: it is no valid JSON Schema, of a version that is not known, or refers to another document.
        MachineError: the extra ``metrics`` is not installed.
    """
    _validator(json.dumps(schema, sort_keys=True))


def right_fields(
    reference: object, found: object, *, same_text: Callable[[str, str], bool] = operator.eq
) -> dict[str, bool]:
    """Return for each leaf of the reference, by its path, whether the answer has the same there.

    Numbers are compared by value, texts as told, everything else as it stands; an empty object or list is a leaf. What
    the reference does not name is ignored.

    Args:
        reference: the right JSON value.
        found: the answer's.
        same_text: whether two texts are the same.

    Raises:
        UsageError: the reference has more than ``MOST_FIELDS`` leaves.

    Examples:
        >>> right_fields({"a": 1, "b": {"c": "x"}}, {"a": 1.0, "b": {"c": "y"}, "d": 0})
        {'/a': True, '/b/c': False}
    """
    leaves = dict[str, bool]()
    for path, wanted, got in _leaves(reference, found, ""):
        if len(leaves) == MOST_FIELDS:
            raise UsageError(f"the reference has more than {MOST_FIELDS} fields")
        leaves[path] = _same(wanted, got, same_text)
    return leaves


def _leaves(wanted: object, got: object, path: str) -> Iterator[tuple[str, object, object]]:
    if isinstance(wanted, dict) and wanted:
        held = cast("dict[str, object]", got) if isinstance(got, dict) else {}
        for name, value in cast("dict[str, object]", wanted).items():
            step = name.replace("~", "~0").replace("/", "~1")  # JSON Pointer, RFC 6901
            yield from _leaves(value, held.get(name, _MISSING), f"{path}/{step}")
    elif isinstance(wanted, list) and wanted:
        given = cast("list[object]", got) if isinstance(got, list) else []
        for at, value in enumerate(cast("list[object]", wanted)):
            yield from _leaves(value, given[at] if at < len(given) else _MISSING, f"{path}/{at}")
    else:
        yield path, wanted, got


def _same(wanted: object, got: object, same_text: Callable[[str, str], bool]) -> bool:
    if isinstance(wanted, str) and isinstance(got, str):
        return same_text(wanted, got)
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    if isinstance(wanted, int | float) and isinstance(got, int | float):
        return wanted == got
    return type(wanted) is type(got) and wanted == got


def _breaks_off(error: json.JSONDecodeError, body: str) -> bool:
    return error.pos >= len(body) or error.msg.startswith(("Unterminated string", "Invalid \\uXXXX escape"))


def _once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise ValueError(f"the name {twice[:40]!r} occurs twice in one object")
    return found


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refuse)


def _first_violation(value: object, schema: Mapping[str, Any]) -> str | None:
    """Return in one line what breaks the schema first, by its path; None when nothing does."""
    try:
        every = list(_validator(json.dumps(schema, sort_keys=True)).iter_errors(value))
    except RecursionError:
        return "it is nested too deeply"
    except PatternTimeError:
        raise
    except Exception as error:
        raise UsageError(f"the JSON Schema cannot be used: {str(error)[:200]}") from error
    found = sorted(every, key=lambda one: [str(step) for step in one.absolute_path])
    if not found:
        return None
    place = "/".join(map(str, found[0].absolute_path)) or "the whole"
    return f"{place[:80]}: {str(found[0].message)[:160]}"


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    try:
        validators = importlib.import_module("jsonschema.validators")
        referencing = importlib.import_module("referencing")
    except ModuleNotFoundError as error:
        raise MachineError("JSON Schema needs an extra. Run: pip install 'aliquot[metrics]'") from error
    told: object = json.loads(schema)
    if not isinstance(told, dict):
        raise UsageError("a JSON Schema is an object")
    known: Any = validators.validator_for(
        told, default=None if "$schema" in told else validators.Draft202012Validator
    )
    if known is None:
        raise UsageError(f"the JSON Schema is of an unknown version: {str(told['$schema'])[:80]}")
    try:
        known.check_schema(told)
    except Exception as error:
        raise UsageError(
            f"this is no valid JSON Schema: {str(getattr(error, 'message', error))[:200]}"
        ) from error
    for reference in _references(told):
        if not reference.startswith("#"):
            raise UsageError(f"the JSON Schema refers to another document: {reference[:80]}")
    return bounded(known)(told, registry=referencing.Registry())


def _references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for name, value in cast("dict[str, object]", node).items():
            if name in {"$ref", "$dynamicRef"} and isinstance(value, str):
                yield value
            yield from _references(value)
    elif isinstance(node, list):
        for value in cast("list[object]", node):
            yield from _references(value)
