"""What a model judge is: what it asks, which verdicts it may give, and what a verdict is worth."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

import msgspec

from aliquot.evidence.tables import Note

PROTOCOL: Final = 1
"""Changes whenever the same file could ask something else, or read another verdict out of the same reply."""

WIDE: Final = 10
"""Levels of a scale beyond which models do not tell neighbours apart."""

PAIR_VERDICTS: Final = ("first", "second", "tie", "both_bad")
"""What a judge may say of two answers."""

Form: TypeAlias = Literal["labels", "scale", "checklist", "pairwise"]
"""Of which kind verdicts are."""

OrderRule: TypeAlias = Literal["agree", "average", "random"]
"""What is concluded from a pair that is asked in both orders.

A verdict that both orders give, and none otherwise; the mean of both; or the verdict of one order, drawn by a seed.
"""

Panel: TypeAlias = Literal["majority", "mean"]
"""How verdicts of several models, or of one that is asked repeatedly, become one."""


class Scale(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers that a judge may give.

    Attributes:
        low: the smallest.
        high: the largest.
        levels: what a number means, by number; every whole number from low to high may be given.
        continuous: whether numbers between the whole ones may be given too.
    """

    low: float
    high: float
    levels: tuple[tuple[int, str], ...] = ()
    continuous: bool = False


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """A question of a checklist, answered yes or no.

    Attributes:
        says: what must hold.
        points: what a yes adds; below 0 for what must not be.
        required: whether a no makes the whole worth 0.
    """

    says: str
    points: float = 1.0
    required: bool = False


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """An example with its verdict, asked and answered before the question itself.

    Attributes:
        fields: what the template sees, by name.
        reasoning: the evaluation.
        verdict: the right verdict: a label, a number, or yes and no for each question of a checklist.
    """

    fields: dict[str, Any]
    verdict: str | float | tuple[str, ...]
    reasoning: str = ""


class Judge(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A judge as its file says it. One of ``labels``, ``scale``, ``points`` (or ``each``) and ``pairwise`` is given.

    Attributes:
        name: names the metric.
        asks: the template of what is asked.
        says: what it measures, in a sentence; not shown to the model.
        instructions: who the model is to be, before what every judge is told.
        labels: label → what it means, or "".
        passes: the labels that pass.
        scale: the numbers that may be given.
        points: the questions of a checklist.
        each: what a checklist asks its one question of instead: a field that lists texts, or ``claims`` of the answer.
        asks_of_each: that question.
        ranked: whether earlier ones of ``each`` count for more: the mean of the precisions at the ranks of a yes.
        pairwise: whether two answers are compared.
        names: what the first and the second answer are called in a verdict; those words themselves when empty.
        against: the field that holds the answer which a single answer is compared with.
        pass_from: the number, or share of a checklist, from which on an answer passes; None for a graded metric.
        few_shot: examples.
        order: what is concluded from both orders of a pair.
        repeats: how often each question is asked.
        panel: how several verdicts become one.
        reference: whether an item's reference is needed, shown where there is one, or never shown.
        reply: the form in which the model is to reply.
        evaluation: whether an evaluation is asked for before the verdict.
        accept: what else than a number is read as one where JSON holds a reply: a text, a fraction of the highest.
        better: which direction is good.
        max_tokens: the reply's budget.
    """

    name: str
    asks: str
    says: str = ""
    instructions: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    passes: tuple[str, ...] = ()
    scale: Scale | None = None
    points: tuple[Point, ...] = ()
    each: str | None = None
    asks_of_each: str = ""
    ranked: bool = False
    pairwise: bool = False
    names: tuple[str, ...] = ()
    against: str = "reference"
    pass_from: float | None = None
    few_shot: tuple[Example, ...] = ()
    order: OrderRule = "agree"
    repeats: int = 1
    panel: Panel | None = None
    reference: Literal["optional", "required", "none"] = "optional"
    reply: Literal["json", "text"] = "json"
    evaluation: bool = True
    accept: tuple[Literal["text", "fraction"], ...] = ()
    better: Literal["higher", "lower"] = "higher"
    max_tokens: int = 1024

    @property
    def form(self) -> Form:
        """Of which kind its verdicts are."""
        if self.pairwise:
            return "pairwise"
        return "labels" if self.labels else "scale" if self.scale is not None else "checklist"

    @property
    def words(self) -> tuple[str, ...]:
        """The words that are verdicts; of a checklist those that answer each of its questions."""
        if self.form == "checklist":
            return ("yes", "no")
        if self.pairwise:
            return *(self.names or PAIR_VERDICTS[:2]), *PAIR_VERDICTS[2:]
        return tuple(label for label, _ in self.labels)

    def called(self, verdict: str) -> str:
        """Return the word for a verdict of two answers in this judge's replies; a label stands for itself."""
        return self.words[PAIR_VERDICTS.index(verdict)] if self.pairwise else verdict

    @property
    def pooled(self) -> Panel:
        """How several verdicts become one: the mean of numbers, the majority of words, unless the file says so."""
        return self.panel or ("mean" if self.form in {"scale", "checklist"} else "majority")

    @cached_property
    def hash(self) -> str:
        """Its identity: over everything that changes what is asked or concluded; names and descriptions do not."""
        told = msgspec.to_builtins(
            msgspec.convert(msgspec.to_builtins(self), Judge)
        )  # 3 and 3.0 are one number
        kept = {name: told[name] for name in sorted(told) if name not in {"name", "says"}}
        return hashlib.sha256(json.dumps([PROTOCOL, kept], sort_keys=True).encode()).hexdigest()[:16]


def judge_notes(judge: Judge) -> Iterator[Note]:
    """Yield what is to be said of a judge before it is used."""
    scale = judge.scale
    if scale is None:
        return
    if scale.continuous:
        text = (
            f"{judge.name} may give any number from {scale.low:g} to {scale.high:g}: models use few of them"
        )
        yield Note("continuous_scale", f"{text}, unevenly; a few described whole numbers are steadier")
    levels = int(scale.high - scale.low) + 1
    if levels > WIDE:
        text = (
            f"{judge.name} has a scale of {levels} numbers: beyond {WIDE} models do not tell neighbours apart"
        )
        yield Note("wide_scale", f"{text}; 3 to 5 that are described are steadier")
    described = {number for number, says in scale.levels if says}
    if not scale.continuous and len(described) < levels:
        text = f"{judge.name} does not say what each number of its scale means ({len(described)} of {levels} described)"
        yield Note("undescribed_scale", f"{text}; each judge then takes it otherwise")
