"""Text from logs and models made safe for a terminal: no control character acts, no line runs away."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Sequence

WIDTH = 80
"""Columns of the terminal output."""

_LONGEST_TEXT = 10_000
"""Characters of a name that are looked at to cut it in its middle."""

_BREAKS = re.compile(r"[^\s_\-/.:,=]*[\s_\-/.:,=]+|[^\s_\-/.:,=]+")
"""A part of a name up to where a line may end."""

_LONGEST_NAME = 20
"""Names longer than this are cut in sentences and lists."""


def neutralise(text: str, *, limit: int = 200) -> str:
    r"""Return one bounded line of text with control, format and surrogate characters written out.

    Examples:
        >>> neutralise("red \x1b[31m and\na newline")
        'red \\x1b[31m and\\na newline'
    """
    shown = "".join(
        char.encode("unicode_escape").decode("ascii") if unicodedata.category(char) in _UNSAFE else char
        for char in text[:limit]
    )
    return shown if len(text) <= limit and len(shown) <= limit else shown[: limit - 3] + "..."


_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Co"})


def short_name(name: str, *, limit: int = _LONGEST_NAME) -> str:
    """Return a system's or item's name for a list, cut in the middle: names of one family differ at their ends.

    Examples:
        >>> short_name("results_v3_repeat2_changed_provider.json")
        'results_...ider.json'
    """
    shown = neutralise(name, limit=_LONGEST_TEXT)
    if len(shown) <= limit:
        return shown
    tail = limit // 2 - 1
    return shown[: limit - tail - 3] + "..." + shown[-tail:]


def wrap_name(text: str, *, width: int) -> list[str]:
    """Return a name in lines of a table, whole: broken between its words or behind a sign, and within one if need be.

    Examples:
        >>> wrap_name("results_v3_repeat2_changed.json", width=12)
        ['results_v3_', 'repeat2_', 'changed.json']
    """
    lines = [""]
    for part in _BREAKS.findall(text):
        rest = part
        if lines[-1] and len(lines[-1]) + len(rest.rstrip()) > width:
            lines.append("")
        while len(rest.rstrip()) > width:
            lines[-1], rest = rest[:width], rest[width:]
            lines.append("")
        lines[-1] += rest if lines[-1] else rest.lstrip()
    return [line.rstrip() for line in lines if line.strip()] or [""]


def name_some(names: Sequence[str], *, limit: int) -> str:
    """Return as many names as fit, then "+N"; "none" when there are none.

    Examples:
        >>> name_some(["refund-014", "refund-022", "tone-003"], limit=24)
        'refund-014 refund-022 +1'
    """
    if not names:
        return "none"
    shown: list[str] = []
    for name in map(_in_a_list, names):
        left = len(names) - len(shown) - 1
        tail = f" +{left}" if left else ""
        if shown and len(" ".join([*shown, name])) + len(tail) > limit:
            break
        shown.append(name)
    left = len(names) - len(shown)
    return " ".join(shown) + (f" +{left}" if left else "")


def _in_a_list(name: str) -> str:
    """Return a short name, quoted when it would run into its neighbours."""
    shown = short_name(name)
    return repr(shown) if re.search(r"[\s,]", shown) else shown


def wrap(text: str, *, indent: str = "  ", first: str | None = None, lines: int | None = None) -> list[str]:
    """Wrap a sentence to the width; with ``lines``, what does not fit is cut with an ellipsis."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        max_lines=lines,
        placeholder=" ...",
        break_long_words=True,
        break_on_hyphens=False,
    )
