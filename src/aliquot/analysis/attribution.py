"""Which stage of a pipeline a failing answer is put down to, by what is on record: the first that went wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from aliquot.evidence.tables import Evidence

LAYERS: Final[Mapping[str, tuple[str, ...]]] = {
    "retrieval": ("retriev", "search", "rerank", "index", "recall"),
    "context": ("context", "assembl", "compress", "prompt"),
    "tools": ("tool", "function", "action"),
    "generation": ("generat", "answer", "model", "llm", "completion"),
    "parsing": ("pars", "extract", "format", "valid"),
}
"""The layers of a pipeline in the order in which they come, and parts of the names that its stages go by."""

DOCUMENTS: Final = ("documents", "ids", "passages", "retrieved")
"""Values of a stage that list what it found or kept."""

GOLDEN: Final = "golden"
"""The field of an item, or value of a stage, that lists the ids of what answers it."""


def layer_of(stage: str) -> str:
    """Return the layer a stage belongs to; a name that is none of theirs is its own.

    Examples:
        >>> layer_of("Reranker"), layer_of("generation"), layer_of("billing")
        ('retrieval', 'generation', 'billing')
    """
    name = stage.casefold()
    return next((layer for layer, parts in LAYERS.items() if any(part in name for part in parts)), stage)


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
    wanted = golden or frozenset(_ids(value for _, one in values for value in _listed(one.get(GOLDEN))))
    for layer in ("retrieval", "context"):
        found = [
            documents for name, one in values if name == layer and (documents := _documents(one)) is not None
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


def _documents(values: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the ids a stage lists; None when it lists none of the kind."""
    name = next((name for name in DOCUMENTS if isinstance(values.get(name), list)), None)
    return None if name is None else tuple(_ids(values[name]))


def _listed(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _ids(listed: Iterable[object]) -> Iterable[str]:
    """Yield ids without the version behind ``@``; an entry may be an object with an ``id``."""
    for one in listed:
        name = cast("Mapping[str, object]", one).get("id") if isinstance(one, Mapping) else one
        yield str(name).partition("@")[0]
