"""A promptfoo log as evidence: each row's answer, its verdicts, and what is known of its test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.identity import text_of
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, OUTCOMES, REPORTED, RESPONSES, SETTINGS, Evidence, Note, Source
from aliquot.evidence.texts import HeldTexts
from aliquot.readers.options import ReadOptions
from aliquot.readers.promptfoo_grading import HUMAN, judges_of, read_verdict
from aliquot.readers.promptfoo_items import Items, find_items, look_up
from aliquot.readers.promptfoo_records import Log, Row, count, mapping, number
from aliquot.readers.promptfoo_said import chat_of, notes_of, told_of
from aliquot.readers.promptfoo_systems import System, find_systems, printed_of, settings_of

TASK: Final = "promptfoo"
"""One log is one task: promptfoo has no name for it."""

SCORER: Final = "promptfoo"
PERSON: Final = "person"

MAX_SEGMENTS: Final = 100
MAX_REASON: Final = 300
"""Characters kept of why a row failed; the rest is a stack trace."""


@dataclass(slots=True)
class _Tables:
    """Loose rows of a log."""

    log: Log
    items: Items
    systems: dict[int, System]
    judges: dict[str, str]
    responses: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    outcomes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    answers: dict[tuple[str, str, str, int], str] = field(
        default_factory=dict[tuple[str, str, str, int], str]
    )
    said: dict[tuple[str, str, str, int, str], str] = field(
        default_factory=dict[tuple[str, str, str, int, str], str]
    )
    chats: dict[tuple[str, str, str, int], Callable[[], object]] = field(
        default_factory=dict[tuple[str, str, str, int], Callable[[], object]]
    )

    def add(self, row: Row, item: str, attempt: int) -> None:
        """Add one row: a response, its text, and an outcome for each verdict."""
        system = self.systems[row.prompt_idx or 0].name
        key = {"system": system, "task": TASK, "item": item, "attempt": attempt}
        self.responses.append(key | _response(row))
        output = (row.response or {}).get("output")
        if output is not None:
            self.answers[system, TASK, item, attempt] = text_of(output) or ""
        if (chat := chat_of(row)) is not None:
            self.chats[system, TASK, item, attempt] = chat
        for metric, note in notes_of(row).items():
            self.said[system, TASK, item, attempt, metric] = note
        self.outcomes += (key | outcome for outcome in self._outcomes(row))

    def _outcomes(self, row: Row) -> Iterator[dict[str, Any]]:
        """Yield the outcomes of a row; one that was never graded has the headline alone, without a value."""
        if not row.was_graded:
            yield self._outcome("success", None, status="error" if _was_answered(row) else "missing")
            return
        verdict = read_verdict(row)
        for metric, value in {"success": verdict.success, "score": verdict.score, **verdict.named}.items():
            if metric not in verdict.faulty:
                yield self._outcome(metric, value, status="ok" if value is not None else "missing")
        for metric in sorted(verdict.faulty):
            yield self._outcome(metric, None, status="error")
        if verdict.person is not None:
            label = "pass" if verdict.person else "fail"
            yield {
                "metric": HUMAN,
                "scorer": PERSON,
                "value": verdict.person,
                "label": label,
                "status": "ok",
                "by": "person",
            }

    def _outcome(self, metric: str, value: float | None, *, status: str) -> dict[str, Any]:
        by = "judge" if metric in self.judges else "rule"
        scorer = self.judges.get(metric, SCORER)
        return {"metric": metric, "scorer": scorer, "value": value, "label": None, "status": status, "by": by}


def evidence_of_log(log: Log, options: ReadOptions, *, file: str, source: Source) -> Evidence:
    """Return the evidence in a promptfoo log.

    Raises:
        UsageError: a field the user named is in no test.
        InputError: the log holds no rows, an id stands for two tests, or a row is there twice.
    """
    if not log.rows:
        raise InputError("holds no results", file=file, remedy="The evaluation may have been stopped at once")
    log.rows.sort(key=lambda row: (row.prompt_idx or 0, row.test_idx or 0))  # they come as they were finished
    items = find_items(log, item=options.item, duplicates=options.duplicates, file=file)
    tables = _Tables(log=log, items=items, systems=find_systems(log), judges=judges_of(log))
    for row, item, attempt in zip(log.rows, items.names, items.attempts, strict=True):
        tables.add(row, item, attempt)
    systems = list(tables.systems.values())
    outcomes = pl.DataFrame(tables.outcomes, schema={k: v for k, v in OUTCOMES.items() if k != "repeat"})
    printed = [(system, TASK, *rest) for system, *rest in printed_of(systems)]
    return assemble(
        outcomes,
        items=pl.DataFrame(list(_items(items, options, file=file)), infer_schema_length=None),
        responses=pl.DataFrame(tables.responses, schema=dict(RESPONSES)),
        metrics=pl.DataFrame(list(_metrics(outcomes, tables.judges)), schema=dict(METRICS)),
        reported=pl.DataFrame(printed, schema=dict(REPORTED), orient="row"),
        settings=pl.DataFrame(list(settings_of(log, systems)), schema=dict(SETTINGS), orient="row"),
        sources=(source,),
        notes=(*items.notes, *log.notes, *_notes(tables)),
        texts=HeldTexts(
            items={(TASK, item): texts for item, texts in items.texts.items()},
            responses=tables.answers,
            notes=tables.said,
            told={(TASK, item): told_of(row) for item, row in items.first.items()},
            spoken=tables.chats,
        ),
    )


def _was_answered(row: Row) -> bool:
    """Tell an answer that could not be graded from a request that brought none."""
    response = mapping(row.response)
    return response.get("output") is not None and not response.get("error")


def _response(row: Row) -> dict[str, Any]:
    """Return a row's answer: its status, and what it took. An error's latency and cost of 0 are no measurements."""
    response = mapping(row.response)
    cached = response.get("cached") is True
    status, reason = _status(row, response)
    lost = status == "error"
    latency, cost = number(row.latency_ms), number(row.cost)
    return {
        "status": status,
        "reason": reason,
        "stage": "system" if lost else None if row.was_graded else "scoring",
        "latency_s": None if latency is None or lost else latency / 1000,
        "cost": None if cost is None or lost else cost,
        "currency": None if cost is None or lost else "USD",
        "cached": cached,
        **_tokens(row, response),
    }


def _status(row: Row, response: Mapping[str, Any]) -> tuple[str, str | None]:
    """Return why there is, or is not, an answer, and the reason."""
    if not row.was_graded and not _was_answered(row):
        return "error", _first_line(row.error or response.get("error"))
    output, finish = response.get("output"), response.get("finishReason")
    if response.get("isRefusal") is True or finish == "content_filter":
        return "refused", None
    if finish == "length":
        return "truncated", None
    if "output" in response and output in (None, ""):
        return "failed", "empty answer"
    return "ok", None if row.was_graded else _first_line(row.error)


def _tokens(row: Row, response: Mapping[str, Any]) -> dict[str, int | None]:
    usage = mapping(response.get("tokenUsage")) or mapping(row.token_usage)
    if not count(usage.get("total")):
        return {}
    details = mapping(usage.get("completionDetails"))
    return {
        "tokens_in": count(usage.get("prompt")),
        "tokens_out": count(usage.get("completion")),
        "tokens_reasoning": count(details.get("reasoning")),
        "tokens_cached": count(details.get("cacheReadInputTokens")),
    }


def _items(items: Items, options: ReadOptions, *, file: str) -> Iterator[dict[str, Any]]:
    """Yield what is known of each item; scalar metadata become segments."""
    cluster = options.cluster or _usual_cluster(items)
    names: dict[str, None] = {}
    for row in items.first.values():
        for name, value in mapping(row.test_case.metadata if row.test_case else None).items():
            if isinstance(value, str | int | float | bool) and name and not name.startswith("_"):
                names[name] = None
    segments = [name for name in names if f"metadata.{name}" != cluster][:MAX_SEGMENTS]
    for item, row in items.first.items():
        known: dict[str, Any] = {"task": TASK, "item": item, "content": items.contents[item]}
        known["cluster"] = text_of(look_up(row, cluster)) if cluster else None
        known["stratum"] = text_of(look_up(row, options.stratum)) if options.stratum else None
        if options.weight:
            known["weight"] = _weight(row, options.weight, item=item, file=file)
        yield known | {f"segment.{name}": text_of(look_up(row, f"metadata.{name}")) for name in segments}


def _usual_cluster(items: Items) -> str | None:
    usual = ("metadata.cluster", "metadata.cluster_id")
    return next((name for name in usual if any(look_up(row, name) for row in items.first.values())), None)


def _weight(row: Row, path: str, *, item: str, file: str) -> float:
    weight = number(look_up(row, path))
    if weight is None:
        raise InputError(f"item {item!r} has no weight", file=file, field=path)
    return weight


def _metrics(outcomes: pl.DataFrame, judges: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each metric: success, the headline, then score, the named scores and people's ratings."""
    for name in outcomes["metric"].unique(maintain_order=True):
        values = outcomes.filter(pl.col("metric") == name)["value"]
        binary = name in {"success", HUMAN}
        row = metric_row(name, values, kind="binary" if binary else None, headline=name == "success")
        if name == HUMAN:
            row["on_failure"] = None
        yield row | {"judge": judges.get(name)}


