"""Forced tokens: the same numbers in this process and over HTTP, in windows as lm-evaluation-harness cuts them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from aliquot.stats.results import Undefined
from aliquot.systems.embedded import EmbeddedModel
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.forced_tokens import FORCE
from aliquot.systems.openai_api import OpenAIModel
from aliquot.systems.replies import Likelihood
from aliquot.systems.requests import LikelihoodRequest
from aliquot.systems.retries import Patience
from aliquot.systems.token_windows import token_windows
from tests.systems.server import Server, fault, ok, serve

# lm-evaluation-harness, tests/test_utils.py, test_get_rolling_token_windows_v1 and _v4: input and predicted tokens
GOLD = {
    (34, 10): [
        ([-100, *range(9)], [*range(10)]),
        ([*range(9, 19)], [*range(10, 20)]),
        ([*range(19, 29)], [*range(20, 30)]),
        ([*range(23, 33)], [*range(30, 34)]),
    ],
    (10, 11): [([-100, *range(9)], [*range(10)])],
}


@pytest.mark.parametrize(("n", "size"), GOLD)
def test_windows_are_those_of_lm_eval(n: int, size: int) -> None:
    found = [
        ([*before, *asked[:-1]], list(asked))
        for before, asked in token_windows(range(n), start=-100, size=size)
    ]
    assert found == GOLD[n, size]


@given(st.integers(1, 200), st.integers(1, 50))
def test_every_token_is_asked_for_once_with_what_stands_before_it(n: int, size: int) -> None:
    tokens, seen = list(range(n)), list[int]()
    for before, asked in token_windows(tokens, start=-1, size=size):
        assert [*before, *asked] == [-1, *tokens][asked[0] + 1 - len(before) : asked[-1] + 2]
        assert 1 <= len(before) + len(asked) - 1 <= size
        seen += asked
    assert seen == tokens


class Llama:
    """A server in the manner of llama.cpp over letters: no echo, tokens by their place, half letters never written."""

    def __init__(self, *, half: Sequence[int] = (), n_ctx: int = 64, start: str | None = "^") -> None:
        self.half, self.n_ctx, self.start = set(half), n_ctx, start
        self.prompts: list[list[int]] = []

    def __call__(self, _: int, body: Mapping[str, Any]) -> web.Response:
        if "content" in body:
            return ok({"tokens": [ord(letter) for letter in body["content"]]})
        if isinstance(body["prompt"], str):
            return ok({"choices": [{"text": "x", "logprobs": {"content": [self.told(120, 1)]}}]})
        ((forced, bias),) = body["logit_bias"]
        assert bias == FORCE
        self.prompts.append(body["prompt"])
        content = [] if forced in self.half else [self.told(forced, body["logprobs"])]
        usage = {"prompt_tokens": len(body["prompt"]), "completion_tokens": 1}
        return ok(
            {"choices": [{"text": "x", "logprobs": {"content": content}}], "usage": usage, "model": "l"}
        )

    def told(self, token: int, width: int) -> dict[str, Any]:
        tops = [{"id": place, "logprob": -place / 1000} for place in range(97, 97 + width) if place < 256]
        return {"id": token, "logprob": -token / 1000, "top_logprobs": tops}


def over_http(script: Any, *requests: LikelihoodRequest, props: Any = None) -> tuple[list[Any], Server, Any]:
    async def work() -> tuple[list[Any], Server, Any]:
        async with serve(script, pages={"/props": props}) as server:
            model = OpenAIModel(
                Endpoint(base_url=server.base_url, model="m"), patience=Patience(tries=2, base_s=0.001)
            )
            try:
                found = [await model.log_likelihood(one) for one in requests]
                return found, server, model.observed
            finally:
                await model.close()

    return asyncio.run(work())


def test_a_server_without_echo_is_asked_token_by_token_and_that_is_recorded() -> None:
    llama = Llama()
    (one, two), server, observed = over_http(
        llama, LikelihoodRequest("q:", "ab"), LikelihoodRequest("q:", "c")
    )
    assert (one.log_probability, one.tokens) == (pytest.approx(-0.097 - 0.098), 2)
    assert (two.log_probability, two.greedy) == (pytest.approx(-0.099), False)
    assert (one.tokens_in, one.tokens_out) == (2 + 3, 2)
    assert llama.prompts == [[113, 58], [113, 58, 97], [113, 58]]
    assert [path for path in server.paths if "completions" in path] == [
        "/v1/completions"
    ] * 4  # one echo in vain
    assert "/tokenize" in server.paths
    assert observed == {"snapshot": "l", "likelihood": "forced tokens"}


def test_a_token_that_no_server_writes_is_looked_up_among_the_others() -> None:
    (found,), _, _ = over_http(Llama(half=[250]), LikelihoodRequest("q", chr(250) + "b"))
    assert isinstance(found, Likelihood)
    assert found.log_probability == pytest.approx(-0.250 - 0.098)
    (found,), _, _ = over_http(Llama(half=[300]), LikelihoodRequest("q", chr(300)))
    assert isinstance(found, Undefined)


def test_a_text_begins_with_the_models_first_token_and_is_cut_where_it_does_not_fit() -> None:
    llama, props = Llama(), {"bos_token": "^", "default_generation_settings": {"n_ctx": 4}}
    (found,), _, _ = over_http(llama, LikelihoodRequest("", "abcd"), props=props)
    assert found.log_probability == pytest.approx(-0.097 - 0.098 - 0.099 - 0.100)
    assert [bytes(prompt).decode() for prompt in llama.prompts] == [
        "^",
        "^a",
        "^ab",
        "abc",
    ]  # windows of three
    (long,), _, _ = over_http(llama, LikelihoodRequest("abc", "de"), props=props)
    assert (long.status, long.reason) == (
        "failed",
        "the prompt does not fit the model: 5 tokens, and it reads 3",
    )
    (without,), _, _ = over_http(llama, LikelihoodRequest("", "abcd"))
    assert "names no token with which a text begins" in without.reason


NEITHER = {
    "no tokens": lambda _, body: fault(404) if "content" in body else ok({"choices": [{"text": "x"}]}),
    "other tokens": lambda _, body: ok({"count": 3} if "content" in body else {"choices": [{"text": "x"}]}),
    "nothing told": lambda _, body: ok(
        {"tokens": [ord(letter) for letter in body["content"]]}
        if "content" in body
        else {"choices": [{"text": "x"}]}
    ),
}


@pytest.mark.parametrize("name", NEITHER)
def test_a_server_that_has_neither_says_so_and_is_not_asked_again(name: str) -> None:
    requests = [LikelihoodRequest("q:", "ab"), LikelihoodRequest("q:", "cd")]
    (one, two), server, observed = over_http(NEITHER[name], *requests)
    assert isinstance(one, Undefined)
    assert two == one
    assert "tells no log-probabilities of a prompt" in one.reason
    assert len(server.paths) < 12
    assert "likelihood" not in observed


@pytest.fixture(scope="module")
def model() -> Iterator[EmbeddedModel]:
    pytest.importorskip("xllamacpp", reason="the extra local is not installed")
    model = EmbeddedModel(threads=1, context=64)
    yield model
    asyncio.run(model.close())


@pytest.mark.model
def test_in_process_and_over_http_the_same_numbers_and_choices(model: EmbeddedModel) -> None:
    questions = {"France": (" Lyon", " Paris", " New York City"), "Japan": (" Kyoto", " Tokyo", " Größe 日")}
    requests = [
        LikelihoodRequest(f"Question: What is the capital of {country}?\nAnswer:", option)
        for country, options in questions.items()
        for option in options
    ]
    requests += [
        LikelihoodRequest("", "To be, or not to be."),
        LikelihoodRequest("", "one two three four " * 20),
    ]

    async def work() -> tuple[list[Any], list[Any], Mapping[str, str]]:
        other = OpenAIModel(Endpoint(base_url=f"{model.address}/v1", model="embedded", concurrency=1))
        try:
            inside = [await model.log_likelihood(one) for one in requests]
            outside = [await other.log_likelihood(one) for one in requests]
            return inside, outside, other.observed
        finally:
            await other.close()

    inside, outside, observed = asyncio.run(work())
    assert observed["likelihood"] == "forced tokens"
    for one, two in zip(inside, outside, strict=True):
        assert isinstance(one, Likelihood)
        assert isinstance(two, Likelihood)
        assert two.log_probability == pytest.approx(one.log_probability, abs=1e-4)
        assert (two.tokens, two.greedy) == (one.tokens, one.greedy)
    for begin in (0, 3):
        best = [
            max(range(3), key=lambda place: side[begin + place].log_probability) for side in (inside, outside)
        ]
        assert best == [1, 1]
    assert inside[-1].tokens > 63  # more than one window
