"""What the pages claim about the project stands in the project."""

from __future__ import annotations

import re
import tomllib

from tests.workshop.sources import ROOT

DOCS = ROOT / "docs"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def first_cells(page: str) -> list[str]:
    return re.findall(r"^\| `?([\w.-]+)`? \|", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)


def test_each_dependency_has_its_reason():
    names = [re.split(r"[^\w.-]", requirement)[0] for requirement in PROJECT["dependencies"]]
    extras = list(PROJECT["optional-dependencies"])
    assert [
        name for name in first_cells("dependencies.md") if name not in {"package", "extra"}
    ] == names + extras


def test_each_decision_is_listed_and_its_guard_exists():
    listed = set(
        re.findall(
            r"^\d{4}-[\w-]+$", (DOCS / "decisions" / "index.md").read_text(encoding="utf-8"), re.MULTILINE
        )
    )
    notes = {path.stem: path.read_text(encoding="utf-8") for path in (DOCS / "decisions").glob("[0-9]*.md")}
    assert listed == set(notes)
    guards = {name: re.findall(r"`(tests/[^`]+)`", text) for name, text in notes.items()}
    assert [name for name, paths in guards.items() if not paths] == []
    assert [path for paths in guards.values() for path in paths if not (ROOT / path).exists()] == []


def test_each_method_page_is_listed():
    listed = (DOCS / "methods" / "index.md").read_text(encoding="utf-8")
    assert [
        path.stem
        for path in (DOCS / "methods").glob("*.md")
        if path.stem != "index" and path.stem not in listed
    ] == []


def test_each_command_of_the_makefile_says_what_it_does():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert named is not None
    assert re.findall(r"^([a-z-]+):.*## \w", makefile, re.MULTILINE) == named[1].split()