def _notes(tables: _Tables) -> Iterator[Note]:
    """Yield what a reader of this log should know."""
    cached = sum(response["cached"] for response in tables.responses)
    if cached:
        yield Note(
            "cached", f"{cached} answers came from promptfoo's cache; they are no independent attempts"
        )
    faults = sum(outcome["status"] == "error" and outcome["metric"] == "score" for outcome in tables.outcomes)
    if faults:
        yield Note(
            "judge_failed",
            f"the judge failed on {faults} rows; promptfoo counts them 0, here they are missing",
        )
    people = sum(outcome["by"] == "person" for outcome in tables.outcomes)
    if people:
        text = f"a person rated {people} rows, which overrides pass and score there; kept apart as metric {HUMAN!r}"
        yield Note("people_rated", text)
    if any(_compares(row) for row in tables.log.rows):
        text = "select-best or max-score makes success depend on the other columns' answers"
        yield Note("systems_compared", text)


def _compares(row: Row) -> bool:
    asserts = row.test_case.asserts if row.test_case is not None else None
    return any(mapping(one).get("type") in ("select-best", "max-score") for one in asserts or ())


def _first_line(error: Any) -> str | None:
    lines = (text_of(error) or "").strip().splitlines()
    return lines[0][:MAX_REASON] if lines else None
