"""Answers of the responses API, read into the shape of all."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from aliquot.systems.faults import FaultError
from aliquot.systems.openai_answers import Part, Said, Usage, text_of_parts, told_fault
from aliquot.systems.token_logprobs import read_pieces
from aliquot.systems.told_json import decode_told


class Output(msgspec.Struct):
    """One thing a model put out: a message, a reasoning, a call."""

    type: str = ""
    content: list[Part] | None = None


class Incomplete(msgspec.Struct):
    """Why a response is not complete."""

    reason: str | None = None


class Response(msgspec.Struct):
    """The body of a response."""

    status: str | None = None
    output: list[Output] | None = None
    incomplete_details: Incomplete | None = None
    usage: Usage | None = None
    model: str | None = None
    error: Any = None
    temperature: Any = None
    top_p: Any = None
    max_output_tokens: Any = None


class ResponseEvent(msgspec.Struct):
    """An event of a response's stream."""

    type: str = ""
    response: msgspec.Raw = msgspec.Raw()
    error: Any = None
    message: str | None = None
    code: str | None = None
    logprobs: Any = None


TOLD: Final = ("temperature", "top_p", "max_output_tokens")
"""Fields in which a response repeats what it was drawn with."""

_RESPONSE: Final = msgspec.json.Decoder(Response, strict=False)


def read_response(body: bytes | msgspec.Raw, *, content_type: str = "") -> Said:
    """Return what the body of a response says.

    Raises:
        FaultError: it is none, or tells of a fault.
    """
    found = decode_told(body, _RESPONSE, of="a response", content_type=content_type)
    if found.error:
        raise told_fault(found.error)
    if found.output is None:
        raise FaultError("the answer holds no output", again=True)
    messages = [output for output in found.output if output.type == "message"]
    parts = [part for message in messages for part in message.content or ()]
    cut = found.incomplete_details.reason if found.incomplete_details else None
    return Said(
        text=text_of_parts(parts),
        reasoned=any(output.type == "reasoning" for output in found.output),
        refusal="".join(part.refusal or "" for part in parts),
        finish=cut or ("stop" if found.status == "completed" else found.status),
        tool_calls=sum(output.type.endswith("_call") for output in found.output),
        usage=found.usage,
        model=found.model,
        used={name: getattr(found, name) for name in TOLD},
        pieces=[piece for part in parts for piece in read_pieces(part.logprobs)],
    )
