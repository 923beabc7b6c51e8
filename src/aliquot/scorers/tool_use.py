"""Whether an agent called the tools it should have: right, wrong and missing calls, and credit by checklist."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from aliquot.evidence.transcripts import LEFT_OUT, ToolCall
from aliquot.files.records import Response, ToldResponse


@dataclass(frozen=True, slots=True)
class WantedCall:
    """A call that should be made.

    Attributes:
        name: the tool's name.
        arguments: what it must be given; further arguments do not matter. None when only the name does.
    """

    name: str
    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ToolUse:
    """How the calls that were made fit those that were wanted.

    Attributes:
        right: wanted calls that were made.
        wrong: calls that were made and not wanted, or with other arguments.
        missing: wanted calls that were not made.
    """

    right: int
    wrong: int
    missing: int

    @property
    def f1(self) -> float:
        """Harmonic mean of the right shares of made and of wanted calls; 1 when none was wanted and none made."""
        of = 2 * self.right + self.wrong + self.missing
        return 2 * self.right / of if of else 1.0


def calls_of(response: Response) -> tuple[ToolCall, ...] | None:
    """Return the calls of tools that led to an answer, in order; None where it does not tell all of them.

    An answer that tells of no transcript and counts no calls does not say that there were none.

    Args:
        response: the answer, with how it came about.
    """
    turns = response.transcript if isinstance(response, ToldResponse) else ()
    calls = tuple(call for turn in turns for call in turn.calls)
    counted = response.tool_calls
    cut = any(turn.role == LEFT_OUT for turn in turns) or len(calls) < (counted or 0)
    return None if cut or not (turns or counted == 0) else calls


def tool_use(made: Sequence[ToolCall], wanted: Sequence[WantedCall], *, ordered: bool = False) -> ToolUse:
    """Hold the calls an agent made against those it should have made, each for at most one.

    The pairing with the most right calls counts; ``ordered`` counts only calls that come in the wanted order.

    Args:
        made: the calls, in order.
        wanted: the calls that should be made.
        ordered: whether the order matters.

    Examples:
        >>> made = [ToolCall("search", '{"q": "Oslo", "k": 5}'), ToolCall("search", '{"q": "Bergen"}')]
        >>> tool_use(made, [WantedCall("search", {"q": "Oslo"}), WantedCall("book")])
        ToolUse(right=1, wrong=1, missing=1)
    """
    arguments = [_arguments(call) for call in made]

    def fits(at: int, place: int) -> bool:
        return made[at].name == wanted[place].name and _holds(wanted[place].arguments, arguments[at])

    pair = _pairs_in_order if ordered else _most_pairs
    right = pair(len(made), len(wanted), fits)
    return ToolUse(right, len(made) - right, len(wanted) - right)


def checklist_share(held: Mapping[str, bool], *, weights: Mapping[str, float] | None = None) -> float:
    """Return the weighted share of the points of a checklist that hold; points without a weight count 1.

    Args:
        held: whether each point holds; at least one.
        weights: what points count, above 0.

    Examples:
        >>> checklist_share({"found": True, "booked": False}, weights={"booked": 3})
        0.25
    """
    counts = {name: (weights or {}).get(name, 1.0) for name in held}
    return sum(counts[name] for name, holds in held.items() if holds) / sum(counts.values())


def _arguments(call: ToolCall) -> object:
    try:
        return json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return None


def _holds(wanted: Mapping[str, Any] | None, given: object) -> bool:
    if wanted is None:
        return True
    if not isinstance(given, dict):
        return False
    held = cast("dict[str, Any]", given)
    return all(name in held and _same(value, held[name]) for name, value in wanted.items())


def _same(wanted: object, given: object) -> bool:
    """Compare by value, true and 1 apart, however deep."""
    if isinstance(wanted, bool) or isinstance(given, bool):
        return wanted is given
    if isinstance(wanted, dict) and isinstance(given, dict):
        mine, other = cast("dict[str, Any]", wanted), cast("dict[str, Any]", given)
        return mine.keys() == other.keys() and all(_same(mine[name], other[name]) for name in mine)
    if isinstance(wanted, list) and isinstance(given, list):
        mine, other = cast("list[object]", wanted), cast("list[object]", given)
        return len(mine) == len(other) and all(map(_same, mine, other))
    return wanted == given


def _most_pairs(made: int, wanted: int, fits: Callable[[int, int], bool]) -> int:
    """Return the size of the largest pairing, by augmenting paths (Kuhn 1955)."""
    holder: dict[int, int] = {}

    def place(at: int, seen: set[int]) -> bool:
        for one in range(wanted):
            if one not in seen and fits(at, one):
                seen.add(one)
                if one not in holder or place(holder[one], seen):
                    holder[one] = at
                    return True
        return False

    return sum(place(at, set()) for at in range(made))


def _pairs_in_order(made: int, wanted: int, fits: Callable[[int, int], bool]) -> int:
    """Return the length of the longest common subsequence."""
    row = [0] * (wanted + 1)
    for at in range(made):
        before = row
        row = [0] * (wanted + 1)
        for one in range(wanted):
            row[one + 1] = before[one] + 1 if fits(at, one) else max(before[one + 1], row[one])
    return row[wanted]
