"""Expressions over metrics, parsed and never evaluated as code: ``all(g1, g2)``, ``score >= 0.5``, ``(a + b) / 2``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from aliquot.errors import UsageError

MAX_LENGTH: Final = 1000
"""Characters an expression may have."""

MAX_NESTING: Final = 20
"""Levels of brackets and signs."""

TRUTH_FUNCTIONS: Final = ("all", "any", "not")
NUMBER_FUNCTIONS: Final = ("min", "max", "mean")
COMPARISONS: Final = ("<=", ">=", "==", "!=", "<", ">")

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?|\.\d+)
    |(?P<name>[^\W\d][\w.]*)|"(?P<quoted>[^"]+)"|(?P<mark><=|>=|==|!=|[-+*/(),<>]))""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Number:
    """A constant."""

    value: float


@dataclass(frozen=True, slots=True)
class Metric:
    """The value of a metric."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function, an operator or a comparison of one or more parts; ``-`` of one part is its negative."""

    function: str
    parts: tuple[Expression, ...]


Expression: TypeAlias = Number | Metric | Call
_Kind: TypeAlias = Literal["number", "name", "quoted", "mark", "end"]


def parse_expression(text: str) -> Expression:
    """Return an expression over metrics.

    A metric is named as it is, or in double quotes when its name holds other characters than letters, digits, ``_``
    and dots. Functions: all, any, not (of what is true or false), min, max, mean. Operators: ``+ - * /`` and one
    comparison.

    Raises:
        UsageError: it is none, or is too long or nested too deeply.

    Examples:
        >>> parse_expression('all(g1, "exact match")')
        Call(function='all', parts=(Metric(name='g1'), Metric(name='exact match')))
    """
    if len(text) > MAX_LENGTH:
        raise UsageError(f"an expression has at most {MAX_LENGTH} characters; this one has {len(text)}.")
    parser = _Parser(text, list(_tokens(text)))
    found = parser.comparison(0)
    if parser.peek()[0] != "end":
        raise parser.refusal()
    return found


def metrics_in(expression: Expression) -> tuple[str, ...]:
    """Return the metrics an expression names, each once, in order."""
    if isinstance(expression, Metric):
        return (expression.name,)
    parts = expression.parts if isinstance(expression, Call) else ()
    return tuple(dict.fromkeys(name for part in parts for name in metrics_in(part)))


def _tokens(text: str) -> Iterator[tuple[_Kind, str, int]]:
    position = 0
    end = len(text.rstrip())
    while position < end:
        found = _TOKEN.match(text, position)
        if found is None:
            raise UsageError(
                f"{text!r}: {text[position:].strip()[:20]!r} cannot be read (character {position + 1})."
            )
        for kind in ("number", "name", "quoted", "mark"):
            if (token := found[kind]) is not None:
                yield kind, token, found.start(kind)
        position = found.end()
    yield "end", "", end


@dataclass(slots=True)
class _Parser:
    """Recursive descent; the depth is handed down and bounded."""

    text: str
    tokens: Sequence[tuple[_Kind, str, int]]
    position: int = 0

    def peek(self) -> tuple[_Kind, str, int]:
        return self.tokens[self.position]

    def take(self, *marks: str) -> str | None:
        """Return the next token and step over it when it is one of these marks."""
        kind, token, _ = self.peek()
        if kind != "mark" or token not in marks:
            return None
        self.position += 1
        return token

    def refusal(self) -> UsageError:
        kind, token, place = self.peek()
        what = "it ends too early" if kind == "end" else f"{token!r} is not expected (character {place + 1})"
        return UsageError(f"{self.text!r}: {what}. Write for example all(g1, g2) or score >= 0.5.")

    def comparison(self, depth: int) -> Expression:
        if depth > MAX_NESTING:
            raise UsageError(f"an expression is nested at most {MAX_NESTING} levels deep.")
        left = self.chain(depth, ("+", "-"))
        if mark := self.take(*COMPARISONS):
            return Call(mark, (left, self.chain(depth, ("+", "-"))))
        return left

    def chain(self, depth: int, marks: tuple[str, ...]) -> Expression:
        """Return a sum of products, or a product of signed parts."""
        found = self.chain(depth, ("*", "/")) if "+" in marks else self.signed(depth)
        while mark := self.take(*marks):
            right = self.chain(depth, ("*", "/")) if "+" in marks else self.signed(depth)
            found = Call(mark, (found, right))
        return found

    def signed(self, depth: int) -> Expression:
        if self.take("-"):
            if depth > MAX_NESTING:
                raise UsageError(f"an expression is nested at most {MAX_NESTING} levels deep.")
            return Call("-", (self.signed(depth + 1),))
        return self.atom(depth)

    def atom(self, depth: int) -> Expression:
        kind, token, _ = self.peek()
        if self.take("("):
            return self.closed(self.comparison(depth + 1))
        if kind not in {"number", "name", "quoted"}:
            raise self.refusal()
        self.position += 1
        if kind == "number":
            return Number(float(token))
        if kind == "name" and token in {*TRUTH_FUNCTIONS, *NUMBER_FUNCTIONS} and self.take("("):
            return self.call(token, depth)
        return Metric(token)

    def call(self, function: str, depth: int) -> Expression:
        parts = [self.comparison(depth + 1)]
        while self.take(","):
            parts.append(self.comparison(depth + 1))
        if function == "not" and len(parts) > 1:
            raise UsageError(f"{self.text!r}: not() takes one part.")
        return self.closed(Call(function, tuple(parts)))

    def closed(self, inside: Expression) -> Expression:
        if not self.take(")"):
            raise self.refusal()
        return inside
