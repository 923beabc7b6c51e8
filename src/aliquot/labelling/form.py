"""What raters are asked: the questions of a form, as rubrics describe them, and which answers each may have."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, Literal, TypeAlias

import msgspec

from aliquot.errors import InputError, UsageError
from aliquot.readers.cells import holds_values, values
from aliquot.reports.inert_text import inert_lines
from aliquot.scorers.judge_conclusions import worth, written
from aliquot.scorers.judges import Judge, Scale

Kind: TypeAlias = Literal["choice", "scale", "number", "checklist", "pair", "codes", "reference"]
"""How a question is answered: a word of a list, a described number, any number, yes or no to each point, which of two,
kinds of failure of a growing list, or a text written before the answer is seen."""

Value: TypeAlias = str | float | tuple[bool, ...] | tuple[str, ...]
"""What a rater said."""

PASS_FAIL: Final = Judge(
    name="label",
    says="whether the answer does what was asked",
    asks="Does this answer do what was asked?",
    labels=(("pass", ""), ("fail", "")),
    passes=("pass",),
)
"""What is asked when there is no rubric."""

PAIRS: Final = ("first", "second", "tie", "both_bad")
MOST_TEXT: Final = 20_000
"""Characters of a note or of a written reference."""
MOST_LISTED: Final = 11
"""Numbers of a scale that are buttons; a wider scale is a number to type."""
MOST_CODES: Final = 20
LONGEST_CODE: Final = 60

_WHOLE_LINE: Final = re.compile(r"\s*(\{\{.*?\}\}|\{%.*?%\})(\s*(\{\{.*?\}\}|\{%.*?%\}))*\s*")
_PLACE: Final = re.compile(r"\{\{\s*([\w.]+).*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One question of a form.

    Attributes:
        name: names the question in exports: the metric.
        kind: how it is answered.
        asks: what raters read.
        judge: the rubric behind it; None for failure codes and references.
    """

    name: str
    kind: Kind
    asks: str
    judge: Judge | None = None


