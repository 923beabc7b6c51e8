"""Values that nobody here computed; a case tells its ``source`` and ``source_kind``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent

ASKED: set[str] = set()
"""Ids of the cases that tests have asked for; ``tests/workshop/test_oracles_complete.py`` reads it."""


def cases(topic: str, *ids: str) -> list[Any]:
    """Return the cases of a topic as pytest parameters: those whose id contains one of ``ids``, or all."""
    found = [
        pytest.param(case, id=case["id"])
        for case in json.loads((FOLDER / f"{topic}.json").read_text(encoding="utf-8"))
        if not ids or any(part in case["id"] for part in ids)
    ]
    if not found:
        raise LookupError(f"no oracle case of {topic} matches {ids}")
    ASKED.update(parameter.values[0]["id"] for parameter in found)
    return found


def case(topic: str, case_id: str) -> dict[str, Any]:
    """Return one case by its exact id."""
    found = next(
        c for c in json.loads((FOLDER / f"{topic}.json").read_text(encoding="utf-8")) if c["id"] == case_id
    )
    ASKED.add(case_id)
    return found
