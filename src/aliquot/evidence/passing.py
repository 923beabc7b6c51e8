"""What passes, where labels are words or grades: said by the user, as a word such as ``good`` tells nobody else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from aliquot.errors import UsageError, nearest
from aliquot.evidence.labels import Labels


@dataclass(frozen=True, slots=True)
class Passing:
    """What passes.

    Attributes:
        score: the score from which on a grade passes; None leaves grades as they are.
        words: the labels that pass, all others failing; empty for the spellings of yes and no.
    """

    score: float | None = None
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.score is not None and not math.isfinite(self.score):
            raise UsageError(f"from {self.score:g} on no answer passes: --pass-from takes a score")

    @property
    def said(self) -> dict[str, object]:
        """The options that say it."""
        return {"--pass-from": self.score, "--passes": self.words}


def passing_of(score: float | None, words: str | Sequence[str]) -> Passing:
    """Return what passes, as it was given: a score, words, or one word."""
    return Passing(score, (words,) if isinstance(words, str) else tuple(words))


def graded(labels: Labels) -> bool:
    """Tell whether labels are grades: numbers of which some are neither 0 nor 1."""
    return labels.numeric and not labels.frame["value"].drop_nulls().is_in([0.0, 1.0]).all()


def require_use(passing: Passing, labels: Labels, *, judged: bool) -> None:
    """Refuse a score that nothing is held to, as it would be passed over in silence.

    Args:
        passing: what passes.
        labels: what people said.
        judged: whether a judge that grades is held to it.

    Raises:
        UsageError: neither labels nor judge are graded.
    """
    if passing.score is not None and not judged and not graded(labels):
        raise UsageError(
            f"--pass-from {passing.score:g}: neither the labels nor the judge are graded, so that no answer passes by "
            "a score. Leave it out"
        )


def as_passes(labels: Labels, passing: Passing) -> Labels:
    """Return labels worth 1 where they pass and 0 where they fail, by what the user said, if anything.

    Args:
        labels: of one question.
        passing: what passes; a score leaves labels alone that pass or fail already.

    Raises:
        UsageError: a word that nobody used, or a score that no label reaches.

    Examples:
        >>> from aliquot.readers.frame import labels_from
        >>> said = labels_from(pl.DataFrame({"item": ["a", "b"], "label": ["good", "bad"]}))
        >>> as_passes(said, Passing(words=("good",))).frame["value"].to_list()
        [1.0, 0.0]
    """
    if passing.words:
        return _by_words(labels, passing.words)
    if passing.score is not None and graded(labels):
        return _by_score(labels, passing.score)
    return labels


def _by_words(labels: Labels, words: Sequence[str]) -> Labels:
    said: list[str] = labels.frame["label"].drop_nulls().unique().sort().to_list()
    passes = {word.strip().casefold(): word for word in words}
    unknown = next((word for folded, word in passes.items() if folded not in map(str.casefold, said)), None)
    if unknown is not None:
        raise UsageError(f"--passes {unknown}: nobody's label is {unknown!r}. {nearest(unknown, said)}")
    return _valued(labels, pl.col("label").is_in([text for text in said if text.casefold() in passes]))


def _by_score(labels: Labels, score: float) -> Labels:
    highest = labels.frame.select(pl.col("value").max()).item()
    if score > highest:
        raise UsageError(f"from {score:g} on no label passes: the labels go up to {highest:g}")
    return _valued(labels, pl.col("value") >= score)


def _valued(labels: Labels, good: pl.Expr) -> Labels:
    """Return labels worth 1 where they pass; where nobody said anything there is no worth."""
    value = pl.when(pl.col("label").is_not_null()).then(good.cast(pl.Float64))
    found = replace(labels, frame=labels.frame.with_columns(value=value))
    told = found.frame.drop_nulls("value")
    one_word_each = told["label"].n_unique() == told["value"].n_unique()
    return found if one_word_each and not labels.numeric else in_words(found)


def in_words(labels: Labels) -> Labels:
    """Return labels that pass or fail called so, whatever words were used."""
    word = pl.when(pl.col("value") == 1).then(pl.lit("pass")).when(pl.col("value") == 0).then(pl.lit("fail"))
    return replace(labels, frame=labels.frame.with_columns(label=word))
