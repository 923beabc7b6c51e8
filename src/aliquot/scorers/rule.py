"""What a rule is: a named, versioned, pure way to score, and how settings make one rule of several."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias, get_args

import msgspec

from aliquot.errors import PatternTimeError, UsageError, excerpt, nearest
from aliquot.evidence.identity import text_of
from aliquot.evidence.tables import Better, Kind
from aliquot.files.judgements import JudgeQuestion
from aliquot.files.programs import Program
from aliquot.files.records import Response, ToldResponse
from aliquot.item_sets.items import Item
from aliquot.item_sets.options import right_options
from aliquot.scorers.rule_texts import write_rule
from aliquot.scorers.scores import Score
from aliquot.scorers.tool_use import calls_of

Reads: TypeAlias = Literal[
    "text",
    "options",
    "unconditional",
    "tokens",
    "likelihood",
    "stages",
    "calls",
    "answer",
    "execution",
    "judgement",
]
"""What of a response a rule reads."""

NEEDS: Final[Mapping[Reads, str]] = {
    "text": "the text of an answer",
    "options": "how probable each option is: mode: likelihood",
    "unconditional": "how probable each option is with and without its question: mode: likelihood with unconditional: "
    "'Answer:'",
    "tokens": "how probable each option is, and how many tokens it has: mode: likelihood",
    "likelihood": "how probable a text is: mode: perplexity",
    "stages": "stages of a pipeline: stages: [{name: retrieval, values: {documents: [d7]}}] of a system of your own",
    "calls": "which tools were called with what: transcript, or tool_calls as a list, of a system of your own",
    "answer": "the text of an answer and, for points on tools, the calls that led to it: transcript, or tool_calls as "
    "a list, of a system of your own",
    "execution": "a program in the text of an answer, and how it ended",
    "judgement": "the text of an answer, and what a model judge replied about it",
}
"""What a rule needs, and where in an evaluation it comes from."""

HOW_IT_CAME: Final[tuple[Reads, ...]] = ("stages", "calls", "answer")
"""What tells how an answer came about: its record has to be whole, and whether it does is seen when it is there."""

Wants: TypeAlias = Literal["answers", "reference", "part", "expectation", "nothing"]
"""What of an item a rule holds an answer against.

