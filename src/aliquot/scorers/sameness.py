"""What two texts may differ in and still be the same answer: the settings of exact match."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal

from aliquot.scorers.rule import Settings
from aliquot.scorers.texts import EDGES, typed_plainly

_ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b", re.IGNORECASE)


class Sameness(Settings, frozen=True):
    """What is ignored when two texts are compared.

    Attributes:
        case: whether upper and lower case are the same (Unicode case folding).
        punctuation: which is ignored: that at the ends, with mark-up; all of it, which joins ``state-of-the-art`` to
            one word; or none.
        articles: whether the words a, an and the are ignored.
        spaces: which white space is the same: runs of it are one space; all of it is ignored; or all is kept.
        typography: whether typographic quotes and dashes are plain ones, and composed letters like decomposed ones.
        accents: whether accents are ignored.
    """

    case: Literal["ignored", "kept"] = "ignored"
    punctuation: Literal["at_ends_ignored", "ignored", "kept"] = "at_ends_ignored"
    articles: Literal["kept", "ignored"] = "kept"
    spaces: Literal["runs_as_one", "ignored", "kept"] = "runs_as_one"
    typography: Literal["ignored", "kept"] = "ignored"
    accents: Literal["kept", "ignored"] = "kept"


def comparable(text: str, settings: Sameness) -> str:
    """Return the text without what is ignored.

    Examples:
        >>> comparable("**The Café.**", Sameness())
        'the café'
        >>> comparable("The Café.", Sameness(accents="ignored", articles="ignored"))
        'cafe'
    """
    if settings.typography == "ignored":
        text = typed_plainly(text)
    if settings.accents == "ignored":
        bare = (one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))
        text = unicodedata.normalize("NFC", "".join(bare))
    if settings.case == "ignored":
        text = text.casefold()
    if settings.punctuation == "ignored":
        text = "".join(one for one in text if not _is_punctuation(one))
    if settings.articles == "ignored":
        text = _ARTICLES.sub(" ", text)
    if settings.spaces != "kept":
        text = ("" if settings.spaces == "ignored" else " ").join(text.split())
    return text.strip(EDGES) if settings.punctuation == "at_ends_ignored" else text


def _is_punctuation(letter: str) -> bool:
    return letter in EDGES.strip() or unicodedata.category(letter).startswith("P")
