"""Values that nobody here computed; a case tells its ``source`` and ``source_kind``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent


def cases(topic: str, *ids: str) -> list[Any]:
    """Return the cases of a topic as pytest parameters: those whose id contains one of ``ids``, or all."""
    found = [
        pytest.param(case, id=case["id"])
        for case in json.loads((FOLDER / f"{topic}.json").read_text(encoding="utf-8"))
        if not ids or any(part in case["id"] for part in ids)
    ]
    if not found:
        raise LookupError(f"no oracle case of {topic} matches {ids}")
    return found


def case(topic: str, case_id: str) -> dict[str, Any]:
    """Return one case by its exact id."""
    return next(p.values[0] for p in cases(topic, case_id) if p.values[0]["id"] == case_id)
