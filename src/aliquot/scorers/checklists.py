"""Partial credit: points that hold or do not, by rules of text and by tools that were called; some of them required."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias, cast

import msgspec

from aliquot.errors import InputError, UsageError, excerpt
from aliquot.evidence.transcripts import ToolCall
from aliquot.item_sets.items import Item
from aliquot.scorers.catalogue import SINGLE, rule_among
from aliquot.scorers.rule import Rule, Settings
from aliquot.scorers.rule_texts import write_rule
from aliquot.scorers.scores import Score
from aliquot.scorers.tool_use import WantedCall, checklist_share, tool_use

CHECKLIST: Final = "checklist"
"""The field of an item that lists its points."""

MOST_POINTS: Final = 100
"""Points of one checklist."""

Found: TypeAlias = tuple[str, tuple[ToolCall, ...] | None]
"""The text of an answer, and the calls that led to it; None where it does not tell."""

_KNOWN: Final = {"rule", "tool", "arguments", "says", "points", "required", "reference"}


class Checklist(Settings, frozen=True):
    """The points of items that list none themselves.

    Attributes:
        points: each a rule's text, or a mapping: ``rule`` (with its settings) or ``tool`` (with ``arguments``), and
            where wanted ``says``, ``points``, ``required``, ``reference``.
    """

    points: tuple[str | dict[str, Any], ...] = ()


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One point of a checklist.

    Attributes:
        says: what it is called.
        rule: a rule of text; None where a tool should be called.
        tool: the call that should be made; None with a rule.
        points: what it counts.
        required: whether nothing counts when it does not hold.
        reference: what the rule holds the answer against, in place of the item's own reference.
    """

    says: str
    rule: Rule | None = None
    tool: WantedCall | None = None
    points: float = 1.0
    required: bool = False
    reference: Any = None


def score_checklist(item: Item, found: Found | tuple[()], settings: Checklist) -> Score:
    """Share of the points that hold (field `checklist`, or the setting `points`); 0 when a required one does not."""
    points = _points(item, settings)
    text, calls = found or ("", ())
    if calls is None and any(point.tool is not None for point in points):
        return Score(None, status="missing", note="the answer does not tell which tools were called")
    held = {point.says: _holds(point, item, text, calls or ()) for point in points}
    lost = [point.says for point in points if not held[point.says]]
    label = f"{len(points) - len(lost)} of {len(points)} points"
    note = f"not held: {', '.join(lost)}" if lost else None
    if any(point.required and not held[point.says] for point in points):
        return Score(0.0, label=label, note=f"{note}; one of them is required")
    weights = {point.says: point.points for point in points}
    return Score(checklist_share(held, weights=weights), label=label, note=note)


def _holds(point: Point, item: Item, text: str, calls: Sequence[ToolCall]) -> bool:
    if point.tool is not None:
        return tool_use(calls, [point.tool]).right == 1
    if point.rule is None or not text.strip():
        return False
    own = item if point.reference is None else Item(item.id, {**item.fields, "reference": point.reference})
    return point.rule.apply(own, text).value == 1.0


def _points(item: Item, settings: Checklist) -> tuple[Point, ...]:
    listed = item.fields.get(CHECKLIST, settings.points)
    if not isinstance(listed, list | tuple) or not listed:
        raise _unusable(item, "has no points to hold an answer against")
    if len(listed) > MOST_POINTS:
        raise _unusable(item, f"has {len(listed)} points; the most are {MOST_POINTS}")
    points = tuple(_point(item, place, one) for place, one in enumerate(cast("Sequence[object]", listed), 1))
    names = [point.says for point in points]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise _unusable(item, f"has two points called {excerpt(twice)}; say what each is (says)")
    return points


def _point(item: Item, place: int, told: object) -> Point:
    given: dict[str, Any] = (
        {"rule": told}
        if isinstance(told, str)
        else dict(cast("Mapping[str, Any]", told))
        if isinstance(told, Mapping)
        else {}
    )
    counts, required = given.pop("points", 1), given.pop("required", False)
    says, reference = given.pop("says", None), given.pop("reference", None)
    if isinstance(counts, bool) or not isinstance(counts, int | float) or not 0 < counts < 1e6:
        raise _unusable(item, f"counts {excerpt(counts)} for its point {place}; a number above 0 is wanted")
    if not isinstance(required, bool):
        raise _unusable(
            item, f"says {excerpt(required)} for required of its point {place}; true or false is wanted"
        )
    name = str(given.get("tool") or given.get("rule") or "")
    point = Point(says=str(says or name), points=float(counts), required=required, reference=reference)
    if "tool" in given and given.keys() <= {"tool", "arguments"}:
        arguments = given.get("arguments")
        if name and (arguments is None or isinstance(arguments, Mapping)):
            call = WantedCall(name, cast("Mapping[str, Any] | None", arguments))
            return msgspec.structs.replace(point, tool=call)
    elif "rule" in given and "tool" not in given and name:
        settings = {key: value for key, value in given.items() if key != "rule"}
        return msgspec.structs.replace(point, rule=_rule_of(item, place, name, settings))
    raise _unusable(item, f"has the point {excerpt(told)}, which is neither a rule nor a tool")


def _rule_of(item: Item, place: int, name: str, settings: Mapping[str, Any]) -> Rule:
    try:
        rule = _named(write_rule(name, settings) if settings else name)
    except UsageError as error:
        raise _unusable(item, f"has a point {place} that cannot be used: {error}") from error
    if rule.reads != "text" or rule.kind != "binary":
        raise _unusable(
            item, f"has the point {rule.label}, which does not pass or fail the text of an answer"
        )
    return rule


@lru_cache(maxsize=1024)
def _named(text: str) -> Rule:
    return rule_among(SINGLE, text)


def _unusable(item: Item, what: str) -> InputError:
    return InputError(
        f"item {item.id!r} {what}",
        row=item.row,
        field=CHECKLIST,
        remedy='List points: "checklist": ["words", {"tool": "book", "points": 2, "required": true}]',
    )


CHECKLISTS: Final = Rule(
    "checklist",
    "1",
    "each point as its own rule compares; arguments of calls as JSON values",
    score_checklist,
    "Points are not equally hard: an average of shares rewards many easy points, and says little of whether the task "
    "was done.",
    settings=Checklist,
    given=Checklist(),
    reads="answer",
    wants="nothing",
    metric="checklist",
    kind="bounded",
)
"""The rule."""
