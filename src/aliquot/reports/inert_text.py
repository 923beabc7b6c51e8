"""Long texts from logs for a page: their lines stay, what could act or hide is written out."""

from __future__ import annotations

import re
from urllib.parse import quote

from markupsafe import Markup

_ACTS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and newline
    "\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"  # direction marks, and what cannot be seen
    "\ud800-\udfff\U000e0000-\U000e007f]"  # halves of characters, and tags
)


def inert_lines(text: str) -> str:
    r"""Return a text whose control, direction and invisible characters are written out; joiners of scripts stay.

    Examples:
        >>> inert_lines("a\x1b[31m\tb\r\n\u202egnp.exe")
        'a\\x1b[31m\tb\n\\u202egnp.exe'
    """
    return _ACTS.sub(
        lambda found: found[0].encode("unicode_escape").decode("ascii"), text.replace("\r\n", "\n")
    )


def anchor(name: str) -> Markup:
    """Return an item's id as the end of a link to it: whole, however long, and without a character of markup.

    Examples:
        >>> str(anchor("a/b c?"))
        'a%2Fb%20c%3F'
    """
    return Markup(quote(inert_lines(name), safe=""))  # noqa: S704 - percent signs, letters, digits and _.-~
