"""Evidence as Every Eval Ever: for each system an aggregate and, beside it, its samples, a line an outcome."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.contents import metrics, systems, tasks
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.files.table_writing import SAMPLES
from aliquot.files.writing import write_whole
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.results import Undefined

SCHEMA: Final = "0.2.2"
NOT_TOLD: Final = "unknown"


def write_every_eval_ever(path: Path, evidence: Evidence, *, now: datetime) -> tuple[int, int]:
    """Write evidence to ``<name>_samples.jsonl`` and ``<name>.json``; of several systems, each under its own number.

    The schema requires a score of every sample. A row without a value is written as 0 with an ``error`` that begins
    with its status, which reading takes as no value. Metrics whose values are labels are left out.

    Args:
        path: the name of the samples; ends in ``_samples.jsonl``.
        evidence: what to write.
        now: the time of writing, which the schema asks for.

    Returns:
        How many samples were written, and how many aggregates.

    Raises:
        InputError: nothing was scored.
        MachineError: the machine refuses.
    """
    names = [
        name
        for name in systems(evidence)
        if evidence.names("outcomes").filter(pl.col("system") == name).height
    ]
    if not names:
        raise InputError("holds no score to write", file=str(path))
    stem = path.name.removesuffix(SAMPLES)
    written = 0
    for number, system in enumerate(names, start=1):
        own = stem if len(names) == 1 else f"{stem}-{number}"
        stamp = f"{now.timestamp():.6f}"
        identity = f"{tasks(evidence, system=system)[0]}/{system}/{stamp}"
        lines = _lines(evidence, system, identity)
        data = b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)
        place = path.with_name(f"{own}{SAMPLES}")
        write_whole(place, data)
        aggregate = _aggregate(evidence, system, identity, stamp)
        aggregate["detailed_evaluation_results"] = {
            "format": "jsonl", "file_path": place.name, "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(data).hexdigest(), "total_rows": len(lines),
        }  # fmt: skip
        write_whole(
            path.with_name(f"{own}.json"), json.dumps(aggregate, ensure_ascii=False, indent=2).encode()
        )
        written += len(lines)
    return written, len(names)


def _written(evidence: Evidence) -> list[str]:
    """Return the metrics with numbers."""
    kinds = evidence.metrics.filter(pl.col("kind") != "category")
    return kinds["metric"].to_list()


def _lines(evidence: Evidence, system: str, identity: str) -> list[dict[str, Any]]:
    """Return a line an outcome, in the order of the attempts."""
    outcomes = evidence.rows("outcomes", system=system).filter(pl.col("metric").is_in(_written(evidence)))
    key = ["task", "item", "attempt"]
    responses = (
        evidence.rows("responses", system=system).drop("system", "content").rename({"status": "state"})
    )
    rows = outcomes.join(responses, on=key, how="left").join(
        evidence.items.drop("content"), on=key[:2], how="left"
    )
    ordered = rows.sort("task", "item", "metric", "scorer", "repeat", "attempt", maintain_order=True)
    return [_line(evidence, row, identity) for row in ordered.iter_rows(named=True)]


def _line(evidence: Evidence, row: Mapping[str, Any], identity: str) -> dict[str, Any]:
    texts, key = evidence.texts, (row["task"], row["item"])
    asked = (texts.inputs(*key) if texts else None) or ""
    reference = texts.reference(*key) if texts else None
    answer = texts.response(row["system"], *key, row["attempt"]) if texts else None
    told = {"raw": asked, "reference": [] if reference is None else [reference]}
    value = row["value"]
    line: dict[str, Any] = {
        "schema_version": SCHEMA, "evaluation_id": identity, "model_id": row["system"],
        "evaluation_name": row["task"], "evaluation_result_id": _result_id(row["task"], row["metric"]),
        "sample_id": row["item"], "interaction_type": "single_turn", "input": told,
        "output": {"raw": [] if answer is None else [answer]}, "answer_attribution": [],
        "evaluation": {"score": 0.0 if value is None else value, "is_correct": value == 1.0},
    }  # fmt: skip
    if asked:
        canonical = json.dumps(told, sort_keys=True, separators=(",", ":"))
        line["sample_hash"] = hashlib.sha256(canonical.encode()).hexdigest()
    if value is None:
        status = row["state"] if row["state"] not in (None, "ok") else row["status"]
        line["error"] = f"{status}: {row['reason'] or 'no value'}"
    return line | _facts(row)


def _facts(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return tokens, times, and what is known of the item; the schema takes tokens only when all are known."""
    facts: dict[str, Any] = {}
    if row["tokens_in"] is not None and row["tokens_out"] is not None:
        total = row["tokens_in"] + row["tokens_out"]
        facts["token_usage"] = {
            "input_tokens": row["tokens_in"], "output_tokens": row["tokens_out"], "total_tokens": total,
        }  # fmt: skip
    if row["latency_s"] is not None:
        facts["performance"] = {"latency_ms": 1000 * row["latency_s"]}
    fields = [name for name in row if name in {"cluster", "stratum"} or name.startswith("segment.")]
    if known := {name: row[name] for name in fields if row[name] is not None}:
        facts["metadata"] = known
    return facts


