"""JSON as model servers write it, read strictly where it is JSON and mended where it nearly is."""

from __future__ import annotations

from typing import Final, TypeVar

import msgspec

from aliquot.files.typed_json import without_constants, without_halves
from aliquot.systems.faults import FaultError

T = TypeVar("T")

_SHOWN: Final = 40
"""Characters of a body that is no JSON that a message shows."""


def decode_told(
    body: bytes | msgspec.Raw, decoder: msgspec.json.Decoder[T], *, of: str, content_type: str
) -> T:
    r"""Return the body of an answer.

    Servers in Python write ``NaN`` for a number they do not have, and the halves of a character apart; neither is JSON,
    and what they were about to say is plain all the same: nothing, and a character that is lost.

    Args:
        body: the body, or the data of an event.
        decoder: of the shape it should have.
        of: what that is, for the message.
        content_type: what the server calls it.

    Raises:
        FaultError: it has another shape, or is no JSON.

    Examples:
        >>> anything = msgspec.json.Decoder()
        >>> decode_told(b'{"text": "4 \\ud83d", "seconds": NaN}', anything, of="an answer", content_type="")
        {'text': '4 �', 'seconds': None}
    """
    try:
        try:
            return decoder.decode(body)
        except msgspec.ValidationError:
            raise
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return decoder.decode(without_constants(without_halves(bytes(body))))
    except msgspec.ValidationError as error:
        raise FaultError(f"the answer has not the shape of {of}: {error}", again=True) from None
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    begins = repr(bytes(body)[:_SHOWN].decode("utf-8", "replace"))
    raise FaultError(f"the answer is not JSON ({content_type or 'no type'}, begins {begins})", again=True)
