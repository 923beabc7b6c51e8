"""Rules about the form of an answer: how long it may be, and what shape it must have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

from aliquot.errors import UsageError
from aliquot.item_sets.items import Item
from aliquot.scorers.rule import Settings
from aliquot.scorers.scores import Score, verdict

Unit: TypeAlias = Literal["words", "characters", "lines", "sentences", "paragraphs", "bytes"]

COUNTED: Final[Mapping[Unit, Callable[[str], int]]] = {
    "words": lambda text: len(text.split()),
    "characters": len,
    "lines": lambda text: sum(bool(line.strip()) for line in text.splitlines()),
    "sentences": lambda text: len(re.findall(r"[^.!?…\s][^.!?…]*(?:[.!?…]+|$)", text)),
    "paragraphs": lambda text: sum(bool(part.strip()) for part in re.split(r"\n\s*\n", text)),
    "bytes": lambda text: len(text.encode("utf-8", "surrogatepass")),
}
"""How each unit is counted, white space at the ends left out."""

Shape: TypeAlias = Literal["one_line", "bullets", "numbered", "no_markup", "upper_case", "lower_case"]

SHAPES: Final[Mapping[Shape, Callable[[str], bool]]] = {
    "one_line": lambda text: "\n" not in text,
    "bullets": lambda text: _every_line(text, r"\s*[-*•] \S"),
    "numbered": lambda text: _every_line(text, r"\s*\d+[.)] \S"),
    "no_markup": lambda text: (
        not re.search(r"\*\*|__|`|^#{1,6} |^\s*[-*] |\[[^\]]*\]\(|<[a-zA-Z/]", text, re.MULTILINE)
    ),
    "upper_case": lambda text: text == text.upper() and text != text.lower(),
    "lower_case": lambda text: text == text.lower() and text != text.upper(),
}
"""The shapes an answer may be asked for."""


class Length(Settings, frozen=True):
    """How long an answer may be.

    Attributes:
        least: fewest.
        most: most; None for no limit.
        unit: what is counted.
    """

    least: int = 1
    most: int | None = None
    unit: Unit = "words"

    def __post_init__(self) -> None:
        if self.least < 0 or (self.most is not None and self.most < self.least):
            raise UsageError(f"a length from {self.least} to {self.most} holds no text")


class Form(Settings, frozen=True):
    """What shape an answer must have.

    Attributes:
        shape: one of ``SHAPES``.
    """

    shape: Shape


def score_length(item: Item, text: str, settings: Length) -> Score:  # noqa: ARG001 - one signature for every rule
    """1 when the answer is neither too short nor too long."""
    found = COUNTED[settings.unit](text.strip())
    right = settings.least <= found and (settings.most is None or found <= settings.most)
    return verdict(right=right, label=f"{found} {settings.unit}")


def score_form(item: Item, text: str, settings: Form) -> Score:  # noqa: ARG001 - one signature for every rule
    """1 when the answer has the shape; an empty one has none."""
    body = text.strip()
    right = bool(body) and SHAPES[settings.shape](body)
    return verdict(right=right, label=settings.shape if right else f"not {settings.shape}")


def _every_line(text: str, pattern: str) -> bool:
    return all(re.match(pattern, line) for line in text.splitlines() if line.strip())
