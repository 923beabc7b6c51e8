"""Requests and replies: one canonical form, one rule for the status."""

from __future__ import annotations

import pytest

from aliquot.errors import UsageError
from aliquot.systems.replies import classify
from aliquot.systems.requests import (
    ChatRequest,
    CompletionRequest,
    Decoding,
    LikelihoodRequest,
    Message,
    canonical,
    fingerprint,
)


def test_every_part_of_a_request_changes_its_fingerprint() -> None:
    plain = Message("user", "Hello")
    requests = [
        CompletionRequest("Hello"),
        CompletionRequest("Hello "),
        CompletionRequest("Hello", Decoding(temperature=0.5)),
        CompletionRequest("Hello", Decoding(max_tokens=5)),
        CompletionRequest("Hello", Decoding(stop=("\n",))),
        CompletionRequest("Hello", Decoding(top_p=1.0)),
        CompletionRequest("Hello", Decoding(seed=0)),
        ChatRequest((plain,)),
        ChatRequest((Message("system", "Hello"),)),
        ChatRequest((plain, plain)),
        LikelihoodRequest("Hello", " there"),
        LikelihoodRequest("Hello ", "there"),
    ]
    assert len({fingerprint(request) for request in requests}) == len(requests)


def test_an_unset_seed_is_not_seed_zero() -> None:
    assert '"seed"' not in canonical(CompletionRequest("x"))
    assert '"seed":0' in canonical(CompletionRequest("x", Decoding(seed=0)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"temperature": -1}, "temperature"), ({"max_tokens": 0}, "max_tokens"), ({"top_p": 0}, "top_p")],
)
def test_decoding_out_of_range_is_refused(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Decoding(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "finish", "status"),
    [
        ("Paris", "stop", "ok"),
        ("Paris", None, "ok"),
        ("", "stop", "failed"),
        (" \n", "stop", "failed"),
        ("The cap", "length", "truncated"),
        ("", "length", "truncated"),
        ("", "content_filter", "refused"),
    ],
)
def test_empty_and_cut_are_not_answers(text: str, finish: str | None, status: str) -> None:
    assert classify(text, finish=finish)[0] == status
