"""Workers that share questions, and how they end: what is in flight when a run stops is waited for and kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final, TypeVar

from aliquot.errors import RunStoppedError

PATIENCE_S: Final = 10.0
"""Seconds that an interrupt waits for answers in flight."""

Work = TypeVar("Work")


class Workers:
    """A few workers that take from one list; the first stop keeps any of them from taking more.

    A run that is stopped by a guard or a limit sends nothing further and waits for what is in flight, which is paid
    for; an interrupt does the same for ``patience_s`` seconds, and a second one drops it. Any other fault ends all at
    once.

    Args:
        number: how many; no more than there is work.
        note: told, in a sentence, when something in flight is waited for.
        on_stop: called once when no more is to be sent.
        patience_s: seconds that an interrupt waits.
    """

    def __init__(
        self,
        number: int,
        *,
        note: Callable[[str], None],
        on_stop: Callable[[], None],
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._number, self._note, self._on_stop, self._patience_s = number, note, on_stop, patience_s
        self._stopped = False
        self._why: RunStoppedError | None = None
        self._in_flight = 0

    async def share(self, work: Sequence[Work], do: Callable[[Work], Awaitable[None]]) -> None:
        """Do all the work.

        Args:
            work: what there is to do, taken in order.
            do: does one of them.

        Raises:
            RunStoppedError: something stopped the run.
            AliquotError: the first fault of another kind.
        """
        if not work:
            return
        waiting = iter(work)

        async def take() -> None:
            while not self._stopped:
                one = next(waiting, None)
                if one is None:
                    return
                self._in_flight += 1
                try:
                    await do(one)
                except RunStoppedError as stop:
                    self._why = self._why or stop
                    self._stop()
                    raise
                finally:
                    self._in_flight -= 1

        tasks = [asyncio.create_task(take()) for _ in range(min(self._number, len(work)))]
        try:
            await self._see_through(tasks)
        finally:
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        _raise_first(ended, self._why)

    async def _see_through(self, tasks: list[asyncio.Task[None]]) -> None:
        try:
            done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
            if pending and all(isinstance(task.exception(), RunStoppedError | None) for task in done):
                self._say("stopping")
                await asyncio.wait(pending, return_when=asyncio.FIRST_EXCEPTION)
        except asyncio.CancelledError:
            self._stop()
            if self._in_flight:
                self._say("interrupted", f" up to {self._patience_s:.0f} s")
                await asyncio.wait(tasks, timeout=self._patience_s)
            raise

    def _say(self, what: str, patience: str = "") -> None:
        if self._in_flight:
            answers = "1 answer" if self._in_flight == 1 else f"{self._in_flight} answers"
            self._note(f"{what}: waiting{patience} for {answers} in flight; Ctrl-C drops them")

    def _stop(self) -> None:
        if not self._stopped:
            self._stopped = True
            self._on_stop()


def _raise_first(ended: Iterable[BaseException | None], why: RunStoppedError | None) -> None:
    """Raise the first fault that is no stop, else what stopped the run first; what was cancelled is no fault."""
    for fault in ended:
        if fault is not None and not isinstance(fault, RunStoppedError | asyncio.CancelledError):
            raise fault
    if why is not None:
        raise why
