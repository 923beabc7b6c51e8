"""The finding of an explanation: what a method does, or how to write about a finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from aliquot.findings.finding import Finding


@dataclass(frozen=True, slots=True)
class MethodNote:
    """One method in plain words.

    Attributes:
        name: the name asked for, or the one a number carries.
        function: the function of ``aliquot.stats``.
        answers: the question it answers.
        assumes: what must hold.
        source: where the formula comes from.
        says: how it works, from its documentation.
        references: the publications.
    """

    name: str
    function: str
    answers: str
    assumes: str
    source: str
    says: str
    references: str


@dataclass(frozen=True, slots=True, repr=False)
class Explanation(Finding):
    """What stands behind a method or a finding.

    Attributes:
        about: the method or the file.
        methods: the methods it rests on.
        paragraph: a methods paragraph to paste; empty for a method alone.
        limitations: what the finding does not say, a sentence each.
    """

    kind: ClassVar[str] = "explanation"

    about: str
    methods: tuple[MethodNote, ...]
    paragraph: str
    limitations: tuple[str, ...]

    def __str__(self) -> str:
        return self.paragraph or self.verdict.text
