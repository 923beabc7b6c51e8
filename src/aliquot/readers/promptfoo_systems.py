"""The columns of promptfoo's table as systems: their names, settings, and what promptfoo printed of them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from aliquot.evidence.identity import text_of
from aliquot.readers.promptfoo_grading import judges_of
from aliquot.readers.promptfoo_records import Column, Log, Named, Row, mapping, metric_name, number

_LONGEST_LABEL: Final = 48
_DECODING: Final = frozenset(
    {"frequency_penalty", "max_completion_tokens", "max_new_tokens", "max_output_tokens", "max_tokens",
     "maxTokens", "presence_penalty", "reasoning_effort", "response_format", "seed", "stop", "temperature",
     "top_k", "top_p", "topK", "topP"}
)  # fmt: skip
_TOTALS: Final = (
    ("score", "score", "sum"),
    ("success", "cost", "total_cost"),
    ("success", "totalLatencyMs", "total_latency_ms"),
)
_SECRET: Final = re.compile(r"key|token(?!s)|secret|password|credential|header|auth", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class System:
    """One column.

    Attributes:
        place: its ``promptIdx``.
        provider: the provider's label, else its id.
        provider_id: the provider's id.
        label: the prompt's label.
        prompt: hash of the prompt's template; empty when the log does not hold it.
        metrics: what promptfoo printed under it.
        name: what it is called here.
    """

    place: int
    provider: str
    provider_id: str
    label: str
    prompt: str
    metrics: dict[str, Any]
    name: str = ""


def find_systems(log: Log) -> dict[int, System]:
    """Return the systems of a log by ``promptIdx``.

    A system is called by its provider; where a provider answers several prompts, the prompt's label follows
    in brackets, or its number where the label is long or not its own.
    """
    first: dict[int, Row] = {}
    for row in log.rows:
        first.setdefault(row.prompt_idx or 0, row)
    columns = dict(enumerate(log.columns))
    found = [_system(place, row, columns.get(place) or Column()) for place, row in sorted(first.items())]
    return {
        system.place: replace(system, name=name) for system, name in zip(found, _names(found), strict=True)
    }


def settings_of(log: Log, systems: Sequence[System]) -> Iterator[tuple[str, str, str]]:
    """Yield (system, name, value) of what made each system; no key and no header of a request is among them."""
    judge = judges_of(log).get("success")
    shared = {
        "harness": f"promptfoo {log.version}".strip(),
        "attempts": str(log.repeat) if log.repeat else "",
        "judge": judge or "",
        "scorer": _hash(_assertions(log)) if log.has_asserts else "",
    }
    for system in systems:
        config = _config(log, system)
        decoding = {name: config[name] for name in sorted(config) if name in _DECODING}
        other = {name: config[name] for name in config if name not in _DECODING and not _SECRET.search(name)}
        own = {"model": system.provider_id, "prompt": system.prompt and f"sha256:{system.prompt[:20]}"}
        own |= {
            f"decoding.{name}": text_of(value) or "" for name, value in decoding.items() if value is not None
        }
        own |= {"provider_config": _hash(other)} if other else {}
        yield from ((system.name, name, value) for name, value in (own | shared).items() if value)


def printed_of(systems: Sequence[System]) -> Iterator[tuple[str, str, str, float]]:
    """Yield (system, metric, statistic, value) of what promptfoo printed.

    ``sum`` of ``score`` and of a named score is promptfoo's own number, a (weighted) sum over rows; with its
    weights it gives ``mean``. A derived metric has a sum and no weight: it was worked out from the sums.
    """
    for system in systems:
        metrics = system.metrics
        counts = {
            name: number(metrics.get(f"test{name.capitalize()}Count")) for name in ("pass", "fail", "error")
        }
        known = {name: value for name, value in counts.items() if value is not None}
        yield from ((system.name, "success", f"{name}_count", value) for name, value in known.items())
        total = sum(known.values())
        if "pass" in known and total > 0:
            yield system.name, "success", "pass_rate", known["pass"] / total
        for metric, name, statistic in _TOTALS:
            value = number(metrics.get(name))
            if value is not None:
                yield system.name, metric, statistic, value
        yield from _printed_named(system)


def _printed_named(system: System) -> Iterator[tuple[str, str, str, float]]:
    weights = mapping(system.metrics.get("namedScoreWeights"))
    counts = mapping(system.metrics.get("namedScoresCount"))
    for name, given in mapping(system.metrics.get("namedScores")).items():
        metric, value = metric_name(name), number(given)
        if not metric or value is None:
            continue
        yield system.name, metric, "sum", value
        weight, rows = number(weights.get(name)), number(counts.get(name))
        if rows is not None:
            yield system.name, metric, "count", rows
        if weight:
            yield system.name, metric, "weight", weight
            yield system.name, metric, "mean", value / weight


def _system(place: int, row: Row, column: Column) -> System:
    provider, label = row.provider_name, row.prompt_label or column.label or column.display or ""
    identity = row.provider.id if isinstance(row.provider, Named) else row.provider
    if not provider:
        given = column.provider
        provider = (given.label or given.id if isinstance(given, Named) else given) or ""
    template = column.raw or label
    prompt = row.prompt_id or column.id or (hashlib.sha256(template.encode()).hexdigest() if template else "")
    return System(
        place=place,
        provider=provider or "provider",
        provider_id=identity or provider,
        label=label,
        prompt=prompt,
        metrics=column.metrics or {},
    )


def _names(systems: Sequence[System]) -> list[str]:
    """Return a name for each system, all different."""
    providers = Counter(system.provider for system in systems)
    labels = Counter((system.provider, system.label) for system in systems)
    prompts: Counter[str] = Counter()
    names: list[str] = []
    for system in systems:
        prompts[system.provider] += 1
        label = " ".join(system.label.split())
        if not label or len(label) > _LONGEST_LABEL or labels[system.provider, system.label] > 1:
            label = f"prompt {prompts[system.provider]}"
        names.append(system.provider if providers[system.provider] == 1 else f"{system.provider} [{label}]")
    repeated = Counter(names)
    return [
        name if repeated[name] == 1 else f"{name} (column {system.place + 1})"
        for name, system in zip(names, systems, strict=True)
    ]


def _config(log: Log, system: System) -> dict[str, Any]:
    """Return the configuration of a system's provider."""
    listed = log.config.get("providers")
    providers = [mapping(one) for one in listed] if isinstance(listed, list) else []
    for name in (system.provider, system.provider_id):
        own = [one for one in providers if name in {_name(one.get("label")), _name(one.get("id"))}]
        if len(own) == 1:
            return mapping(own[0].get("config"))
    return {}


def _name(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _assertions(log: Log) -> list[Any]:
    """Return every assertion of the log, with its weights and thresholds, each once."""
    texts: dict[str, None] = {}
    for row in log.rows:
        case = row.test_case
        if case is not None:
            texts[text_of([case.asserts, case.threshold]) or ""] = None
    return sorted(texts)


def _hash(value: Any) -> str:
    return f"sha256:{hashlib.sha256((text_of(value) or '').encode()).hexdigest()[:20]}"
