"""The rule of tool calls: which of the calls that an item wants an agent made, and which others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, cast

from aliquot.errors import InputError
from aliquot.evidence.transcripts import ToolCall
from aliquot.item_sets.items import Item
from aliquot.scorers.rule import Rule, Settings
from aliquot.scorers.scores import Score
from aliquot.scorers.tool_use import WantedCall, tool_use

TOOLS: Final = "tools"
"""The field of an item that lists the calls it wants."""

MOST_WANTED: Final = 200
"""Calls that an item can want."""

Order: TypeAlias = Literal["any", "as_listed"]
Further: TypeAlias = Literal["wrong", "ignored"]


class Calls(Settings, frozen=True):
    """How calls are held against those that are wanted.

    Attributes:
        order: whether calls count in any order, or only those that come in the order in which they are listed.
        further: whether calls beyond the wanted ones are wrong and take from the value (F1), or are ignored (the share
            of the wanted calls that were made).
    """

    order: Order = "any"
    further: Further = "wrong"


def wanted_calls(item: Item) -> tuple[WantedCall, ...]:
    """Return the calls that an item wants; none where it lists none, so that each call is one too many.

    Raises:
        InputError: the item does not say, or not as it should.

    Examples:
        >>> wanted_calls(Item("i", {"tools": ["search", {"name": "book", "arguments": {"seats": 2}}]}))[1].arguments
        {'seats': 2}
    """
    given = item.fields.get(TOOLS)
    if not isinstance(given, list | tuple):
        raise _lacking(
            item, "does not say which calls it wants" if given is None else "wants what is no list"
        )
    listed = cast("Sequence[object]", given)
    if len(listed) > MOST_WANTED:
        raise _lacking(item, f"wants {len(listed)} calls; the most are {MOST_WANTED}")
    return tuple(_wanted(item, one) for one in listed)


def _wanted(item: Item, one: object) -> WantedCall:
    if isinstance(one, str) and one.strip():
        return WantedCall(one)
    told = cast("Mapping[str, Any]", one) if isinstance(one, Mapping) else {}
    name, arguments = told.get("name"), told.get("arguments")
    sound = isinstance(name, str) and name.strip() and (arguments is None or isinstance(arguments, Mapping))
    if not sound or told.keys() - {"name", "arguments"}:
        raise _lacking(item, f"wants the call {one!r:.100}, which has no name and arguments")
    return WantedCall(cast("str", name), cast("Mapping[str, Any] | None", arguments))


def _lacking(item: Item, what: str) -> InputError:
    return InputError(
        f"item {item.id!r} {what}",
        row=item.row,
        field=TOOLS,
        remedy='List them: "tools": ["search", {"name": "book", "arguments": {"seats": 2}}]; [] for none',
    )


def score_tool_calls(item: Item, made: Sequence[ToolCall], settings: Calls) -> Score:
    """F1 of the calls that were made and those that are wanted (field `tools`): right, wrong and missing ones.

    A call is right when the tool is, and every argument that is listed has its value; further arguments do not matter.
    """
    wanted = wanted_calls(item)
    used = tool_use(made, wanted, ordered=settings.order == "as_listed")
    label = f"{used.right} right, {used.wrong} wrong, {used.missing} missing"
    if settings.further == "ignored":
        return Score(used.right / len(wanted) if wanted else 1.0, label=label)
    return Score(used.f1, label=label)


TOOL_CALLS: Final = Rule(
    "tool_calls",
    "1",
    "arguments compared as JSON values; further arguments ignored",
    score_tool_calls,
    "There are often other ways to the goal than the listed calls: a wrong call need not be a wrong outcome, nor is a "
    "right one a success.",
    settings=Calls,
    reads="calls",
    wants="nothing",
    metric="tool_calls",
    kind="bounded",
)
"""The rule."""
