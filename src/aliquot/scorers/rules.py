"""The rules by name, and the one door through which a response is scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from aliquot.errors import UsageError, nearest
from aliquot.evidence.identity import text_of
from aliquot.evidence.tables import Better, Kind
from aliquot.files.records import Response, TextLikelihood
from aliquot.item_sets.items import Item
from aliquot.item_sets.options import right_options
from aliquot.scorers.answers import score_choice, score_exact, score_number, score_words
from aliquot.scorers.asserts import score_asserts
from aliquot.scorers.choices import MEASURES, score_by
from aliquot.scorers.objects import score_json_fields
from aliquot.scorers.perplexities import score_bits_per_byte, score_byte_perplexity, score_word_perplexity
from aliquot.scorers.refusals import OPENING, is_refusal, score_refusal
from aliquot.scorers.scores import EMPTY, Score, unparsed
from aliquot.scorers.texts import NORMALISATION

Reads: TypeAlias = Literal["text", "options", "unconditional", "likelihood"]
"""What of a response a rule reads."""

NEEDS: Final[Mapping[Reads, str]] = {
    "text": "the text of an answer",
    "options": "how probable each option is: mode: likelihood",
    "unconditional": "how probable each option is with and without its question: mode: likelihood with unconditional: "
    "'Answer:'",
    "likelihood": "how probable a text is: mode: perplexity",
}
"""What a rule needs, and where in an evaluation it comes from."""

RATE: Final = "success"
"""The metric of rules that find an answer right or wrong."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A named, versioned way to score.

    Attributes:
        name: as evaluation files and items name it.
        version: changes whenever the same response could get another value.
        normalisation: what is made equal before comparing, in words.
        apply: the pure function behind it, of the item and what the rule reads.
        reads_cut: whether an answer that was cut can still be scored (its opening decides).
        reads: what of a response it is given.
        metric: what its values are values of.
        kind: which numbers they are.
        better: which direction is good.
        combine: how the sums of the items' parts become the value of the whole corpus; None where it has none.
        whole_only: whether there is a value of the whole corpus only, and none of an item.
    """

    name: str
    version: str
    normalisation: str
    apply: Callable[[Item, Any], Score]
    reads_cut: bool = False
    reads: Reads = "text"
    metric: str = RATE
    kind: Kind = "binary"
    better: Better = "higher"
    combine: str | None = None
    whole_only: bool = False

    def read(self, response: Response) -> Any:
        """Return what of a response the rule reads; None when it holds nothing of the kind."""
        if self.reads == "text":
            return response.text or ""
        if self.reads == "likelihood":
            return response.likelihood
        without = any(option.unconditional is None for option in response.options)
        return None if self.reads == "unconditional" and without else response.options or None

    def try_on(self, item: Item) -> None:
        """Refuse an item that the rule cannot score, whatever the answer will be.

        Raises:
            InputError: the item lacks what the rule needs.
        """
        if self.reads == "text":
            self.apply(item, "")
        elif self.reads != "likelihood":
            right_options(item)

    def right_answers(self, item: Item) -> tuple[str, ...]:
        """Return the reference and what else is accepted, as answers would spell them: each must be right."""
        if self.reads != "text" or self.name in {"refusal", "asserts"} or item.reference is None:
            return ()
        accepted = () if self.name == "json_fields" else item.accept
        return (text_of(item.reference) or "", *accepted)

    def wanted(self, item: Item) -> str | None:
        """Return what is right in one text: the reference, or what ``refusal`` expects; None without one."""
        if self.name == "asserts" or self.kind != "binary":
            return None
        expected = item.expect if self.name == "refusal" else None
        return expected or text_of(item.reference)

    def passes_nothing(self, item: Item) -> bool:
        """Whether this rule alone would find an empty answer right: what is to be absent is absent from it.

        ``refusal`` reads an empty answer as no refusal, which is known of it and no fault of the item.
        """
        return self.reads == "text" and self.name != "refusal" and self.apply(item, "").value == 1.0


_ENDS: Final = "; punctuation and mark-up at the ends ignored"


def _of_texts(name: str, how: str, apply: Callable[[Item, TextLikelihood], Score], combine: str) -> Rule:
    """Return a rule that reads how probable a text is; its metric goes by its own name."""
    return Rule(
        name,
        "1",
        how,
        apply,
        reads="likelihood",
        metric=name,
        kind="real",
        better="lower",
        combine=combine,
        whole_only=combine == "perplexity",
    )


RULES: Final[Mapping[str, Rule]] = {
    rule.name: rule
    for rule in (
        Rule("exact", "1", NORMALISATION + _ENDS, score_exact),
        Rule("words", "1", NORMALISATION + "; whole words", score_words),
        Rule(
            "number", "1", "exact decimal value; thousands commas ignored; words zero to twenty", score_number
        ),
        Rule("choice", "1", NORMALISATION + "; whole words; first line that names an option", score_choice),
        Rule(
            "json_fields",
            "1",
            f"first JSON object; {NORMALISATION}{_ENDS}; numbers by value",
            score_json_fields,
        ),
        Rule("refusal", "2", f"{NORMALISATION}; first {OPENING} letters", score_refusal, reads_cut=True),
        Rule("asserts", "2", "none: compared as written, by the assertions of promptfoo", score_asserts),
        *(
            Rule(name, "1", one.words, score_by(one), reads="unconditional" if one.compares else "options")
            for name, one in MEASURES.items()
        ),
        _of_texts("bits_per_byte", "bytes of UTF-8", score_bits_per_byte, "bits"),
        _of_texts("byte_perplexity", "bytes of UTF-8", score_byte_perplexity, "perplexity"),
        _of_texts("word_perplexity", "words between white space", score_word_perplexity, "perplexity"),
    )
}


def rule_named(name: str) -> Rule:
    """Return the rule of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in RULES:
        raise UsageError(f"there is no rule {name!r}. {nearest(name, RULES)}")
    return RULES[name]


def score(rule: Rule, item: Item, text: str) -> Score:
    """Return what a rule that reads texts says about the text of a response.

    An answer without text is ``unparsed`` under every rule: a rule that reads no refusal in it, or finds nothing
    forbidden, would call it right. One that is wrong because it refuses is ``refused`` and has no value of its own:
    under a rate it counts as failed, and the finding counts it among the refusals.

    Args:
        rule: how to score.
        item: what was asked, with its reference.
        text: what was answered.

    Raises:
        InputError: the item lacks what the rule needs (reference, options, expectation).

    Examples:
        >>> item = Item("capital", {"question": "Capital of Norway?", "reference": "Oslo"})
        >>> score(RULES["words"], item, "It is Oslo.").value, score(RULES["words"], item, "Bergen").value
        (1.0, 0.0)
    """
    if not text.strip():
        return unparsed(EMPTY)
    result = rule.apply(item, text)
    if result.value != 1.0 and result.status != "refused" and is_refusal(text):
        return Score(None, label="refuse", status="refused")
    return result