class Form(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of each answer, or each pair of answers.

    Attributes:
        questions: in the order in which they are asked.
        kinds: failure codes to begin with, and what each says.
        version: which form of a project it is, from 1.
        hash: over everything that raters read and may say.
    """

    questions: tuple[Question, ...]
    kinds: tuple[tuple[str, str], ...] = ()
    version: int = 1
    hash: str = ""

    @property
    def pairwise(self) -> bool:
        """Whether two answers are compared."""
        return any(one.kind == "pair" for one in self.questions)

    @property
    def writes_reference(self) -> bool:
        """Whether raters write what they would answer before they see an answer."""
        return any(one.kind == "reference" for one in self.questions)

    @property
    def shows_reference(self) -> bool:
        """Whether raters see what is expected of an answer."""
        return not any(one.judge is not None and one.judge.reference == "none" for one in self.questions)

    @property
    def rubric(self) -> str:
        """The version as it is kept with every label.

        Examples:
            >>> form_of([]).rubric.split()[0], len(form_of([]).rubric.split()[1])
            ('v1', 8)
        """
        return f"v{self.version} {self.hash[:8]}"

    def question(self, name: str) -> Question | None:
        """Return a question by its name; None when there is none."""
        return next((one for one in self.questions if one.name == name), None)


def form_of(
    judges: Sequence[Judge],
    *,
    codes: Sequence[tuple[str, str]] | None = None,
    reference: bool = False,
    version: int = 1,
) -> Form:
    """Return the form that rubrics describe.

    Args:
        judges: the rubrics, as judges read them; pass or fail when there is none and no codes are asked for.
        codes: kinds of failure to begin with; None when failures are not coded.
        reference: whether raters write a reference before they see an answer.
        version: which form of a project it is.

    Raises:
        UsageError: questions of one name, pairs beside single answers, or a rubric whose questions only a model finds.

    Examples:
        >>> [one.kind for one in form_of([], reference=True).questions]
        ['reference', 'choice']
    """
    judges = list(judges) or ([] if codes is not None else [PASS_FAIL])
    questions = [
        *(
            [Question(name="reference", kind="reference", asks="What would a right answer be?")]
            if reference
            else []
        ),
        *(_question(judge) for judge in judges),
        *([Question(name="failures", kind="codes", asks="What went wrong?")] if codes is not None else []),
    ]
    names = [one.name for one in questions]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two questions are called {twice!r}. Give the rubrics different names")
    kinds = {one.kind for one in questions if one.kind != "reference"}
    if "pair" in kinds and kinds != {"pair"}:
        raise UsageError(
            "pairs and single answers are two projects: name either a pairwise rubric or the others"
        )
    form = Form(questions=tuple(questions), kinds=tuple(codes or ()), version=version)
    told = msgspec.json.encode(
        [[one.name, one.kind, one.asks, one.judge and one.judge.hash] for one in questions]
    )
    return msgspec.structs.replace(form, hash=hashlib.sha256(told).hexdigest()[:16])


def _question(judge: Judge) -> Question:
    if judge.each == "claims":
        raise UsageError(
            f"the rubric {judge.name!r} asks of each claim of an answer, which a model finds: give people a checklist "
            "of points, or of a field of the items"
        )
    kinds: dict[str, Kind] = {"labels": "choice", "pairwise": "pair", "checklist": "checklist"}
    kind = kinds.get(judge.form, "scale")
    if judge.scale is not None and (
        judge.scale.continuous or judge.scale.high - judge.scale.low >= MOST_LISTED
    ):
        kind = "number"
    asks = readable(judge.asks)
    return Question(name=judge.name, kind=kind, asks=judge.asks_of_each or asks or judge.says, judge=judge)


def readable(template: str) -> str:
    r"""Return what a judge's template asks, without the places where texts are filled in.

    Examples:
        >>> readable("A question and an answer.\n\n{{ input }}\n\n{{ answer }}\n\nIs {{ answer }} right?")
        'A question and an answer.\n\nIs [answer] right?'
    """
    lines = [line for line in template.splitlines() if not _WHOLE_LINE.fullmatch(line) or not line.strip()]
    text = _PLACE.sub(lambda found: f"[{found[1]}]" if found[1] else "", "\n".join(lines))
    unwrapped = re.sub(
        r"(?<=\S)[ \t]*\n(?=[^\s\-*\d#|>])", " ", text
    )  # lines of a paragraph, and not of a list
    return re.sub(r"\n{3,}", "\n\n", unwrapped).strip()


def options_of(question: Question) -> tuple[tuple[str, str], ...]:
    """Return what may be chosen, each with what it means."""
    judge = question.judge
    if judge is None or question.kind in {"checklist", "number"}:
        return ()
    if question.kind == "pair":
        return tuple((name, "") for name in PAIRS)
    return judge.labels if judge.scale is None else _levels(judge.scale)


def _levels(scale: Scale) -> tuple[tuple[str, str], ...]:
    says = dict(scale.levels)
    return tuple((str(n), says.get(n, "")) for n in range(int(scale.low), int(scale.high) + 1))


def read_value(question: Question, said: Any, *, points: int) -> Value:
    """Return what a rater said, checked against the question.

    Args:
        question: what was asked.
        said: as it came: JSON of a page, or a cell of a sheet.
        points: questions of the checklist of this answer.

    Raises:
        InputError: it is no answer to the question.
    """
    if question.kind in {"choice", "scale", "pair"}:
        known = [name for name, _ in options_of(question)]
        text = _whole(said) if question.kind == "scale" else said
        if text not in known:
            raise _refused(question, said, f"one of {', '.join(known)}")
        return float(text) if question.kind == "scale" else str(text)
    if question.kind == "number":
        return _number(question, said)
    if question.kind == "checklist":
        if (
            not isinstance(said, list | tuple)
            or len(said) != points
            or not all(one in (True, False) for one in said)
        ):
            raise _refused(question, said, f"yes or no to each of {points} points")
        return tuple(bool(one) for one in said)
    if question.kind == "codes":
        return _codes(question, said)
    if not isinstance(said, str) or not said.strip() or len(said) > MOST_TEXT:
        raise _refused(question, said, f"a text of 1 to {MOST_TEXT:,} characters")
    return inert_lines(said.strip())


def _whole(said: Any) -> Any:
    return str(int(said)) if isinstance(said, float) and said.is_integer() else str(said).strip()


def _number(question: Question, said: Any) -> float:
    scale = question.judge.scale if question.judge is not None else None
    try:
        value = float(said)
    except (TypeError, ValueError):
        value = float("nan")
    low, high = (scale.low, scale.high) if scale is not None else (0.0, 1.0)
    whole = scale is not None and not scale.continuous
    if isinstance(said, bool) or not low <= value <= high or (whole and not value.is_integer()):
        raise _refused(question, said, f"a {'whole ' if whole else ''}number from {low:g} to {high:g}")
    return value


def _codes(question: Question, said: Any) -> tuple[str, ...]:
    if (
        not isinstance(said, list | tuple)
        or len(said) > MOST_CODES
        or not all(isinstance(one, str) for one in said)
    ):
        raise _refused(question, said, f"at most {MOST_CODES} kinds of failure")
    names = tuple(dict.fromkeys(name for one in said if (name := " ".join(inert_lines(one).split()))))
    long = next((name for name in names if len(name) > LONGEST_CODE or set(name) & set(",;|")), None)
    if long is not None:
        raise _refused(question, long, f"a name of at most {LONGEST_CODE} letters without commas")
    return names


def _refused(question: Question, said: Any, wanted: str) -> InputError:
    shown = repr(said)
    return InputError(
        f"{shown if len(shown) <= 80 else f'{shown[:79]}…'} is no answer to {question.name!r}",
        field=question.name,
        remedy=f"Say {wanted}",
    )


def label_of(question: Question, value: Value) -> str | None:
    """Return a rater's answer as the label that is held against a judge's: what the judge's own metric would say.

    A rubric with a threshold, or with labels of which some pass, gives pass or fail, unless its labels say as much
    themselves. None where what was said is no label.

    Examples:
        >>> question = form_of([]).questions[0]
        >>> label_of(question, "fail")
        'fail'
    """
    judge = question.judge
    if judge is None or question.kind == "pair":
        return None
    value_of = worth(judge, value)  # pyright: ignore[reportArgumentType] - codes and references have no judge
    if value_of is None:
        return None
    if judge.labels:
        words = tuple(label for label, _ in judge.labels)
        return str(value) if _says_it_itself(words, judge.passes) else "pass" if value_of else "fail"
    if judge.pass_from is not None:
        return "pass" if value_of >= judge.pass_from else "fail"
    return f"{value_of:.6g}"


@cache
def _says_it_itself(words: tuple[str, ...], passes: tuple[str, ...]) -> bool:
    """Tell whether labels are read as yes and no, the passing ones as yes."""
    if not holds_values(words):
        return False
    read = values(words, place=str, file="", column="label")[0]
    return all(one == float(word in passes) for word, one in zip(words, read, strict=True))


def grade_of(question: Question, value: Value) -> str | None:
    """Return what was said before any threshold, where that is more than the label; else None."""
    judge = question.judge
    if judge is None or question.kind == "pair":
        return None
    said = written(value) if question.kind != "checklist" else f"{worth(judge, value) or 0.0:.6g}"  # pyright: ignore[reportArgumentType] - as above
    return None if said == label_of(question, value) else said
