"""One record of a samples file: decoded by the fast parser where it can be, by the patient one where it must."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec

from aliquot.errors import InputError
from aliquot.files.json_documents import JsonReading
from aliquot.readers.lm_eval_blocks import Place, split_records

KNOWN: Final = frozenset(
    {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash",
     "prompt_hash", "target_hash", "scores_per_repeat"}
)  # fmt: skip
"""Members of a record that are no metric."""

MAX_METRICS: Final = 200
"""Metrics a samples file may have."""

NO_TEXT: Final = msgspec.Raw(b"null")

Record = Any
"""A record: doc_id, doc_hash, filter, metrics, resps, filtered_resps, scores_per_repeat, doc, and m0, m1 … a metric."""


@lru_cache(maxsize=32)
def record_type(metrics: tuple[str, ...], *, with_doc: bool) -> type[msgspec.Struct]:
    """Return the type of a record with these metrics as m0, m1 …; everything else in the line is skipped."""
    fields: list[tuple[str, Any, Any]] = [
        ("doc_id", Any, None),
        ("doc_hash", str | None, None),
        ("filter", str | None, None),
        ("metrics", msgspec.Raw, NO_TEXT),
        ("resps", msgspec.Raw, NO_TEXT),
        ("filtered_resps", msgspec.Raw, NO_TEXT),
        ("scores_per_repeat", dict[str, list[Any]] | None, None),
        *((f"m{place}", Any, None) for place in range(len(metrics))),
    ]
    if with_doc:
        fields.append(("doc", Any, None))
    names = {f"m{place}": name for place, name in enumerate(metrics)}
    return msgspec.defstruct("Record", fields, rename=names, gc=False)


class RecordDecoder:
    """Decodes the blocks of one samples file; learns the metrics as they come.

    Attributes:
        metrics: names of the metrics met so far.
        torn: whether the file ended in the middle of a line.
        reading: what was met that JSON does not have.
    """

    def __init__(self, path: Path, *, with_doc: bool) -> None:
        self.metrics: tuple[str, ...] = ()
        self.torn = False
        self.reading = JsonReading()
        self._path = path
        self._with_doc = with_doc

    def decode(self, place: Place, data: bytes) -> list[Record]:
        """Return the records of a block.

        Raises:
            InputError: a record that is none, named with its line.
        """
        rows = self._decode_fast(place, data)
        if rows is None or None in [row.doc_hash for row in rows]:
            return self._decode_patiently(place, data)
        named = distinct_names([row.metrics for row in rows])
        if None in named:
            return self._decode_patiently(place, data)
        if self._learn(name for names in named for name in names or ()):
            return self._decode_fast(place, data) or self._decode_patiently(place, data)
        return rows

    def _decode_fast(self, place: Place, data: bytes) -> list[Record] | None:
        kind = record_type(self.metrics, with_doc=self._with_doc)
        try:
            if place.array:
                return [msgspec.json.decode(record, type=kind) for record in split_records(data, array=True)]
            return msgspec.json.Decoder(kind).decode_lines(data)
        except (ValueError, RecursionError):
            return None

    def _decode_patiently(self, place: Place, data: bytes) -> list[Record]:
        """Return the records of a block that holds what the fast parser refuses or does not find."""
        documents = self._documents(place, data)
        for document in documents:
            self._learn(self._named(document))
        kind = record_type(self.metrics, with_doc=self._with_doc)
        return [self._record(kind, document) for document in documents]

    def _documents(self, place: Place, data: bytes) -> list[dict[str, Any]]:
        try:
            records = split_records(data, array=place.array)
        except (ValueError, RecursionError) as error:
            raise InputError(f"is no JSON array: {error}", file=str(self._path)) from error
        documents: list[dict[str, Any]] = []
        for record in records:
            try:
                document = self.reading.parse(record.decode(), file="")
            except (InputError, UnicodeDecodeError) as error:
                if documents and record is records[-1] and not data.endswith(b"\n"):
                    self.torn = True
                    break
                problem = error.problem if isinstance(error, InputError) else "is not UTF-8"
                raise self._error(problem, place, data, record) from error
            if not isinstance(document, dict):
                raise self._error("is no JSON object", place, data, record)
            documents.append(document)
        return documents

    def _record(self, kind: type[msgspec.Struct], document: Mapping[str, Any]) -> Record:
        texts = {
            name: msgspec.Raw(msgspec.json.encode(document.get(name))) for name in ("resps", "filtered_resps")
        }
        known = {name: document.get(name) for name in ("doc_id", "filter", "scores_per_repeat")}
        texts["metrics"] = msgspec.Raw(msgspec.json.encode(self._named(document)))
        known["doc_hash"] = document.get("doc_hash") or hash_doc(document.get("doc"))
        values = {f"m{place}": document.get(name) for place, name in enumerate(self.metrics)}
        doc = {"doc": document.get("doc")} if self._with_doc else {}
        record = kind(**texts, **known, **values, **doc)
        for name in ("doc_hash", "filter"):
            if not isinstance(known[name], str | None):
                raise InputError("is no text", file=str(self._path), field=name)
        if not isinstance(known["scores_per_repeat"], dict | None):
            raise InputError("is no object", file=str(self._path), field="scores_per_repeat")
        return record

    def _named(self, document: Mapping[str, Any]) -> list[str]:
        """Return a record's metrics; a log before 0.4.7 does not list them."""
        names = document.get("metrics")
        if names is None:
            return [name for name in document if name not in KNOWN]
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise InputError("is no list of names", file=str(self._path), field="metrics")
        return names

    def _learn(self, names: Iterable[str]) -> bool:
        """Add metrics that are new; return whether there were any."""
        new = [name for name in dict.fromkeys(names) if name not in KNOWN and name not in self.metrics]
        self.metrics = (*self.metrics, *new)
        if len(self.metrics) > MAX_METRICS:
            raise InputError(f"has more than {MAX_METRICS} metrics", file=str(self._path))
        return bool(new)

    def _error(self, problem: str, place: Place, data: bytes, record: bytes) -> InputError:
        if place.array:
            return InputError(f"a member of its array {problem}", file=str(self._path))
        with self._path.open("rb") as file:
            before = file.read(place.offset).count(b"\n")
        line = before + data.count(b"\n", 0, data.find(record)) + 1
        return InputError(f"line {line} {problem}", file=str(self._path))


