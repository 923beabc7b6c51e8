"""What promptfoo writes, typed: the shape of version 3, to which every other shape is brought."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, TypeAlias, TypeVar

import msgspec
from msgspec import Meta, Struct

from aliquot.errors import InputError
from aliquot.evidence.tables import Note

Index: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 40)]
Record = TypeVar("Record")

ERROR: Final = 2
"""The failure reason of a row that was never graded (1 is a failed assertion, 0 none)."""


class Named(Struct):
    """A provider as a row names it."""

    id: str | None = None
    label: str | None = None


class Assertion(Struct):
    """What was asserted, as a verdict repeats it."""

    type: str | None = None
    metric: str | None = None
    weight: float | None = None
    provider: Any = None


class Component(Struct, rename="camel"):
    """The verdict on one assertion; on a set of them, with theirs inside."""

    passed: bool | None = msgspec.field(default=None, name="pass")
    score: float | None = None
    reason: Any = None
    assertion: Assertion | None = None
    metadata: Any = None
    component_results: list[Component | None] | None = None


class Grading(Struct, rename="camel"):
    """The verdict on one row."""

    passed: bool | None = msgspec.field(default=None, name="pass")
    score: float | None = None
    reason: Any = None
    named_score_weights: Any = None
    component_results: list[Component | None] | None = None


class Prompt(Struct):
    """A prompt as a row names it; ``display`` is the label of version 2."""

    raw: str | None = None
    label: str | None = None
    display: str | None = None


class TestCase(Struct, rename="camel"):
    """The test a row belongs to."""

    description: str | None = None
    asserts: list[Any] | None = msgspec.field(default=None, name="assert")
    metadata: dict[str, Any] | None = None
    options: dict[str, Any] | None = None
    threshold: float | None = None
    assert_scoring_function: Any = None


class Row(Struct, rename="camel", kw_only=True):
    """One answer of one column (provider and prompt) to one test."""

    test_idx: Index | None = None
    prompt_idx: Index | None = None
    prompt_id: str | None = None
    provider: Named | str | None = None
    prompt: Prompt | str | None = None
    vars: dict[str, Any] | None = None
    test_case: TestCase | None = None
    response: dict[str, Any] | None = None
    error: Any = None
    success: bool | None = None
    score: float | None = None
    named_scores: dict[str, Any] | None = None
    grading_result: Grading | None = None
    latency_ms: float | None = None
    cost: float | None = None
    token_usage: dict[str, Any] | None = None
    failure_reason: int | None = None

    @property
    def provider_name(self) -> str:
        """The provider's label, else its id."""
        if isinstance(self.provider, Named):
            return self.provider.label or self.provider.id or ""
        return self.provider or ""

    @property
    def prompt_label(self) -> str:
        """The prompt's label, else the prompt."""
        if isinstance(self.prompt, Prompt):
            return self.prompt.label or self.prompt.display or ""
        return self.prompt or ""

    @property
    def was_graded(self) -> bool:
        """Whether the row came as far as its assertions.

        ``error`` does not tell: it repeats the reason of a failed assertion too. Databases moved from older
        versions hold the failure reason 0 on every row.
        """
        if self.failure_reason == ERROR:
            return False
        return bool(self.failure_reason or self.success or self.grading_result or not self.error)


class Column(Struct, rename="camel"):
    """A column of promptfoo's table, with the numbers it printed under it."""

    id: str | None = None
    raw: str | None = None
    label: str | None = None
    display: str | None = None
    provider: Named | str | None = None
    metrics: dict[str, Any] | None = None


@dataclass(slots=True)
class Log:
    """One evaluation, whatever it was stored in.

    Attributes:
        shape: what it was stored as, such as ``v3``.
        rows: its rows.
        columns: its columns, where the shape has them; a row's ``promptIdx`` counts them.
        config: the configuration, where the shape has it.
        version: of promptfoo, where the shape says it.
        repeat: how often each test was run; None when the shape does not say.
        notes: what the shape loses.
        has_asserts: whether rows say what was asserted of them.
    """

    shape: str
    rows: list[Row]
    columns: list[Column] = field(default_factory=list[Column])
    config: dict[str, Any] = field(default_factory=dict[str, Any])
    version: str = ""
    repeat: int | None = None
    notes: list[Note] = field(default_factory=list[Note])
    has_asserts: bool = True


def convert(value: Any, kind: type[Record], *, file: str, where: str) -> Record:
    """Return a value as a record.

    Raises:
        InputError: a field holds another kind of value; the message names it.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{where} is not as promptfoo writes it: {error}", file=file) from error
    except RecursionError as error:
        raise InputError(f"{where} is nested too deeply", file=file) from error


def mapping(value: Any) -> dict[str, Any]:
    """Return a mapping as it is, anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def number(value: Any) -> float | None:
    """Return a finite number, or None for anything else; truth counts as 1 and 0."""
    if not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def count(value: Any) -> int | None:
    """Return a whole number that is no truth value and fits a table."""
    found = None if isinstance(value, bool) else number(value)
    return int(found) if found is not None and 0 <= found < 1 << 53 else None


def metric_name(name: Any) -> str:
    """Return what a named score is called here; the names of the row's own values are taken.

    Examples:
        >>> metric_name("tone"), metric_name("score")
        ('tone', 'score (named)')
    """
    if not isinstance(name, str):
        return ""
    return f"{name} (named)" if name in {"success", "score", "human"} else name
