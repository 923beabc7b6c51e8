"""The verdict in the reply of a judge, read from its place or not at all.

Its place is the field ``verdict`` of a JSON object that opens or closes the reply, or the last line: ``VERDICT: ...``,
or the verdict alone. What a reply says elsewhere, an answer that it repeats included, is no verdict. Two verdicts that
are not the same are none; so is one off the scale, inside other words, or that is not there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import islice
from typing import Any, Final, NoReturn, TypeAlias, cast

from aliquot.errors import excerpt
from aliquot.scorers.judges import PAIR_VERDICTS, Judge, Scale
from aliquot.scorers.lookalikes import exact_number, skeleton, undressed, visible

Verdict: TypeAlias = str | float | tuple[bool, ...]
"""A label, a number, or yes and no for each question of a checklist."""

MOST: Final = 1_000_000
"""Letters of a reply that is read."""

MOST_REASONING: Final = 4_000
"""Letters that are kept of an evaluation."""

_MOST_OBJECTS: Final = 50
_MOST_POINTS: Final = 1_000
_MOST_WORDS: Final = 400
"""Letters of one verdict."""

_FIELDS: Final = frozenset({"verdict", "final verdict", "score", "rating", "label", "winner"})
_EVALUATION: Final = frozenset({"reasoning", "evaluation", "explanation"})
_EDGES: Final = "`~ \t\n"
_THINKING: Final = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_FRAME: Final = re.compile(r"<(/?)([a-z][a-z0-9_]{0,40}-[0-9a-f]{8,64})>")
_FENCED: Final = re.compile(r"\A\s*(```|~~~)[A-Za-z]*[ \t]*\n((?:(?!\1).)*?)\n?[ \t]*\1\s*\Z", re.DOTALL)
_OPENS: Final = re.compile(
    r"(?:^[ \t]*(?:```(?:json)?[ \t]*)?|\}[ \t,;]*)(?=\{)", re.MULTILINE | re.IGNORECASE
)
_MARK: Final = re.compile(
    r"(?:(?:my|the|final|overall) ){0,3}(verdict|score|rating|label|result|judge?ment|winner)"
)
_MARKED: Final = re.compile(r"[\s#•-]*([^:：=\n{]{1,60}?)\s*(?:[:：=]|\bis\b)(.*)")
_TAGGED: Final = re.compile(r"<(verdict|result|score|rating|label)>\s*([^<>]{0,200})</\1>", re.IGNORECASE)
_LEVEL: Final = re.compile(r"(\S{1,40}?)\s*[-–—:(]\s*(\D.*)")
_SHARE: Final = re.compile(r"(\S{1,40}?)\s*(?:/|out of)\s*(\S{1,40})", re.IGNORECASE)
_POINT: Final = re.compile(r"([0-9]{1,4})\s*[:.)=]?\s*(yes|no)")


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read out of a reply.

    Attributes:
        verdict: the verdict; None when there is none that can be read.
        problem: why there is none, in a few words.
        reasoning: the evaluation beside it.
    """

    verdict: Verdict | None = None
    problem: str | None = None
    reasoning: str = ""


