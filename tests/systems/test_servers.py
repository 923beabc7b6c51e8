"""What llama.cpp, vLLM, SGLang, ollama, OpenAI, Azure and proxies send, in the shapes of their public formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from aliquot.errors import AliquotError, RunStoppedError, UsageError
from aliquot.files.run_directory import RunDirectory
from aliquot.systems.overruled import overruled
from aliquot.systems.requests import CompletionRequest
from tests.runner.test_run_over_http import run_on
from tests.systems.server import chat, event, ok, pieces
from tests.systems.test_openai_api import SAID, ask, question, response


def told(
    message: dict[str, Any], *, usage: dict[str, Any] | None = None, finish: str = "stop", **top: Any
) -> dict[str, Any]:
    """Return a chat completion with a message as a server writes it."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    spent = {"prompt_tokens": 12, "completion_tokens": 40, "total_tokens": 52} | (usage or {})
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": spent,
    } | top


THOUGHT = "Norway, so Oslo."
ANSWERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "OpenAI": (
        told(
            {"content": "Oslo", "refusal": None, "annotations": []},
            usage={
                "prompt_tokens_details": {"cached_tokens": 8, "audio_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 32, "accepted_prediction_tokens": 0},
            },
            service_tier="default",
            system_fingerprint=None,
        ),
        {"text": "Oslo", "status": "ok", "tokens_reasoning": 32, "tokens_cached": 8},
    ),
    "Azure, filtered on the way out": (
        told(
            {},
            finish="content_filter",
            prompt_filter_results=[{"prompt_index": 0, "content_filter_results": {}}],
        ),
        {"text": "", "status": "refused"},
    ),
    "vLLM": (
        told(
            {"content": "\n\nOslo", "reasoning": THOUGHT, "reasoning_content": THOUGHT, "tool_calls": []},
            prompt_logprobs=None,
            kv_transfer_params=None,
        ),
        {"text": "\n\nOslo", "status": "ok", "tool_calls": None},
    ),
    "vLLM, cut while thinking": (
        told({"content": None, "reasoning": THOUGHT}, finish="length"),
        {"text": "", "status": "truncated", "reason": "token budget used up by reasoning"},
    ),
    "SGLang": (
        told(
            {"content": "Oslo", "reasoning_content": THOUGHT, "tool_calls": None},
            usage={"reasoning_tokens": 31, "prompt_tokens_details": None},
            metadata={"weight_version": "default"},
        ),
        {"text": "Oslo", "status": "ok", "tokens_reasoning": 31},
    ),
    "SGLang, stopped by a token": (
        told({"content": "Oslo"})
        | {"choices": [{"message": {"content": "Oslo"}, "finish_reason": "stop", "matched_stop": 151645}]},
        {"text": "Oslo", "status": "ok"},
    ),
    "llama.cpp": (
        told(
            {"content": "Oslo", "reasoning_content": THOUGHT},
            timings={"predicted_n": 40, "predicted_ms": 200.1},
            system_fingerprint="b6700-1",
        ),
        {"text": "Oslo", "status": "ok"},
    ),
    "ollama": (
        told({"content": "", "reasoning": THOUGHT}, system_fingerprint="fp_ollama"),
        {"text": "", "status": "truncated", "reason": "token budget used up by reasoning"},
    ),
    "a proxy's blocks": (
        told({"content": "Oslo", "reasoning_content": None, "thinking": THOUGHT}),
        {"text": "Oslo", "status": "ok"},
    ),
    "a router's details": (
        told({"content": None, "reasoning_details": [{"type": "reasoning.text", "text": THOUGHT}]}),
        {"text": "", "status": "truncated"},
    ),
    "Mistral's parts": (
        told(
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
                    {"type": "text", "text": "Oslo"},
                ]
            }
        ),
        {"text": "Oslo", "status": "ok"},
    ),
    "Mistral's template, not read": (
        told({"content": f"[THINK]{THOUGHT}[/THINK]Oslo"}),
        {"text": "Oslo", "status": "ok"},
    ),
    "Kimi's template": (told({"content": f"◁think▷{THOUGHT}◁/think▷Oslo"}), {"text": "Oslo", "status": "ok"}),
    "Seed's template, cut": (
        told({"content": f"<seed:think>{THOUGHT}"}, finish="length"),
        {"text": "", "status": "truncated"},
    ),
    "gpt-oss, not read": (
        told(
            {
                "content": f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant"
                "<|channel|>final<|message|>Oslo<|return|>"
            }
        ),
        {"text": "Oslo", "status": "ok"},
    ),
    "gpt-oss, cut while thinking": (
        told({"content": f"<|channel|>analysis<|message|>{THOUGHT}"}, finish="length"),
        {"text": "", "status": "truncated", "reason": "token budget used up by reasoning"},
    ),
    "talk of a channel": (
        told({"content": "Write <|channel|> first."}),
        {"text": "Write <|channel|> first.", "status": "ok"},
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_what_was_said_and_never_what_was_thought(name: str) -> None:
    body, wanted = ANSWERS[name]
    reply, _, _ = ask(ok(body), question())
    assert {key: getattr(reply, key) for key in wanted} == wanted
    assert THOUGHT not in reply.text


STREAMS = {
    "ollama": [
        {"role": "assistant", "content": "", "reasoning": "Norway"},
        {"content": "Os"},
        {"content": "lo"},
    ],
    "vLLM": [
        {"role": "assistant", "content": ""},
        {"reasoning": "Norway"},
        {"content": "Os"},
        {"content": "lo"},
    ],
    "llama.cpp": [{"role": "assistant", "content": None}, {"reasoning_content": "Nor"}, {"content": "Oslo"}],
    "DeepSeek": [
        {"content": None, "reasoning_content": "Norway"},
        {"content": "Oslo", "reasoning_content": None},
    ],
    "the tags of a template": [{"content": "<th"}, {"content": "ink>Nor"}, {"content": "way</think>Oslo"}],
}


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_with_thoughts_is_the_answer_alone(name: str) -> None:
    bits = [
        event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}) for delta in STREAMS[name]
    ]
    end = event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": None})
    reply, _, _ = ask(pieces(*bits, end, b"data: [DONE]\n\n"), question(), stream=True)
    assert (reply.text, reply.status) == ("Oslo", "ok")


