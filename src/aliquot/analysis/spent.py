"""Which columns of the responses tell what an answer took: time, tokens, steps, calls and money."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aliquot.evidence.tables import Evidence, LazyTable

TIMES: Final[Mapping[str, str]] = {"latency_s": "latency", "first_token_s": "first token"}
"""Columns that are told by their quantiles, in seconds; cached rows are left out."""

COUNTS: Final[Mapping[str, tuple[str, str]]] = {
    "tokens_in": ("tokens in", "tokens"),
    "tokens_out": ("tokens out", "tokens"),
    "tokens_reasoning": ("reasoning tokens", "tokens"),
    "tokens_cached": ("cached tokens", "tokens"),
    "steps": ("steps", "steps"),
    "tool_calls": ("tool calls", "calls"),
    "tool_errors": ("tool errors", "errors"),
}
"""Columns that are told by their mean an item: name and unit."""


def recorded_columns(evidence: Evidence) -> tuple[str, ...]:
    """Return the columns in which some response tells what it took; all of them where the rows are elsewhere."""
    held, columns = evidence.held("responses"), (*TIMES, *COUNTS, "cost")
    if isinstance(held, LazyTable):
        return columns
    return tuple(name for name in columns if held[name].null_count() < held.height)
