"""OpenTelemetry: ``gen_ai.evaluation.result`` events, as log records or on the spans they judge."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.identity import content_hash, text_of
from aliquot.evidence.tables import Evidence, Note, Source
from aliquot.files.compressed import plain_suffix, read_head
from aliquot.readers.cells import FALSE, TRUE
from aliquot.readers.json_records import HEAD_BYTES, SUFFIXES, read_json_records
from aliquot.readers.options import ReadOptions
from aliquot.readers.otel_records import EVENT, Span, Telemetry, gather
from aliquot.readers.scored_rows import ScoredRows, count_of, first_line

TASK: Final = "gen_ai.evaluation"
NAME: Final = "gen_ai.evaluation.name"
VALUE: Final = "gen_ai.evaluation.score.value"
LABEL: Final = "gen_ai.evaluation.score.label"
EXPLANATION: Final = "gen_ai.evaluation.explanation"
RESPONSE: Final = "gen_ai.response.id"
ITEMS: Final = ("test.case.id", "gen_ai.evaluation.item.id", "dataset.item.id", "eval.case.id", "item.id")
"""Attributes that tools name an item by; the convention has none."""

SYSTEMS: Final = ("gen_ai.request.model", "gen_ai.response.model", "gen_ai.agent.name", "service.name")
INPUTS: Final = ("gen_ai.input.messages", "gen_ai.prompt", "input.value")
OUTPUTS: Final = ("gen_ai.output.messages", "gen_ai.completion", "output.value")


class OtelReader:
    """Reads OTLP JSON and the SDK's console JSON."""

    name = "opentelemetry"
    reads = "OpenTelemetry gen_ai.evaluation.result events (OTLP JSON, SDK JSON)"

    def sniff(self, path: Path) -> bool | str:
        """Tell telemetry by the event's name and the trace's."""
        if plain_suffix(path) not in SUFFIXES or not path.is_file():
            return False
        head = read_head(path, size=HEAD_BYTES)
        traced = any(
            mark in head for mark in (b'"resourceLogs"', b'"resourceSpans"', b'"trace_id"', b'"traceId"')
        )
        return "events" if traced and NAME.encode() in head else False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read evaluation events; an answer judged under several names has several metrics.

        Raises:
            UsageError: no item has the field the user named.
            InputError: there is no such event, or one has no name.
            MachineError: the machine refuses to read it.
        """
        found = read_json_records(path, encoding=options.encoding)
        telemetry = gather(found.records)
        if not telemetry.events:
            raise InputError(f"holds no event {EVENT}", file=str(path))
        reading = _Reading(telemetry, options, path)
        reading.take_all()
        return reading.rows.evidence(
            source=Source(str(path), "OpenTelemetry", EVENT, found.sha256),
            notes=(Note("item_key", reading.key), *found.notes, *reading.notes()),
            cluster=options.cluster,
            settings=pl.DataFrame(
                [
                    {"system": name, "name": "harness", "value": "OpenTelemetry"}
                    for name in sorted(reading.systems)
                ]
            ),
        )


class _Reading:
    """Events on their way to rows: those that judge one answer stand together."""

    def __init__(self, telemetry: Telemetry, options: ReadOptions, path: Path) -> None:
        """Settle what names items and systems: an attribute the user names, else one that every answer has."""
        self.rows, self.options, self.file = ScoredRows(str(path)), options, str(path)
        self.groups: dict[str, list[Mapping[str, Any]]] = {}
        self.spans: dict[str, Span | None] = {}
        for place, event in enumerate(telemetry.events):
            span = telemetry.spans.get(event.span_id) if event.span_id else None
            answer = text_of(event.attributes.get(RESPONSE)) or event.span_id or f"event {place + 1}"
            self.groups.setdefault(answer, []).append(event.attributes)
            self.spans.setdefault(answer, span)
        self.facts = {answer: self._facts(answer) for answer in self.groups}
        self.item = options.item or next(
            (name for name in ITEMS if all(text_of(told.get(name)) for told in self.facts.values())), None
        )
        self.stem, self.systems, self.unread = path.stem, set[str](), 0
        asked = all(self._input(told) for told in self.facts.values())
        self.key = self.item or ("hash of the input messages" if asked else RESPONSE)
        self.pairs = self.item is not None or asked

    def _facts(self, answer: str) -> dict[str, Any]:
        """Return every attribute known of an answer: of its resource, its span, its events."""
        span = self.spans[answer]
        told = {**span.resource, **span.attributes} if span else {}
        for attributes in self.groups[answer]:
            told |= attributes
        return told

    def _input(self, told: Mapping[str, Any]) -> str | None:
        return next((text for name in INPUTS if (text := text_of(told.get(name)))), None)

    def take_all(self) -> None:
        """Turn the events into rows."""
        for answer, events in self.groups.items():
            told = self.facts[answer]
            asked = self._input(told)
            content = content_hash(asked, None) if asked else None
            item = text_of(told.get(self.item)) if self.item else content if self.pairs else answer
            if not item:
                raise InputError(f"the answer {answer} has no {self.item}", file=self.file, field=self.item)
            system = self._system(told)
            self.systems.add(system)
            self.rows.add(
                system, self._task(told), item, content=content, asked=(asked, None),
                answer=next((text for name in OUTPUTS if (text := text_of(told.get(name)))), None),
                fields={name: value for name, value in told.items() if not name.startswith("gen_ai.")},
                tokens_in=count_of(told.get("gen_ai.usage.input_tokens")),
                tokens_out=count_of(told.get("gen_ai.usage.output_tokens")),
            )  # fmt: skip
            for attributes in events:
                self._score(attributes)

    def _system(self, told: Mapping[str, Any]) -> str:
        if self.options.name:
            return self.options.name
        names = (self.options.system,) if self.options.system else SYSTEMS
        return next((text for name in names if (text := text_of(told.get(name)))), None) or self.stem

    def _task(self, told: Mapping[str, Any]) -> str:
        return (text_of(told.get(self.options.task)) if self.options.task else None) or TASK

    def _score(self, attributes: Mapping[str, Any]) -> None:
        name, label = text_of(attributes.get(NAME)), text_of(attributes.get(LABEL))
        if not name:
            raise InputError("an evaluation event has no name", file=self.file, field=NAME)
        value, error = attributes.get(VALUE), attributes.get("error.type")
        word = (label or "").strip().lower()
        if value is None and word in (*TRUE, *FALSE):
            value = word in TRUE
        judge = name if attributes.get(EXPLANATION) else None  # a rule explains nothing
        number = value if isinstance(value, bool | int | float) else None
        self.unread += number is None and error is None
        status = "error" if error is not None and number is None else "unparsed" if number is None else None
        self.rows.score(
            name,
            number,
            label=label or (first_line(error) if error else None),
            judge=judge,
            status=status,
            note=attributes.get(EXPLANATION) or text_of(error),
        )

    def notes(self) -> list[Note]:
        """Return what must be said: answers that pair with nothing, labels without a number."""
        notes: list[Note] = []
        if not self.pairs:
            text = (
                "no attribute names the items, so they pair with nothing; name one: --item-column ATTRIBUTE"
            )
            notes.append(Note("items_unnamed", text))
        if self.unread:
            notes.append(
                Note("labels_only", f"{self.unread} evaluations have a label and no number: kept as labels")
            )
        return notes
