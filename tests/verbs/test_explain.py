"""Methods in plain words, and a paragraph about a saved comparison that is no stronger than it."""

from __future__ import annotations

import json

import pytest

from aliquot import compare, explain
from aliquot.errors import AliquotError, UsageError
from aliquot.reports.render import render
from aliquot.stats.listing import methods
from aliquot.stats.method_names import MADE_BY, function_of
from tests.evidence_of import evidence_of, pass_fail


@pytest.mark.parametrize("name", [method.name for method in methods()])
def test_every_listed_method_is_explained_with_its_source(name):
    note = explain(name).methods[0]
    assert note.says
    assert note.references or note.source


def test_every_name_a_number_may_carry_leads_to_a_listed_method():
    known = {method.name for method in methods()}
    assert {function for _, function in MADE_BY} <= known


@pytest.mark.parametrize(
    "evidence",
    [
        evidence_of(pass_fail(40, 4, 12, 24)),
        evidence_of(pass_fail(40, 4, 12, 24), clusters=[f"c{i // 4}" for i in range(80)]),
        evidence_of(
            {"main": [[1, 0], [1, 1], [0, 0], [1, 0]] * 5, "pr": [[1, 1], [1, 1], [0, 1], [1, 0]] * 5}
        ),
        evidence_of({"main": [0.1, 0.5, 0.25] * 10, "pr": [0.2, 0.5, 0.75] * 10}),
    ],
    ids=["plain", "clusters", "repeats", "graded"],
)
def test_a_saved_comparison_gives_a_paragraph_that_cites_its_own_methods(evidence, tmp_path):
    found = compare(evidence, noise=None)
    path = tmp_path / "finding.json"
    path.write_text(render(found, form="json"), encoding="utf-8")
    told = explain(path)
    assert found.deciding is not None
    assert found.deciding.name.replace("_", " ") in told.paragraph
    assert function_of(found.deciding.name) in {note.function for note in told.methods}
    assert function_of(found.difference.method) in {note.function for note in told.methods}
    assert "better" not in told.paragraph
    assert found.estimand in told.limitations
    assert told.paragraph in " ".join(render(told).split())


def test_an_unknown_method_names_the_nearest():
    with pytest.raises(UsageError, match="Did you mean 'mcnemar'"):
        explain("mcnemr")


@pytest.mark.parametrize(
    "document",
    [{}, {"schema": "aliquot.summary/1"}, {"schema": "aliquot.comparison/1"},
     {"schema": "aliquot.comparison/1", "systems": 3, "difference": []}],
)  # fmt: skip
def test_another_file_is_one_clear_error(document, tmp_path):
    path = tmp_path / "finding.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(AliquotError):
        explain(path)
