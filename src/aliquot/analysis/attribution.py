"""Which stage of a pipeline a failing answer is put down to, by what is on record: the first that went wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from aliquot.evidence.stages import GOLDEN, documents_of, golden_ids, layer_of
from aliquot.evidence.tables import Evidence


def attribute(
    evidence: Evidence, system: str, task: str, failing: Mapping[tuple[str, int], str],
    *, golden: Mapping[str, frozenset[str]],
) -> dict[tuple[str, int], str]:  # fmt: skip
    """Return the layer that each failing answer is put down to.

    The first of these that holds: the stage that the answer itself names, or the first whose status is not ``ok``;
    ``retrieval`` when what was retrieved lacks what answers the item, ``context`` when only what was kept of it does;
    ``tools`` when a tool failed; ``parsing`` when the scorer could read nothing; else ``generation``.

    Args:
        evidence: the tables.
        system: the system.
        task: the task.
        failing: item and attempt of the failing answers, with the status of the outcome.
        golden: ids of what answers each item, where they are known.
    """
    rows = evidence.rows("responses", system=system, task=task)
    answers = {(row["item"], row["attempt"]): row for row in rows.iter_rows(named=True)}
    stages: dict[tuple[str, int], list[Mapping[str, Any]]] = {}
    for row in evidence.stages.filter(system=system, task=task).sort("place").iter_rows(named=True):
        stages.setdefault((row["item"], row["attempt"]), []).append(row)
    return {
        key: _layer(
            answers.get(key, {}), stages.get(key, ()), unread=status == "unparsed", golden=golden.get(key[0])
        )
        for key, status in failing.items()
    }


def _layer(
    answer: Mapping[str, Any],
    stages: Sequence[Mapping[str, Any]],
    *,
    unread: bool,
    golden: frozenset[str] | None,
) -> str:
    if answer.get("stage"):
        return layer_of(answer["stage"])
    broken = next((one["stage"] for one in stages if one["status"] not in {None, "ok"}), None)
    if broken is not None:
        return layer_of(broken)
    values = [(layer_of(one["stage"]), _values(one["values"])) for one in stages]
    wanted = golden or frozenset[str]().union(*(golden_ids(one.get(GOLDEN)) for _, one in values))
    for layer in ("retrieval", "context"):
        found = [
            documents
            for name, one in values
            if name == layer and (documents := documents_of(one)) is not None
        ]
        if wanted and found and not wanted <= frozenset(found[-1]):
            return layer
    if answer.get("tool_errors"):
        return "tools"
    return "parsing" if unread else "generation"


def _values(text: str | None) -> Mapping[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}
