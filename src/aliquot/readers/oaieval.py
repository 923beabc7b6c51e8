"""The events of an ``oaieval`` log: a match is right or wrong, a metric has numbers, an error is no answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import polars as pl
from msgspec import Struct

from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.identity import text_of
from aliquot.evidence.metrics import derive_metrics
from aliquot.evidence.tables import OUTCOMES, REPORTED, Evidence, Note, Source
from aliquot.evidence.texts import HeldTexts
from aliquot.readers.json_records import JsonRecords
from aliquot.readers.options import ReadOptions

MATCH: Final = "match"
INVALID: Final = "__invalid__"
"""The choice of a model grader whose answer could not be read; the tool scores it with the lowest score."""

_SPEC: Final = ("base_eval", "split", "run_id", "created_at")


class _Event(Struct):
    type: str | None = None
    sample_id: str | None = None
    data: Any = None
    created_at: str | None = None


@dataclass(slots=True)
class _Samples:
    """What the events say of the samples, in the order of the file."""

    system: str
    task: str
    outcomes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    errors: dict[str, str] = field(default_factory=dict[str, str])
    asked: dict[str, tuple[str | None, str | None]] = field(
        default_factory=dict[str, tuple[str | None, str | None]]
    )
    answers: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    notes: dict[tuple[str, str, str, int, str], str] = field(
        default_factory=dict[tuple[str, str, str, int, str], str]
    )
    _seen: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))

    def take(self, event: _Event) -> None:
        """Take one event; those that say nothing of a sample's result are left out."""
        sample, data = event.sample_id, event.data
        if not sample or not isinstance(data, dict):
            return
        if event.type == "sampling":
            self._sampled(sample, data)
        elif event.type == MATCH:
            self.asked[sample] = (self.asked.get(sample, (None, None))[0], text_of(data.get("expected")))
            self._outcome(sample, MATCH, data.get("correct"), label=text_of(data.get("picked")))
        elif event.type == "metrics":
            self._metrics(sample, data)
        elif event.type == "error":
            self.errors.setdefault(sample, _line(data.get("message") or data.get("type") or "error"))

    def _sampled(self, sample: str, data: Mapping[str, Any]) -> None:
        sampled = data.get("sampled")
        texts = sampled if isinstance(sampled, list) else [sampled]
        self.answers[sample] += [text for one in texts if (text := text_of(one)) is not None]
        self.asked.setdefault(sample, (_asked(data.get("prompt")), None))

    def _metrics(self, sample: str, data: Mapping[str, Any]) -> None:
        choice = data.get("choice")
        if isinstance(choice, str) and ("score" in data or choice == INVALID):
            unread = choice == INVALID
            score = None if unread else data.get("score")
            self._outcome(sample, "score", score, label=choice, by="judge", unread=unread)
            written = data.get("sampled")
            said = written if isinstance(written, str) else "\n".join(_texts_in(written))
            if said:
                self.notes[self.system, self.task, sample, self._seen[sample, "score"], "score"] = said
            return
        for name, value in data.items():
            if isinstance(value, bool | int | float) or value is None:
                self._outcome(sample, name, value)

    def _outcome(
        self,
        sample: str,
        metric: str,
        value: Any,
        *,
        label: str | None = None,
        by: str = "rule",
        unread: bool = False,
    ) -> None:
        number = float(value) if isinstance(value, bool | int | float) and abs(value) < 1e300 else None
        self._seen[sample, metric] += 1
        self.outcomes.append(
            {
                "system": self.system, "task": self.task, "item": sample, "attempt": self._seen[sample, metric],
                "metric": metric, "scorer": by, "value": number, "label": label, "by": by,
                "status": "unparsed" if unread else None if number is None else "ok",
            }
        )  # fmt: skip


