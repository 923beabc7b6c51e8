"""Pydantic Evals: a report of an experiment, with assertions, scores and labels for each case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl
from msgspec import Struct, field

from aliquot.evidence.identity import content_hash, text_of
from aliquot.evidence.tables import Evidence, Note, Source
from aliquot.readers.json_records import holds_records, read_json_records
from aliquot.readers.options import ReadOptions
from aliquot.readers.scored_rows import ScoredRows, count_of, first_line

TASK: Final = "pydantic-evals"
JUDGE: Final = "LLMJudge"
"""The evaluator that asks a model."""

FACTS: Final[Mapping[str, str]] = {
    "input_tokens": "tokens_in",
    "output_tokens": "tokens_out",
    "cost": "cost",
}
"""Metrics of a case that are facts of its answer."""


class _Spec(Struct):
    name: str = "evaluator"
    arguments: Any = None


class _Verdict(Struct):
    value: bool | float | str | None = None
    reason: Any = None
    source: _Spec = field(default_factory=_Spec)


class _Failure(Struct):
    name: str = "evaluator"
    error_message: str = ""


class _Case(Struct):
    name: str
    inputs: Any = None
    metadata: Any = None
    expected_output: Any = None
    output: Any = None
    metrics: dict[str, Any] = field(default_factory=dict[str, Any])
    scores: dict[str, _Verdict] = field(default_factory=dict[str, _Verdict])
    labels: dict[str, _Verdict] = field(default_factory=dict[str, _Verdict])
    assertions: dict[str, _Verdict] = field(default_factory=dict[str, _Verdict])
    task_duration: float | None = None
    source_case_name: str | None = None
    evaluator_failures: list[_Failure] = field(default_factory=list[_Failure])
    error_message: str | None = None


class _Report(Struct):
    name: str
    cases: list[_Case]
    failures: list[_Case] = field(default_factory=list[_Case])
    dataset_name: str | None = None
    experiment_metadata: Any = None


class PydanticEvalsReader:
    """Reads reports that ``EvaluationReportAdapter.dump_json`` writes."""

    name = "pydantic-evals"
    reads = "reports of Pydantic Evals"

    def sniff(self, path: Path) -> bool | str:
        """Tell a report by the keys of its cases."""
        return "report" if holds_records(path, "cases", "assertions", "labels", "task_duration") else False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read one experiment; repeats of a case are its attempts.

        Raises:
            UsageError: no case has the field the user named.
            InputError: it is no report, or two cases of one name ask different things.
            MachineError: the machine refuses to read it.
        """
        found = read_json_records(path, encoding=options.encoding)
        (report,) = found.typed(_Report)[:1]
        system, task = options.name or report.name or path.stem, report.dataset_name or TASK
        rows = ScoredRows(str(path))
        evaluators = _metrics_of(report.cases)
        for case in report.cases:
            _take(rows, case, system, task, evaluators)
        for case in report.failures:
            _take(rows, case, system, task, {})
        notes = [Note("item_key", "the case's name"), *found.notes]
        if labels := sorted({name for case in report.cases for name in case.labels}):
            notes.append(
                Note("labels_only", f"labels without a number are kept as labels: {', '.join(labels)[:200]}")
            )
        return rows.evidence(
            source=Source(str(path), "Pydantic Evals", "report", found.sha256),
            notes=notes,
            cluster=options.cluster,
            settings=_settings(report, system),
        )


def _metrics_of(cases: Sequence[_Case]) -> dict[str, list[str]]:
    """Return which metrics each evaluator gives: what a case lacks where the evaluator failed."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for case in cases:
        for given in (case.assertions, case.scores):
            for name, verdict in given.items():
                found[verdict.source.name][name] = None
    return {evaluator: list(names) for evaluator, names in found.items()}


def _take(
    rows: ScoredRows, case: _Case, system: str, task: str, evaluators: Mapping[str, Sequence[str]]
) -> None:
    failed = case.error_message is not None
    facts = {own: _number(case.metrics.get(name)) for name, own in FACTS.items()}
    facts |= {name: count_of(facts[name]) for name in ("tokens_in", "tokens_out")}
    latency = case.task_duration
    rows.add(
        system,
        task,
        case.source_case_name or case.name,
        status="error" if failed else "ok",
        content=content_hash(case.inputs, case.expected_output),
        fields=case.metadata if isinstance(case.metadata, dict) else None,
        asked=(text_of(case.inputs), text_of(case.expected_output)),
        answer=text_of(case.output),
        reason=first_line(case.error_message) if failed else None,
        stage="system" if failed else None,
        latency_s=latency if latency is not None and 0 <= latency < 1e9 else None,
        **facts,
    )
    for given in (case.assertions, case.scores, case.labels):
        for name, verdict in given.items():
            text = verdict.value if isinstance(verdict.value, str) else None
            judge, scorer = _judge(verdict.source), verdict.source.name
            status = "ok" if text is not None else None
            rows.score(
                name,
                verdict.value,
                label=text,
                judge=judge,
                scorer=scorer,
                status=status,
                note=verdict.reason,
            )
    for failure in case.evaluator_failures:
        for name in evaluators.get(failure.name, [failure.name]):
            judge = JUDGE if failure.name == JUDGE else None
            rows.score(
                name,
                None,
                scorer=failure.name,
                status="error",
                label=first_line(failure.error_message),
                judge=judge,
                note=failure.error_message,
            )
    for name, value in case.metrics.items():
        if name not in FACTS:
            rows.score(name, value, scorer="task")


def _judge(source: _Spec) -> str | None:
    if source.name != JUDGE:
        return None
    model = source.arguments.get("model") if isinstance(source.arguments, dict) else None
    return text_of(model) or JUDGE


def _number(value: Any) -> float | None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15
    return float(value) if good else None


def _settings(report: _Report, system: str) -> pl.DataFrame:
    told = {"harness": "pydantic-evals", "experiment": report.name}
    if isinstance(report.experiment_metadata, dict):
        told |= {
            f"metadata.{name}": text
            for name, value in report.experiment_metadata.items()
            if name and (text := text_of(value)) and len(text) < 500
        }
    return pl.DataFrame([{"system": system, "name": name, "value": value} for name, value in told.items()])
