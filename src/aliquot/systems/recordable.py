"""What comes back from a system, made fit to be written down: whatever it returned or raised, it is a row."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from numbers import Real
from operator import attrgetter
from typing import Any, Final

import msgspec

from aliquot.evidence.bounds import shorten, whole
from aliquot.systems.replies import Reply

MAX_REASON: Final = 2_000
"""Characters of a reason, or of another word beside the answer, that are kept."""

MOST: Final = 1 << 63
"""What a count or an amount lies under."""


def recordable(reply: Reply) -> Reply:
    r"""Return a reply whose texts can be written as UTF-8 and whose counts and amounts are some.

    What is none (a negative number of tokens, a cost that is no number) is not known; it would spoil every sum.

    Examples:
        >>> odd = recordable(Reply(text="4 \ud83d", reason="x" * 3000, tokens_in=-3, cost=float("nan")))
        >>> odd.text, len(odd.reason), odd.tokens_in, odd.cost
        ('4 ?', 2024, None, None)
    """
    fit: dict[str, Any] = {}
    for (name, made), value in zip(_MADE.items(), _values(reply), strict=True):
        if value is not None and (kept := made(value)) is not value:
            fit[name] = kept
    return msgspec.structs.replace(reply, **fit) if fit else reply


def count_of(value: Any) -> int | None:
    """Return a whole number from 0 on as it is, None for anything else.

    Examples:
        >>> count_of(5), count_of(5.0), count_of(-5), count_of(5.5), count_of(True), count_of("5"), count_of(10**30)
        (5, 5, None, None, None, None, None)
    """
    if type(value) is int and 0 <= value < MOST:  # what nearly all are
        return value
    amount = amount_of(value)
    return int(value) if amount is not None and amount.is_integer() else None


def amount_of(value: Any) -> float | None:
    """Return a number from 0 on that is not beyond all sums as it is, None for anything else.

    Examples:
        >>> amount_of(0.5), amount_of(-0.5), amount_of(float("inf")), amount_of("1")
        (0.5, None, None, None)
    """
    if type(value) is float and 0 <= value < MOST:  # what nearly all are
        return value
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    number: Any = value
    return float(number) if 0 <= number < MOST else None


def raised(error: BaseException) -> Reply:
    """Return the row that an exception of a user's own code is.

    Examples:
        >>> raised(ValueError("no index")).reason
        'ValueError: no index'
    """
    try:
        said = str(error)
    except Exception as inner:  # noqa: BLE001 - the words of a user's exception are a user's code too
        said = f"its words cannot be read ({type(inner).__name__})"
    return recordable(Reply(text="", status="error", reason=f"{type(error).__name__}: {said}".rstrip(": ")))


def interrupts(error: BaseException) -> bool:
    """Tell whether an exception is meant for us and not a row: Ctrl-C, or a cancellation that was asked for.

    ``sys.exit`` in an application, or a cancellation that it lets out, would otherwise end the run, or one of its
    workers without a word.
    """
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt | GeneratorExit)


def _words(text: str) -> str:
    return shorten(whole(text), limit=MAX_REASON)


def _faults(faults: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_words(fault) for fault in faults) if faults else faults


_MADE: Final[Mapping[str, Callable[[Any], Any]]] = {
    "text": whole,
    **dict.fromkeys(("reason", "finish", "stage", "currency"), _words),
    "faults": _faults,
    **dict.fromkeys(("latency_s", "first_token_s", "cost"), amount_of),
    **dict.fromkeys(
        (
            "tokens_in", "tokens_out", "tokens_reasoning", "tokens_cached",
            "steps", "tool_calls", "tool_errors",
        ),
        count_of,
    ),
}  # fmt: skip
"""How each field of a reply is made fit; what is fit already stays the object that it is."""

_values: Final[Callable[[Reply], tuple[Any, ...]]] = attrgetter(*_MADE)
