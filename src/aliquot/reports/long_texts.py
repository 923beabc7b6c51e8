"""Long texts in a page: a beginning that is shown, and a packed rest that is unpacked on request, within a budget."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from typing import Any, Final

from markupsafe import Markup

from aliquot.reports.inert_text import inert_lines

SHOWN: Final = 4_000
"""Characters of a text that are shown at once."""

IN_ALL: Final = 60_000_000
"""Characters of texts shown at once in the whole page; beyond, only their beginnings are."""

BEGINNING: Final = 200
"""Characters of a text beyond that."""

KEPT: Final = 24_000_000
"""Characters that the packed rests take up in the page at most; long texts share them evenly."""

_SAMPLE: Final = 8_192
"""Characters from which it is judged how far a text packs."""

_AIM: Final = 0.95
"""Share of the room that is given out by that judgement, which errs a little."""


class LongTexts:
    """Takes the texts of a page one by one, then packs the rests of those that were cut.

    Only when all are known can the room be shared, so that sixty answers of 5 MB all have a part of it and not the
    first eight the whole.
    """

    def __init__(self) -> None:
        """Begin without any text."""
        self._cut: list[tuple[dict[str, Any], str, int]] = []
        self._shown = 0

    def keep(self, text: str, held: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return what the page holds of a text, which ``pack`` completes: keep this very object.

        Args:
            text: the text.
            held: what else is told of it; its beginning is added under ``text``, and by ``pack`` where the rest is
                kept (``rest``), how long that is (``more``) and how many characters are nowhere (``lost``).
        """
        held = {} if held is None else held
        limit = SHOWN if self._shown < IN_ALL else BEGINNING
        shown = inert_lines(text[:limit])
        self._shown += len(shown)
        held["text"] = shown
        if len(text) > limit:
            self._cut.append((held, text, limit))
        return held

    def pack(self) -> tuple[tuple[str, Markup], ...]:
        """Return the name and the packed form of each rest."""
        share, room = self._share(), KEPT
        packed: list[tuple[str, Markup]] = []
        for held, text, start in self._cut:
            end = len(text) if share is None else start + int(share / _density(text, start))
            part = text[start:end]
            rest = _packed(part)
            held["lost"] = len(text) - start
            if len(rest) <= room:
                room -= len(rest)
                held |= {"more": len(part), "lost": held["lost"] - len(part), "rest": f"r{len(packed)}"}
                packed.append((held["rest"], Markup(rest)))  # noqa: S704 - base64
        return tuple(packed)

    def _share(self) -> float | None:
        """Return the most characters of room for one text; None where all fit."""
        lengths = [len(text) - start for _, text, start in self._cut]
        if 2 * sum(lengths) <= KEPT:
            return None
        densities = (_density(text, start) for _, text, start in self._cut)
        return even_share([a * b for a, b in zip(lengths, densities, strict=True)], room=_AIM * KEPT)


def even_share(sizes: Sequence[float], *, room: float) -> float | None:
    """Return the size to which the largest are cut so that all fit; None where they fit as they are.

    Examples:
        >>> even_share([10, 50, 90], room=100)
        45.0
        >>> even_share([10, 50], room=100)
    """
    left = room
    for place, size in enumerate(sorted(sizes)):
        share = left / (len(sizes) - place)
        if size > share:
            return share
        left -= size
    return None


def _density(text: str, start: int) -> float:
    """Return the packed characters that a character of a rest takes, by its beginning; a little too many."""
    sample = text[start : start + _SAMPLE]
    return len(_packed(sample)) / len(sample)


def _packed(text: str) -> str:
    return base64.b64encode(zlib.compress(inert_lines(text).encode())).decode()
