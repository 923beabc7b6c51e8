"""How probable a written answer was: every shape in which servers tell it, and what of it belongs to the answer."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from aliquot.errors import UsageError
from aliquot.evidence.token_logprobs import TokenLogprob, logprobs_turn
from aliquot.systems.callables import function_system
from aliquot.systems.keys import Key
from aliquot.systems.replies import Reply
from aliquot.systems.requests import ChatRequest, CompletionRequest, Decoding, Message, canonical
from aliquot.systems.token_logprobs import MOST_KEPT, read_pieces, written
from tests.systems.server import chat, event, fault, ok, pieces
from tests.systems.test_openai_api import ask

OSLO = [("Os", -0.5), ("lo", -0.25), (".", -1.0)]


def question(logprobs: int | None = 2) -> ChatRequest:
    return ChatRequest((Message("user", "Hauptstadt?"),), Decoding(logprobs=logprobs))


def entry(token: str, value: float, **more: object) -> dict[str, Any]:
    """Return a token as chat completions tell it."""
    tops = [
        {"token": token, "logprob": value},
        {"token": "Ber", "logprob": -2.0},
        {"token": "x", "logprob": -9.0},
    ]
    return {"token": token, "logprob": value, "bytes": list(token.encode()), "top_logprobs": tops, **more}


def content(tokens: list[tuple[str, float]]) -> dict[str, Any]:
    return {"content": [entry(*one) for one in tokens]}


def told(text: str, tokens: object, **message: object) -> dict[str, Any]:
    body = chat(text, **message)
    body["choices"][0]["logprobs"] = tokens
    return body


def sums(reply: Reply) -> tuple[float | None, int | None, str]:
    return (
        reply.log_probability, reply.log_probability_tokens, "".join(one.token for one in reply.token_logprobs)
    )  # fmt: skip


def test_a_chat_is_asked_and_tells_the_tokens_of_its_answer_with_what_else_was_probable() -> None:
    reply, server, _ = ask(ok(told("Oslo.", content(OSLO))), question())
    assert (server.bodies[0]["logprobs"], server.bodies[0]["top_logprobs"]) == (True, 2)
    assert sums(reply) == (-1.75, 3, "Oslo.")
    assert reply.token_logprobs[1] == TokenLogprob("lo", -0.25, (("lo", -0.25), ("Ber", -2.0)))


def test_nothing_is_asked_or_kept_unless_it_is_wished() -> None:
    reply, server, _ = ask(ok(told("Oslo.", content(OSLO))), question(None))
    assert not {"logprobs", "top_logprobs"} & set(server.bodies[0])
    assert sums(reply) == (None, None, "")


PARALLEL = {
    "tokens": ["Os", "lo", "."], "token_logprobs": [-0.5, -0.25, -1.0], "text_offset": [8, 10, 12],
    "top_logprobs": [{"Os": -0.5, "Ber": -2.0}, {"lo": -0.25}, None],
}  # fmt: skip


@pytest.mark.parametrize("shape", [PARALLEL, content(OSLO)], ids=["OpenAI, vLLM, SGLang", "llama.cpp"])
def test_completions_are_asked_by_a_number_and_read_in_either_shape(shape: dict[str, Any]) -> None:
    body = {"choices": [{"text": "Oslo.", "finish_reason": "stop", "logprobs": shape}]}
    reply, server, _ = ask(ok(body), CompletionRequest("Norway:", Decoding(logprobs=2)))
    assert server.bodies[0]["logprobs"] == 2
    assert "top_logprobs" not in server.bodies[0]
    assert sums(reply) == (-1.75, 3, "Oslo.")
    assert reply.token_logprobs[0].others == (("Os", -0.5), ("Ber", -2.0))


def response(tokens: object) -> dict[str, Any]:
    part = {"type": "output_text", "text": "Oslo.", "logprobs": tokens}
    return {"status": "completed", "output": [{"type": "message", "content": [part]}]}


def test_the_responses_api_is_asked_to_include_them_beside_what_else_is_included() -> None:
    body = response(content(OSLO)["content"])
    keys: dict[str, Any] = {"api": "responses", "extra": {"include": ["reasoning.encrypted_content"]}}
    reply, server, _ = ask(ok(body), question(), **keys)
    assert server.bodies[0]["include"] == ["reasoning.encrypted_content", "message.output_text.logprobs"]
    assert server.bodies[0]["top_logprobs"] == 2
    assert sums(reply) == (-1.75, 3, "Oslo.")


def test_streams_tell_them_bit_by_bit() -> None:
    bits = [
        {"choices": [{"delta": {"content": text}, "logprobs": content([(text, value)])}]}
        for text, value in OSLO
    ]
    end = {"choices": [{"delta": {}, "finish_reason": "stop", "logprobs": None}]}
    stream = pieces(*map(event, [*bits, end]), b"data: [DONE]\n\n")
    reply, _, _ = ask(stream, question(), stream=True)
    assert sums(reply) == (-1.75, 3, "Oslo.")


@pytest.mark.parametrize("last", [None, content(OSLO)["content"]], ids=["left out at the end", "told twice"])
def test_the_stream_of_responses_counts_no_token_twice(last: object) -> None:
    deltas = [
        {"type": "response.output_text.delta", "delta": text, "logprobs": content([(text, value)])["content"]}
        for text, value in OSLO
    ]
    done = {"type": "response.completed", "response": response(last)}
    reply, _, _ = ask(pieces(*map(event, [*deltas, done])), question(), api="responses", stream=True)
    assert sums(reply) == (-1.75, 3, "Oslo.")


ENDED = ("<|im_end|>", -7.0)


@pytest.mark.parametrize(
    ("text", "tokens", "expected"),
    [
        ("Oslo.", [*OSLO, ENDED], (-1.75, 3, "Oslo.")),
        ("Oslo.", [*OSLO, ("", -7.0)], (-1.75, 3, "Oslo.")),
        ("Oslo.", [("\n\n", -3.0), *OSLO, ("\n", -3.0)], (-1.75, 3, "Oslo.")),
        (" Oslo.", [(" Os", -0.5), *OSLO[1:]], (-1.75, 3, " Oslo.")),
        ("<think>Oslo.</think>Oslo.", [("<think>", -1.0), *OSLO, ("</think>", -1.0), *OSLO], (-1.75, 3, "Oslo.")),
        ("e", [("<think>e</think>", -1.0), ("e", -0.5), ENDED], (-0.5, 1, "e")),
        ("Oslo.", [*OSLO[:2], (".\n\nQuestion", -1.0)], (-1.75, 3, "Oslo.\n\nQuestion")),
        ("Oslo.", [*OSLO[:2], (".", -9999.0)], (None, None, "Oslo.")),
        ("Oslo.", OSLO[1:], (None, None, "lo.")),
        ("Oslo.", [*OSLO[:2], (".", 0.5)], (None, None, "Oslo.")),
    ],
    ids=["mark of the end", "end without text", "white space around", "space of the first token", "thoughts",
         "a letter of a mark", "stop inside a token", "not among the probable", "a token is lacking", "no probability"],
)  # fmt: skip
def test_what_makes_up_the_answer_is_summed_up_and_nothing_else(
    text: str, tokens: list[tuple[str, float]], expected: tuple[float | None, int | None, str]
) -> None:
    reply, _, _ = ask(ok(told(text, content(tokens))), question())
    assert sums(reply) == expected


def test_a_letter_that_is_cut_into_tokens_is_put_together_by_its_bytes() -> None:
    first, second = "é".encode()[:1], "é".encode()[1:]
    cut = [
        entry("\\xc3", -0.5, bytes=list(first)),
        entry("\\xa9", -0.25, bytes=list(second)),
        entry("t", -1.0),
    ]
    empty = [entry("", -0.5), entry("é", -0.25), entry("t", -1.0)]
    for tokens in (cut, empty):
        found = written(read_pieces({"content": tokens}), "ét")
        assert (found.log_probability, found.counted) == (-1.75, 3)


@pytest.mark.parametrize(
    "shape",
    [
        None,
        [],
        {},
        "no",
        7,
        {"content": None},
        {"content": ["Os", 3]},
        {"tokens": [], "token_logprobs": None},
    ],
)
def test_what_is_no_such_shape_tells_nothing(shape: object) -> None:
    reply, _, _ = ask(ok(told("Oslo.", shape)), question())
    assert sums(reply) == (None, None, "")
    assert reply.text == "Oslo."


def test_hostile_tokens_are_bounded() -> None:
    long = [entry("a" * 5000, -1.0, top_logprobs=[{"token": "b" * 5000, "logprob": -1.0}] * 500)]
    (kept,) = written(read_pieces({"content": long}), "a" * 5000).tokens
    assert len(kept.token) < 300
    assert len(kept.others) <= 20
    assert all(len(name) < 300 for name, _ in kept.others)
    many = written(read_pieces({"content": [{"token": "a", "logprob": -0.001}] * 5000}), "a" * 5000)
    assert (len(many.tokens), many.counted) == (MOST_KEPT, 5000)
    assert many.log_probability == pytest.approx(-5.0)
    nowhere = written(read_pieces([{"token": "xa" * 50_000, "logprob": -1.0}]), "a")
    assert nowhere.log_probability is None


def test_the_key_is_in_no_token() -> None:
    key = "sk-very-secret-123"
    for tokens in ([(key, -1.0)], [("sk-very-", -1.0), ("secret-123", -1.0)]):
        reply, _, _ = ask(ok(told(key, content(tokens))), question())
        assert key not in "".join(one.token for one in reply.token_logprobs)
        assert Key("SERVER_KEY", key).scrub(repr(reply)) == repr(reply)


@pytest.mark.parametrize(
    "refusal",
    [
        fault(403, "You are not allowed to request logprobs from this model"),
        fault(400, "logprobs are not supported with reasoning models.", param="logprobs"),
        fault(422, "extra fields not permitted: top_logprobs"),
        fault(400, "Invalid value: 'message.output_text.logprobs'.", param="include[0]"),
    ],
)
def test_a_server_that_refuses_them_stops_the_run_and_names_the_remedy(refusal: Any) -> None:
    api = "responses" if b"output_text" in refusal.body else "chat"
    with pytest.raises(
        UsageError, match=r"refuses (top_)?(logprobs|include) = .* decoding: \{logprobs\} asks for"
    ):
        ask(refusal, question(), api=api)


def test_a_key_that_is_refused_is_still_told_as_that() -> None:
    with pytest.raises(UsageError, match="refuses the key"):
        ask(fault(403, "this key may not be used here"), question())


@pytest.mark.parametrize("wrong", [0, -1, 21])
def test_a_number_of_alternatives_lies_between_1_and_20(wrong: int) -> None:
    with pytest.raises(
        UsageError, match=f"logprobs is {wrong}; it must be true, or a number of alternatives"
    ):
        Decoding(logprobs=wrong)


def test_true_is_one_alternative_and_not_asking_leaves_the_request_as_it_was() -> None:
    assert Decoding(logprobs=True) == Decoding(logprobs=1)
    assert canonical(CompletionRequest("x", Decoding(logprobs=False))) == canonical(CompletionRequest("x"))
    assert '"logprobs":1' in canonical(CompletionRequest("x", Decoding(logprobs=True)))


def test_a_function_is_told_the_wish_and_may_tell_in_any_shape() -> None:
    def answer(prompt: str, decoding: dict[str, Any]) -> dict[str, Any]:
        assert decoding["logprobs"] == 2
        return {"text": "Oslo.", "logprobs": [{"token": text, "logprob": value} for text, value in OSLO]}

    reply = asyncio.run(function_system(answer).chat(question()))
    assert sums(reply) == (-1.75, 3, "Oslo.")
    wrong = asyncio.run(function_system(lambda _: {"text": "Oslo.", "logprobs": -1.75}).chat(question()))
    assert (wrong.status, wrong.reason) == (
        "error",
        "logprobs is -1.75; it is to be a list of {token, logprob}, or what an API calls logprobs",
    )


def test_tokens_are_written_out_with_quotes_and_a_count_of_what_is_left_out() -> None:
    tokens = [TokenLogprob('"\n', -0.5), TokenLogprob("b", None)] + [TokenLogprob("c", -0.25)] * 300
    text = logprobs_turn(tokens, log_probability=None, counted=None).text
    first, least, shown = text.split("\n")
    assert first == "the tokens told do not make up the answer"
    assert least.startswith('least sure: "\\"\\n" -0.5, "c" -0.25')
    assert shown.startswith('"\\"\\n" -0.5, "b" ?, "c" -0.25')
    assert shown.endswith(" and 102 more")
