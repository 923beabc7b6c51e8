"""What a model thought aloud, in the tags of a chat template that nobody has read: never its answer."""

from __future__ import annotations

from typing import Final

THOUGHTS: Final = (
    ("<think>", "</think>"),
    ("[THINK]", "[/THINK]"),  # Mistral
    ("◁think▷", "◁/think▷"),  # Kimi
    ("<seed:think>", "</seed:think>"),
)
"""Tags that open and close a thought in the templates of models."""

FINAL: Final = "<|channel|>final<|message|>"
CHANNEL: Final = "<|channel|>"
"""Marks of gpt-oss, whose last channel is the answer."""


def without_thoughts(text: str) -> tuple[str, bool]:
    """Return a text without what the model thought aloud before it, and whether there was any.

    Thoughts that were cut leave nothing; an end without a beginning is that of a template which opens them itself.

    Examples:
        >>> without_thoughts("<think>check</think>B"), without_thoughts("<think>I lean to B")
        (('B', True), ('', True))
        >>> without_thoughts("so B then</think> B"), without_thoughts("B")
        (('B', True), ('B', False))
        >>> without_thoughts("<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>B")
        ('B', True)
    """
    if CHANNEL in text:
        _, found, answer = text.rpartition(FINAL)
        whole = found or not text.lstrip().startswith((CHANNEL, "<|start|>"))
        return (
            answer.removesuffix("<|return|>") if found else text if whole else "",
            bool(found) or not whole,
        )
    for opening, closing in THOUGHTS:
        if opening in text or closing in text:
            return _without(text, opening, closing)
    return text, False


def _without(text: str, opening: str, closing: str) -> tuple[str, bool]:
    """Return a text without the thoughts at its beginning that stand in a pair of tags, and whether there were any."""
    rest, aloud = text.lstrip(), False
    while rest.startswith(opening):
        _, _, rest = rest.partition(closing)
        rest, aloud = rest.lstrip(), True
    before, end, after = rest.partition(closing)
    if end and opening not in before:
        return after.lstrip(), True
    return (rest, True) if aloud else (text, False)