def body_of(status: int, body: object) -> Callable[[], web.Response]:
    if isinstance(body, str):
        return lambda: web.Response(status=status, text=body)
    return lambda: web.json_response(body, status=status)


OPENAI = {"type": "invalid_request_error"}
REFUSED = {
    "OpenAI, a value": (
        400,
        {
            "error": {
                **OPENAI,
                "param": "temperature",
                "code": "unsupported_value",
                "message": "Unsupported value: 'temperature' does not support 0 with this model. ",
            }
        },
        "refuses temperature = 0.0",
    ),
    "OpenAI, a name": (
        400,
        {
            "error": {
                **OPENAI,
                "param": None,
                "code": None,
                "message": "Unrecognized request argument supplied: top_k",
            }
        },
        "refuses top_k = 0 .*Change it under extra",
    ),
    "Azure": (
        400,
        {
            "error": {
                **OPENAI,
                "param": "top_k",
                "code": "unknown_parameter",
                "message": "Unknown parameter: 'top_k'.",
            }
        },
        "refuses top_k = 0",
    ),
    "vLLM": (
        400,
        {
            "error": {
                "message": "top_k must be 0 (disable), or at least 1, got -3.",
                "type": "BadRequestError",
                "param": "top_k",
                "code": 400,
            }
        },
        "refuses top_k = 0",
    ),
    "vLLM, of old": (
        400,
        {
            "object": "error",
            "message": "[{'type': 'extra_forbidden', 'loc': ('body', 'top_k'), 'msg': "
            "'Extra inputs are not permitted'}]",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
        "refuses top_k = 0",
    ),
    "SGLang": (
        400,
        {
            "object": "error",
            "message": "top_k must be -1 (disable) or at least 1, got 0.",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
        "refuses top_k = 0",
    ),
    "FastAPI": (
        422,
        {
            "detail": [
                {
                    "type": "list_type",
                    "loc": ["body", "stop", 0, "str"],
                    "msg": "Input should be a valid string",
                }
            ]
        },
        r"refuses stop = \('x',\).*stop.0.str: Input should be a valid string",
    ),
    "a proxy": (
        400,
        {
            "error": {
                "message": "UnsupportedParamsError: openai does not support parameters: ['top_k'], for "
                "model=m. To drop these, set `litellm.drop_params=True`",
                "type": "None",
                "param": "None",
                "code": "400",
            }
        },
        "refuses top_k = 0",
    ),
    "llama.cpp": (
        400,
        {
            "error": {
                "code": 400,
                "message": "Invalid value for 'top_k': must be positive",
                "type": "invalid_request_error",
            }
        },
        "refuses top_k = 0",
    ),
    "a schema": (
        400,
        {
            "error": {
                **OPENAI,
                "param": "response_format",
                "code": None,
                "message": "Invalid schema for response_format 'answer': schema must have a 'type' key.",
            }
        },
        r"refuses response_format = .{1,70} \(HTTP 400: .*json_schema sends: leave it out",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_parameter_stops_with_its_name(name: str) -> None:
    status, body, words = REFUSED[name]
    schema = {"properties": {f"field_{number}": {} for number in range(50)}}
    with pytest.raises(UsageError, match=words) as caught:
        ask(body_of(status, body)(), question(stop=("x",)), extra={"top_k": 0}, json_schema=schema)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


STOPS = {
    "OpenAI's key": (
        401,
        {"error": {**OPENAI, "code": "invalid_api_key", "message": "Incorrect API key provided."}},
        "refuses the key",
    ),
    "Azure's key": (
        401,
        {"error": {"code": "401", "message": "Access denied due to invalid subscription key."}},
        "refuses the key",
    ),
    "Azure's gateway": (
        401,
        {"statusCode": 401, "message": "Unauthorized. Access token is missing."},
        "refuses the key .HTTP 401: Unauthorized",
    ),
    "llama.cpp's key": (
        401,
        {"error": {"code": 401, "message": "Invalid API Key", "type": "authentication_error"}},
        "refuses the key",
    ),
    "vLLM's key": (401, {"error": "Unauthorized"}, "refuses the key .HTTP 401: Unauthorized"),
    "Azure's deployment": (
        404,
        {
            "error": {
                "code": "DeploymentNotFound",
                "message": "The API deployment for this resource does not exist.",
            }
        },
        "has no such model or API",
    ),
    "vLLM's model": (
        404,
        {
            "error": {
                "message": "The model `m` does not exist.",
                "type": "NotFoundError",
                "param": "model",
                "code": 404,
            }
        },
        "The model `m` does not exist",
    ),
    "ollama's model": (
        404,
        {
            "error": {
                "message": 'model "m" not found, try pulling it first',
                "type": "api_error",
                "param": None,
                "code": None,
            }
        },
        "try pulling it first",
    ),
    "FastAPI's path": (404, {"detail": "Not Found"}, "HTTP 404: Not Found"),
    "a plain page": (404, "404 page not found", "HTTP 404: 404 page not found"),
    "OpenAI's quota": (
        429,
        {
            "error": {
                "message": "You exceeded your current quota.",
                "type": "insufficient_quota",
                "param": None,
                "code": "insufficient_quota",
            }
        },
        "answers HTTP 429: You exceeded",
    ),
}


@pytest.mark.parametrize("name", STOPS)
def test_what_no_request_can_mend_stops_with_the_server_s_words(name: str) -> None:
    status, body, words = STOPS[name]
    with pytest.raises(AliquotError, match=words) as caught:
        ask(body_of(status, body)(), question())
    assert isinstance(caught.value, RunStoppedError if "quota" in name else UsageError)


FAILED = {
    "OpenAI": (
        400,
        {
            "error": {
                **OPENAI,
                "code": "context_length_exceeded",
                "message": "This model's maximum context length is 10 tokens.",
            }
        },
    ),
    "vLLM": (
        400,
        {
            "error": {
                "type": "BadRequestError",
                "code": 400,
                "message": "This model's maximum context length is 10 tokens. You asked 99.",
            }
        },
    ),
    "SGLang": (
        400,
        {
            "object": "error",
            "code": 400,
            "message": "The input (99 tokens) is longer than the model's context length (10 tokens).",
        },
    ),
    "llama.cpp": (
        400,
        {
            "error": {
                "code": 400,
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 99,
                "n_ctx": 10,
                "message": "request (99 tokens) exceeds the available context size (10 tokens), try increasing it",
            }
        },
    ),
    "llama.cpp with 500": (
        500,
        {"error": {"code": 500, "message": "Context size has been exceeded.", "type": "server_error"}},
    ),
}


@pytest.mark.parametrize("name", FAILED)
def test_a_prompt_that_does_not_fit_is_the_system_s_failure_and_asked_once(name: str) -> None:
    status, body = FAILED[name]
    reply, server, _ = ask(body_of(status, body)(), question())
    assert (reply.status, len(server.times)) == ("failed", 1)
    assert "the prompt does not fit the model" in (reply.reason or "")


def test_a_server_without_memory_is_lost_and_not_the_system_s_failure() -> None:
    body = {"error": {"code": 500, "message": "failed to allocate the context window: out of memory"}}
    reply, server, _ = ask(body_of(500, body)(), question())
    assert (reply.status, len(server.times)) == ("error", 2)


def test_a_filter_of_azure_is_a_refusal() -> None:
    inner = {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"hate": {"filtered": True}}}
    body = {"error": {"message": "The response was filtered", "type": None, "param": "prompt", "status": 400,
                      "code": "content_filter", "innererror": inner}}  # fmt: skip
    reply, _, _ = ask(body_of(400, body)(), question())
    assert reply.status == "refused"


def seen(body: dict[str, Any], **keys: Any) -> str:
    _, _, model = ask(ok(body), question(top_p=0.9, max_tokens=8), **keys)
    return model.observed.get("overruled", "")


def test_a_parameter_that_was_dropped_is_told_where_the_server_tells_it() -> None:
    used = {
        "temperature": 0.8,
        "top_p": 0.8999999761581421,
        "n_predict": 8,
        "max_tokens": 8,
        "top_k": 40,
        "min_keep": 0,
    }
    body = told({"content": "Oslo"}, __verbose={"generation_settings": used})
    assert seen(body, extra={"top_k": 0}) == "temperature (sent 0.0, used 0.8), top_k (sent 0, used 40)"
    assert (
        seen(told({"content": "Oslo"}, __verbose={"generation_settings": used | {"temperature": 0.0}})) == ""
    )
    assert seen(told({"content": "Oslo"}, __verbose=[])) == ""
    answered = response(SAID, temperature=1.0, top_p=0.9, max_output_tokens=8)
    assert seen(answered, api="responses") == "temperature (sent 0.0, used 1.0)"
    assert seen(response(SAID), api="responses") == ""
    assert (
        list(
            overruled(
                {"temperature": 0.0, "stop": ["x"], "seed": 1},
                {"temperature": None, "stop": [], "seed": True},
            )
        )
        == []
    )
    bits = event(
        {
            "choices": [{"delta": {"content": "Oslo"}, "finish_reason": "stop"}],
            "__verbose": {"generation_settings": used},
        }
    )
    _, _, model = ask(pieces(bits), question(max_tokens=8), stream=True)
    assert model.observed["overruled"] == "temperature (sent 0.0, used 0.8)"


def test_warnings_beside_an_answer_are_kept_and_bounded() -> None:
    warned = [
        {"message": "seed is ignored"},
        "deprecated\nmodel",
        7,
        "",
        *(f"w{number}" for number in range(9)),
    ]
    _, _, model = ask(ok(told({"content": "Oslo"}, warnings=warned)), question())
    assert model.observed["server_warnings"] == "'seed is ignored', 'deprecated model', 'w0', 'w1', 'w2'"
    _, _, model = ask(ok(chat()), CompletionRequest("x"))
    assert "server_warnings" not in model.observed


def test_a_run_says_what_its_server_overruled_and_keeps_it(tmp_path: Path) -> None:
    body = told({"content": "a0"}, __verbose={"generation_settings": {"temperature": 0.8}})
    found, _ = run_on(lambda *_: ok(body), tmp_path, n=2)
    manifest = RunDirectory(found.path).manifest
    assert manifest is not None
    assert manifest.systems["first"]["observed"]["overruled"] == "temperature (sent 0.0, used 0.8)"
    settings = {row["name"]: row["value"] for row in found.evidence.settings.to_dicts()}
    assert settings["overruled"] == "temperature (sent 0.0, used 0.8)"
