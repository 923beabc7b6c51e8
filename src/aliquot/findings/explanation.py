"""The finding of an explanation: what a method does, or how to write about a finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from aliquot.evidence.tables import Note
from aliquot.findings.spoken import Spoken
from aliquot.findings.verdict import Verdict


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
class Explanation(Spoken):
    """What stands behind a method or a finding.

    Attributes:
        about: the method or the file.
        methods: the methods it rests on.
        paragraph: a methods paragraph to paste; empty for a method alone.
        limitations: what the finding does not say, a sentence each.
        warnings: always empty.
        verdict: the first thing to say.
        versions: of the software.
        command: the command line that makes it again.
    """

    kind: ClassVar[str] = "explanation"

    about: str
    methods: tuple[MethodNote, ...]
    paragraph: str
    limitations: tuple[str, ...]
    warnings: tuple[Note, ...]
    verdict: Verdict
    versions: Mapping[str, str]
    command: str = ""

    def __str__(self) -> str:
        return self.paragraph or self.verdict.text
