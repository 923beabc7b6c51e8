"""What is to be run: the evaluation as a frozen record, made in Python or read from a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, get_args

from aliquot.errors import InputError, UsageError, excerpt
from aliquot.item_sets.items import Item
from aliquot.item_sets.option_order import AS_GIVEN, OptionOrder
from aliquot.item_sets.samples import amount_of
from aliquot.runner.judge_specs import JudgeModel, JudgeSpec, judge_models
from aliquot.runner.money import Prices, currency_of
from aliquot.runner.shots import ShotsSpec
from aliquot.runner.stored import StoredRun
from aliquot.runner.success import Success
from aliquot.scorers.rule import HOW_IT_CAME, Reads, Rule
from aliquot.scorers.rules import rule_named, rule_text
from aliquot.systems.baselines import Baseline
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.opening import EMBEDDED, Source
from aliquot.systems.requests import Decoding
from aliquot.systems.system import System

Mode: TypeAlias = Literal["chat", "completion", "likelihood", "perplexity"]

Continuations: TypeAlias = Literal["texts", "letters"]

ModelName: TypeAlias = Source | StoredRun | Baseline
"""What a system's model is known by."""

TAKEN: Final = frozenset(
    {"api", "api_version", "base_url", "engine", "extra", "json_schema", "model", "snapshot", "stream"}
)
"""Components that a model itself tells."""

MODES: Final = ("chat", "completion", "likelihood", "perplexity")
CONTINUATIONS: Final = ("texts", "letters")

UNDRAWN: Final = frozenset({"likelihood", "perplexity"})
"""Modes in which nothing is written, so that there is nothing to draw."""

