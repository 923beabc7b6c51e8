"""Asking again: how often, how long after, and when no more."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final, TypeVar

from aliquot.systems.faults import FaultError
from aliquot.systems.pace import Pace

T = TypeVar("T")

ABSURD_S: Final = 1e7
"""Seconds (four months) from which a wait is none: a time of day where seconds belong, or a clock that is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long a lost request is tried again.

    Attributes:
        tries: requests for one answer, the first included.
        base_s: most seconds before the second try; doubled for each further one.
        longest_s: most seconds between two tries.
        gate_s: longest Retry-After that is waited for.
    """

    tries: int = 8
    base_s: float = 0.5
    longest_s: float = 30.0
    gate_s: float = 600.0

    def backoff(self, failed: int) -> float:
        """Return the most seconds to wait after so many failed tries; the wait is drawn evenly below it.

        Full jitter: M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.

        Examples:
            >>> [Patience().backoff(failed) for failed in (1, 2, 3, 9)]
            [0.5, 1.0, 2.0, 30.0]
        """
        return min(self.longest_s, self.base_s * 2.0 ** (failed - 1))


async def persist(
    once: Callable[[], Awaitable[T]], *, pace: Pace, patience: Patience
) -> tuple[T, tuple[str, ...]]:
    """Return what a request brings, and what went wrong before it came.

    Args:
        once: makes the request; raises ``FaultError``.
        pace: gate, limit and budget of the server.
        patience: how long to go on.

    Raises:
        FaultError: the last fault, with all of them as its ``history``.
    """
    history: list[str] = []
    while True:
        fault = await _try(once, pace=pace, patience=patience)
        if not isinstance(fault, FaultError):
            return fault, tuple(history)
        history.append(fault.reason)
        if _over(fault, tried=len(history), pace=pace, patience=patience):
            fault.history = tuple(history)
            raise fault
        await asyncio.sleep(pace.uniform(patience.backoff(len(history))))


async def _try(once: Callable[[], Awaitable[T]], *, pace: Pace, patience: Patience) -> T | FaultError:
    """Make one request in its turn; a fault is returned, so that nothing it came from hangs on to it."""
    started = await pace.enter(patience_s=patience.gate_s)
    if started is None:
        wait, most = pace.closed_s, patience.gate_s
        return FaultError(
            f"not asked: the server wants no request for {wait:.0f} s, longer than the {most:.0f} s waited for"
        )
    too_many = answered = False
    try:
        value = await once()
        answered = True
    except FaultError as fault:
        too_many = fault.throttled or fault.timeout
        if fault.wait_s is not None:
            pace.close_for(fault.wait_s)
        return fault
    finally:
        pace.leave(started, too_many=too_many, answered=answered)
    return value


def _over(fault: FaultError, *, tried: int, pace: Pace, patience: Patience) -> bool:
    """Return whether a fault is the last; a server that says when to come again costs no retry budget."""
    if not fault.again or tried >= patience.tries:
        return True
    return not pace.grant_retry(free=fault.throttled)


def retry_after(headers: Mapping[str, str], *, now: Callable[[], float] = time.time) -> float | None:
    """Return the seconds that an answer's headers ask to wait, or None when they ask for none.

    A date is held against the server's own clock where it tells it.

    Examples:
        >>> retry_after({"Retry-After": "2"}), retry_after({"retry-after-ms": "150"}), retry_after({})
        (2.0, 0.15, None)
        >>> date = {"Retry-After": "Thu, 01 Jan 1970 00:01:40 GMT"}
        >>> retry_after(date, now=lambda: 97.5)
        2.5
        >>> retry_after(date | {"Date": "Thu, 01 Jan 1970 00:01:30 GMT"}, now=lambda: 0.0)
        10.0
    """
    found = {name.lower(): value for name, value in headers.items()}
    milliseconds = _seconds(found.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    text = found.get("retry-after", "")
    seconds = _seconds(text)
    if seconds is not None:
        return seconds
    until = _date(text)
    if until is None:
        return None
    here = _date(found.get("date", ""))
    wait = max(0.0, until - (now() if here is None else here))
    return wait if wait < ABSURD_S else None


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < ABSURD_S else None


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
