"""Bodies of requests in the three shapes of OpenAI-compatible APIs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from aliquot.errors import UsageError
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.requests import ChatRequest, CompletionRequest, Decoding, LikelihoodRequest

LOGPROBS: Final = "message.output_text.logprobs"
"""What ``/responses`` is asked to include so that it tells log-probabilities."""


def chat_body(endpoint: Endpoint, request: ChatRequest, *, budget: str) -> dict[str, Any]:
    """Return the body for ``/chat/completions``; ``budget`` is the name the server has for ``max_tokens``."""
    body: dict[str, Any] = {"model": endpoint.model, "messages": _messages(request)}
    _draw(body, request.decoding, budget=budget)
    if (others := request.decoding.logprobs) is not None:
        body |= {"logprobs": True, "top_logprobs": others}
    if (form := _form(endpoint, request)) is not None:
        schema = {"name": "answer", "schema": form, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return _finish(body, endpoint, with_usage=True)


def completion_body(endpoint: Endpoint, request: CompletionRequest) -> dict[str, Any]:
    """Return the body for ``/completions``.

    Raises:
        UsageError: the endpoint wants a JSON schema, which this API does not know.
    """
    if endpoint.json_schema is not None:
        raise UsageError("json_schema needs mode: chat; completions know no such field")
    body: dict[str, Any] = {"model": endpoint.model, "prompt": request.prompt}
    _draw(body, request.decoding, budget="max_tokens")
    if (others := request.decoding.logprobs) is not None:
        body["logprobs"] = others
    return _finish(body, endpoint, with_usage=True)


def response_body(endpoint: Endpoint, request: ChatRequest) -> dict[str, Any]:
    """Return the body for ``/responses``; the server is asked to keep nothing.

    Raises:
        UsageError: the decoding says what this API does not take.
    """
    drawn = request.decoding
    if drawn.stop or drawn.seed is not None:
        named = "stop" if drawn.stop else "seed"
        raise UsageError(
            f"the responses API takes no {named}: leave it out of decoding, or ask with api: chat"
        )
    body: dict[str, Any] = {"model": endpoint.model, "input": _messages(request), "store": False}
    _draw(body, drawn, budget="max_output_tokens")
    if (form := _form(endpoint, request)) is not None:
        schema = {"type": "json_schema", "name": "answer", "schema": form, "strict": True}
        body["text"] = {"format": schema}
    if drawn.logprobs is not None:
        body["top_logprobs"] = drawn.logprobs
    body = _finish(body, endpoint, with_usage=False)
    if drawn.logprobs is not None and (listed := endpoint.extra.get("include", [])) is not None:
        body["include"] = list(dict.fromkeys([*(listed if isinstance(listed, list) else [listed]), LOGPROBS]))
    return body


def echo_body(endpoint: Endpoint, request: LikelihoodRequest) -> dict[str, Any]:
    """Return the body that lets ``/completions`` tell how probable the tokens of a text are."""
    body: dict[str, Any] = {"model": endpoint.model, "prompt": request.context + request.continuation}
    body |= {"echo": True, "logprobs": 1, "max_tokens": 1, "temperature": 0}
    return body | {name: value for name, value in endpoint.extra.items() if value is not None}


def forced_body(endpoint: Endpoint, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body that lets ``/completions`` write a given token, with all that the endpoint adds."""
    extra = {name: value for name, value in endpoint.extra.items() if value is not None}
    return {"model": endpoint.model, **asked, **extra}


def _form(endpoint: Endpoint, request: ChatRequest) -> Mapping[str, Any] | None:
    """Return the schema of the answer: the request's own, else the endpoint's."""
    return endpoint.json_schema if request.schema is None else json.loads(request.schema)


def _messages(request: ChatRequest) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in request.messages]


def _draw(body: dict[str, Any], decoding: Decoding, *, budget: str) -> None:
    """Add how the answer is drawn; what is unset is left to the server."""
    if decoding.temperature is not None:
        body["temperature"] = decoding.temperature
    body[budget] = decoding.max_tokens
    if decoding.stop:
        body["stop"] = decoding.stop
    if decoding.top_p is not None:
        body["top_p"] = decoding.top_p
    if decoding.seed is not None:
        body["seed"] = decoding.seed


def _finish(body: dict[str, Any], endpoint: Endpoint, *, with_usage: bool) -> dict[str, Any]:
    """Add the stream's fields and ``extra``, whose None leaves a field out."""
    if endpoint.stream:
        body["stream"] = True
        if with_usage:
            body["stream_options"] = {"include_usage": True}
    for name, value in endpoint.extra.items():
        if value is None:
            body.pop(name, None)
        else:
            body[name] = value
    return body
