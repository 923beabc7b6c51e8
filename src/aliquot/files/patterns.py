r"""Patterns that a user or an item set wrote, over texts that a model wrote: each search is bounded in time.

A pattern that backtracks can take years over thirty letters, and ``re`` cannot be interrupted. The package ``regex``
can, and means the same by a pattern but for a few things, which are written here as ``re`` means them: what a word is
(``\w``, ``\b``: letters, numbers and ``_``, no combining marks), what white space is, and braces and brackets that
have a further meaning there. What is left: ``(?i)i`` finds neither a dotless ``ı`` nor ``İ``; letters that Unicode has
added since the release of this Python are letters; a pattern with ``(?a:`` or ``(?x:`` in its midst takes words as
``regex`` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NoReturn, cast

from aliquot.errors import PatternTimeError, excerpt

SECONDS: Final = 1.0
"""Time of one search over one text; ordinary patterns take microseconds."""

_WORD: Final = r"\p{L}\p{N}_"
_SPACE: Final = r"\s\x1c-\x1f"
_HOLDS: Final = {"w": _WORD, "s": _SPACE}
"""What the classes of ``re`` hold, where ``regex`` has others."""

_EDGE: Final = rf"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))"
_NO_EDGE: Final = rf"(?:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))"
_ALONE: Final = {
    r"\w": f"[{_WORD}]",
    r"\W": f"[^{_WORD}]",
    r"\s": f"[{_SPACE}]",
    r"\S": f"[^{_SPACE}]",
    r"\b": _EDGE,
    r"\B": _NO_EDGE,
}
_TOKEN: Final = re.compile(
    r"\\N\{[^}]*\}|\\.|\(\?#[^)]*\)|\[\^?\]?(?:\\.|[^\]\\])*\]|\{\d*(?:,\d*)?\}|.", re.DOTALL
)
_OWN_FLAGS: Final = re.compile(r"\(\?[a-z]*(?:[aLux][a-z]*(?:-[a-z]+)?|-[a-z]*x[a-z]*):")


class BoundedPattern:
    """A pattern each of whose searches ends.

    Examples:
        >>> compile_pattern("#### ([0-9]+)").findall("#### 17")
        ['17']
        >>> compile_pattern("(a|aa)+$").search("a" * 99 + "b")
        Traceback (most recent call last):
        aliquot.errors.PatternTimeError: the pattern '(a|aa)+$' took more than 1 s on a text of 100 letters
    """

    def __init__(self, pattern: str, made: Any) -> None:
        self.pattern, self._made = pattern, made

    def search(self, text: str) -> Any:
        """Return the first match anywhere, None without one.

        Raises:
            PatternTimeError: it takes too long.
        """
        try:
            return self._made.search(text, timeout=SECONDS)
        except TimeoutError:
            self._give_up(text)

    def fullmatch(self, text: str) -> Any:
        """Return the match of the whole text, None without one.

        Raises:
            PatternTimeError: it takes too long.
        """
        try:
            return self._made.fullmatch(text, timeout=SECONDS)
        except TimeoutError:
            self._give_up(text)

    def findall(self, text: str) -> list[str | tuple[str, ...]]:
        """Return every match: its text, its one group, or a tuple of its groups.

        Raises:
            PatternTimeError: it takes too long.
        """
        try:
            return cast("list[str | tuple[str, ...]]", self._made.findall(text, timeout=SECONDS))
        except TimeoutError:
            self._give_up(text)

    def take_out(self, text: str) -> str:
        """Return the text without what matches.

        Raises:
            PatternTimeError: it takes too long.
        """
        try:
            return str(self._made.sub("", text, timeout=SECONDS))
        except TimeoutError:
            self._give_up(text)

    def _give_up(self, text: str) -> NoReturn:
        raise PatternTimeError(
            f"the pattern {excerpt(self.pattern)} took more than {SECONDS:g} s on a text of {len(text)} letters"
        ) from None


@lru_cache(maxsize=4096)
def compile_pattern(
    pattern: str, flags: re.RegexFlag = re.NOFLAG, *, written: str | None = None
) -> BoundedPattern:
    """Return a pattern of Python's ``re`` whose searches are bounded in time.

    Args:
        pattern: the pattern.
        flags: those of ``re``.
        written: how its author wrote it, for messages, where that is otherwise.

    Raises:
        re.error: it is none.
    """
    import regex  # noqa: PLC0415 - 20 ms that only a pattern costs

    checked = re.compile(pattern, flags)
    ours = regex.V0
    for name in ("IGNORECASE", "MULTILINE", "DOTALL", "VERBOSE", "ASCII"):
        if checked.flags & getattr(re, name):
            ours |= getattr(regex, name)
    try:
        return BoundedPattern(written or pattern, regex.compile("".join(_as_regex(checked)), ours))
    except regex.error as error:
        raise re.error(str(error), pattern) from error


def _as_regex(checked: re.Pattern[str]) -> Iterator[str]:
    """Yield a pattern as ``regex`` has to read it to mean what ``re`` does."""
    words = not (checked.flags & re.ASCII or _OWN_FLAGS.search(checked.pattern))
    verbose, at = bool(checked.flags & re.VERBOSE), 0
    while (token := _TOKEN.match(checked.pattern, at)) is not None:
        text, at = token[0], token.end()
        if verbose and text == "#":
            end = checked.pattern.find("\n", at)
            at = len(checked.pattern) if end < 0 else end
        elif text.startswith("[") and len(text) > 1:
            yield _class(text, words=words)
        elif text.startswith("{"):
            yield text if len(text) > 2 else rf"\{text}"  # {} and a lone brace stand for themselves
        else:
            yield _ALONE.get(text, text) if words else text


def _class(text: str, *, words: bool) -> str:
    """Return a class of characters; what it holds by way of what it is not stands beside it."""
    negated = text.startswith("[^")
    parts = [part[0] for part in re.finditer(r"\\.|.", text[2 if negated else 1 : -1], re.DOTALL)]
    apart = {part for part in parts if words and part in {r"\W", r"\S"}}
    held = "".join(
        r"\[" if part == "[" else _HOLDS.get(part[1:], part) if words and part in {r"\w", r"\s"} else part
        for part in parts
        if part not in apart
    )
    if not apart:
        return f"[{'^' if negated else ''}{held}]"
    others = sorted(_HOLDS[part[1].lower()] for part in apart)
    if not negated:
        return f"(?:{'|'.join([*([f'[{held}]'] if held else []), *(f'[^{one}]' for one in others)])})"
    ahead = "".join(f"(?=[{one}])" for one in others) + (f"(?![{held}])" if held else "")
    return f"(?:{ahead}(?s:.))"
