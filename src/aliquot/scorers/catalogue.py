"""Every rule there is: what it makes equal, what its values are, and when they mislead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from aliquot.errors import UsageError, excerpt, nearest
from aliquot.files.records import TextLikelihood
from aliquot.item_sets.items import Item
from aliquot.scorers.abstentions import OPENING as ABSTAINING
from aliquot.scorers.abstentions import score_abstention
from aliquot.scorers.answers import score_exact, score_number, score_words
from aliquot.scorers.asserts import score_asserts
from aliquot.scorers.choices import MEASURES, score_brier, score_by
from aliquot.scorers.code import CODE_RULES
from aliquot.scorers.filtered import Filtered, score_exact_match
from aliquot.scorers.formats import Form, Length, score_form, score_length
from aliquot.scorers.json_rules import (
    JsonContent,
    JsonField,
    JsonForm,
    score_json_field,
    score_json_share,
    score_json_valid,
)
from aliquot.scorers.leaks import Guard, score_no_leak
from aliquot.scorers.objects import score_json_fields
from aliquot.scorers.perplexities import score_bits_per_byte, score_byte_perplexity, score_word_perplexity
from aliquot.scorers.phrases import Never, Pattern, Phrases, score_contains, score_never, score_regex
from aliquot.scorers.quantities import Tolerance, score_number_near
from aliquot.scorers.refusals import OPENING, score_refusal
from aliquot.scorers.retrieval import RETRIEVAL_RULES
from aliquot.scorers.rule import Rule
from aliquot.scorers.rule_texts import read_rule
from aliquot.scorers.safety import SAFETY_RULES
from aliquot.scorers.sameness import Sameness
from aliquot.scorers.scores import Score
from aliquot.scorers.texts import NORMALISATION
from aliquot.scorers.token_overlap import Tokens, score_span_f1, score_squad_exact, score_token_f1
from aliquot.scorers.tool_calls import TOOL_CALLS
from aliquot.scorers.translations import Rouge, Tokenizer, score_bleu, score_chrf, score_rouge
from aliquot.scorers.written_choices import score_choice

_ENDS: Final = "; punctuation and mark-up at the ends ignored"
_SQUAD: Final = (
    "lower case, ASCII punctuation dropped, a, an and the dropped unless kept, runs of white space as one"
)


def _of_texts(name: str, how: str, apply: Callable[[Item, TextLikelihood], Score], combine: str) -> Rule:
    """Return a rule that reads how probable a text is; its metric goes by its own name."""
    return Rule(
        name,
        "1",
        how,
        apply,
        "Numbers by word compare models of any tokenizer on the same texts only; texts that a model was trained on "
        "are cheap for it."
        if name == "word_perplexity"
        else "Models are compared on the same texts only; texts that a model was trained on are cheap for it.",
        reads="likelihood",
        wants="nothing",
        metric=name,
        kind="real",
        better="lower",
        combine=combine,
        whole_only=combine == "perplexity",
    )


_COMPARING: Final = (
    Rule(
        "exact",
        "1",
        f"{NORMALISATION}{_ENDS}, unless its settings say otherwise",
        score_exact,
        "A right answer in other words, or with an explanation, is wrong: it measures form as much as knowledge.",
        settings=Sameness,
    ),
    Rule(
        "words",
        "1",
        NORMALISATION + "; whole words",
        score_words,
        "An answer that names the reference and denies it, or lists many candidates, is right.",
    ),
    Rule(
        "number",
        "2",
        "exact decimal value; thousands commas ignored; English number words where there are no digits",
        score_number,
        "A number that is mentioned last is taken for the answer; rounding is wrong (number_near allows it).",
    ),
    Rule(
        "number_near",
        "1",
        "decimal value; thousands commas ignored; units as its settings say",
        score_number_near,
        "A wide tolerance accepts wrong methods with near results; a unit that is not listed counts as none.",
        settings=Tolerance,
    ),
    Rule(
        "choice",
        "2",
        NORMALISATION + "; whole words, or the letter at the beginning; first line that names an option",
        score_choice,
        "An answer that thinks aloud before it chooses is read at its first option; a system that always says A gets "
        "the share of As.",
    ),
    Rule(
        "contains",
        "1",
        f"{NORMALISATION}, unless case counts; parts of words too",
        score_contains,
        "A phrase inside a longer word, in a denial or in a list of guesses counts; long answers hold more of them.",
        settings=Phrases,
        wants="part",
    ),
    Rule(
        "regex",
        "1",
        "none: as the pattern says",
        score_regex,
        "It sees form only: a pattern that fits a wrong answer passes it, and no reference is looked at.",
        settings=Pattern,
        wants="nothing",
    ),
    Rule(
        "squad_exact",
        "1",
        _SQUAD,
        score_squad_exact,
        "Dropped punctuation makes -5 and 5, or 1.5 and 15, the same; a right answer in other words is wrong.",
        settings=Tokens,
    ),
    Rule(
        "exact_match",
        "1",
        "as its settings say, in the words of lm-evaluation-harness",
        score_exact_match,
        "A filter that finds nothing counts as wrong: a change of form reads as a loss of skill.",
        settings=Filtered,
        wants="part",
    ),
)
"""Rules that compare an answer with the reference, right or wrong."""

_LIMITS: Final = (
    Rule(
        "never",
        "1",
        NORMALISATION + "; whole words, unless its settings say otherwise",
        score_never,
        "A paraphrase is not seen, and an answer that says nothing useful passes: read it beside a rule of quality.",
        settings=Never,
        wants="nothing",
        forbids=True,
    ),
    Rule(
        "no_leak",
        "1",
        f"keys and numbers by their forms; instructions by words in a row, {NORMALISATION}",
        score_no_leak,
        "It knows published forms: a secret without one, a name or an address is not seen, and an example key is.",
        settings=Guard,
        wants="nothing",
        forbids=True,
    ),
    Rule(
        "length",
        "1",
        "white space at the ends ignored",
        score_length,
        "It says nothing of what is said; words are counted between white space, which Chinese or Thai does without.",
        settings=Length,
        wants="nothing",
    ),
    Rule(
        "form",
        "1",
        "white space at the ends ignored",
        score_form,
        "It says nothing of what is said.",
        settings=Form,
        wants="nothing",
    ),
)
"""Rules that need no reference: what must not be said, and how long and of which form an answer may be."""

_GRADED: Final = (
    Rule(
        "token_f1",
        "1",
        _SQUAD,
        score_token_f1,
        "Word order and negation do not count (not safe against safe is 0.67), and a longer answer loses precision.",
        settings=Tokens,
        metric="token_f1",
        kind="bounded",
    ),
    Rule(
        "span_f1",
        "1",
        "none: start, end and label must all be right",
        score_span_f1,
        "A span that is off by one letter counts as missing and as wrong at once; the mean weighs each text alike.",
        wants="reference",
        metric="span_f1",
        kind="bounded",
    ),
    Rule(
        "rouge",
        "1",
        "lower case, ASCII letters and digits only, no stemming",
        score_rouge,
        "Words shared by chance count and paraphrases do not; longer answers gain; scripts beyond ASCII have no words.",
        settings=Rouge,
        metric="rouge",
        kind="bounded",
    ),
    Rule(
        "bleu",
        "1",
        "none but its tokenizer",
        score_bleu,
        "A number of the corpus: no one answer has it. It knows shared words only, and differs by tokenizer.",
        settings=Tokenizer,
        metric="bleu",
        kind="bounded",
        high=100.0,
        combine="bleu",
        whole_only=True,
    ),
    Rule(
        "chrf",
        "1",
        "white space ignored",
        score_chrf,
        "A number of the corpus, here: no one answer has it. It favours shared spelling, whatever is said with it.",
        metric="chrf",
        kind="bounded",
        high=100.0,
        combine="chrf",
        whole_only=True,
    ),
)
"""Rules with shares between wrong and right, and numbers of a whole corpus."""

_STRUCTURED: Final = (
    Rule(
        "json_fields",
        "2",
        f"first JSON object; {NORMALISATION}{_ENDS}; numbers by value",
        score_json_fields,
        "One wrong field of many makes the answer wrong; fields beyond the reference are not looked at.",
        wants="reference",
    ),
    Rule(
        "json_valid",
        "1",
        "a code fence around the whole answer is taken off, nothing else",
        score_json_valid,
        "Valid JSON can hold nothing right; a word before or after the JSON makes it invalid, however good it is.",
        settings=JsonForm,
        wants="nothing",
    ),
    Rule(
        "json_share",
        "1",
        "a code fence is taken off; numbers by value; texts as its setting says",
        score_json_share,
        "Many easy fields hide a hard one (json_field scores it alone); fields beyond the reference are not looked at.",
        settings=JsonContent,
        wants="reference",
        metric="json_share",
        kind="bounded",
    ),
    Rule(
        "json_field",
        "1",
        "a code fence is taken off; numbers by value; texts as its setting says",
        score_json_field,
        "An answer that is no JSON counts as wrong in every field: read json_valid beside it.",
        settings=JsonField,
        wants="reference",
    ),
    Rule(
        "refusal",
        "2",
        f"{NORMALISATION}; first {OPENING} letters",
        score_refusal,
        "It knows English phrases at the beginning: a refusal in other words is an answer to it.",
        reads_cut=True,
        wants="expectation",
        forbids=True,
    ),
    Rule(
        "abstention",
        "1",
        f"{NORMALISATION}; first {ABSTAINING} letters",
        score_abstention,
        "It knows English phrases: an answer that says it is unsure and then guesses abstains to it; whether an answer "
        "is right it does not see.",
        wants="expectation",
    ),
    Rule(
        "asserts",
        "2",
        "none: compared as written, by the assertions of promptfoo",
        score_asserts,
        "One failed assertion fails the test, whatever it is worth.",
        wants="nothing",
    ),
)
"""Rules that read an object, a refusal, or a list of assertions."""

_PROBABLE: Final = (
    *(
        Rule(
            name,
            "1",
            one.words,
            score_by(one),
            "What a model finds probable is not what it would write; which measure fits is not known beforehand.",
            reads="unconditional" if one.compares else "tokens" if one.counts else "options",
        )
        for name, one in MEASURES.items()
    ),
    Rule(
        "brier",
        "1",
        "the options' probabilities made to add up to 1",
        score_brier,
        "How far probabilities are off: a model can gain by being right more often, or by being surer of the same.",
        reads="options",
        metric="brier",
        kind="bounded",
        high=2.0,
        better="lower",
    ),
    _of_texts("bits_per_byte", "bytes of UTF-8", score_bits_per_byte, "bits"),
    _of_texts("byte_perplexity", "bytes of UTF-8", score_byte_perplexity, "perplexity"),
    _of_texts("word_perplexity", "words between white space", score_word_perplexity, "perplexity"),
)
"""Rules that read how probable options or texts are."""

SINGLE: Final[dict[str, Rule]] = {
    rule.name: rule if rule.settings is None or rule.needs else rule.with_settings({})
    for rule in (
        *_COMPARING,
        *_STRUCTURED,
        *SAFETY_RULES,
        *_LIMITS,
        *_GRADED,
        *_PROBABLE,
        *RETRIEVAL_RULES,
        TOOL_CALLS,
        *CODE_RULES,
    )
}
"""Every rule that scores one answer, by its name without settings; one that needs some is as yet without them."""

ALIASES: Final[Mapping[str, str]] = {
    "acc": "choice_by_likelihood",
    "acc_norm": "choice_by_characters",
    "acc_bytes": "choice_by_bytes",
    "acc_mutual_info": "choice_by_pmi",
    "brier_score": "brier",
}
"""What lm-evaluation-harness calls a rule that goes by a name of its own here."""


def rule_among(rules: Mapping[str, Rule], text: str) -> Rule:
    """Return the rule of a text out of several.

    Raises:
        UsageError: there is no such rule, or it cannot have these settings.
        MachineError: what a setting needs is not installed.
    """
    name, settings = read_rule(text)
    name = ALIASES.get(name, name)
    if name not in rules:
        raise UsageError(f"there is no rule {excerpt(name)}. {nearest(name, rules)}")
    plain = rules[name]
    return plain.with_settings(settings) if settings or plain.needs else plain
