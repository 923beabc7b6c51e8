"""Small promptfoo logs, in the shapes that 0.43.1 (version 2) and 0.121.20 (version 3) wrote when they were run."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

CONTAINS = {"type": "contains", "value": "{{expected}}", "metric": "right", "weight": 2}
SHORT = {"type": "javascript", "value": "output.length < 5", "metric": "short"}


def component(score: float, assertion: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    return {"pass": score >= 0.5, "score": score, "reason": "so", "assertion": assertion, **more}


def row(
    test: int,
    column: int = 0,
    *,
    value: int = 1,
    success: bool = True,
    score: float = 1.0,
    parts: list[dict[str, Any]] | None = None,
    test_case: dict[str, Any] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return a graded row of version 3 that asks about ``value``."""
    asked = {"a": value, "expected": str(value)}
    case = {"vars": asked, "assert": [CONTAINS, SHORT], "metadata": {}, "options": {}} | (test_case or {})
    made = [component(1.0, CONTAINS), component(1.0, SHORT)] if parts is None else parts
    return {
        "testIdx": test,
        "promptIdx": column,
        "promptId": "p" * 64,
        "provider": {"id": f"prov-{column}", "label": f"model-{'ab'[column]}"},
        "prompt": {"raw": f"What is {value}?", "label": "What is {{a}}?"},
        "vars": asked,
        "testCase": case,
        "response": {"output": str(value), "tokenUsage": {"total": 25, "prompt": 20, "completion": 5}},
        "success": success,
        "score": score,
        "namedScores": {"right": 1, "short": 1},
        "gradingResult": {
            "pass": success,
            "score": score,
            "componentResults": made,
            "namedScoreWeights": {"right": 2},
        },
        "latencyMs": 250,
        "cost": 0.5,
        "failureReason": 0 if success else 1,
        **more,
    }


def error_row(test: int, column: int = 0, **more: Any) -> dict[str, Any]:
    """Return a row of version 3 whose provider failed."""
    lost = {"gradingResult": None, "namedScores": {}, "latencyMs": 0, "cost": 0, "failureReason": 2}
    lost |= {"error": "down\n  at callApi", "response": {"error": "down"}}
    return row(test, column, success=False, score=0.0) | lost | more


def export(rows: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Return an export of version 3."""
    return {
        "evalId": "eval-abc-2026-01-01T00:00:00",
        "results": {"version": 3, "prompts": [], "results": rows, "stats": {}},
        "config": {},
        "shareableUrl": None,
        "metadata": {"promptfooVersion": "0.121.20"},
        "runtimeOptions": {"repeat": 1},
        **more,
    }


def write(folder: Path, document: Any, name: str = "log.json") -> Path:
    path = folder / name
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    return path


def version_2() -> dict[str, Any]:
    """Return an export of version 2: two tests run twice, errors without a verdict, named scores as sums."""
    twice = [
        {"type": "contains", "value": "3", "metric": "right"},
        {"type": "regex", "value": "^3$", "metric": "right"},
    ]
    tests = [
        {"description": "one", "vars": {"a": 3}, "assert": twice, "metadata": {"cluster": "c0"}},
        {"description": "two", "vars": {"a": 4}, "assert": [{"type": "equals", "value": "4"}]},
    ]
    head = {
        "raw": "{{a}}?",
        "display": "{{a}}?",
        "id": "f" * 64,
        "provider": "arith",
        "metrics": {"score": 2.0},
    }
    good = {
        "pass": True, "score": 1, "namedScores": {"right": 2}, "reason": "All assertions passed",
        "componentResults": [component(1.0, one) for one in twice],
    }  # fmt: skip
    answered = {"pass": True, "score": 1, "namedScores": {"right": 2}, "text": "3", "prompt": "3?", "provider": "arith",
                "latencyMs": 8, "tokenUsage": {"total": 9, "prompt": 7, "completion": 2}, "gradingResult": good,
                "cost": 0.001}  # fmt: skip
    lost = {"pass": False, "score": 0, "namedScores": {}, "text": "Error: exploded\n---\n", "prompt": "4?",
            "provider": "arith", "latencyMs": 0, "cost": 0}  # fmt: skip
    lines = (
        (answered, tests[0], "3"),
        (answered, tests[0], "3"),
        (lost, tests[1], "4"),
        (lost, tests[1], "4"),
    )
    body = [{"outputs": [cell], "test": test, "vars": [shown]} for cell, test, shown in lines]
    asked = {"provider": {"id": "arith"}}
    results = [
        asked | {"prompt": {"raw": "4?", "display": "{{a}}?"}, "vars": {"a": 4}, "error": "Error: exploded",
                 "success": False, "score": 0, "namedScores": {}, "latencyMs": 0},
        asked | {"prompt": {"raw": "3?", "display": "{{a}}?"}, "vars": {"a": 3}, "success": True, "score": 1,
                 "namedScores": {"right": 2}, "latencyMs": 8, "gradingResult": good,
                 "response": {"output": "3", "cached": True, "tokenUsage": {"cached": 9, "total": 9}}},
    ]  # fmt: skip
    table = {"head": {"prompts": [head], "vars": ["a"]}, "body": body}
    stats = {"successes": 2, "failures": 2}
    return {
        "results": {"version": 2, "results": results, "stats": stats, "table": table},
        "config": {"tests": tests, "scenarios": []},
        "shareableUrl": None,
    }


def database(path: Path, evaluations: dict[str, list[dict[str, Any]]]) -> Path:
    """Write a database as promptfoo 0.121.20 lays it out, with its write-ahead log left beside it."""
    fields = {"test_idx": "testIdx", "prompt_idx": "promptIdx", "prompt_id": "promptId", "test_case": "testCase",
              "prompt": "prompt", "provider": "provider", "latency_ms": "latencyMs", "cost": "cost",
              "response": "response", "error": "error", "success": "success", "score": "score",
              "grading_result": "gradingResult", "named_scores": "namedScores",
              "failure_reason": "failureReason"}  # fmt: skip
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE evals (id, created_at, results, config, prompts, runtime_options)")
    connection.execute(f"CREATE TABLE eval_results (id INTEGER PRIMARY KEY, eval_id, {', '.join(fields)})")
    connection.execute(
        "CREATE INDEX reason ON eval_results (json_extract(grading_result, '$.reason'))"  # as promptfoo has it
    )
    for age, (name, rows) in enumerate(evaluations.items()):
        connection.execute(
            "INSERT INTO evals VALUES (?, ?, '{\"durationMs\": 1}', '{}', '[]', '{\"repeat\": 1}')",
            (name, age),
        )
        for one in rows:
            cells = [
                json.dumps(v) if isinstance(v := one.get(key), dict | list) else v for key in fields.values()
            ]
            marks = ", ".join("?" * (len(fields) + 1))
            connection.execute(
                f"INSERT INTO eval_results (eval_id, {', '.join(fields)}) VALUES ({marks})", (name, *cells)
            )
    connection.commit()
    connection.close()
    return path
