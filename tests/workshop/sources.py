"""The project's own source, parsed, for the tests that read it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "aliquot"


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its path below ``src/aliquot``."""
    return {
        path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def dotted(node: ast.AST) -> str:
    """The dotted name an expression spells, or an empty text."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


@cache
def names_used(tree: ast.AST) -> tuple[tuple[str, int], ...]:
    """Every dotted name read in a tree with its line, and what ``from module import name`` brings."""
    return tuple(_names_used(tree))


def _names_used(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
            if name := dotted(node):
                yield name, node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node.lineno
