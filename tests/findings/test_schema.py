"""The published schemas are those of today's fields, take every real document, and refuse what is none."""

from __future__ import annotations

import copy
import json
import runpy
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

import aliquot
from aliquot.errors import UsageError
from aliquot.findings.document import finding_document
from aliquot.findings.schema import finding_kinds, finding_schema
from aliquot.stats.results import Undefined
from tests.evidence_of import evidence_of
from tests.reports.every_kind import HOSTILE, KINDS, every_kind
from tests.workshop.sources import ROOT

FOLDER = ROOT / "docs" / "schemas"


def document(kind: str, name: str = "main") -> dict[str, Any]:
    text = json.dumps(finding_document(every_kind(name)[kind]), allow_nan=False)
    return json.loads(text)


def closed(schema: Any) -> Any:
    """The same schema with nothing allowed beside the named fields: it sees a field that the schema has forgotten."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: closed(part) for name, part in schema.items()}
    return parts | ({"additionalProperties": False} if isinstance(schema.get("required"), list) else {})


def problems(kind: str, value: Any, *, strict: bool = False) -> list[str]:
    schema = finding_schema(kind)
    found = jsonschema.Draft202012Validator(closed(schema) if strict else schema).iter_errors(value)
    return [error.json_path for error in found]


def test_the_files_are_those_of_today():
    made = runpy.run_path(str(ROOT / "docs" / "make_schemas.py"))["schemas"]()
    files = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*")}
    assert files == made, "run: make schemas"


def test_there_is_a_schema_and_a_real_finding_of_every_kind():
    assert set(finding_kinds()) == set(KINDS) == set(every_kind())
    for kind in KINDS:
        jsonschema.Draft202012Validator.check_schema(aliquot.finding_schema(kind))


@pytest.mark.parametrize("name", ["main", HOSTILE])
@pytest.mark.parametrize("kind", KINDS)
def test_a_real_document_has_every_field_of_its_schema_and_no_other(kind: str, name: str):
    assert problems(kind, document(kind, name), strict=True) == []


def test_findings_without_a_number_keep_to_it_as_well():
    nothing = evidence_of({"main": [None] * 5, "pr": [1.0] * 5})
    alike = evidence_of({"main": [0.5, 2.5, 1.5], "pr": [0.5, 2.5, 1.5]})
    few = aliquot.verify(figures=["50"], n=4)
    for found in (
        aliquot.compare(nothing, noise=None), aliquot.compare(alike, noise=None), aliquot.summarize(nothing),
        aliquot.summarize(alike), aliquot.table(alike), aliquot.plan(detect="5pt", psi=0.2), few,
        aliquot.compare(counts=["12/20", "17/20"], noise=None), aliquot.explain("tango"),
    ):  # fmt: skip
        shaped = json.loads(json.dumps(finding_document(found), allow_nan=False))
        assert problems(found.kind, shaped, strict=True) == [], found.kind


@pytest.mark.parametrize("kind", KINDS)
def test_a_document_without_any_one_field_is_refused(kind: str):
    whole = document(kind)
    for name in whole:
        assert problems(kind, {key: value for key, value in whole.items() if key != name}), name


@pytest.mark.parametrize("kind", KINDS)
def test_a_document_of_another_kind_or_with_another_verdict_is_refused(kind: str):
    whole = document(kind)
    other = KINDS[KINDS.index(kind) - 1]
    assert "$.schema" in problems(kind, whole | {"schema": f"aliquot.{other}/1"})
    assert problems(other, whole)
    assert "$.verdict.word" in problems(kind, whole | {"verdict": whole["verdict"] | {"word": "great"}})
    assert "$.verdict" in problems(kind, whole | {"verdict": "BETTER"})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("difference", "point"), "0.1"),
        (("difference", "point"), None),
        (("difference", "level"), 95),
        (("difference",), {"reason": "nothing"}),
        (("difference",), None),
        (("estimates", "baseline", "answered"), "all"),
        (("estimates", "baseline", "method"), None),
        (("tests", 0, "p"), 0),
        (("tests", 0, "p"), 1.5),
        (("tests", 0, "decides"), "yes"),
        (("tests", 0, "alternative"), "both"),
        (("n_items",), 2.5),
        (("table",), []),
        (("broke",), [1]),
        (("attempts", "candidate"), None),
        (("scale", "better"), "more"),
        (("warnings",), [{"code": "x"}]),
    ],
)
def test_a_wrong_value_is_refused_where_it_stands(path: tuple[str | int, ...], value: Any):
    wrong = copy.deepcopy(document("comparison"))
    place: Any = wrong
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    assert problems("comparison", document("comparison")) == []
    assert problems("comparison", wrong)


def test_an_undefined_value_and_an_unbounded_side_are_no_error_and_a_later_field_neither():
    whole = document("comparison")
    reason = {"undefined": "one cluster"}
    assert problems("comparison", whole | {"difference": reason, "of_version_two": 1}) == []
    assert problems("comparison", whole | {"difference": whole["difference"] | {"high": reason}}) == []
    found: Any = every_kind()["comparison"]
    bare = replace(
        found, difference=Undefined("x"), baseline=replace(found.baseline, estimate=Undefined("y"))
    )
    assert problems("comparison", finding_document(bare), strict=True) == []


def test_an_unknown_kind_names_the_nearest():
    with pytest.raises(UsageError, match="Did you mean 'comparison'"):
        finding_schema("comparisn")