The reference and the accepted answers, each of them a right answer as it stands; the reference alone; the same where
they are a part of a right answer; what is expected of it; or no reference at all.
"""

RATE: Final = "success"
"""The metric of rules that find an answer right or wrong."""

_LONG: Final = 80
"""Letters of a rule's text beyond which a table shows its name and a hash of its settings."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What of a rule can be set; the base of every rule's own settings."""

    @property
    def pools(self) -> bool:
        """Whether a rule with these settings scores all attempts at an item together."""
        return False

    @property
    def combine(self) -> str | None:
        """How sums of parts become the value of the whole corpus, where that hangs on the settings."""
        return None


@dataclass(frozen=True, slots=True)
class Rule:
    """A named, versioned way to score.

    Attributes:
        name: as evaluation files and items name it, with its settings: ``number_near(relative=0.01)``.
        version: changes whenever the same response could get another value.
        normalisation: what is made equal before comparing, in words.
        function: the pure function behind it, of the item, what the rule reads, and the settings where it has any.
        misleads: when its values say something else than they seem to, in a sentence.
        settings: what can be set; None when nothing can.
        given: the settings themselves; None where some that it cannot do without are still to be given.
        reads_cut: whether an answer that was cut can still be scored (its opening decides).
        reads: what of a response it is given.
        wants: what of an item it holds an answer against.
        forbids: whether it looks for what must be absent, so that an answer without text passes by itself.
        metric: what its values are values of.
        kind: which numbers they are.
        low: the smallest of them, where they have bounds.
        high: the largest of them.
        better: which direction is good.
        combine: how the sums of the items' parts become the value of the whole corpus; None where it has none.
        whole_only: whether there is a value of the whole corpus only, and none of an item.
        program: what is to be executed, of the item, the text of an answer, and the settings; None when nothing is.
        executes: whether that executes what a model wrote, which is off until it is switched on.
        questions: what a judge is asked, of the item and the text of an answer; None when no judge is.
        shows_retrieved: whether the judge may be shown what the system retrieved for its answer.
        judge: the judge that is asked, by its name; None when none is.
    """

    name: str
    version: str
    normalisation: str = field(compare=False)
    function: Callable[..., Score] = field(compare=False)
    misleads: str = field(compare=False)
    _: KW_ONLY
    settings: type[Settings] | None = field(default=None, compare=False)
    given: Settings | None = field(default=None, compare=False)
    reads_cut: bool = field(default=False, compare=False)
    reads: Reads = field(default="text", compare=False)
    wants: Wants = field(default="answers", compare=False)
    forbids: bool = field(default=False, compare=False)
    metric: str = field(default=RATE, compare=False)
    kind: Kind = field(default="binary", compare=False)
    low: float = field(default=0.0, compare=False)
    high: float = field(default=1.0, compare=False)
    better: Better = field(default="higher", compare=False)
    combine: str | None = field(default=None, compare=False)
    whole_only: bool = field(default=False, compare=False)
    program: Callable[..., Program | None] | None = field(default=None, compare=False)
    executes: bool = field(default=False, compare=False)
    questions: Callable[[Item, str], tuple[JudgeQuestion, ...]] | None = field(default=None, compare=False)
    shows_retrieved: bool = field(default=False, compare=False)
    judge: str | None = field(default=None, compare=False)

    @property
    def pools(self) -> bool:
        """Whether it scores all attempts at an item together: it is given their texts in order."""
        return self.given is not None and self.given.pools

    @property
    def reads_whole(self) -> bool:
        """Whether it reads how an answer came about, which records leave out unless they are read whole."""
        return self.reads in HOW_IT_CAME

    @property
    def needs_whole(self) -> bool:
        """Whether an answer has to be read whole, for the rule itself or for what its judge is shown."""
        return self.reads_whole or self.shows_retrieved

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the settings that it cannot do without."""
        if self.settings is None:
            return ()
        return tuple(one.encode_name for one in msgspec.structs.fields(self.settings) if one.required)

    @property
    def family(self) -> str:
        """Its name without settings."""
        return self.name.partition("(")[0]

    @property
    def label(self) -> str:
        """Its name as tables show it: settings of many letters by their hash."""
        return shortened(self.name)

    def with_settings(self, told: Mapping[str, Any]) -> Rule:
        """Return the rule with these settings.

        Args:
            told: settings by name, as JSON has them.

        Raises:
            UsageError: a setting that it does not have, or a value it cannot have.
        """
        if self.settings is None:
            if told:
                raise UsageError(f"the rule {self.family!r} has no settings, and {next(iter(told))!r} is one")
            return self
        given = _converted(self.family, told, self.settings)
        name = write_rule(self.family, _unusual(given))
        metric = RATE if self.metric == RATE else shortened(name)
        return replace(self, name=name, given=given, metric=metric, combine=given.combine or self.combine)

    def apply(self, item: Item, found: Any) -> Score:
        """Return the score of what was read of a response; a pattern that runs out of time is an error of measuring.

        Raises:
            InputError: the item lacks what the rule needs.
        """
        try:
            return (
                self.function(item, found) if self.given is None else self.function(item, found, self.given)
            )
        except PatternTimeError as error:  # nothing is known of the answer
            return Score(None, status="error", note=str(error))

    def program_of(self, item: Item, text: str) -> Program | None:
        """Return the program that an answer holds; None when it holds none, or the rule reads none.

        Raises:
            InputError: the item lacks what the rule needs.
        """
        if self.program is None:
            return None
        return self.program(item, text) if self.given is None else self.program(item, text, self.given)

    def questions_of(self, item: Item, text: str) -> tuple[JudgeQuestion, ...]:
        """Return what judges are asked about an answer: nothing about one without text, or by a rule that asks none.

        ``apply`` then takes the judgements of these questions, as many as there are.

        Raises:
            InputError: the item lacks what the rule needs.
        """
        return () if self.questions is None or not text.strip() else self.questions(item, text)

    def read(self, response: Response) -> Any:
        """Return what of a response the rule reads; None when it holds nothing of the kind."""
        if self.reads in {"text", "execution", "judgement"}:
            return response.text or ""
        if self.reads == "likelihood":
            return response.likelihood
        if self.reads_whole:
            return self._read_whole(response)
        if self.reads == "tokens" and not all(option.tokens for option in response.options):
            return None
        without = any(option.unconditional is None for option in response.options)
        return None if self.reads == "unconditional" and without else response.options or None

    def _read_whole(self, response: Response) -> Any:
        """Return what of how an answer came about the rule reads."""
        if self.reads == "stages":
            return (response.stages or None) if isinstance(response, ToldResponse) else None
        calls = calls_of(response)
        return calls if self.reads == "calls" else (response.text or "", calls)

    def try_on(self, item: Item) -> None:
        """Refuse an item that the rule cannot score, whatever the answer will be.

        Raises:
            InputError: the item lacks what the rule needs.
        """
        if self.reads == "text":
            self.apply(item, "")
        elif self.reads == "execution":
            self.program_of(item, "")
        elif self.reads == "judgement":
            self.questions_of(item, "answer")
        elif self.reads_whole:
            self.apply(item, ())
        elif self.reads != "likelihood":
            right_options(item)

    def right_answers(self, item: Item) -> tuple[str, ...]:
        """Return the reference and what else is accepted, as answers would spell them: each must be right."""
        if self.reads != "text" or self.wants not in {"answers", "reference"} or item.reference is None:
            return ()
        accepted = item.accept if self.wants == "answers" else ()
        return () if self.whole_only else (text_of(item.reference) or "", *accepted)

    def wanted(self, item: Item) -> str | None:
        """Return what is right in one text: the reference, or what is expected; None without one."""
        if self.wants == "nothing" or self.kind != "binary":
            return None
        expected = item.expect if self.wants == "expectation" else None
        return expected or text_of(item.reference)

    def passes_nothing(self, item: Item) -> bool:
        """Whether an empty answer would be right by the item, and not by what the rule is for: it asks for nothing."""
        return self.reads == "text" and not self.forbids and self.apply(item, "").value == 1.0