def _result_id(task: str, metric: str) -> str:
    return f"{task}/{metric}"


def _aggregate(evidence: Evidence, system: str, identity: str, stamp: str) -> dict[str, Any]:
    told = dict(evidence.settings.filter(pl.col("system") == system).select("name", "value").iter_rows())
    library, _, version = (told.get("harness") or "aliquot").partition(" ")
    numbers = set(_written(evidence))
    return {
        "schema_version": SCHEMA,
        "evaluation_id": identity,
        "retrieved_timestamp": stamp,
        "source_metadata": {
            "source_name": evidence.sources[0].format if evidence.sources else NOT_TOLD,
            "source_type": "evaluation_run",
            "source_organization_name": NOT_TOLD,
            "evaluator_relationship": "other",
        },
        "model_info": {"name": told.get("model") or system, "id": system},
        "eval_library": {"name": library, "version": version or NOT_TOLD},
        "evaluation_results": [
            _result(evidence, system, task, metric)
            for task in tasks(evidence, system=system)
            for metric in metrics(evidence, task, system=system)
            if metric in numbers
        ],
    }


def _result(evidence: Evidence, system: str, task: str, metric: str) -> dict[str, Any]:
    """Return one result with its standard error: of clusters where the items have them."""
    rows = evidence.names("outcomes").filter(
        pl.col("task") == task, pl.col("metric") == metric, pl.col("system") == system
    )
    scorer = str(rows["scorer"][0])
    frame = units(evidence, system, task=task, metric=metric, scorer=scorer).frame.drop_nulls("mean")
    (row,) = evidence.metrics.filter(pl.col("metric") == metric).rows(named=True)
    values = frame["mean"]
    config: dict[str, Any] = {
        "metric_name": metric,
        "lower_is_better": row["better"] == "lower",
        "score_type": "binary" if row["kind"] == "binary" else "continuous",
    }
    low, high = (
        row[end] if row[end] is not None else found
        for end, found in (("low", values.min()), ("high", values.max()))
    )
    config |= {"min_score": low if low is not None else 0.0, "max_score": high if high is not None else 0.0}
    if row["judge"]:
        judge = {"model_info": {"name": row["judge"], "id": row["judge"]}}
        config["llm_scoring"] = {"judges": [judge], "input_prompt": NOT_TOLD}
    details: dict[str, Any] = {"score": math.fsum(values) / values.len() if values.len() else 0.0}
    details["uncertainty"] = {"num_samples": values.len()} | _standard_error(frame)
    return {
        "evaluation_name": task,
        "evaluation_result_id": _result_id(task, metric),
        "source_data": {"source_type": "other", "dataset_name": task},
        "metric_config": config,
        "score_details": details,
    }


def _standard_error(frame: pl.DataFrame) -> dict[str, Any]:
    clusters = frame["cluster"] if frame["cluster"].count() else frame["item"]
    codes = clusters.rank("dense").cast(pl.Int64).to_numpy()
    found = (
        cluster_variance(frame["mean"].to_numpy(), clusters=codes) if frame.height else Undefined("no value")
    )
    if isinstance(found, Undefined):
        return {}
    return {"standard_error": {"value": math.sqrt(found.variance), "method": "analytic"}}
