"""The choices of a multiple-choice task of lm-evaluation-harness, as its samples tell them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

from aliquot.evidence.told_options import ToldOption, ToldOptions

Asked = tuple[Any, Any]
"""Context and continuation of a request."""


def told_options(requests: Sequence[Asked], pairs: Sequence[Any], target: object) -> ToldOptions | None:
    """Return the choices of a record; None where it tells none.

    A choice is a continuation without the white space before it (the task's delimiter): its length is what the
    harness divides by in ``acc_norm`` and ``acc_bytes``. Where every choice was asked behind an empty context too
    (``acc_mutual_info``), that stands beside it. Records whose contexts differ (one for each choice) do not tell
    what a choice is, and those of equal choices not which was meant.

    Args:
        requests: context and continuation of each request.
        pairs: log-likelihood and whether it was greedy, one a request.
        target: the right choice: its place from 0, or its text.

    Examples:
        >>> asked = [("2+2?", " 3"), ("2+2?", " four")]
        >>> told_options(asked, [["-2.5", "False"], ["-1.0", "True"]], "1").right
        'four'
    """
    asked = [
        (context, text) for context, text in requests if isinstance(context, str) and isinstance(text, str)
    ]
    values = [_log_likelihood(pair) for pair in pairs]
    if not asked or len(asked) != len(requests) or len(values) != len(asked) or None in values:
        return None
    numbers = cast("list[float]", values)
    count = len(asked) if asked[-1][0] or not asked[0][0] else len(asked) // 2
    own, without = asked[:count], asked[count:]
    texts = [text.lstrip() for _, text in own]
    if count < 2 or len({context for context, _ in own}) > 1 or len(set(texts)) < count or "" in texts:
        return None
    if without and (
        any(context for context, _ in without) or [text for _, text in without] != [one for _, one in own]
    ):
        return None
    options = tuple(
        ToldOption(text, number, _is_greedy(pair), numbers[count + place] if without else None)
        for place, (text, number, pair) in enumerate(zip(texts, numbers, pairs, strict=False))
    )
    return ToldOptions(options, _right(texts, target))


def _log_likelihood(pair: Any) -> float | None:
    try:
        value = float(pair[0])
    except (TypeError, ValueError, LookupError):
        return None
    return value if math.isfinite(value) else None


def _is_greedy(pair: Any) -> bool:
    return len(pair) > 1 and str(pair[1]) == "True"


def _right(texts: Sequence[str], target: object) -> str | None:
    """Return the right choice; None where the target names none, or one as a place and another as a text."""
    said = str(target).strip()
    named = {text for text in texts if text == str(target).lstrip() or text.strip() == said}
    if said.isascii() and said.isdigit() and len(said) < 4 and int(said) < len(texts):
        named.add(texts[int(said)])
    return named.pop() if len(named) == 1 else None
