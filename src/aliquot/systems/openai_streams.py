"""Answers that come token by token, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final, Protocol

import msgspec

from aliquot.systems.events import DONE, EventParser
from aliquot.systems.faults import FaultError
from aliquot.systems.http_transport import Incoming
from aliquot.systems.openai_answers import Said, decode_completion, read_choice, told_fault
from aliquot.systems.openai_responses import ResponseEvent, read_response
from aliquot.systems.overruled import settings_used
from aliquot.systems.token_logprobs import Piece, read_pieces
from aliquot.systems.told_json import decode_told

BROKE_OFF: Final = "the answer's stream broke off"

_EVENT: Final = msgspec.json.Decoder(ResponseEvent, strict=False)


class Stream(Protocol):
    """Puts one answer together."""

    def take(self, data: bytes) -> bool:
        """Take an event's data; return whether it brought a token."""
        ...

    @property
    def over(self) -> bool:
        """Whether the answer is whole, whatever the connection does."""
        ...

    def finish(self) -> Said:
        """Return what was said.

        Raises:
            FaultError: the stream ended too early.
        """
        ...


class ChoiceStream:
    """The stream of a chat completion or a completion."""

    def __init__(self) -> None:
        self._said, self._pieces, self._refusals = Said(), list[str](), list[str]()
        self._calls = 0
        self._done = False

    def take(self, data: bytes) -> bool:
        """Add a chunk; the last ones may hold only the reason of the end, or the tokens used."""
        if data == DONE:
            self._done = True
            return False
        found = decode_completion(data, content_type="an event")
        said = self._said
        said.usage = found.usage or said.usage
        said.model = found.model or said.model
        said.fingerprint = found.system_fingerprint or said.fingerprint
        said.used = settings_used(found.verbose) or said.used
        said.warnings = found.warnings or said.warnings
        if not found.choices:
            return False
        bit = read_choice(found)
        self._pieces.append(bit.text)
        self._refusals.append(bit.refusal)
        self._calls = max(self._calls, bit.tool_calls)
        said.pieces += bit.pieces
        said.reasoned = said.reasoned or bit.reasoned
        said.finish = bit.finish or said.finish
        return bool(bit.text or bit.reasoned or bit.refusal)

    @property
    def over(self) -> bool:
        """Whether the end was announced."""
        return self._done

    def finish(self) -> Said:
        """Return what was said; a stream that names neither its reason nor its end was cut on the way."""
        if not self._done and self._said.finish is None:
            raise FaultError(BROKE_OFF, again=True)
        self._said.text, self._said.refusal = "".join(self._pieces), "".join(self._refusals)
        self._said.tool_calls = self._calls
        return self._said


class ResponseStream:
    """The stream of the responses API, whose last event holds the whole answer."""

    def __init__(self) -> None:
        self._whole = msgspec.Raw()
        self._tokens = list[Piece]()

    def take(self, data: bytes) -> bool:
        """Look at an event."""
        if data == DONE:
            return False
        event = decode_told(data, _EVENT, of="an event", content_type="an event")
        if event.type == "error":
            raise told_fault(event.error or {"message": event.message, "code": event.code})
        if event.type in {"response.completed", "response.incomplete", "response.failed"}:
            self._whole = event.response
        if event.type == "response.output_text.delta":
            self._tokens += read_pieces(event.logprobs)
        return event.type.endswith(".delta")

    @property
    def over(self) -> bool:
        """Whether the event that holds the whole answer has come."""
        return bool(bytes(self._whole))

    def finish(self) -> Said:
        """Return what the last event says."""
        if not self.over:
            raise FaultError(BROKE_OFF, again=True)
        said = read_response(self._whole)
        said.pieces = said.pieces or self._tokens  # the last event may leave out what was told on the way
        return said


async def read_stream(incoming: Incoming, stream: Stream) -> Said:
    """Feed a stream with the events of an answer as they come, and return what was said.

    It ends with the event that says so: a server may leave the connection open behind it.
    """
    async for data in _events(incoming):
        if stream.take(data):
            incoming.begin()
        if stream.over:
            incoming.end()
            break
    return stream.finish()


async def _events(incoming: Incoming) -> AsyncIterator[bytes]:
    parser = EventParser()
    async for piece in incoming.pieces():
        for data in parser.feed(piece):
            yield incoming.hide(data)
    for data in parser.close():
        yield incoming.hide(data)