class _UnreadableError(Exception):
    """What stands in the place of a verdict is none that the judge may give."""


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as its names and values, repeated ones too."""


@dataclass(frozen=True, slots=True)
class _Object:
    """A JSON object that begins a line.

    Attributes:
        pairs: its names and values.
        placed: whether it opens or closes the reply.
    """

    pairs: _Pairs
    placed: bool

    def named(self, names: Container[str]) -> list[Any]:
        """Return the values under some names."""
        return [value for name, value in self.pairs if skeleton(name) in names]


def read_verdict(judge: Judge, reply: str, *, points: int | None = None) -> Reading:
    r"""Return the verdict of a reply.

    Args:
        judge: says which verdicts there are.
        reply: what the model wrote, whatever that is.
        points: questions of the checklist; None when the judge itself says how many.

    Examples:
        >>> judge = Judge(name="right", asks="", labels=(("correct", ""), ("incorrect", "")), passes=("correct",))
        >>> read_verdict(judge, "The date is wrong.\nVERDICT: incorrect").verdict
        'incorrect'
        >>> read_verdict(judge, "not correct").problem
        "'not correct' is no verdict"
    """
    if len(reply) > MOST:
        return Reading(problem=f"the reply is longer than {MOST:,} letters")
    body = _unframed(_spoken(reply))
    fenced = _FENCED.match(body)
    body = (fenced[2] if fenced else body).strip()
    if not body:
        return Reading(problem="the reply is empty")
    objects, rest = _objects(body)
    lines = _lines(rest)
    told = [one for one in objects if one.named(_FIELDS)]
    placed = any(one.placed for one in told)
    reasoning = _reasoning(objects) if placed else "\n".join(lines[:-1]).strip()[-MOST_REASONING:]
    try:
        found = [value for one in told for value in _of_object(judge, one, points, strict=placed)]
        found += _of_lines(judge, lines, points, strict=not placed)
    except _UnreadableError as error:
        return Reading(problem=str(error), reasoning=reasoning)
    if not found:
        return Reading(problem="there is no verdict in its place", reasoning=reasoning)
    if any(one != found[0] for one in found):
        return Reading(problem="there are two verdicts", reasoning=reasoning)
    return Reading(found[0], reasoning=reasoning)


def _spoken(reply: str) -> str:
    """Return what is said after thinking, whose opening tag servers may leave out; nothing when it never ends."""
    text = reply.replace("\r\n", "\n").replace("\r", "\n")
    tags = list(islice(_THINKING.finditer(text), 2))
    if not tags or (not tags[0][1] and text[: tags[0].start()].strip()):
        return text  # tags further on are part of what is said
    ends = next((tag.end() for tag in tags if tag[1]), None)
    return "" if ends is None else text[ends:]


def _unframed(text: str) -> str:
    """Return a reply without what it repeats of the question in its frames."""
    kept, opened, end = list[str](), dict[str, int](), 0
    for tag in _FRAME.finditer(text):
        start = opened.setdefault(tag[2], tag.start()) if not tag[1] else opened.pop(tag[2], None)
        if tag[1] and start is not None and start >= end:
            kept.append(text[end:start])
            end = tag.end()
    return "[...]".join([*kept, text[end:]])


def _objects(body: str) -> tuple[list[_Object], str]:
    """Return the objects that begin a line or follow one that does, none inside another, and the reply without them."""
    found, rest, end = list[_Object](), list[str](), 0
    for opening in islice(_OPENS.finditer(body), _MOST_OBJECTS):
        start = opening.end()
        follows = opening[0].startswith("}")
        if start < end or (follows and (not found or opening.start() >= end)):
            continue
        try:
            value, after = _DECODER.raw_decode(body, start)
        except (ValueError, RecursionError):
            continue
        opens = body[:start].strip(_EDGES).casefold() in {"", "json"}
        found.append(_Object(cast("_Pairs", value), opens or not body[after:].strip(_EDGES)))
        rest.append(body[end:start])
        end = after
    return found, "\n".join([*rest, body[end:]])


def _lines(rest: str) -> list[str]:
    """Return the lines that are not blank; of a code block, which quotes something, only that it is there."""
    lines, quoting = list[str](), False
    for line in _TAGGED.sub(r"\1: \2", visible(rest)).split("\n"):
        fence = line.lstrip().startswith(("```", "~~~"))
        if line.strip():
            lines.append("```" if fence or quoting else line)
        quoting ^= fence
    return lines


def _of_object(judge: Judge, told: _Object, points: int | None, *, strict: bool) -> Iterator[Verdict]:
    """Yield the verdicts of an object; where none opens or closes the reply, only such as contradict its last line."""
    claims = next((one for one in told.named({"claims"}) if isinstance(one, list)), None)
    for value in told.named(_FIELDS):
        try:
            yield _value(judge, value, points if claims is None else len(cast("list[Any]", claims)))
        except _UnreadableError:
            if strict:
                raise


def _of_lines(judge: Judge, lines: Sequence[str], points: int | None, *, strict: bool) -> Iterator[Verdict]:
    """Yield the verdict of the last line, and those before it in the same form, or marked, that may contradict it."""
    bare = bool(lines) and not _marked(lines[-1])[0]
    for at, line in enumerate(lines):
        last, (mark, said) = at == len(lines) - 1, _marked(line)
        if not (last or mark == "verdict" or (bare and not mark)):
            continue
        try:
            yield _said(judge, said, points)
        except _UnreadableError:
            if last and strict:
                raise


def _marked(line: str) -> tuple[str, str]:
    """Return what a line calls itself (verdict, score ...), and the rest of it; "" and all of it when nothing."""
    parts = _MARKED.fullmatch(line)
    mark = None if parts is None else _MARK.fullmatch(skeleton(parts[1]))
    return ("", line) if parts is None or mark is None else (mark[1], parts[2])


def _reasoning(objects: Sequence[_Object]) -> str:
    texts = [one for told in objects for one in told.named(_EVALUATION) if isinstance(one, str)]
    return "\n".join(texts)[:MOST_REASONING]


def _value(judge: Judge, value: Any, points: int | None) -> Verdict:
    """Return the verdict that a value of JSON is."""
    if judge.form == "checklist":
        return _answers(value, points)
    if judge.scale is None:
        if isinstance(value, str):
            return _word(judge, value)
    elif isinstance(value, Decimal):
        return _on_scale(judge.scale, value, value)
    elif isinstance(value, str) and judge.accept:
        number = exact_number(value.strip())
        if number is not None and "text" in judge.accept:
            return _on_scale(judge.scale, number, value)
        return _share(judge, value)
    raise _UnreadableError(f"{_shown(value)} is no verdict")


def _said(judge: Judge, said: str, points: int | None) -> Verdict:
    """Return the verdict that a text is."""
    if judge.form == "checklist" and len(said) <= 20 * _MOST_POINTS:
        parts = [_POINT.fullmatch(skeleton(one)) for one in re.split("[,;]", undressed(said))]
        if not all(parts) and skeleton(said) in {"yes", "no"}:
            return _answers([said], points)
        pairs = [(one[1], one[2]) for one in parts if one is not None]
        if len(pairs) < len(parts):
            raise _UnreadableError(f"{_shown(said.strip())} is no verdict")
        return _answers(_Pairs(pairs), points)
    if judge.scale is None:
        return _word(judge, said)
    seen = undressed(said)
    if len(seen) > _MOST_WORDS:
        raise _UnreadableError(f"{_shown(said.strip())} is no verdict")
    number = exact_number(seen)
    if number is not None:
        return _on_scale(judge.scale, number, said)
    level = _LEVEL.fullmatch(seen)
    number = None if level is None else exact_number(level[1])
    if level is not None and number is not None:
        says = next((says for value, says in judge.scale.levels if value == number), "")
        if says and skeleton(says) == skeleton(level[2]):
            return float(number)
    return _share(judge, seen)


def _word(judge: Judge, said: str) -> str:
    """Return the label that a text is: as it stands, and no part of it."""
    if len(said) <= _MOST_WORDS:
        seen = skeleton(said)
        for word in judge.words:
            if skeleton(word) == seen:
                return PAIR_VERDICTS[judge.words.index(word)] if judge.pairwise else word
    raise _UnreadableError(f"{_shown(said.strip())} is no verdict")


def _share(judge: Judge, said: str) -> float:
    """Return a number that is told with the highest there is, ``4/5``, where that may be."""
    share = _SHARE.fullmatch(said.strip()) if "fraction" in judge.accept else None
    number, whole = (None, None) if share is None else (exact_number(share[1]), exact_number(share[2]))
    if judge.scale is None or number is None or whole is None or whole != Decimal(str(judge.scale.high)):
        raise _UnreadableError(f"{_shown(said.strip())} is no verdict")
    return _on_scale(judge.scale, number, said)


def _on_scale(scale: Scale, number: Decimal, told: object) -> float:
    """Return a number of the scale; one beside it is never moved onto it."""
    inside = number.is_finite() and Decimal(str(scale.low)) <= number <= Decimal(str(scale.high))
    if not inside or not (scale.continuous or number == number.to_integral_value()):
        raise _UnreadableError(f"{_shown(told)} is off the scale from {scale.low:g} to {scale.high:g}")
    return float(number)


def _answers(value: Any, points: int | None) -> tuple[bool, ...]:
    """Return yes and no for each question of a checklist, from a list of them or an object by number."""
    if isinstance(value, _Pairs):
        told = dict(value)
        wanted = [str(at + 1) for at in range(len(value))]
        if sorted(told) != sorted(wanted):
            raise _UnreadableError("the verdicts are not one for each question")
        given = [told[name] for name in wanted]
    elif isinstance(value, list):
        given = cast("list[Any]", value)
    else:
        raise _UnreadableError(f"{_shown(value)} is no verdict")
    if len(given) > _MOST_POINTS or (points is not None and len(given) != points):
        raise _UnreadableError(f"there are {len(given)} verdicts on {points or _MOST_POINTS} questions")
    return tuple(map(_yes, given))


def _yes(value: Any) -> bool:
    word = skeleton(value) if isinstance(value, str) and len(value) <= _MOST_WORDS else value
    if isinstance(word, bool) or word in {"yes", "no"}:
        return word is True or word == "yes"
    raise _UnreadableError(f"{_shown(value)} is neither yes nor no")


def _shown(value: object) -> str:
    return excerpt(str(value) if isinstance(value, Decimal) else value, limit=60)


def _number(digits: str) -> Decimal:
    """Return a number of JSON exactly; one of more digits than any scale has is off every scale."""
    try:
        return Decimal(digits) if len(digits) <= 40 else Decimal("Infinity")
    except InvalidOperation:  # an exponent beyond those of decimal arithmetic
        return Decimal("Infinity")


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_Pairs,
    parse_int=_number,
    parse_float=_number,
    parse_constant=_refuse,
    strict=False,  # small models write their evaluation with line breaks as they are, and nothing else is meant
)