CHOICE: Final[Mapping[str, str | None]] = {"continuations": "texts", "separator": " ", "unconditional": None}
"""What of a system says how the options of a choice are asked, with its default; goes with mode likelihood alone."""

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""What can name a run."""


@dataclass(frozen=True, slots=True)
class Variant:
    """Which variant of a system this one is.

    Attributes:
        of: the system's name.
        levels: the level of each factor.
    """

    of: str
    levels: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSpec:
    """One system under test: model, prompt and decoding under a name.

    Attributes:
        model: the model's name (``embedded``, or one given to ``run``), where it is asked over HTTP, a function, a
            command, a baseline that knows nothing, or where its answers are stored.
        prompt: Jinja2 template over the fields of an item; none with stored answers, which another one made.
        mode: ``chat`` sends the prompt as the user's message, ``completion`` as a text to continue; ``likelihood`` asks
            how probable each option of the item is behind the prompt, ``perplexity`` how probable the prompt is itself.
        instructions: system message (chat only), sent as it stands.
        decoding: how the answer is drawn (chat and completion).
        prices: what its tokens cost; None when that is not said, and ``"none"`` when nothing is to be taken for it,
            not even from the price list of this package.
        continuations: what stands for an option behind the prompt (likelihood only): its text, or its letter.
        separator: what stands between prompt and continuation (likelihood only).
        unconditional: a context without the question behind which the options are asked too (likelihood only); None for
            none, and "" for the start of a text.
        components: versions of what else shapes an answer (index, retriever, tools, parser, commit); another version
            is another system.
        values: further variables of the template, by name.
        option_order: the order in which an item's options are shown; the reference follows it.
        shots: the examples that the template sees as ``shots``; None for a template without.
        variant: which variant of a system this is; None when it is none.
    """

    model: ModelName
    prompt: str = ""
    mode: Mode = "chat"
    instructions: str | None = None
    decoding: Decoding = field(default_factory=Decoding)
    prices: Prices | Literal["none"] | None = None
    continuations: Continuations = "texts"
    separator: str = " "
    unconditional: str | None = None
    components: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    values: Mapping[str, object] = field(default_factory=dict[str, object], hash=False)
    option_order: OptionOrder = AS_GIVEN
    shots: ShotsSpec | None = None
    variant: Variant | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        for name in TAKEN.intersection(self.components):
            raise UsageError(
                f"components cannot hold {name!r}: the model itself tells it (or its version does)"
            )
        self.require_fit()
        if isinstance(self.model, Endpoint):
            self.model.require_mode(self.mode)

    @property
    def stated(self) -> Prices | None:
        """What its tokens cost; None when that is not known or not to be known."""
        return None if self.prices == "none" else self.prices

    @property
    def gives(self) -> tuple[Reads, ...]:
        """What of an answer there is for rules to read; what stored answers hold is seen when they are scored."""
        if isinstance(self.model, StoredRun):
            return get_args(Reads)
        if self.mode == "perplexity":
            return ("likelihood",)
        if self.mode == "likelihood":
            return (
                "text",
                "options",
                "tokens",
                *(("unconditional",) if self.unconditional is not None else ()),
            )
        return ("text", "execution", "judgement", *HOW_IT_CAME)

    @property
    def may_tell_stages(self) -> bool:
        """Whether it may tell what it retrieved: whatever is no model that is merely asked."""
        return not isinstance(self.model, Endpoint) and self.model != EMBEDDED

    def require_fit(self) -> None:
        """Refuse settings that the mode, or stored answers, do not go with.

        Raises:
            UsageError: they do not fit.
        """
        asked = (self.prompt, self.mode, self.instructions, self.decoding, self.prices)
        if isinstance(self.model, StoredRun) and asked != ("", "chat", None, Decoding(), None):
            raise UsageError(
                "the answers of a stored run were made by its own prompt and decoding: leave out prompt, mode, "
                "instructions, decoding and prices, or ask a model"
            )
        if self.instructions is not None and self.mode != "chat":
            raise UsageError("instructions need mode: chat; elsewhere they belong to the prompt")
        if self.decoding != Decoding() and self.mode in UNDRAWN:
            raise UsageError(f"mode: {self.mode} draws no answer; leave decoding out")
        for name, standard in CHOICE.items():
            if getattr(self, name) != standard and self.mode != "likelihood":
                raise UsageError(f"{name} needs mode: likelihood")


@dataclass(frozen=True, slots=True)
class SampleSpec:
    """The part of the item set that is asked: how many items (or which share, ``50%``), drawn by which field."""

    items: int | str
    by: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", amount_of(self.items))


@dataclass(frozen=True, slots=True)
class ScorerSpec:
    """How answers are scored: one rule, the rule that a field of each item names, or a judge.

    Attributes:
        rule: the rule, with its settings in brackets: ``number_near(relative=0.01)``.
        field: the field of the items that holds such a text, or a mapping with ``rule`` and its settings.
        judge: the judge, and which models are asked.
    """

    rule: str | None = None
    field: str | None = None
    judge: JudgeSpec | None = None

    def __post_init__(self) -> None:
        if sum(one is not None for one in (self.rule, self.field, self.judge)) != 1:
            raise UsageError("a scorer is either one rule, a field that names the rule, or a judge")
        if self.rule is not None:
            object.__setattr__(self, "rule", rule_named(self.rule).name)

    def rule_of(self, item: Item) -> Rule:
        """Return the rule of an item.

        Raises:
            InputError: the item names none, or one that there is not.
        """
        if self.judge is not None:
            return self.judge.kept.rule
        if self.rule is not None:
            return rule_named(self.rule)
        told = item.fields.get(self.field or "")
        if told is None or told == "":
            problem = f"item {item.id!r} names no rule"
            raise InputError(problem, row=item.row, field=self.field, remedy="Name one")
        try:
            return rule_named(rule_text(told))
        except UsageError as error:
            raise InputError(f"item {item.id!r}: {error}", row=item.row, field=self.field) from error


@dataclass(frozen=True, slots=True)
class Guards:
    """When a run stops by itself, by the answers of the smoke test.

    Attributes:
        parse_rate: smallest share of a system's first answers that could be read; 0 switches the guard off.
        truncated: largest share of them that may have used up their budget; 1 switches the guard off.
        errors: largest share of them that may have been lost; 1 switches the guard off, also for many in a row.
        first: how many items every system is asked before any is asked the rest.
    """

    parse_rate: float = 0.5
    truncated: float = 0.5
    errors: float = 0.5
    first: int = 24

    def __post_init__(self) -> None:
        for name in GUARD_SHARES:
            if not 0 <= (share := getattr(self, name)) <= 1:
                raise UsageError(f"guards: {name} is {share}; a share lies between 0 and 1")
        if self.first < 1:
            raise UsageError(f"guards: first is {self.first}; it must be 1 or more")


GUARD_SHARES: Final = {"parse_rate": 0.0, "truncated": 1.0, "errors": 1.0}
"""The guards on a share, each with the value that switches it off."""

NO_GUARDS: Final = Guards(parse_rate=0.0, truncated=1.0, errors=1.0)
"""Every guard switched off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Everything that defines a run.

    Attributes:
        name: the run's name; its directory is ``runs/<name>``.
        items: a bundled item set's name, or a path to ``.jsonl`` or ``.csv``.
        systems: what is under test, by name; the first is the baseline.
        scorer: how answers are scored.
        alternatives: further ways to score the same answers, kept beside the first.
        task: the task's name; None for the item set's.
        sample: the part of the item set that is asked; None for all of it.
        seed: seed of the sample and of the order.
        attempts: answers asked of each system for each item.
        cluster: field of the items that names the cluster.
        segments: fields of the items that become reporting slices.
        guards: when the run stops by itself.
        execute_code: whether programs that a model wrote may be executed, in the sandbox, to score them.
        success: what counts as success, to be kept with the run; None when that is not said.
        file: where it was read from, for messages.
    """

    name: str
    items: str
    systems: Mapping[str, SystemSpec]
    scorer: ScorerSpec
    alternatives: tuple[ScorerSpec, ...] = ()
    task: str | None = None
    sample: SampleSpec | None = None
    seed: int = 0
    attempts: int = 1
    cluster: str | None = None
    segments: tuple[str, ...] = ()
    guards: Guards = field(default_factory=Guards)
    execute_code: bool = False
    success: Success | None = None
    file: str = ""

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise UsageError(
                f"{excerpt(self.name)} cannot name a run: use letters, digits, dot, dash and underscore, "
                "starting with a letter or digit"
            )
        if not self.systems:
            raise UsageError("an evaluation needs at least one system")
        scorers = (self.scorer, *self.alternatives)
        for spec in scorers:
            if scorers.count(spec) > 1:
                raise UsageError(f"scorers names {spec.rule or spec.field or 'a judge'!r} twice")
        if self.attempts < 1:
            raise UsageError(f"attempts is {self.attempts}; it must be 1 or more")
        paid = (*self.systems.values(), *self.judges.values())
        currency_of(spec.stated for spec in paid if spec.stated is not None)

    @property
    def judges(self) -> Mapping[str, JudgeModel]:
        """The models that are asked as judges, by name.

        Raises:
            UsageError: two of them go by one name.
        """
        return judge_models(spec.judge for spec in (self.scorer, *self.alternatives))

    def with_judges(self, change: Callable[[JudgeModel], JudgeModel] = lambda model: model) -> Evaluation:
        """Return the same with the files of its judges read, and their models changed.

        Args:
            change: what becomes of each model.

        Raises:
            UsageError: there is no such judge.
            InputError: a judge's file cannot be used.
        """
        if not self.judges:
            return self
        scorer, *others = (
            spec if spec.judge is None else ScorerSpec(judge=spec.judge.read(change))
            for spec in (self.scorer, *self.alternatives)
        )
        return replace(self, scorer=scorer, alternatives=tuple(others))


def components_of(spec: SystemSpec, model: System) -> dict[str, str]:
    """Return every part that shapes an answer, with its version: what the model tells and what the user names."""
    return {**model.components, **spec.components}
