"""A real finding of every kind, for the forms that are made of all of them by one mechanism."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from aliquot import explain, noise, plan, summarize, table, verify
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
    )
    return {one.kind: one for one in found}


KINDS = ("comparison", "summary", "table", "noise", "plan", "verification", "explanation")
