"""How much of an answer's words are the reference's: exact match and token F1 as SQuAD and lesson texts define them."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

_ARTICLES: Final = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class Overlap:
    """Shared tokens of an answer and the reference that fits it best.

    Attributes:
        precision: share of the answer's tokens that are the reference's.
        recall: share of the reference's tokens that are the answer's.
        f1: their harmonic mean; 0 without a shared token.
    """

    precision: float
    recall: float
    f1: float


def squad_normalised(text: str) -> str:
    """Return the text in lower case without ASCII punctuation and the words a, an, the, runs of white space as one.

    This is the normalisation of SQuAD's own scorer (Rajpurkar et al. 2016): hyphens vanish with the other marks, so
    ``state-of-the-art`` becomes one word, and typographic quotes stay.

    Examples:
        >>> squad_normalised("The Eiffel Tower!")
        'eiffel tower'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


def token_normalised(text: str) -> str:
    """Return the text in lower case without ASCII punctuation, articles kept.

    Examples:
        >>> token_normalised("The capital is Paris.")
        'the capital is paris'
    """
    return " ".join(text.lower().translate(_NO_PUNCTUATION).split())


def token_overlap(
    answer: str, references: Iterable[str], *, normalised: Callable[[str], str] = squad_normalised
) -> Overlap:
    """Return precision, recall and F1 of the tokens, against the reference with the highest F1.

    Tokens are counted as often as they occur on both sides. Where answer or reference has no token left, they agree
    only if neither has (SQuAD 2.0: an unanswerable question has the empty reference).

    Args:
        answer: what was answered.
        references: the right answers; at least one.
        normalised: what is made equal before the text is split at white space.

    Examples:
        >>> round(token_overlap("Denver Broncos defeated Carolina", ["Denver Broncos"]).f1, 4)
        0.6667
        >>> round(token_overlap("The capital is Paris.", ["Paris"], normalised=token_normalised).f1, 4)
        0.4
    """
    given = normalised(answer).split()
    found = [_overlap(given, normalised(reference).split()) for reference in references]
    return max(found, key=lambda one: one.f1)


def _overlap(given: Sequence[str], wanted: Sequence[str]) -> Overlap:
    if not given or not wanted:
        same = float(given == wanted)
        return Overlap(same, same, same)
    shared = (Counter(given) & Counter(wanted)).total()
    precision, recall = shared / len(given), shared / len(wanted)
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall) if shared else 0.0)


def span_overlap(found: Iterable[tuple[int, int, str]], wanted: Iterable[tuple[int, int, str]]) -> Overlap:
    """Return precision, recall and F1 of labelled spans; a span counts only when start, end and label are all right.

    Args:
        found: start, end and label of what was marked.
        wanted: the same of what is there.

    Examples:
        >>> span_overlap([(0, 4, "PER"), (9, 13, "LOC")], [(0, 4, "PER"), (9, 14, "LOC")]).f1
        0.5
    """
    marked, true = set(found), set(wanted)
    if not marked or not true:
        same = float(marked == true)
        return Overlap(same, same, same)
    shared = len(marked & true)
    precision, recall = shared / len(marked), shared / len(true)
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall) if shared else 0.0)
