"""A long text in windows, so that each of its tokens is asked for once and as much as fits stands before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def token_windows(
    tokens: Sequence[int], *, start: int, size: int
) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """Yield what is given and what is asked for, window after window.

    As lm-evaluation-harness cuts a text (``get_rolling_token_windows`` with one token of context, made disjoint): every
    window but the last begins with the token before it, and the last is filled up with as many as fit.

    Args:
        tokens: the text.
        start: the token that stands before a text.
        size: tokens that the model reads at most, the last one asked for not counted.

    Examples:
        >>> [(list(given), list(asked)) for given, asked in token_windows([1, 2, 3, 4, 5], start=0, size=2)]
        [([0], [1, 2]), ([2], [3, 4]), ([3, 4], [5])]
    """
    for begin in range(0, len(tokens), size):
        asked = tokens[begin : begin + size]
        if begin == 0:
            yield (start,), asked
        else:
            end = begin + len(asked)
            yield tokens[end - 1 - size : begin], asked
