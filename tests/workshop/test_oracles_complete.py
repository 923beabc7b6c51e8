"""Every outside number of the topics this version covers is held against the code by some test."""

from __future__ import annotations

import ast
import importlib
import json
import re
from collections.abc import Iterator
from functools import cache

from _pytest.mark import ParameterSet

from tests import oracles
from tests.workshop.sources import ROOT

TOPICS = (
    "01_binomial",
    "02_paired_binary",
    "03_unpaired",
    "04_power",
    "05_clustered_se",
    "06_bootstrap",
    "08_agreement",
    "09_diagnostic",
    "12_passk",
    "13_sequential",
    "15_text_metrics",
    "seeds",
    "seeds_more",
)

NOT_YET: dict[str, str] = {}

WORKED = ROOT / "docs" / "worked_examples.md"


def ids(topic: str) -> set[str]:
    return {case["id"] for case in json.loads((oracles.FOLDER / f"{topic}.json").read_text(encoding="utf-8"))}


@cache
def used() -> frozenset[str]:
    """Ids of the cases that some test takes as a parameter, or spells out in its text."""
    known = set().union(*map(ids, TOPICS))
    found: set[str] = set()
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if path.parent.name == "workshop" or "tests.oracles" not in text:
            continue
        module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        found |= {case for test in vars(module).values() for case in parameters(test)}
        found |= {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)} & known
    return frozenset(found & known)


def parameters(test: object) -> Iterator[str]:
    """Ids of the cases among the parameters of a test function."""
    for mark in getattr(test, "pytestmark", []):
        if mark.name == "parametrize":
            for given in mark.args[1]:
                yield from (
                    value["id"]
                    for value in (given.values if isinstance(given, ParameterSet) else ())
                    if isinstance(value, dict) and "id" in value
                )


def test_every_case_is_used():
    missing = {topic: sorted(ids(topic) - used() - set(NOT_YET)) for topic in TOPICS}
    assert {topic: cases for topic, cases in missing.items() if cases} == {}


def test_what_is_put_off_is_not_used():
    assert set(NOT_YET) <= set().union(*map(ids, TOPICS))
    assert set(NOT_YET) & used() == set()


def test_every_printed_example_stands_on_its_page():
    named = set(re.findall(r"`([\w.-]+)`", WORKED.read_text(encoding="utf-8")))
    seeds = ids("seeds") | ids("seeds_more")
    assert seeds - named - set(NOT_YET) == set()
    assert {name for name in named if name.startswith(("s-", "p-"))} <= seeds