def shortened(text: str) -> str:
    """Return a rule's text as tables show it: settings of many letters by their hash.

    Examples:
        >>> shortened("words"), shortened(f'regex(pattern="{"x" * 90}")')
        ('words', 'regex(#af6a8131)')
    """
    if len(text) <= _LONG:
        return text
    family, _, settings = text.partition("(")
    return f"{family}(#{hashlib.sha256(settings.encode()).hexdigest()[:8]})"


def _unusual(given: Settings) -> dict[str, Any]:
    """Return the settings that are not the default; msgspec's own ``omit_defaults`` would keep an equal number."""
    usual = {
        one.name: one.default if one.default_factory is msgspec.NODEFAULT else one.default_factory()
        for one in msgspec.structs.fields(given)
    }
    return {
        name: msgspec.to_builtins(value)
        for name, value in msgspec.structs.asdict(given).items()
        if value != usual[name]
    }


def _converted(family: str, told: Mapping[str, Any], settings: type[Settings]) -> Settings:
    """Return settings of the right kinds; one sentence says what is wrong with others."""
    fields = {one.encode_name: one for one in msgspec.structs.fields(settings)}
    for name in told:
        if name not in fields:
            raise UsageError(f"the rule {family!r} has no setting {excerpt(name)}. {nearest(name, fields)}")
    lacking = [name for name, one in fields.items() if one.required and name not in told]
    if lacking:
        raise UsageError(f"the rule {family!r} needs the setting {lacking[0]}: {family}({lacking[0]}=...)")
    try:
        return msgspec.convert(dict(told), settings)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(
            " - at `$."
        )  # "Expected `float`, got `str` - at `$.relative`"
        name = place.rstrip("`")
        words = get_args(fields[name].type) if problem.startswith("Invalid enum") and name in fields else ()
        said = f"{excerpt(told[name])} is none of {', '.join(words)}" if words else problem.lower()
        raise UsageError(f"the rule {family!r}: {name}: {said[:200]}") from error
