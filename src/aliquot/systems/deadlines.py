"""Time limits of many requests under one timer.

Requests of one limit run out in the order in which they started, so a single timer for the oldest does for all: a
timer for each would be most of what a request costs besides the connection.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self


class Deadline:
    """The limit of one request, as a block: what runs out in it is cancelled, and the block raises TimeoutError.

    ``end`` gives the time back earlier. A block that is cancelled from outside stays cancelled.
    """

    __slots__ = ("_cancelling", "_deadlines", "_task", "at", "expired")

    def __init__(self, deadlines: Deadlines) -> None:
        self._deadlines = deadlines
        self.expired = False

    def __enter__(self) -> Self:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a deadline needs a task")
        self._task, self._cancelling = task, task.cancelling()
        self._deadlines.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        if self.expired and self._task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def end(self) -> None:
        """Give the time back; what is still to come in the block may take as long as it likes."""
        self._deadlines.remove(self)

    def expire(self) -> None:
        """Cancel what runs in the block."""
        self.expired = True
        self._task.cancel()


class Deadlines:
    """The same limit for every request.

    Args:
        seconds: the limit.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._open: dict[Deadline, None] = {}
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> Deadline:
        """Return the limit of a request, to be entered at once."""
        return Deadline(self)

    def add(self, deadline: Deadline) -> None:
        """Let a request's time begin."""
        loop = asyncio.get_running_loop()
        deadline.at = loop.time() + self.seconds
        self._open[deadline] = None
        if self._timer is None:
            self._timer = loop.call_at(deadline.at, self._look)

    def remove(self, deadline: Deadline) -> None:
        """Forget a request."""
        self._open.pop(deadline, None)

    def close(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        """End what has run out, and look again when the oldest of the others does."""
        loop = asyncio.get_running_loop()
        self._timer, now = None, loop.time()
        while self._open:
            oldest = next(iter(self._open))
            if oldest.at > now:
                self._timer = loop.call_at(oldest.at, self._look)
                return
            self.remove(oldest)
            oldest.expire()
