"""Rules that read how probable each option of a choice was: the most probable one, by one of five measures.

All read the same stored numbers, so each is a scoring rule over the others' responses and none needs a further request.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aliquot.files.records import OptionLikelihood
from aliquot.item_sets.items import Item
from aliquot.item_sets.options import right_options
from aliquot.scorers.scores import Score, verdict

TIE: Final = "{} options are equally probable; the first of them counts"
"""What is noted of a tie, which lm-evaluation-harness decides in the same way (numpy's argmax)."""

_LABEL: Final = 80
"""Letters of an option that are kept as what was read."""


def _unconditional(option: OptionLikelihood) -> float:
    """Return the gain over the option without its question; the door lets nothing through that lacks the number."""
    return option.log_probability - (option.unconditional or 0.0)


@dataclass(frozen=True, slots=True)
class Measure:
    """What the most of makes an option the chosen one.

    Attributes:
        of: the measure.
        words: what it is.
        compares: whether it needs the option without its question too.
        counts: whether it needs the number of tokens, which logs of other tools do not tell.
    """

    of: Callable[[OptionLikelihood], float]
    words: str
    compares: bool = False
    counts: bool = False


MEASURES: Final[Mapping[str, Measure]] = {
    "choice_by_likelihood": Measure(lambda option: option.log_probability, "log-probability"),
    "choice_by_characters": Measure(
        lambda option: option.log_probability / option.characters, "log-probability by character"
    ),
    "choice_by_bytes": Measure(
        lambda option: option.log_probability / option.bytes, "log-probability by byte of UTF-8"
    ),
    "choice_by_tokens": Measure(
        lambda option: option.log_probability / option.tokens, "log-probability by token", counts=True
    ),
    "choice_by_pmi": Measure(_unconditional, "log-probability less that without the question", compares=True),
}
"""The measure of each rule.

lm-evaluation-harness calls the first three and the last acc, acc_norm, acc_bytes and acc_mutual_info; OLMES (Gu et al.
2024) calls all but the third none, character, token and pmi. Lengths are those of the option's text without the
separator before it, as in lm-evaluation-harness.
"""


def chosen(options: Sequence[OptionLikelihood], measure: Measure) -> tuple[int, int]:
    """Return the place of the option with the most, the first of equals, and how many are equal.

    Examples:
        >>> short = OptionLikelihood(option="no", log_probability=-2.0, tokens=1, characters=2, bytes=2)
        >>> long = OptionLikelihood(option="never", log_probability=-3.0, tokens=1, characters=5, bytes=5)
        >>> [chosen([short, long], MEASURES[name]) for name in ("choice_by_likelihood", "choice_by_characters")]
        [(0, 1), (1, 1)]
    """
    values = [measure.of(option) for option in options]
    most = max(values)
    return values.index(most), values.count(most)


def score_by(measure: Measure) -> Callable[[Item, Sequence[OptionLikelihood]], Score]:
    """Return the function behind the rule of a measure: 1 when the option it chooses is the reference."""

    def apply(item: Item, options: Sequence[OptionLikelihood]) -> Score:
        place, equal = chosen(options, measure)
        note = TIE.format(equal) if equal > 1 else None
        option = options[place].option
        return verdict(right=option in right_options(item), label=option[:_LABEL], note=note)

    apply.__doc__ = f"1 when the option with the most {measure.words} is the reference."
    return apply


def score_brier(item: Item, options: Sequence[OptionLikelihood]) -> Score:
    """Squared distance of the options' probabilities from 1 for the reference and 0 for the others, 0 to 2.

    Probabilities are those of the whole options among each other (softmax of their log-probabilities), as
    lm-evaluation-harness takes them for its brier_score (Brier 1950).
    """
    highest = max(option.log_probability for option in options)
    weights = [math.exp(option.log_probability - highest) for option in options]
    right = right_options(item)
    shares = [weight / sum(weights) for weight in weights]
    value = sum(
        (share - (option.option in right)) ** 2 for share, option in zip(shares, options, strict=True)
    )
    return Score(
        value,
        label=f"{sum(share for share, one in zip(shares, options, strict=True) if one.option in right):.3f}",
    )
