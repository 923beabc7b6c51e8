"""The embedded model, really asked: one thread, no statement about speed."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from aliquot.errors import MachineError
from aliquot.stats.results import Undefined
from aliquot.systems.embedded import EmbeddedModel, model_file
from aliquot.systems.replies import Likelihood, Reply
from aliquot.systems.requests import (
    ChatRequest,
    CompletionRequest,
    Decoding,
    LikelihoodRequest,
    Message,
)
from aliquot.systems.system import System

pytestmark = pytest.mark.model

FRANCE = "Question: What is the capital of France?\nAnswer:"


@pytest.fixture(scope="module")
def model() -> Iterator[EmbeddedModel]:
    pytest.importorskip("xllamacpp", reason="the extra local is not installed")
    try:
        file = model_file()
    except MachineError as error:
        pytest.skip(str(error))
    opened = EmbeddedModel(file, threads=1)
    yield opened
    asyncio.run(opened.close())


def chat(text: str, **decoding: object) -> ChatRequest:
    return ChatRequest((Message("user", text),), Decoding(**{"max_tokens": 16} | decoding))  # type: ignore[arg-type]


def test_it_is_a_system_and_says_what_it_is(model: EmbeddedModel) -> None:
    assert isinstance(model, System)
    assert model.components["snapshot"].startswith("sha256:")
    assert model.components["engine"].startswith("xllamacpp 20")


def test_chat_answers_and_counts_its_tokens(model: EmbeddedModel) -> None:
    reply = asyncio.run(model.chat(chat("What is the capital of Italy? One word.")))
    assert (reply.status, reply.finish) == ("ok", "stop")
    assert "Rome" in reply.text
    assert reply.tokens_in is not None
    assert reply.tokens_out is not None
    assert reply.tokens_in > reply.tokens_out > 0


def test_an_answer_that_uses_up_its_budget_is_truncated_with_its_text(model: EmbeddedModel) -> None:
    reply = asyncio.run(model.chat(chat("Tell me a long story about a fox.", max_tokens=4)))
    assert (reply.status, reply.finish, reply.tokens_out) == ("truncated", "length", 4)
    assert reply.text


def test_a_completion_stops_where_it_is_told(model: EmbeddedModel) -> None:
    request = CompletionRequest("1, 2, 3, 4,", Decoding(max_tokens=16, stop=(" 7",)))
    assert asyncio.run(model.complete(request)).text == " 5, 6,"


def test_answers_given_at_once_belong_to_their_own_questions(model: EmbeddedModel) -> None:
    begun = {"1, 2, 3,": "4", "10, 20, 30, 40,": "50", "a b c d e": "f", "2, 4, 6, 8,": "10"}

    async def together() -> list[Reply]:
        prompts = (CompletionRequest(text, Decoding(max_tokens=5)) for text in begun)
        return await asyncio.gather(*(model.complete(prompt) for prompt in prompts))

    first_words = [reply.text.split()[0].strip(",") for reply in asyncio.run(together())]
    assert first_words == list(begun.values())


def test_the_loop_lives_while_the_model_thinks(model: EmbeddedModel) -> None:
    async def beats() -> int:
        asking = asyncio.create_task(model.chat(chat("Tell me about the sea.", max_tokens=32)))
        count = 0
        while not asking.done():
            await asyncio.sleep(0.001)
            count += 1
        return count

    assert asyncio.run(beats()) > 5


def test_a_prompt_that_does_not_fit_is_an_error_of_this_request(model: EmbeddedModel) -> None:
    reply = asyncio.run(model.complete(CompletionRequest("a " * 5000)))
    assert reply.status == "error"
    assert "context" in (reply.reason or "")


def log_likelihood(model: EmbeddedModel, context: str, continuation: str) -> Likelihood | Undefined:
    return asyncio.run(model.log_likelihood(LikelihoodRequest(context, continuation)))


def test_likelihoods_follow_the_chain_rule_and_prefer_the_right_capital(model: EmbeddedModel) -> None:
    whole = log_likelihood(model, FRANCE, " New York City")
    parts = [
        log_likelihood(model, FRANCE, " New"),
        log_likelihood(model, FRANCE + " New", " York"),
        log_likelihood(model, FRANCE + " New York", " City"),
    ]
    assert isinstance(whole, Likelihood)
    assert whole.tokens == 3
    total = sum(part.log_probability for part in parts if isinstance(part, Likelihood))
    # The same prompts, cut into other batches: the engine's sums may differ in their last digits.
    assert whole.log_probability == pytest.approx(total, abs=1e-3)
    paris, london = (log_likelihood(model, FRANCE, city) for city in (" Paris", " London"))
    assert isinstance(paris, Likelihood)
    assert isinstance(london, Likelihood)
    assert paris.log_probability > london.log_probability


def test_a_greedy_continuation_is_what_the_model_itself_writes(model: EmbeddedModel) -> None:
    context = "1, 2, 3, 4,"
    written = asyncio.run(model.complete(CompletionRequest(context, Decoding(max_tokens=4)))).text
    found = log_likelihood(model, context, written)
    assert isinstance(found, Likelihood)
    assert found.greedy


def test_what_is_told_of_a_written_answer_is_what_forcing_its_tokens_gives(model: EmbeddedModel) -> None:
    context = "The capital of Norway is"
    reply = asyncio.run(model.complete(CompletionRequest(context, Decoding(max_tokens=3, logprobs=2))))
    assert [one.others[0][0] for one in reply.token_logprobs] == [one.token for one in reply.token_logprobs]
    forced = log_likelihood(model, context, "".join(one.token for one in reply.token_logprobs))
    assert isinstance(forced, Likelihood)
    assert reply.log_probability_tokens == forced.tokens
    assert reply.log_probability == pytest.approx(forced.log_probability, abs=1e-3)
    said = asyncio.run(model.chat(chat("What is the capital of Italy? One word.", logprobs=True)))
    assert "".join(one.token for one in said.token_logprobs).strip() == said.text.strip()
    assert said.log_probability is not None
    assert said.log_probability < 0


@pytest.mark.parametrize(
    ("context", "continuation", "reason"),
    [
        ("The capital of Fran", "ce", "merge"),
        (FRANCE, "", "continuation is empty"),
    ],
)
def test_a_continuation_without_a_probability_of_its_own_says_why(
    model: EmbeddedModel, context: str, continuation: str, reason: str
) -> None:
    found = log_likelihood(model, context, continuation)
    assert isinstance(found, Undefined)
    assert reason in found.reason


def test_it_answers_over_http_as_in_process(model: EmbeddedModel) -> None:
    connection = http.client.HTTPConnection(model.address.removeprefix("http://"), timeout=120)
    body = {
        "messages": [{"role": "user", "content": "What is 2 + 3?"}],
        "temperature": 0,
        "max_tokens": 16,
    }
    connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
    answer = json.load(connection.getresponse())
    connection.close()
    inside = asyncio.run(model.chat(chat("What is 2 + 3?")))
    assert answer["choices"][0]["message"]["content"] == inside.text
    assert answer["model"] == "embedded"


def test_a_port_in_use_is_one_line_naming_it(model: EmbeddedModel) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(MachineError, match=rf"Port {port} on 127\.0\.0\.1 .*Choose another with --port"):
            EmbeddedModel(threads=1, port=port)


def test_a_file_that_is_no_model_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra local is not installed")
    path = tmp_path / "model.gguf"
    path.write_bytes(b"not a model")
    with pytest.raises(MachineError, match="cannot be loaded as a model"):
        EmbeddedModel(path, threads=1)


@pytest.mark.model
def test_a_model_closed_before_it_was_asked_anything_ends():
    """The engine hung for good when it was freed too soon after its start; a hang cannot be caught in this process."""
    code = (
        "import asyncio\n"
        "from aliquot.systems.embedded import EmbeddedModel\n"
        "for _ in range(3):\n"
        "    asyncio.run(EmbeddedModel(threads=1).close())\n"
        "print('closed')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=240
    )
    assert done.stdout == "closed\n", done.stderr
