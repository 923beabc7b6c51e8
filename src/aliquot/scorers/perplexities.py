"""Rules that read how probable a whole text was: bits and perplexities, the smaller the better.

As lm-evaluation-harness defines bits_per_byte, byte_perplexity and word_perplexity. Each keeps the log-likelihood and
the number of bytes or words of its text as parts, from whose sums the value of the whole corpus is made. Bits are a
value of each text too; a mean of perplexities would be that of the strangest text.
"""

from __future__ import annotations

import math
import re

from aliquot.files.records import TextLikelihood
from aliquot.item_sets.items import Item
from aliquot.scorers.scores import Score


def count_words(text: str) -> int:
    r"""Return the number of words as lm-evaluation-harness counts them: the pieces between runs of white space.

    Examples:
        >>> count_words("to be  or\nnot"), count_words("to be ")
        (4, 3)
    """
    return len(re.split(r"\s+", text))


def score_bits_per_byte(item: Item, found: TextLikelihood) -> Score:  # noqa: ARG001 - one signature for every rule
    """Bits that the model needs for a byte of the text: −l/(n ln 2)."""
    bits = -found.log_probability / (found.bytes * math.log(2))
    return Score(bits, parts=(found.log_probability, float(found.bytes)))


def score_byte_perplexity(item: Item, found: TextLikelihood) -> Score:  # noqa: ARG001 - one signature for every rule
    """exp(−Σl/Σn) over the bytes of all texts; one text has its parts only."""
    return Score(None, parts=(found.log_probability, float(found.bytes)))


def score_word_perplexity(item: Item, found: TextLikelihood) -> Score:  # noqa: ARG001 - one signature for every rule
    """exp(−Σl/Σn) over the words of all texts, whatever the tokens are; one text has its parts only."""
    return Score(None, parts=(found.log_probability, float(found.words)))
