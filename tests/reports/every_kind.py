"""A real finding of every kind, for the forms that are made of all of them by one mechanism."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from aliquot import explain, failures, noise, plan, rescore, summarize, table, variants, verify
from aliquot.evidence.assembly import assemble
from aliquot.evidence.tables import Evidence
from aliquot.evidence.texts import HeldTexts
from aliquot.findings.document import finding_document
from aliquot.findings.finding import Finding
from tests.evidence_of import evidence_of
from tests.reports.crowded import crowded

HOSTILE = (
    '<script>alert(1)</script><img src=x>]]>&amp;\x1b[31m\u202e\ufffe`|*@team,"=cmd\\input{x};=1+1\r\n# no'
)
FORMULA = "=cmd|' /c calc'!A1"


@cache
def every_kind(name: str = "main") -> dict[str, Finding]:
    """Return a finding of each kind by its kind; systems, documents and a figure of it carry the name."""
    values = {f"{name}{tail}": [[float((i * 5 + k * 3 + place) % 7 > 2) for k in range(3)] for i in range(40)]
              for place, tail in enumerate(("", "x", "y"))}  # fmt: skip
    evidence = evidence_of(values, clusters=[f"{name}-doc-{i // 4}" for i in range(40)])
    pilot = evidence_of(dict(list(values.items())[:2]))
    comparison = crowded(baseline=name, candidate=f"{name}x")
    with TemporaryDirectory() as folder:
        saved = Path(folder) / "finding.json"
        saved.write_text(json.dumps(finding_document(comparison)), encoding="utf-8")
        explanation = explain(saved)
    found = (
        comparison,
        summarize(evidence, at_least="40%"),
        table(evidence),
        noise(evidence, system=name, memory=None),
        plan(pilot, systems=list(values)[:2], detect="8pt", margin="5pt", half_width="4pt"),
        verify(figures=["22.4", "27.2", "52.0"], n=124),
        explanation,
        rescore(answered_evidence(name), scorer="exact"),
        variants(evidence),
        failures(pilot),
    )
    return {one.kind: one for one in found}


def answered_evidence(name: str) -> Evidence:
    """Return a system's answers to 30 items with what they should be; a fifth says more than the reference."""
    rows = [{"system": name, "item": f"{name}-{i}", "value": float(i % 3 > 0)} for i in range(30)]
    said = {(name, "task", f"{name}-{i}", 1): f"It is a{i}." if i % 5 == 0 else f"a{i}" if i % 3 else "no"
            for i in range(30)}  # fmt: skip
    items = {("task", f"{name}-{i}"): (f"q{i}", f"a{i}") for i in range(30)}
    return assemble(pl.DataFrame(rows), texts=HeldTexts(items=items, responses=said))


KINDS = (
    "comparison",
    "summary",
    "table",
    "noise",
    "plan",
    "verification",
    "explanation",
    "rescoring",
    "variants",
    "failures",
)
