"""BLEU, chrF and ROUGE of one answer, with the parts from which the value of a whole corpus is made and resampled."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, TypeAlias

from aliquot.errors import MachineError
from aliquot.item_sets.items import Item
from aliquot.scorers.answers import right_answers
from aliquot.scorers.rule import Settings
from aliquot.scorers.scores import Score
from aliquot.stats.corpus import corpus_value
from aliquot.stats.results import Undefined

LETTERS: Final = 6
"""Lengths of the letter sequences that chrF counts."""

RougeKind: TypeAlias = Literal["rouge1", "rouge2", "rougeL"]


@dataclass(frozen=True, slots=True)
class Parts:
    """What one answer adds to the sums of a corpus metric.

    Attributes:
        value: the metric of this answer alone, 0 to 100.
        parts: the columns that ``stats.corpus_metric`` sums.
        combine: how the sums become the value.
    """

    value: float
    parts: tuple[float, ...]
    combine: Literal["bleu", "chrf"]


class Tokenizer(Settings, frozen=True):
    """How BLEU splits texts.

    Attributes:
        tokenizer: sacrebleu's name of it.
    """

    tokenizer: Literal["13a", "intl", "zh", "char", "none"] = "13a"


class Rouge(Settings, frozen=True):
    """Which ROUGE.

    Attributes:
        kind: of single words, of pairs, or of the longest common subsequence.
    """

    kind: RougeKind = "rougeL"


def score_bleu(item: Item, text: str, settings: Tokenizer) -> Score:
    """Parts of BLEU; there is a value of the whole corpus only."""
    found = bleu(text, right_answers(item), tokenizer=settings.tokenizer)
    return Score(None, label=f"{found.value:.1f} alone", parts=found.parts)


def score_chrf(item: Item, text: str) -> Score:
    """Parts of chrF2; there is a value of the whole corpus only."""
    found = chrf(text, right_answers(item))
    return Score(None, label=f"{found.value:.1f} alone", parts=found.parts)


def score_rouge(item: Item, text: str, settings: Rouge) -> Score:
    """F1 of ROUGE, of several references the best."""
    precision, recall, f1 = rouge(text, right_answers(item), kind=settings.kind)
    return Score(f1, label=f"P {precision:.2f}, R {recall:.2f}")


def bleu(answer: str, references: Sequence[str], *, tokenizer: str = "13a") -> Parts:
    """Return BLEU-4 (Papineni et al. 2002) of one answer, as sacrebleu counts it (Post 2018).

    The answer alone is smoothed by halving (``exp``) over the orders it has; the parts hold plain counts.

    Args:
        answer: what was answered.
        references: at least one; the nearest length counts, and a sequence matches when any of them has it.
        tokenizer: sacrebleu's name of how the text is split: ``13a``, ``intl``, ``zh``, ``char``, ``none``.

    Raises:
        MachineError: the extra ``metrics`` is not installed.
    """
    found = _bleu(tokenizer).sentence_score(answer, list(references))
    parts = (found.sys_len, found.ref_len, *found.counts, *found.totals)
    return Parts(float(found.score), tuple(float(part) for part in parts), "bleu")


def chrf(answer: str, references: Sequence[str]) -> Parts:
    """Return chrF2 (Popović 2015) of one answer: sequences of 1 to 6 letters, white space left out, recall twice.

    Of several references the one with the highest score counts.

    Examples:
        >>> round(chrf("the cat sat on the mat", ["the cat is on the mat"]).value, 4)
        64.5779
    """
    mine = list(_sequences(answer))
    every = [tuple(_counts(mine, list(_sequences(reference)))) for reference in references]
    scored = [(_alone(parts), parts) for parts in every]
    value, parts = max(scored, key=lambda one: one[0])
    return Parts(value, parts, "chrf")


def rouge(
    answer: str, references: Sequence[str], *, kind: RougeKind = "rougeL"
) -> tuple[float, float, float]:
    """Return precision, recall and F1 of ROUGE (Lin 2004) as the package rouge-score computes them, without stemming.

    Of several references the one with the highest F1 counts.

    Raises:
        MachineError: the extra ``metrics`` is not installed.
    """
    scorer = _rouge(kind)
    found = [scorer.score(reference, answer)[kind] for reference in references]
    best = max(found, key=lambda one: one.fmeasure)
    return float(best.precision), float(best.recall), float(best.fmeasure)


def _sequences(text: str) -> Iterator[Counter[str]]:
    letters = "".join(text.split())
    for size in range(1, LETTERS + 1):
        yield Counter(letters[at : at + size] for at in range(len(letters) - size + 1))


def _counts(mine: Sequence[Counter[str]], wanted: Sequence[Counter[str]]) -> Iterator[float]:
    for own, other in zip(mine, wanted, strict=True):
        yield float(
            own.total() if other else 0
        )  # sequences that no reference could hold are not held against it
        yield float(other.total())
        yield float((own & other).total())


def _alone(parts: Sequence[float]) -> float:
    value = corpus_value([parts], combine="chrf")
    return 0.0 if isinstance(value, Undefined) else value


@cache
def _bleu(tokenizer: str) -> Any:
    return _package("sacrebleu.metrics").BLEU(tokenize=tokenizer, effective_order=True)


@cache
def _rouge(kind: RougeKind) -> Any:
    return _package("rouge_score.rouge_scorer").RougeScorer([kind], use_stemmer=False)


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)  # the extra ``metrics``, which ships no types
    except ModuleNotFoundError as error:
        raise MachineError("BLEU and ROUGE need an extra. Run: pip install 'aliquot[metrics]'") from error
