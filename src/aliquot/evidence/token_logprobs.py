"""The tokens of a written answer, and how probable each was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from aliquot.evidence.transcripts import Turn

ROLE: Final = "log-probabilities"
"""The role of a turn that tells of the tokens of an answer."""

LEAST_SURE: Final = 3
"""Tokens that are named with what else was probable at their place."""

SHOWN: Final = 200
"""Tokens that are written out in their order."""


class TokenLogprob(NamedTuple):
    """A token that a model wrote.

    Attributes:
        token: its text.
        log_probability: natural logarithm of its probability, given all before it; None where that is not known.
        others: the most probable tokens at its place with theirs; it may be among them.
    """

    token: str
    log_probability: float | None
    others: tuple[tuple[str, float], ...] = ()


def logprobs_turn(
    tokens: Sequence[TokenLogprob], *, log_probability: float | None, counted: int | None
) -> Turn:
    r"""Return the tokens of an answer as a turn of a conversation, to be read among the others.

    Args:
        tokens: the answer's tokens, perhaps only the first ones.
        log_probability: the sum over all of them; None where it is not known.
        counted: over how many.

    Examples:
        >>> told = [TokenLogprob("Os", -1.0, (("Os", -1.0), ("Ber", -1.25))), TokenLogprob("lo", -0.5)]
        >>> print(logprobs_turn(told, log_probability=-1.5, counted=2).text)
        -1.5, a mean of -0.75 over 2 tokens
        least sure: "Os" -1 (or "Ber" -1.25), "lo" -0.5
        "Os" -1, "lo" -0.5
    """
    if log_probability is None or not counted:
        first = "the tokens told do not make up the answer"
    else:
        mean = log_probability / counted
        first = (
            f"{log_probability:.4g}, a mean of {mean:.3g} over {counted:,} token{'s' if counted > 1 else ''}"
        )
    known = [one for one in tokens if one.log_probability is not None]
    unsure = sorted(known, key=lambda one: one.log_probability or 0.0)[:LEAST_SURE]
    shown = [_written(one.token, one.log_probability) for one in tokens[:SHOWN]]
    left = max(counted or 0, len(tokens)) - len(shown)
    more = f" and {left:,} more" if left > 0 else ""
    lines = (first, f"least sure: {', '.join(map(_with_others, unsure))}", f"{', '.join(shown)}{more}")
    return Turn(ROLE, "\n".join(lines if unsure else lines[:1]))


def _with_others(one: TokenLogprob) -> str:
    others = [_written(text, value) for text, value in one.others if text != one.token]
    return _written(one.token, one.log_probability) + (f" (or {', '.join(others)})" if others else "")


def _written(token: str, value: float | None) -> str:
    quoted = token.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
    return f'"{quoted}" {"?" if value is None else format(value, ".3g")}'
