"""Telemetry as JSON: OTLP log records and spans, and what the SDK's console exporters write, brought to one form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

EVENT: Final = "gen_ai.evaluation.result"

MAX_DEPTH: Final = 20
"""Levels of lists and maps an attribute may have."""


@dataclass(frozen=True, slots=True)
class Event:
    """One evaluation event: its attributes, and the span it belongs to."""

    attributes: Mapping[str, Any]
    span_id: str


@dataclass(frozen=True, slots=True)
class Span:
    """What is known of the operation that was judged."""

    attributes: Mapping[str, Any]
    resource: Mapping[str, Any]


@dataclass(slots=True)
class Telemetry:
    """The evaluation events and the spans of a file, by span id."""

    events: list[Event] = field(default_factory=list[Event])
    spans: dict[str, Span] = field(default_factory=dict[str, Span])


def gather(records: Sequence[Any]) -> Telemetry:
    """Return the evaluation events in telemetry, with the spans they belong to.

    Args:
        records: documents of one of the two forms.
    """
    found = Telemetry()
    for record in records:
        if "resourceLogs" in record or "resourceSpans" in record:
            _take_otlp(found, record)
        else:
            _take_sdk(found, record)
    return found


def _take_otlp(found: Telemetry, record: Mapping[str, Any]) -> None:
    for group in _dicts(record.get("resourceLogs")):
        resource = _resource(group)
        for scope in _dicts(group.get("scopeLogs")):
            for entry in _dicts(scope.get("logRecords")):
                attributes = _attributes(entry.get("attributes"))
                if EVENT in (entry.get("eventName"), attributes.get("event.name")):
                    found.events.append(Event({**resource, **attributes}, _text(entry.get("spanId"))))
    for group in _dicts(record.get("resourceSpans")):
        resource = _resource(group)
        for scope in _dicts(group.get("scopeSpans")):
            for span in _dicts(scope.get("spans")):
                identity = _text(span.get("spanId"))
                found.spans[identity] = Span(_attributes(span.get("attributes")), resource)
                for event in _dicts(span.get("events")):
                    if event.get("name") == EVENT:
                        found.events.append(Event(_attributes(event.get("attributes")), identity))


def _take_sdk(found: Telemetry, record: Mapping[str, Any]) -> None:
    attributes = _plain(record.get("attributes"))
    held = record.get("resource")
    resource = _plain(held.get("attributes")) if isinstance(held, dict) else {}
    context = record.get("context")
    identity = _text(context.get("span_id") if isinstance(context, dict) else record.get("span_id"))
    if isinstance(context, dict):
        found.spans[identity] = Span(attributes, resource)
        for event in _dicts(record.get("events")):
            if event.get("name") == EVENT:
                found.events.append(Event(_plain(event.get("attributes")), identity))
    elif EVENT in (record.get("event_name"), attributes.get("event.name")):
        found.events.append(Event({**resource, **attributes}, identity))


def _resource(group: Mapping[str, Any]) -> dict[str, Any]:
    held = group.get("resource")
    return _attributes(held.get("attributes")) if isinstance(held, dict) else {}


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    return (part for part in value if isinstance(part, dict)) if isinstance(value, list) else iter(())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _plain(value: Any) -> dict[str, Any]:
    return {str(name): part for name, part in value.items()} if isinstance(value, dict) else {}


def _attributes(pairs: Any) -> dict[str, Any]:
    """Return OTLP's list of keys and tagged values as plain values."""
    return {
        key: _value(pair.get("value"), depth=0)
        for pair in _dicts(pairs)
        if isinstance(key := pair.get("key"), str)
    }


def _value(tagged: Any, *, depth: int) -> Any:
    if not isinstance(tagged, dict) or depth > MAX_DEPTH:
        return None
    for kind in ("stringValue", "boolValue", "doubleValue"):
        if kind in tagged:
            return tagged[kind]
    if "intValue" in tagged:  # 64-bit numbers are written as text
        text = tagged["intValue"]
        return (
            int(text) if isinstance(text, str) and text.lstrip("-").isdecimal() and len(text) < 21 else text
        )
    held = tagged.get("arrayValue")
    if isinstance(held, dict):
        parts = held.get("values")
        return [_value(part, depth=depth + 1) for part in parts] if isinstance(parts, list) else []
    held = tagged.get("kvlistValue")
    if isinstance(held, dict):
        return {
            str(pair.get("key")): _value(pair.get("value"), depth=depth + 1)
            for pair in _dicts(held.get("values"))
        }
    return None
