"""Small logs in the shapes lm-evaluation-harness has written over its versions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from aliquot.readers.lm_eval_records import hash_doc

STAMP = "2026-01-02T03-04-05.000006"


def line(
    number: int, *, doc: Mapping[str, Any] | None = None, filter_name: str | None = "none", **values: Any
) -> dict[str, Any]:
    """Return a record as 0.4.13 writes it; ``values`` are its metrics, or replace a member."""
    doc = {"id": f"q{number}", "question": f"{number}+1?"} if doc is None else dict(doc)
    record: dict[str, Any] = {
        "doc_id": number,
        "doc": doc,
        "target": str(number + 1),
        "arguments": {"gen_args_0": {"arg_0": f"Question: {number}+1?\nAnswer:", "arg_1": {"until": ["\n"]}}},
        "resps": [[f"It is {number + 1}"]],
        "filtered_resps": [str(number + 1)],
        "filter": filter_name,
        "metrics": [
            name
            for name in values
            if name not in {"resps", "filtered_resps", "arguments", "scores_per_repeat"}
        ],
        "doc_hash": hash_doc(doc),
        "prompt_hash": "p",
        "target_hash": "t",
    } | values
    return {name: value for name, value in record.items() if name != "filter" or value is not None}


def write_samples(
    folder: Path, records: Sequence[Mapping[str, Any]], *, task: str = "demo", stamp: str = STAMP
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"samples_{task}_{stamp}.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))
    return path


def write_results(
    folder: Path,
    results: Mapping[str, Mapping[str, Any]],
    *,
    stamp: str = STAMP,
    configs: Mapping[str, Any] | None = None,
    **more: Any,
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"results_{stamp}.json"
    given = {task: {"task": task, "num_fewshot": 0} for task in results} if configs is None else configs
    document = {
        "results": results,
        "configs": given,
        "versions": dict.fromkeys(results, 1.0),
        "n-shot": dict.fromkeys(results, 0),
        "config": {"model": "hf", "model_args": "pretrained=org/m,dtype=float16", "limit": None},
        "lm_eval_version": "0.4.13",
        "model_name": "org/m",
    } | more
    path.write_text(json.dumps(document))
    return path
