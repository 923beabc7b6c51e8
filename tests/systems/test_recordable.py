"""Whatever a system returns or raises is a row that can be written down, and no end of the run."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

import aliquot
from aliquot.systems.replies import Reply
from aliquot.systems.requests import CompletionRequest
from tests.runner.evaluations import evaluation, write_items


class MuteError(Exception):
    """An exception whose words raise."""

    def __str__(self) -> str:
        raise ValueError("no words")


def leave(prompt: str) -> str:
    sys.exit(3)


def end_of_iteration(prompt: str) -> str:
    return next(iter(()))


def interrupted_inside(prompt: str) -> str:
    raise KeyboardInterrupt


def mute(prompt: str) -> str:
    raise MuteError


def half_a_character(prompt: str) -> str:
    raise ValueError("\ud83d" + "x" * 1_000_000)


def refused_by_us(prompt: str) -> str:
    raise aliquot.errors.InputError("no index", file="index.db")


async def leave_async(prompt: str) -> str:
    sys.exit(3)


async def cancelled_inside(prompt: str) -> str:
    raise asyncio.CancelledError


RAISED: Mapping[str, tuple[Callable[[str], object], str]] = {
    "sys.exit": (leave, "SystemExit: 3"),
    "StopIteration, which a future cannot hold": (end_of_iteration, "StopIteration"),
    "KeyboardInterrupt in a thread, where no Ctrl-C comes": (interrupted_inside, "KeyboardInterrupt"),
    "words that raise": (mute, "MuteError: its words cannot be read (ValueError)"),
    "half a character in a million": (half_a_character, "ValueError: ?xxx"),
    "an error of our own kind": (refused_by_us, "InputError: index.db: no index"),
    "sys.exit on the loop": (leave_async, "SystemExit: 3"),
    "a cancellation that nobody asked for": (cancelled_inside, "CancelledError"),
}


@pytest.mark.parametrize("name", RAISED)
def test_whatever_a_function_raises_is_a_row_and_the_others_are_asked(name: str, tmp_path: Path) -> None:
    function, words = RAISED[name]
    own = evaluation(write_items(tmp_path, 6), guards=aliquot.runner.evaluation.NO_GUARDS)
    run = aliquot.run(own, directory=tmp_path, models={"fake": aliquot.function_system(function)})
    assert run.evidence.responses["status"].to_list() == ["error"] * 6
    reason = run.evidence.responses["reason"][0]
    assert reason.startswith(words)
    assert len(reason) < 2_100


class Handing:
    """A system of a user's own that hands over replies as they are."""

    components: Mapping[str, str] = {}
    concurrency = 2

    def __init__(self, reply: Reply) -> None:
        self._reply = reply

    async def complete(self, request: object) -> Reply:  # noqa: ARG002
        return self._reply

    chat = log_likelihood = complete  # type: ignore[assignment]

    async def close(self) -> None:
        """Nothing is open."""


def test_a_reply_that_no_table_could_hold_is_recorded_without_what_is_no_count(tmp_path: Path) -> None:
    odd = Reply(
        text="a1 \ud83d", tokens_in=10**30, tokens_out=-5, cost=float("nan"), latency_s=float("inf"), steps=2
    )
    run = aliquot.run(evaluation(write_items(tmp_path, 2)), directory=tmp_path, models={"fake": Handing(odd)})
    row = run.evidence.responses.row(0, named=True)
    assert (row["status"], row["tokens_in"], row["tokens_out"], row["steps"]) == ("ok", None, None, 2)
    assert "cost" not in row or row["cost"] is None
    assert run.evidence.texts.response("first", "made", "i1", 1) == "a1 ?"


def test_numbers_of_numpy_are_numbers() -> None:
    said = {"text": "4", "tokens_in": np.int64(7), "tokens_out": np.float32(2), "cost": np.float32(0.5)}
    reply = asyncio.run(aliquot.function_system(lambda _: said).complete(CompletionRequest("a")))
    assert (reply.status, reply.tokens_in, reply.tokens_out, reply.cost) == ("ok", 7, 2, 0.5)
    assert type(reply.tokens_in) is int
