"""Work that is done once beside the asking: found again by its key, shared by all who wait for it, and on record."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar


class Keyed(Protocol):
    """Something that is known by its content."""

    @property
    def key(self) -> str:
        """What it is known by."""
        ...


Work = TypeVar("Work", bound=Keyed)
Made = TypeVar("Made")


class Once(ABC, Generic[Work, Made]):
    """What was done, and what is being done.

    Args:
        found: what is on record, by key.
        keep: puts what came out on record; None when none is kept.
    """

    def __init__(self, found: Mapping[str, Made], *, keep: Callable[[Made], None] | None = None) -> None:
        self._found = dict(found)
        self._keep = keep
        self._running: dict[str, asyncio.Task[None]] = {}
        self._waiting: set[asyncio.Task[None]] = set()
        self._fault: BaseException | None = None

    def __call__(self, work: Work) -> Made | None:
        """Return what came out; None when it has not been done."""
        return self._found.get(work.key)

    @property
    def records(self) -> Sequence[Made]:
        """What is on record, each once."""
        return tuple(self._found.values())

    def lacking(self, works: Iterable[Work]) -> list[Work]:
        """Return what has not been done, or was lost."""
        found = ((work, self(work)) for work in works)
        return [work for work, made in found if made is None or self.lost(made)]

    def follow(self, works: Sequence[Work], then: Callable[[], None]) -> None:
        """Do work beside whatever else goes on, and then call something; what fails is raised by ``drain``."""
        task = asyncio.create_task(self._follow(works, then))
        self._waiting.add(task)
        task.add_done_callback(self._done)

    async def complete(self, works: Iterable[Work]) -> None:
        """Do work and wait for all of it.

        Raises:
            AliquotError: what came out cannot be kept, or the run is stopped.
        """
        self.follow(list(works), lambda: None)
        await self.drain()

    def raise_fault(self) -> None:
        """Raise what went wrong beside the asking, if anything did."""
        if self._fault is not None:
            raise self._fault

    async def drain(self) -> None:
        """Wait for everything that is being done.

        Raises:
            AliquotError: the first fault of what followed.
        """
        try:
            while self._waiting:
                await asyncio.wait(self._waiting, return_when=asyncio.FIRST_EXCEPTION)
                self.raise_fault()
        finally:
            await self.cancel()
        self.raise_fault()

    async def cancel(self) -> None:
        """End what is being done; it is done anew in another session."""
        tasks = [*self._waiting, *self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @abstractmethod
    def lost(self, made: Made) -> bool:
        """Tell whether something came to nothing by the measurement's doing, so that it is done again."""

    @abstractmethod
    async def do(self, work: Work) -> Made:
        """Do it."""

    def kept(self, work: Work) -> None:
        """Do what is to be done once something is on record."""

    async def settle(self, seconds: float) -> None:
        """Wait for what is in flight, so long at most."""
        if self._running:
            await asyncio.wait(list(self._running.values()), timeout=seconds)

    async def _follow(self, works: Sequence[Work], then: Callable[[], None]) -> None:
        tasks = [self._started(work) for work in self.lacking(works)]
        if tasks:
            await asyncio.gather(*tasks)
        then()

    def _started(self, work: Work) -> asyncio.Task[None]:
        """Return the task that does it, which several may wait for."""
        if work.key not in self._running:
            task = asyncio.create_task(self._do(work))
            self._running[work.key] = task
            task.add_done_callback(lambda _: self._running.pop(work.key, None))
        return self._running[work.key]

    async def _do(self, work: Work) -> None:
        made = await self.do(work)
        if self._keep is not None:
            self._keep(made)
        self._found[work.key] = made
        self.kept(work)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._waiting.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            self._fault = self._fault or fault
