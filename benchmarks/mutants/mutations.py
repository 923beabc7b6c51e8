"""Which faults a module can carry: a comparison, operator, sign, constant, condition or call changed."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
}
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault: the span of bytes of a module that it replaces."""

    module: str
    kind: str
    line: int
    before: str
    after: str
    start: int
    end: int

    @property
    def name(self) -> str:
        return f"{self.module}:{self.line} {self.before} -> {self.after}"

    def apply(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutants_of(path: Path) -> list[Mutant]:
    """Every mutant of a module, in the order of its text."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: list[Mutant] = []
    for node in executed(ast.parse(source)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        before = source[start:end].decode()
        for kind, after in changes(node):
            found.append(Mutant(path.stem, kind, node.lineno, " ".join(before.split()), after, start, end))
    return sorted(found, key=lambda mutant: (mutant.start, mutant.end, mutant.after))


def executed(node: ast.AST) -> Iterator[ast.expr]:
    """Expressions that decide a result: no annotation, message, decorator, alias or literal type."""
    if isinstance(node, ast.expr):
        yield node
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not is_wording(child):
                yield from executed(child)


def is_wording(node: ast.AST) -> bool:
    """Whether a node only names or tells: raised messages, reasons, f-strings, type aliases, imports."""
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.annotation) == "TypeAlias"
    return isinstance(node, ast.Call) and ast.unparse(node.func) in {"Undefined", "isinstance", "TypeVar"}


def changes(node: ast.expr) -> Iterator[tuple[str, str]]:
    """The texts that may stand in place of an expression, each with the kind of fault."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        changed = copy.deepcopy(node)
        changed.ops[0] = COMPARISONS[type(node.ops[0])]()
        yield "comparison", f"({ast.unparse(changed)})"
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield "arithmetic", f"({ast.unparse(ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right))})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        yield "sign", f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "boolean", f"({ast.unparse(ast.BoolOp(other, node.values))})"
    elif isinstance(node, ast.IfExp):
        yield "condition", f"({ast.unparse(ast.IfExp(node.test, node.orelse, node.body))})"
    elif isinstance(node, ast.Constant):
        yield from constants(node.value)
    elif isinstance(node, ast.Call):
        yield from calls(node)


def constants(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, bool):
        yield "constant", str(not value)
    elif isinstance(value, int):
        yield "constant", str(value + 1)
    elif isinstance(value, float):
        yield "constant", repr(value / 2 if value else 1.0)


def calls(node: ast.Call) -> Iterator[tuple[str, str]]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in CALLS:
        changed = copy.deepcopy(node)
        if isinstance(changed.func, ast.Attribute):
            changed.func.attr = CALLS[name]
        else:
            changed.func = ast.Name(CALLS[name], ast.Load())
        yield "call", ast.unparse(changed)
