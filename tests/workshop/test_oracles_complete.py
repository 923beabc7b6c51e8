"""Every outside number of the topics this version covers is held against the code by some test."""

from __future__ import annotations

import ast
import importlib
import json

from tests import oracles
from tests.workshop.sources import ROOT

TOPICS = ("01_binomial", "02_paired_binary", "03_unpaired", "05_clustered_se", "06_bootstrap", "12_passk")

NOT_YET = {
    "03_unpaired-fisherpow-30-.8-1": "power of Fisher's test comes with the planning of studies",
    "03_unpaired-fisherpow-20-.5-.9": "as above",
    "03_unpaired-fisherpow-30-8-10-printed": "as above",
}


def ids(topic: str) -> set[str]:
    return {case["id"] for case in json.loads((oracles.FOLDER / f"{topic}.json").read_text(encoding="utf-8"))}


def asked() -> set[str]:
    """Ids that a test module asks for when it is imported, and ids it spells out anywhere in its text."""
    known = set().union(*map(ids, TOPICS))
    spelled: set[str] = set()
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if path.parent.name == "workshop" or "tests.oracles" not in text:
            continue
        importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        spelled |= {
            node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)
        } & known
    return oracles.ASKED | spelled


def test_every_case_is_used():
    missing = {topic: sorted(ids(topic) - asked() - set(NOT_YET)) for topic in TOPICS}
    assert {topic: cases for topic, cases in missing.items() if cases} == {}


def test_what_is_put_off_exists_and_is_not_used():
    assert set(NOT_YET) <= set().union(*map(ids, TOPICS))
    assert set(NOT_YET) & asked() == set()
