"""One timer for all requests: each runs out at its own time, as ``asyncio.timeout`` would have it."""

from __future__ import annotations

import asyncio
import time

import pytest

from aliquot.systems.deadlines import Deadlines


async def sleep_within(deadlines: Deadlines, seconds: float) -> str:
    with deadlines.start():
        await asyncio.sleep(seconds)
    return "done"


def test_each_block_runs_out_at_its_own_time() -> None:
    async def work() -> list[str | BaseException]:
        deadlines = Deadlines(0.3)

        async def later(pause: float, seconds: float) -> str:
            await asyncio.sleep(pause)
            return await sleep_within(deadlines, seconds)

        asked = [(0.0, 9.0), (0.0, 0.01), (0.2, 0.2), (0.1, 9.0), (0.25, 0.0)]
        started = time.monotonic()
        found = await asyncio.gather(*[later(*one) for one in asked], return_exceptions=True)
        assert time.monotonic() - started < 9
        deadlines.close()
        return found

    kinds = [one if isinstance(one, str) else type(one) for one in asyncio.run(work())]
    assert kinds == [TimeoutError, "done", "done", TimeoutError, "done"]


def test_a_limit_given_back_does_not_run_out() -> None:
    async def work() -> str:
        deadlines = Deadlines(0.05)
        with deadlines.start() as deadline:
            deadline.end()
            await asyncio.sleep(0.15)
        return "done"

    assert asyncio.run(work()) == "done"


def test_limits_within_each_other_say_which_ran_out() -> None:
    async def work() -> tuple[bool, bool]:
        outer, inner = Deadlines(9.0), Deadlines(0.05)
        with outer.start() as total, pytest.raises(TimeoutError), inner.start() as first:
            await asyncio.sleep(9)
        outer.close()
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0  # the task goes on
        await asyncio.sleep(0)
        return total.expired, first.expired

    assert asyncio.run(work()) == (False, True)


def test_a_cancelled_block_stays_cancelled() -> None:
    async def work() -> None:
        deadlines = Deadlines(9.0)
        task = asyncio.create_task(sleep_within(deadlines, 9.0))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        deadlines.close()

    asyncio.run(work())


def test_an_error_in_the_block_comes_out_as_it_is() -> None:
    async def work() -> None:
        with pytest.raises(OSError, match="broken"), Deadlines(9.0).start():
            raise OSError("broken")

    asyncio.run(work())
