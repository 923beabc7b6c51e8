"""A comparison with everything there is to print, for the line budget and the blocks behind ``-v``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl

from aliquot import compare
from aliquot.evidence.assembly import assemble
from aliquot.evidence.tables import Evidence
from aliquot.findings.comparison import Comparison
from aliquot.findings.noise import RememberedNoise
from aliquot.findings.plan_check import PlanCheck, PlanLine

ITEMS, ATTEMPTS = 48, 6


def crowded_evidence(*, baseline: str = "main", candidate: str = "pr", topic: str = "topic") -> Evidence:
    """Return evidence with attempts, clusters, segments, three metrics, costs, failures, settings and printed rates."""
    outcomes: list[dict[str, Any]] = []
    responses: list[dict[str, Any]] = []
    for side, system in enumerate((baseline, candidate)):
        for i in range(ITEMS):
            for k in range(1, ATTEMPTS + 1):
                failed = side and i == 7 and k < 3
                key = {"system": system, "item": f"q-{i:02d}", "attempt": k}
                right = (
                    float(i == 0)
                    if side == 0 and i < 3
                    else float((i * 7 + k * 3 + side * 5) % 11 > 3 - side)
                )
                if i in (0, 1):  # one item broken and one fixed at every attempt
                    right = float(side == i)
                for metric, value in (
                    ("success", right),
                    ("success,loose", 1.0 - right),
                    ("score", right / 2),
                ):
                    outcomes.append({**key, "metric": metric, "value": None if failed else value})
                status = "error" if failed else "refused" if i == 9 and side else "ok"
                spent = {
                    "latency_s": 1.0 + 0.1 * i + side,
                    "cost": 0.01 + 0.001 * side * i,
                    "currency": "USD",
                }
                responses.append({**key, "status": status, **spent, "tokens_out": 40 + i * (1 + side)})
    items = pl.DataFrame(
        {
            "item": [f"q-{i:02d}" for i in range(ITEMS)],
            "cluster": [f"doc-{i // 3:02d}" for i in range(ITEMS)],
            f"segment.{topic}": [("sums", "dates", "names")[i % 3] for i in range(ITEMS)],
        }
    )
    settings = [
        {
            "system": system,
            "name": name,
            "value": f"{value}-{system}" if name in {"model", "prompt"} else value,
        }
        for system in (baseline, candidate)
        for name, value in {
            "model": "m" * 50,
            "prompt": "p" * 50,
            "scorer": "exact",
            "harness": "tool 1.2",
        }.items()
    ]
    reported = [
        {
            "system": system,
            "task": "task",
            "metric": "success",
            "statistic": "mean",
            "value": 0.5 + 0.1 * side,
        }
        for side, system in enumerate((baseline, candidate))
    ]
    return assemble(
        pl.DataFrame(outcomes, schema_overrides={"value": pl.Float64}),
        items=items,
        responses=pl.DataFrame(responses),
        settings=pl.DataFrame(settings),
        reported=pl.DataFrame(reported),
    )


def crowded(**names: str) -> Comparison:
    """Return the comparison of that evidence, with noise that is remembered and a plan beside it."""
    evidence = crowded_evidence(**names)
    systems = (names.get("baseline", "main"), names.get("candidate", "pr"))
    found = compare(evidence, systems=systems, metric="success", margin="2pt", noise=None)
    return replace(
        found,
        noise=RememberedNoise(0.031, 14, 240, "2026-02-03T10:00:00+00:00", {"q-01": (3, 4)}),
        plan=PlanCheck(
            "plan.json",
            "2026-02-01T10:00:00+00:00",
            (PlanLine("items", "100", "48", False), PlanLine("margin", "0.02", "0.02", True)),
        ),
    )
