"""A check made several times at once: what came out of each attempt, and what is lost without being a failure."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeAlias

from aliquot.errors import UsageError

Row: TypeAlias = tuple[str, float | None, str]
"""Item, value (None when the attempt was lost), and why it was."""


def attempt_all(
    check: Callable[..., Any], calls: Sequence[tuple[str, tuple[Any, ...]]], *, concurrency: int
) -> list[Row]:
    """Return what each call came to, in their order.

    A failed assertion is a failure. Any other exception is the measurement's doing (a server, a network, the test
    itself), so that the attempt has no value; what that could hide is told.

    Args:
        check: called once for each; a coroutine function is awaited.
        calls: the item of each with the arguments.
        concurrency: calls at once.

    Raises:
        UsageError: a value that is neither true, false, nor a number from 0 to 1.
    """
    if inspect.iscoroutinefunction(check) or inspect.iscoroutinefunction(getattr(check, "__call__", None)):  # noqa: B004 - its kind is asked
        with ThreadPoolExecutor(1) as thread:  # a loop of its own, also where one is running
            return thread.submit(asyncio.run, _await_all(check, calls, concurrency)).result()

    def one(call: tuple[str, tuple[Any, ...]]) -> Row:
        return _row(call[0], lambda: check(*call[1]))

    with ThreadPoolExecutor(concurrency) as pool:
        return list(pool.map(one, calls))


async def _await_all(
    check: Callable[..., Awaitable[Any]], calls: Sequence[tuple[str, tuple[Any, ...]]], concurrency: int
) -> list[Row]:
    gate = asyncio.Semaphore(concurrency)

    async def one(item: str, arguments: tuple[Any, ...]) -> Row:
        async with gate:
            try:
                said = await check(*arguments)
            except Exception as error:  # noqa: BLE001 - whatever the check raises becomes a row
                return _failed(item, error)
        return _told(item, said)

    return await asyncio.gather(*(one(item, arguments) for item, arguments in calls))


def _row(item: str, call: Callable[[], Any]) -> Row:
    try:
        said = call()
    except Exception as error:  # noqa: BLE001 - whatever the check raises becomes a row
        return _failed(item, error)
    return _told(item, said)


def _told(item: str, said: object) -> Row:
    """Return what a call returned as a row.

    Raises:
        UsageError: nothing was returned, which is neither a pass nor a failure, or something that is neither.
    """
    if said is None:
        raise UsageError("the check returned nothing: return True or False (after assertions, return True)")
    return item, value_of(said), ""


def _failed(item: str, error: Exception) -> Row:
    if isinstance(error, UsageError):
        raise error
    if isinstance(error, AssertionError):
        return item, 0.0, ""
    return item, None, type(error).__name__


def value_of(said: object) -> float | None:
    """Return an outcome as a number; None stays None, an attempt without a value.

    Raises:
        UsageError: it is neither true, false, None, nor 0 or 1.
    """
    if said is None:
        return None
    if isinstance(said, bool) or said in (0, 1):
        return float(said)  # type: ignore[arg-type]
    try:
        number = float(said.item())  # type: ignore[attr-defined]  # numpy's own truths
    except (AttributeError, TypeError, ValueError):
        number = -1.0
    if number in (0.0, 1.0):
        return number
    raise UsageError(f"an attempt passes or fails: return True or False; got {said!r:.60}")
