"""What is to be run: the evaluation as a frozen record, made in Python or read from a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from aliquot.errors import UsageError, excerpt
from aliquot.runner.money import Prices, currency_of
from aliquot.scorers.rules import rule_named
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.requests import Decoding

Mode: TypeAlias = Literal["chat", "completion"]

ModelName: TypeAlias = str | Endpoint
"""What a system's model is known by."""

MODES: Final = ("chat", "completion")
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""What can name a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSpec:
    """One system under test: model, prompt and decoding under a name.

    Attributes:
        model: the model's name (``embedded``, or one given to ``run``), or where it is asked over HTTP.
        prompt: Jinja2 template over the fields of an item.
        mode: ``chat`` sends the prompt as the user's message, ``completion`` as a text to continue.
        instructions: system message (chat only), sent as it stands.
        decoding: how the answer is drawn.
        prices: what its tokens cost; None when that is not said.
    """

    model: ModelName
    prompt: str
    mode: Mode = "chat"
    instructions: str | None = None
    decoding: Decoding = field(default_factory=Decoding)
    prices: Prices | None = None

    def __post_init__(self) -> None:
        if self.instructions is not None and self.mode == "completion":
            raise UsageError("instructions need mode: chat; in a completion they belong to the prompt")
        if isinstance(self.model, Endpoint):
            self.model.require_mode(self.mode)


@dataclass(frozen=True, slots=True)
class SampleSpec:
    """The part of the item set that is asked: how many items, drawn by which field."""

    items: int
    by: str | None = None


@dataclass(frozen=True, slots=True)
class ScorerSpec:
    """How answers are scored: one rule, or the rule that a field of each item names."""

    rule: str | None = None
    field: str | None = None

    def __post_init__(self) -> None:
        if (self.rule is None) == (self.field is None):
            raise UsageError("a scorer is either one rule or a field that names the rule")
        if self.rule is not None:
            rule_named(self.rule)


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
        task: the task's name; None for the item set's.
        sample: the part of the item set that is asked; None for all of it.
        seed: seed of the sample and of the order.
        attempts: answers asked of each system for each item.
        cluster: field of the items that names the cluster.
        segments: fields of the items that become reporting slices.
        guards: when the run stops by itself.
        file: where it was read from, for messages.
    """

    name: str
    items: str
    systems: Mapping[str, SystemSpec]
    scorer: ScorerSpec
    task: str | None = None
    sample: SampleSpec | None = None
    seed: int = 0
    attempts: int = 1
    cluster: str | None = None
    segments: tuple[str, ...] = ()
    guards: Guards = field(default_factory=Guards)
    file: str = ""

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise UsageError(
                f"{excerpt(self.name)} cannot name a run: use letters, digits, dot, dash and underscore, "
                "starting with a letter or digit"
            )
        if not self.systems:
            raise UsageError("an evaluation needs at least one system")
        if self.attempts < 1:
            raise UsageError(f"attempts is {self.attempts}; it must be 1 or more")
        currency_of(spec.prices for spec in self.systems.values() if spec.prices is not None)