def distinct_names(written: Sequence[msgspec.Raw]) -> list[list[str] | None]:
    """Return the lists of names that differ, decoded once each; None for one that is no list of names.

    Examples:
        >>> distinct_names([msgspec.Raw(b'["acc"]')] * 2)
        [['acc']]
    """
    alike = bool(written) and b"".join(written) == bytes(written[0]) * len(written)
    return [names_of(raw) for raw in dict.fromkeys(map(bytes, written[:1] if alike else written))]


@lru_cache(maxsize=256)
def names_of(written: bytes) -> list[str] | None:
    """Return a list of names, or None when it is none."""
    try:
        return msgspec.json.decode(written, type=list[str])
    except msgspec.DecodeError:
        return None


def hash_doc(doc: Any) -> str | None:
    """Return the hash of a document as the harness makes it since 0.4.3, so that older logs join newer ones.

    Source: lm_eval/evaluator.py, ``doc_hash`` (SHA-256 of the indented JSON).

    Examples:
        >>> hash_doc({"id": 1})[:12]
        '783cf32f165f'
    """
    if doc is None:
        return None
    return hashlib.sha256(json.dumps(doc, indent=2, ensure_ascii=False).encode()).hexdigest()


def path_in(record: Any, path: str) -> Any:
    """Return what a dotted path names in nested objects, or None.

    Examples:
        >>> path_in({"meta": {"passage.id": 7}}, "meta.passage.id")
        7
    """
    if not isinstance(record, Mapping):
        return None
    if path in record:
        return record[path]
    head, _, rest = path.partition(".")
    while rest:
        if head in record:
            return path_in(record[head], rest)
        more, _, rest = rest.partition(".")
        head = f"{head}.{more}"
    return None
