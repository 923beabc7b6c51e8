"""The faces of the package hold what ``docs/names.md`` lists, and nothing else."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import aliquot.stats
from tests.workshop.sources import ROOT

HEADING = re.compile(r"^## `(?P<module>aliquot[.a-z_]*)`$(?P<body>.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"^\| `(?P<name>\w+)` \|", re.MULTILINE)


def test_no_name_of_the_face_is_also_a_module():
    """Importing a module binds it to its package and would hide the function of that name."""
    modules = {found.name for found in pkgutil.iter_modules(aliquot.stats.__path__)}
    assert modules & set(aliquot.stats.__all__) == set()


def documented(module: str) -> set[str]:
    page = (ROOT / "docs" / "names.md").read_text(encoding="utf-8")
    bodies = {found["module"]: found["body"] for found in HEADING.finditer(page)}
    return {found["name"] for found in ENTRY.finditer(bodies[module])}


@pytest.mark.parametrize("module", ["aliquot", "aliquot.stats"])
def test_the_face_and_the_page_name_the_same(module: str):
    face = importlib.import_module(module)
    assert set(face.__all__) == documented(module)
    assert sorted(face.__all__) == list(face.__all__)


@pytest.mark.parametrize("module", ["aliquot", "aliquot.stats"])
def test_every_name_of_the_face_exists_and_has_a_docstring(module: str):
    face = importlib.import_module(module)
    assert [name for name in face.__all__ if not (getattr(face, name).__doc__ or "").strip()] == []
