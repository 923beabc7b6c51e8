"""How fast one server is asked: one gate and one limit for all who ask it.

A Retry-After closes the gate for everybody, and behind it everybody waits a little longer by chance, so that not all
start at once. The number of requests in flight is halved when the server says it is too many, once for all requests
that were under way, and grows again by one for each round of answers (additive increase, multiplicative decrease).
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Final

LEAST_SPREAD_S: Final = 0.5
"""Seconds over which requests start again behind the gate, at least."""

SPREAD_SHARE: Final = 0.25
"""The same as a share of the wait, when that is longer."""

FREE_RETRIES: Final = 100
"""Retries of lost requests a server is granted before anything is answered."""

RETRIES_PER_ANSWER: Final = 0.5
"""Further ones for each answer, so that a dead server is not asked eight times about every item."""


class Pace:
    """The gate, the limit and the retry budget of one server.

    Args:
        clock: seconds of a clock that never goes back.
        rng: source of the jitter.
    """

    def __init__(
        self, *, clock: Callable[[], float] = time.monotonic, rng: random.Random | None = None
    ) -> None:
        self._clock, self._rng = clock, rng or random.Random()  # noqa: S311 - jitter, no secret
        self._limit = math.inf
        self._in_flight = self._most = 0
        self._opens = self._spread = 0.0
        self._lowered = -math.inf
        self._retries = float(FREE_RETRIES)
        self._complaints = self._times_lowered = self._made_again = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def limit(self) -> float:
        """Requests allowed in flight; infinite until the server has complained."""
        return self._limit

    @property
    def in_flight(self) -> int:
        """Requests in flight."""
        return self._in_flight

    @property
    def seen(self) -> Mapping[str, int]:
        """Most requests in flight, complaints of the server, how often they lowered the limit, requests made again."""
        return {
            "most_in_flight": self._most,
            "complaints": self._complaints,
            "lowered": self._times_lowered,
            "retries": self._made_again,
        }

    @property
    def closed_s(self) -> float:
        """Seconds until the gate opens; 0 when it is open."""
        return max(0.0, self._opens - self._clock())

    def uniform(self, high: float) -> float:
        """Return a number drawn evenly from 0 to ``high``."""
        return self._rng.uniform(0.0, high)

    def close_for(self, seconds: float) -> None:
        """Let nobody start for some seconds; a shorter wait never shortens a longer one."""
        opens = self._clock() + seconds
        if opens > self._opens:
            self._opens, self._spread = opens, max(LEAST_SPREAD_S, SPREAD_SHARE * seconds)

    async def enter(self, *, patience_s: float) -> float | None:
        """Wait for the gate and a free place; return when the request may start, None if that takes too long."""
        while True:
            if (wait := self.closed_s) > 0:
                if wait > patience_s:
                    return None
                await asyncio.sleep(wait + self._rng.uniform(0.01, self._spread))
            elif self._in_flight >= self._limit:
                await self._turn()
            else:
                self._in_flight += 1
                self._most = max(self._most, self._in_flight)
                return self._clock()

    def leave(self, started: float, *, too_many: bool = False, answered: bool = False) -> None:
        """Give the place back and learn from how the request ended.

        Args:
            started: what ``enter`` returned.
            too_many: the server said that there are too many requests, or did not answer in time.
            answered: the request was answered.
        """
        before = self._in_flight
        self._in_flight -= 1
        self._complaints += too_many
        if too_many and started >= self._lowered:
            self._times_lowered += 1
            self._limit = max(1.0, min(self._limit, before) / 2)
            self._lowered = self._clock()
        elif answered:
            self._retries = min(float(FREE_RETRIES), self._retries + RETRIES_PER_ANSWER)
            if self._limit < math.inf:
                self._limit += 1 / self._limit
                if self._limit > self._most:
                    self._limit = math.inf
        self._wake()

    def grant_retry(self, *, free: bool) -> bool:
        """Return whether a lost request may be made again, and count it; False when the budget is used up.

        Args:
            free: the server itself says when to come again, which costs no budget.
        """
        if not free:
            if self._retries < 1:
                return False
            self._retries -= 1
        self._made_again += 1
        return True

    async def _turn(self) -> None:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            await future
        except asyncio.CancelledError:
            self._wake()
            raise

    def _wake(self) -> None:
        free = self._limit - self._in_flight
        while free >= 1 and self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)
                free -= 1
