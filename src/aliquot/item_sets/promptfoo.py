"""The test list of a promptfoo file as items: variables are fields, assertions that are rules score them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from aliquot.errors import excerpt, nearest
from aliquot.files.documents import Node, parse
from aliquot.item_sets.assertions import KINDS, LISTS, python_pattern
from aliquot.item_sets.items import NOT_INPUTS, Item

TEST_KEYS: Final = ("description", "vars", "assert", "metadata")
"""What of a test is read; anything else would change what is asked or how it is scored, and is refused."""

ASSERT_KEYS: Final = ("type", "value", "metric", "weight")

RULE: Final = "asserts"
"""The rule that scores these items."""

_FILLED: Final = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_ID: Final = ("id", "testCaseId", "item_id")


def read_tests(text: str, *, file: str) -> tuple[Item, ...]:
    """Return the items of a promptfoo configuration, or of a list of tests.

    Args:
        text: the YAML text.
        file: its name, for messages.

    Raises:
        InputError: what cannot be taken over as it is meant, with its line.
    """
    root = parse(text, file=file, remedy="Give a promptfoo configuration, or a list of tests")
    keys = root.mapping() if isinstance(root.value, dict) else {"tests": root}
    tests = keys.get("tests")
    if tests is None:
        root.refuse("the key 'tests' is missing", remedy="Give a promptfoo configuration, or a list of tests")
    if not isinstance(tests.value, list):
        tests.refuse(
            "tests are read from a list only", remedy="Write the tests out, or give items as .jsonl or .csv"
        )
    default = keys["defaultTest"].mapping(TEST_KEYS) if "defaultTest" in keys else {}
    seen: dict[str, int] = {}
    items: list[Item] = []
    for node in cast("list[Node]", tests.value):
        item = _item(node, default)
        if item.id in seen:
            node.refuse(
                f"the test {excerpt(item.id)} stands in line {seen[item.id]} too",
                remedy="Give each its own description or metadata: {id: ...}",
            )
        seen[item.id] = node.line
        items.append(item)
    if not items:
        tests.refuse("no test is listed")
    return tuple(items)


def _item(node: Node, default: Mapping[str, Node]) -> Item:
    keys = _keys(node, TEST_KEYS)
    values = {**_values(default.get("vars")), **_values(keys.get("vars"))}
    told = {**_values(default.get("metadata")), **_values(keys.get("metadata"))}
    asserts = [
        _assert(one, values)
        for part in (default.get("assert"), keys.get("assert"))
        if part is not None
        for one in _list(part)
    ]
    if not asserts:
        node.refuse("the test has no assertion", remedy="Give it an assert, or use items as .jsonl or .csv")
    named = [told.get(name) for name in _ID] + [values.get("id")]
    said = keys["description"].text() if "description" in keys else ""
    shown = ", ".join(f"{name}={value}" for name, value in values.items())[:100]
    identity = next((str(name) for name in named if name not in {None, ""}), said or shown)
    wrong = sorted((NOT_INPUTS - {"id"}) & values.keys())
    if wrong:
        node.refuse(f"the variable {wrong[0]!r} has a meaning of its own here", remedy="Give it another name")
    fields = {**told, **values, "asserts": asserts, "scorer": RULE}
    reference = next(
        (
            one["value"]
            for kind in ("equals", "contains", "icontains")
            for one in asserts
            if one["type"] == kind
        ),
        None,
    )
    if reference is not None:
        fields["reference"] = reference
    return Item(id=identity or f"line {node.line}", fields=fields, row=node.line)


def _keys(node: Node, known: tuple[str, ...]) -> dict[str, Node]:
    """Return a mapping; a key that is not taken over is refused with the reason."""
    keys = node.mapping()
    for name, part in keys.items():
        if name not in known:
            part.refuse(
                f"{excerpt(name)} is not taken over from promptfoo",
                remedy=f"Take it away if the result is the same without; read are {', '.join(known)}",
            )
    return keys


def _values(node: Node | None) -> dict[str, object]:
    """Return variables or metadata: texts, numbers, truth values."""
    if node is None:
        return {}
    found: dict[str, object] = {}
    for name, part in node.mapping().items():
        if isinstance(part.value, list | dict):
            part.refuse(
                "holds several values, which promptfoo makes several tests of", remedy="Write them out"
            )
        if isinstance(part.value, str) and part.value.startswith("file://"):
            part.refuse("stands in another file", remedy="Write it here")
        if part.value is not None:
            found[name] = part.value
    return found


def _assert(node: Node, values: Mapping[str, object]) -> dict[str, Any]:
    keys = _keys(node, ASSERT_KEYS)
    if "type" not in keys:
        node.refuse("the key 'type' is missing", remedy=f"Known: {', '.join(KINDS)}")
    kind = keys["type"].text()
    bare = kind.removeprefix("not-")
    if bare not in KINDS:
        keys["type"].refuse(
            f"the assertion {excerpt(kind)} is no rule and needs promptfoo", remedy=nearest(bare, KINDS)
        )
    if "weight" in keys and keys["weight"].number() <= 0:
        keys["weight"].refuse("an assertion without weight does not count", remedy="Take it away")
    value = keys.get("value")
    if bare == "is-json":
        if value is not None:
            value.refuse(
                "a JSON schema is not checked here", remedy="Take it away, or run this test in promptfoo"
            )
        return {"type": kind}
    if value is None:
        node.refuse(f"the assertion {excerpt(kind)} has no value")
    if bare in LISTS:
        return {"type": kind, "value": [_filled(one, values) for one in _list(value)]}
    text = _filled(value, values)
    if bare == "regex":
        try:
            python_pattern(text)
        except re.error as error:
            value.refuse(f"{excerpt(text)} is no pattern that can be used ({error})")
    return {"type": kind, "value": text}


def _list(node: Node) -> list[Node]:
    if not isinstance(node.value, list) or not node.value:
        node.refuse("is not a list", remedy="Write [one, two]")
    return cast("list[Node]", node.value)


def _filled(node: Node, values: Mapping[str, object]) -> str:
    """Return a value with its variables filled in; any other template is refused."""
    if isinstance(node.value, list | dict) or node.value is None:
        node.refuse("is not text", remedy="Put it in quotes")
    text = str(node.value)
    if text.startswith("file://"):
        node.refuse("stands in another file", remedy="Write it here")
    for name in _FILLED.findall(text):
        if name not in values:
            node.refuse(f"there is no variable {excerpt(name)}", remedy=nearest(name, values))
    if re.search(r"\{[{%#]", _FILLED.sub("", text)):
        node.refuse(f"{excerpt(text)} is a template of more than variables", remedy="Write its value out")
    return _FILLED.sub(lambda found: str(values[found[1]]), text)
