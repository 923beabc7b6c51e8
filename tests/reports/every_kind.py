"""A real finding of every kind, for the forms that are made of all of them by one mechanism."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from aliquot import (
    agree,
    calibrate,
    explain,
    failures,
    gate,
    labels_from,
    monitor,
    noise,
    plan,
    probe_judge,
    rescore,
    summarize,
    table,
    trend,
    variants,
    verify,
)
from aliquot.evidence.assembly import assemble
from aliquot.evidence.labels import Labels
from aliquot.evidence.tables import OUTCOMES, Evidence
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
        agree(rated(name)),
        calibrate(judged_evidence(name), labels=[rated(name)]),
        probe_judge(voted_evidence(name), judge=f"{name} judge", against=f"{name} other"),
        gate(pilot, no_worse_than="5pt", noise=None),
        watched(name),
        trend(
            *(
                evidence_of({name: [float(i % 10 < passed) for i in range(20)]})
                for passed in (8, 8, 8, 8, 5, 5, 5, 5)
            )
        ),
    )
    return {one.kind: one for one in found}


def watched(name: str) -> Finding:
    """Return what a monitor says of 90 rows, quality and inputs of which change after 50."""
    rows = [
        {"passed": int(i % 9 > 0 if i < 50 else i % 2), "kind": f"{name} {'a' if i % 3 or i >= 50 else 'b'}",
         "said": "" if i % 4 else "up"}
        for i in range(90)
    ]  # fmt: skip
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        log.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        found = monitor(
            log, by=["kind"], feedback="said", baseline=40, run_length=20, state=Path(folder) / "state.json"
        )
    return replace(found, source=name, command="")


def rated(name: str) -> Labels:
    """Return what two raters said of 60 answers, on some of which they differ."""
    rows = [
        {"item": f"{name}-{i}", "system": f"{name}x" if i % 2 else name, "rater": f"{name}-{who}",
         "label": "pass" if (i * 7 + who * (i % 9 == 0)) % 5 > 1 else "fail", "cluster": f"{name}-doc-{i // 3}"}
        for i in range(60)
        for who in (1, 2)
    ]  # fmt: skip
    return labels_from(pl.DataFrame(rows))


def judged_evidence(name: str) -> Evidence:
    """Return a judge's verdicts on 120 answers of two systems, with the answers."""
    keys = [(system, f"{name}-{i}") for i in range(60) for system in (name, f"{name}x")]
    rows = [
        {"system": system, "item": item, "metric": f"{name} judge", "scorer": name, "by": "judge",
         "value": float((place // 2 * 7) % 5 > 1 or place % 11 == 0)}
        for place, (system, item) in enumerate(keys)
    ]  # fmt: skip
    said = {
        (system, "task", item, 1): f"{name} " * (1 + place % 7) for place, (system, item) in enumerate(keys)
    }
    return assemble(pl.DataFrame(rows), texts=HeldTexts(responses=said))


def voted_evidence(name: str) -> Evidence:
    """Return two judges' votes on 40 pairs in both orders, and a person's; the first judge leans to the first slot."""
    told = {"task": "task", "system_a": name, "system_b": f"{name}x", "status": "ok"}
    votes = [
        {**told, "item": f"{name}-{i}", "rater": f"{name} {who}", "by": "judge", "repeat": repeat,
         "shown_first": first, "verdict": first if who == "judge" and i % 3 == 0 else "ab"[i % 2]}
        for i in range(40)
        for who in ("judge", "other")
        for repeat, first in ((1, "a"), (2, "b"))
    ]  # fmt: skip
    votes += [
        {
            **told,
            "item": f"{name}-{i}",
            "rater": name,
            "by": "person",
            "repeat": 1,
            "verdict": "ab"[i % 5 > 1],
        }
        for i in range(40)
    ]
    return assemble(pl.DataFrame(schema=dict(OUTCOMES)), votes=pl.DataFrame(votes, infer_schema_length=None))


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
    "agreement",
    "calibration",
    "probe",
    "gate",
    "monitor",
    "trend",
)
