"""How much of an answer's words are the reference's: exact match and token F1 as SQuAD and lesson texts define them."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

import msgspec

from aliquot.errors import InputError
from aliquot.item_sets.items import Item
from aliquot.scorers.answers import right_answers
from aliquot.scorers.json_answers import read_json_answer
from aliquot.scorers.rule import Settings
from aliquot.scorers.scores import Score, unparsed, verdict

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


class Tokens(Settings, frozen=True):
    """Which words are compared.

    Attributes:
        articles: ``dropped`` as SQuAD does, or ``kept``.
    """

    articles: Literal["dropped", "kept"] = "dropped"

    @property
    def normalised(self) -> Callable[[str], str]:
        """What is made equal before the text is split."""
        return squad_normalised if self.articles == "dropped" else token_normalised


def score_squad_exact(item: Item, text: str, settings: Tokens) -> Score:
    """1 when the whole answer is the reference or an accepted answer after SQuAD's normalisation."""
    answer = settings.normalised(text)
    return verdict(
        right=answer in {settings.normalised(one) for one in right_answers(item)}, label=answer[:80]
    )


def score_token_f1(item: Item, text: str, settings: Tokens) -> Score:
    """F1 of the words that answer and reference share, of several references the best."""
    found = token_overlap(text, right_answers(item), normalised=settings.normalised)
    return Score(found.f1, label=f"P {found.precision:.2f}, R {found.recall:.2f}")


def score_span_f1(item: Item, text: str) -> Score:
    """F1 of the spans an answer marks: a JSON list of [start, end, label], as the reference is."""
    wanted = _spans(
        item.reference if not isinstance(item.reference, str) else read_json_answer(item.reference).value
    )
    if wanted is None:
        raise InputError(
            f"item {item.id!r}: the rule 'span_f1' needs a list of [start, end, label] as reference",
            row=item.row,
            field="reference",
        )
    answer = read_json_answer(text)
    found = _spans(answer.value)
    if found is None:
        return unparsed(answer.reason or "no list of [start, end, label]")
    overlap = span_overlap(found, wanted)
    return Score(overlap.f1, label=f"P {overlap.precision:.2f}, R {overlap.recall:.2f}")


def _spans(value: object) -> list[tuple[int, int, str]] | None:
    if not isinstance(value, list | tuple):
        return None
    spans: list[tuple[int, int, str]] = []
    for one in cast("Sequence[Any]", value):
        try:
            spans.append(msgspec.convert(one, tuple[int, int, str]))
        except msgspec.ValidationError:
            return None
    return spans
