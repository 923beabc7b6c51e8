"""Assertions of promptfoo that are rules: their names, and their patterns as Python reads them."""

from __future__ import annotations

import re
from typing import Final

from aliquot.files.patterns import BoundedPattern, compile_pattern

SINGLE: Final = ("equals", "contains", "icontains", "starts-with", "regex", "is-json")
"""Those that compare with one text, or with none."""

LISTS: Final = ("contains-any", "contains-all", "icontains-any", "icontains-all")
"""Those that take a list of texts."""

KINDS: Final = (*SINGLE, *LISTS)
"""What an assertion can be, each also with ``not-`` before it."""


def python_pattern(pattern: str) -> BoundedPattern:
    r"""Return a JavaScript pattern as Python reads it: ``$`` is the very end, ``\d`` and ``\w`` are ASCII.

    Raises:
        re.error: no pattern that both know.

    Examples:
        >>> bool(python_pattern("^[0-9]+$").search("12")), bool(python_pattern("^[0-9]+$").search("12\n"))
        (True, False)
    """
    parts: list[str] = []
    within = False
    for part in re.findall(r"\\.|\(\?<(?![=!])|.", pattern, re.DOTALL):
        within = (within or part == "[") and part != "]"
        parts.append(part if within else {"$": r"\Z", "(?<": "(?P<"}.get(part, part))
    return compile_pattern("".join(parts), re.ASCII, written=pattern)
