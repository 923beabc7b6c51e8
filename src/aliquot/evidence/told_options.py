"""The options of a choice as a log tells them: how probable each was, and which is right."""

from __future__ import annotations

from typing import NamedTuple


class ToldOption(NamedTuple):
    """One option.

    Attributes:
        option: its text.
        log_probability: natural logarithm, summed over the tokens that stood for it.
        greedy: whether the model would have written it itself.
        unconditional: the same sum without the question; None where that was not asked.
    """

    option: str
    log_probability: float
    greedy: bool = False
    unconditional: float | None = None


class ToldOptions(NamedTuple):
    """The options of an item, in its order.

    Attributes:
        options: the options; no two have one text.
        right: the text of the right one; None where the log does not settle it.
    """

    options: tuple[ToldOption, ...]
    right: str | None