def read_events(found: JsonRecords, options: ReadOptions) -> Evidence:
    """Return the evidence in a log of ``oaieval``.

    Raises:
        InputError: there is no event with a result.
    """
    spec = next((record["spec"] for record in found.records if isinstance(record.get("spec"), dict)), {})
    report = next(
        (one["final_report"] for one in reversed(found.records) if isinstance(one.get("final_report"), dict)),
        {},
    )
    functions = spec.get("completion_fns")
    named = ", ".join(filter(None, map(text_of, functions))) if isinstance(functions, list) else ""
    samples = _Samples(options.name or named or "system", text_of(spec.get("eval_name")) or "eval")
    for event in found.typed(_Event):
        samples.take(event)
    if not samples.outcomes and not samples.errors:
        raise InputError("holds no result of a sample", file=found.file)
    outcomes = (
        pl.DataFrame(samples.outcomes, schema_overrides=_TYPES, infer_schema_length=None)
        if samples.outcomes
        else pl.DataFrame(schema=dict(OUTCOMES))
    )
    metrics = derive_metrics(outcomes)
    judged = set(outcomes.filter(pl.col("by") == "judge")["metric"])
    metrics = metrics.with_columns(
        judge=pl.when(pl.col("metric").is_in(list(judged))).then(pl.lit(_judge(spec))),
        headline=pl.int_range(pl.len()) == 0,
    )
    return assemble(
        outcomes,
        responses=_responses(samples),
        metrics=metrics,
        reported=_reported(report, samples, set(metrics["metric"])),
        settings=_settings(spec, samples.system),
        sources=(Source(found.file, "OpenAI evals", "oaieval", found.sha256),),
        notes=(Note("item_key", "sample_id"), *found.notes, *_notes(samples)),
        texts=_texts(samples),
    )


_TYPES: Final = {"value": pl.Float64, "label": pl.String, "status": pl.String}


def _judge(spec: Mapping[str, Any]) -> str:
    functions = spec.get("completion_fns")
    last = functions[-1] if isinstance(functions, list) and len(functions) > 1 else None
    return text_of(last) or "model grader"


def _responses(samples: _Samples) -> pl.DataFrame:
    """Return a response for each attempt with a result, and for each sample that ended in an error."""
    attempts = {(one["item"], one["attempt"]) for one in samples.outcomes} | {
        (one, 1) for one in samples.errors
    }
    scored = {one["item"] for one in samples.outcomes if one["value"] is not None}
    rows = [
        {
            "system": samples.system,
            "task": samples.task,
            "item": item,
            "attempt": attempt,
            "status": "error" if item in samples.errors and item not in scored else "ok",
            "reason": samples.errors.get(item),
        }
        for item, attempt in sorted(attempts)
    ]
    return pl.DataFrame(rows, schema_overrides={"reason": pl.String}, infer_schema_length=None)


def _reported(report: Mapping[str, Any], samples: _Samples, known: set[str]) -> pl.DataFrame:
    """Return the final report; the accuracy of ``match`` events stands under that metric."""
    rows: list[tuple[str, str, str, str, float]] = []
    for name, value in report.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        metric, statistic = (MATCH, name) if name not in known and MATCH in known else (name, "mean")
        rows.append(
            (samples.system, samples.task, metric, statistic.replace("boostrap", "bootstrap"), float(value))
        )
    return pl.DataFrame(rows, schema=dict(REPORTED), orient="row")


def _settings(spec: Mapping[str, Any], system: str) -> pl.DataFrame:
    given = spec.get("run_config")
    run: Mapping[str, Any] = given if isinstance(given, dict) else {}
    told = {name: text_of(spec.get(name)) for name in _SPEC}
    told |= {
        "harness": "openai/evals",
        "seed": text_of(run.get("seed")),
        "limit": text_of(run.get("max_samples")),
    }
    return pl.DataFrame(
        [{"system": system, "name": name, "value": value} for name, value in told.items() if value]
    )


def _notes(samples: _Samples) -> list[Note]:
    notes: list[Note] = []
    if lost := sum(one["status"] == "unparsed" for one in samples.outcomes):
        text = f"{lost} answers of the model grader could not be read: missing; the tool gives them its lowest score"
        notes.append(Note("unparsed_scores", text))
    if repeated := sum(one["attempt"] > 1 for one in samples.outcomes):
        text = (
            f"{repeated} events repeat a sample's metric: further attempts; the tool's accuracy counts events"
        )
        notes.append(Note("several_events", text))
    return notes


def _texts(samples: _Samples) -> HeldTexts:
    items = {(samples.task, item): told for item, told in samples.asked.items()}
    answers = {
        (samples.system, samples.task, item, attempt): text
        for item, texts in samples.answers.items()
        for attempt, text in enumerate(texts, start=1)
    }
    return HeldTexts(items=items, responses=answers, notes=samples.notes)


def _texts_in(given: Any) -> list[str]:
    return [one for one in given if isinstance(one, str)] if isinstance(given, list) else []


def _asked(prompt: Any) -> str | None:
    """Return a prompt as text; of messages the contents."""
    if not isinstance(prompt, list):
        return text_of(prompt)
    parts = [text_of(one.get("content")) if isinstance(one, dict) else text_of(one) for one in prompt]
    return "\n\n".join(filter(None, parts)) or None


def _line(value: Any) -> str:
    return ((text_of(value) or "").strip().splitlines() or ["error"])[0][:300]
