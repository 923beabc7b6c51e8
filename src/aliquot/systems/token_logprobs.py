"""Log-probabilities of the tokens of a written answer, as servers tell them, and those of its text alone.

Servers tell them in three shapes: chat completions (and llama.cpp's completions) as ``content``, completions as
parallel lists, the responses API as a list in a part of a message. What they tell may hold more than the answer:
thoughts, marks of a template, the token that ends the text. What is summed up is what makes up the answer.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final, NamedTuple, cast

from aliquot.evidence.bounds import shorten
from aliquot.evidence.token_logprobs import TokenLogprob
from aliquot.systems.requests import MOST_LOGPROBS

MOST_KEPT: Final = 1_000
"""Tokens of an answer that are kept one by one; the sum is over all."""

LONGEST: Final = 200
"""Letters of a token's text that are kept."""

UNLIKELY: Final = -9000.0
"""What lies under it is a server's word for "not among the most probable" (OpenAI and vLLM say -9999), no number."""

ROUNDED: Final = 1e-3
"""How far above 0 rounding may lift a log-probability."""

_MOST_PLACES: Final = 1_000
"""Places in the tokens' text at which the answer is looked for."""


class Piece(NamedTuple):
    """A token and the bytes of text that it stands for."""

    told: TokenLogprob
    data: bytes


@dataclass(frozen=True, slots=True)
class WrittenLogprobs:
    """How probable an answer was.

    Attributes:
        tokens: its first tokens; all that were told, where they do not make up the answer.
        log_probability: natural logarithm, summed over the tokens that hold a letter of the answer; None where that
            is not known.
        counted: over how many.
    """

    tokens: tuple[TokenLogprob, ...] = ()
    log_probability: float | None = None
    counted: int | None = None


NOT_TOLD: Final = WrittenLogprobs()
"""How probable an answer was whose server tells nothing."""


def read_pieces(told: object) -> list[Piece]:
    """Return the tokens that a server tells, in any of the shapes; none where it is none of them.

    Examples:
        >>> read_pieces({"tokens": ["Os", "lo"], "token_logprobs": [-1.0, None]})[1].told
        TokenLogprob(token='lo', log_probability=None, others=())
        >>> read_pieces([{"token": "Os", "logprob": -1.0, "top_logprobs": [{"token": "Os", "logprob": -1.0}]}])[0].data
        b'Os'
    """
    if isinstance(told, Mapping):
        fields = cast("Mapping[str, Any]", told)
        if isinstance(fields.get("tokens"), list):
            return list(_parallel(fields))
        told = fields.get("content")
    listed = cast("list[object]", told) if isinstance(told, list) else []
    return [_piece(cast("Mapping[str, Any]", one)) for one in listed if isinstance(one, Mapping)]


def written(pieces: Sequence[Piece], text: str, *, others: int = MOST_LOGPROBS) -> WrittenLogprobs:
    """Return how probable an answer was.

    Args:
        pieces: what was told, thoughts and marks included.
        text: the answer.
        others: alternatives that are kept at each place.
    """
    if not text.strip():
        return NOT_TOLD
    own = _of_answer(pieces, text)
    values = [piece.told.log_probability for piece in own or ()]
    known = [value for value in values if value is not None]
    whole = bool(known) and len(known) == len(values)
    kept = (pieces if own is None else own)[:MOST_KEPT]
    return WrittenLogprobs(
        tokens=tuple(one.told._replace(others=one.told.others[:others]) for one in kept),
        log_probability=math.fsum(known) if whole else None,
        counted=len(known) if whole else None,
    )


def _of_answer(pieces: Sequence[Piece], text: str) -> Sequence[Piece] | None:
    """Return the tokens that hold a letter of the answer; None where they do not spell it.

    The answer is the last stretch of the tokens' text that reads like it and begins where a token does (white space
    aside), so that no letter is found in the name of a mark such as ``<|im_end|>``.
    """
    wanted = text.strip().encode("utf-8", "surrogatepass")
    joined = b"".join(piece.data for piece in pieces)
    starts = [0, *accumulate(len(piece.data) for piece in pieces)][:-1]
    at = joined.rfind(wanted)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return None
        first = bisect_right(starts, at) - 1
        if at - starts[first] <= LONGEST and not joined[starts[first] : at].strip():
            if wanted[0] > 127:  # a letter may begin in tokens that are told as empty
                while first and not pieces[first - 1].data:
                    first -= 1
            return pieces[first : bisect_left(starts, at + len(wanted))]
        at = joined.rfind(wanted, 0, at + len(wanted) - 1)
    return None


def _parallel(fields: Mapping[str, Any]) -> Iterator[Piece]:
    """Yield tokens told as lists beside each other."""
    values, tops = (_list(fields.get(name)) for name in ("token_logprobs", "top_logprobs"))
    for place, token in enumerate(fields["tokens"]):
        top = tops[place] if place < len(tops) else None
        others = (
            [{"token": name, "logprob": value} for name, value in cast("Mapping[str, Any]", top).items()]
            if isinstance(top, Mapping)
            else top
        )
        value = values[place] if place < len(values) else None
        yield _piece({"token": token, "logprob": value, "top_logprobs": others})


def _piece(entry: Mapping[str, Any]) -> Piece:
    token = entry.get("token")
    text = token if isinstance(token, str) else ""
    others = [
        (shorten(name, limit=LONGEST), value)
        for one in _list(entry.get("top_logprobs"))[:MOST_LOGPROBS]
        if isinstance(one, Mapping)
        and isinstance(name := cast("Mapping[str, Any]", one).get("token"), str)
        and (value := _log_probability(cast("Mapping[str, Any]", one).get("logprob"))) is not None
    ]
    told = TokenLogprob(
        _writable(shorten(text, limit=LONGEST)), _log_probability(entry.get("logprob")),
        tuple((_writable(name), value) for name, value in sorted(others, key=lambda one: -one[1])),
    )  # fmt: skip
    return Piece(told, _bytes(entry.get("bytes"), text))


def _bytes(told: object, text: str) -> bytes:
    """Return the bytes of a token; a part of a letter has bytes that its text cannot tell."""
    if isinstance(told, list):
        listed = cast("list[object]", told)
        if all(isinstance(one, int) and 0 <= one < 256 for one in listed) and (listed or not text):
            return bytes(cast("list[int]", listed))
    return text.encode("utf-8", "surrogatepass")


def _log_probability(value: object) -> float | None:
    """Return a value that is a log-probability; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if UNLIKELY < value <= ROUNDED else None


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _writable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
