"""An export's records as rows, by a mapping: each answer once, with every score that was given to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec
import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.identity import content_hash, text_of
from aliquot.evidence.tables import Evidence, Note, Source
from aliquot.readers.cells import FALSE, TRUE
from aliquot.readers.json_records import JsonRecords
from aliquot.readers.options import ReadOptions
from aliquot.readers.platform_mapping import PlatformMapping
from aliquot.readers.platform_values import leaves, look, look_first, number_of
from aliquot.readers.scored_rows import ScoredRows, count_of, first_line

TASK: Final = "experiment"
BY: Final[Mapping[str, str]] = {
    "llm": "judge", "eval": "judge", "human": "person", "annotation": "person", "code": "rule", "api": "rule",
}  # fmt: skip
"""Words of the platforms for who gave a score."""


class PlatformRows:
    """Records on their way to evidence."""

    def __init__(self, mapping: PlatformMapping, options: ReadOptions, *, file: str, stem: str) -> None:
        """Take what the user said before what the mapping says."""
        self.mapping, self.options, self.file, self.stem = mapping, options, file, stem
        self.rows = ScoredRows(file)
        self.key = ""
        self.labels: set[str] = set()
        self.systems: dict[str, None] = {}

    def take(self, found: JsonRecords) -> None:
        """Take every record of an export.

        Raises:
            InputError: nothing names the items.
        """
        joined = self._joined(found.document)
        items = self._items(found)
        answers: dict[tuple[str, ...], list[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]]] = (
            defaultdict(list)
        )
        seen: dict[tuple[str, ...], int] = defaultdict(int)
        for place, (record, item) in enumerate(zip(found.records, items, strict=True)):
            scores = [*self._scores(record), *joined.get(self._join_key(record), ())]
            system, task = self._system(record, found.document), self._task(record, found.document)
            key: tuple[str, ...] = (system, task, item, f"record {place}")
            if self._is_score(record):
                name = look_first(record, self.mapping.scores.name)
                count = (system, task, item, text_of(name) or "")
                seen[count] += 1
                key = (system, task, item, f"attempt {seen[count]}")
            answers[key].append((record, scores))
        for (system, task, item, _), group in self._ordered(answers):
            self._answer(system, task, item, group)

    def _ordered(self, answers: Mapping[tuple[str, ...], Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
        """Yield the answers by the attempt they name, else as they stand."""
        attempts = {
            key: number_of(look_first(group[0][0], self.mapping.attempt)) for key, group in answers.items()
        }
        yield from sorted(answers.items(), key=lambda pair: attempts[pair[0]] or 0.0)

    def _items(self, found: JsonRecords) -> list[str]:
        """Return the items' ids: a place that is filled in every record, else the hash of what is asked."""
        places = [self.options.item] if self.options.item else self.mapping.item
        for place in places:
            keys = [text_of(look(record, place)) for record in found.records]
            if all(keys):
                self.key = place
                return [key or "" for key in keys]
            if self.options.item:
                where = found.place(keys.index(next(key for key in keys if not key)))
                raise InputError(f"has no id ({where})", file=self.file, field=place)
        asked = [self._asked(record) for record in found.records]
        if any(one[0] is None for one in asked):
            listed = ", ".join(self.mapping.item) or "none"
            raise InputError(
                f"nothing names the items; looked for {listed}",
                file=self.file,
                remedy="Name it: --item-column NAME",
            )
        self.key = "hash of the inputs and the reference"
        return [content_hash(*one) for one in asked]

    def _asked(self, record: Mapping[str, Any]) -> tuple[str | None, str | None]:
        inputs, reference = (
            look_first(record, places) for places in (self.mapping.inputs, self.mapping.reference)
        )
        return text_of(inputs), text_of(reference)

    def _system(self, record: Mapping[str, Any], document: Mapping[str, Any]) -> str:
        places = [self.options.system] if self.options.system else self.mapping.system
        told = look_first(record, places)
        name = (
            self.options.name
            or text_of(told if told is not None else look_first(document, places))
            or self.stem
        )
        self.systems[name] = None
        return name

    def _task(self, record: Mapping[str, Any], document: Mapping[str, Any]) -> str:
        places = [self.options.task] if self.options.task else self.mapping.task
        told = look_first(record, places)
        return text_of(told if told is not None else look_first(document, places)) or TASK

    def _joined(self, document: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
        """Return the scores that stand beside the records, by the record they name."""
        join = self.mapping.scores.joined
        found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        held = document.get(join.list) if join else None
        for score in held if isinstance(held, list) else ():
            if join and isinstance(score, dict) and (key := text_of(look(score, join.key))):
                found[key].append(score)
        return found

    def _join_key(self, record: Mapping[str, Any]) -> str:
        join = self.mapping.scores.joined
        return (text_of(look(record, join.to)) or "") if join else ""

    def _scores(self, record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """Return the scores that a record holds in lists, or is."""
        scores: list[Mapping[str, Any]] = []
        for path in self.mapping.scores.lists:
            held = look(record, path)
            scores += [one for one in held if isinstance(one, dict)] if isinstance(held, list) else []
        return [record] if not scores and self._is_score(record) else scores

    def _is_score(self, record: Mapping[str, Any]) -> bool:
        scores = self.mapping.scores
        lists = any(isinstance(look(record, path), list) for path in scores.lists)
        return scores.rows and not lists and look_first(record, scores.name) is not None

    def _answer(
        self,
        system: str,
        task: str,
        item: str,
        group: Sequence[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]],
    ) -> None:
        record = group[0][0]
        asked = self._asked(record)
        error = None if self._is_score(record) else look_first(record, self.mapping.error)
        failed = text_of(error) not in (None, "", "null", "false", "{}", "[]")
        fields: dict[str, Any] = {}
        for path in self.mapping.fields:
            held = look(record, path)
            fields |= held if isinstance(held, dict) else {}
        if self.options.cluster and self.options.cluster not in fields:
            fields[self.options.cluster] = look(record, self.options.cluster)
        self.rows.add(
            system, task, item, status="error" if failed else "ok", stage="system" if failed else None,
            reason=first_line(text_of(error)) if failed else None,
            content=content_hash(*asked) if asked[0] is not None else None,
            asked=asked, answer=text_of(look_first(record, self.mapping.response)), fields=fields,
            latency_s=self._latency(record), cost=self._amount(record, self.mapping.cost),
            tokens_in=count_of(self._amount(record, self.mapping.tokens_in)),
            tokens_out=count_of(self._amount(record, self.mapping.tokens_out)),
        )  # fmt: skip
        for record, scores in group:
            self._score_columns(record, failed=failed)
            for score in scores:
                self._score(score)

    def _amount(self, record: Mapping[str, Any], places: Sequence[str]) -> float | None:
        number = number_of(look_first(record, places))
        return number if number is not None and 0 <= number < 1e15 else None

    def _latency(self, record: Mapping[str, Any]) -> float | None:
        if (told := self._amount(record, self.mapping.latency_s)) is not None:
            return told
        if (told := self._amount(record, self.mapping.latency_ms)) is not None:
            return told / 1000
        times = [look_first(record, places) for places in (self.mapping.started, self.mapping.ended)]
        seconds = [_seconds(time) for time in times]
        if seconds[0] is None or seconds[1] is None or not 0 <= seconds[1] - seconds[0] < 1e9:
            return None
        return seconds[1] - seconds[0]

    def _score_columns(self, record: Mapping[str, Any], *, failed: bool) -> None:
        """Take the scores of a record that stand in columns and objects."""
        scores = self.mapping.scores
        for template in scores.columns:
            head, _, tail = template.partition("{name}")
            for column in [*record]:
                name = column[len(head) : len(column) - len(tail)]
                if name and column.startswith(head) and column.endswith(tail):
                    lost = record.get(scores.errors.format(name=name)) if scores.errors else None
                    said = record.get(scores.explanations.format(name=name)) if scores.explanations else None
                    self._put(name, record[column], judge=name if said else None, error=lost, failed=failed)
            nested = record.get(head.removesuffix(".")) if head.endswith(".") and not tail else None
            for name, value in leaves(nested):
                self._put(name, value, failed=failed)
        for path in scores.objects:
            for name, value in leaves(look(record, path)):
                self._put(name, value, failed=failed)

    def _score(self, score: Mapping[str, Any]) -> None:
        places = self.mapping.scores
        name = text_of(look_first(score, places.name))
        if not name:
            raise InputError(
                "a score has no name", file=self.file, field=places.name[0] if places.name else None
            )
        by = BY.get((text_of(look_first(score, places.by)) or "").strip().lower())
        explained = look_first(score, places.explained)
        judge = name if by == "judge" or (by is None and explained) else None
        label = text_of(look_first(score, places.label))
        error = look_first(score, places.error)
        value = look_first(score, places.value)
        self._put(name, value, judge=judge, by=by, label=label, error=error, note=explained)

    def _put(
        self,
        name: str,
        value: Any,
        *,
        judge: str | None = None,
        by: str | None = None,
        label: str | None = None,
        error: Any = None,
        failed: bool = False,
        note: Any = None,
    ) -> None:
        """Add a score; a word that is no number stays a label, an error of the grader has no value."""
        number = number_of(value)
        word = value.strip().lower() if isinstance(value, str) else ""
        text = value if isinstance(value, str) and (number is None or word in (*TRUE, *FALSE)) else None
        lost = text_of(error) not in (None, "", "null", "{}")
        status: str | None = None
        if number is None:
            status = "error" if lost else "missing" if failed or (text is None and label is None) else "ok"
        if status == "ok":
            self.labels.add(name)
        shown = label or text or (first_line(text_of(error)) if lost else None)
        self.rows.score(
            name, number, label=shown, judge=judge, by=by, status=status, note=note or text_of(error)
        )

    def evidence(self, *, source: Source, notes: Sequence[Note]) -> Evidence:
        """Return the records as evidence.

        Raises:
            UsageError: no item has the field the user named.
            InputError: nothing was scored.
        """
        said = [*notes]
        if self.labels:
            listed = ", ".join(sorted(self.labels))[:200]
            said.append(Note("labels_only", f"values that are no numbers are kept as labels: {listed}"))
        settings = [
            {"system": system, "name": "harness", "value": self.mapping.tool} for system in self.systems
        ]
        return self.rows.evidence(
            source=source,
            notes=said,
            headline=self.options.metric,
            cluster=self.options.cluster,
            settings=pl.DataFrame(settings),
        )


def _seconds(value: Any) -> float | None:
    """Return a time in seconds, written as such or by ISO 8601."""
    if (number := number_of(value)) is not None:
        return number
    try:
        return datetime.fromisoformat(value).timestamp() if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError, msgspec.MsgspecError):
        return None
