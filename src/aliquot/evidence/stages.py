"""The stages of a pipeline: what each did on the way to one answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from aliquot.evidence.bounds import bounded_fields
from aliquot.evidence.transcripts import Turn

ROLE = "stage"
"""The role of a turn that tells of a stage; the stage's name follows it."""

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

TEXTS: Final = ("contexts", "context", "chunks", "texts")
"""Values of a stage that hold the texts of what it found or kept; entries of ``DOCUMENTS`` may hold theirs too."""

TEXT: Final = ("text", "content", "page_content", "passage", "snippet")
"""Keys of an entry that hold its text; the first that is there counts."""

GOLDEN: Final = "golden"
"""The field of an item, or value of a stage, that lists the ids of what answers it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage of a pipeline.

    Attributes:
        name: its name: ``retrieval``, ``context``, ``generation``, ``parsing``.
        status: ``ok``, or why it gave nothing: a status word of responses.
        reason: why, in words.
        latency_s: seconds it took.
        values: small values to judge it by, such as the ids and versions of what was retrieved.
    """

    name: str
    status: str = "ok"
    reason: str | None = None
    latency_s: float | None = None
    values: Mapping[str, object] = field(default_factory=dict[str, object])

    def turn(self) -> Turn:
        r"""Return the stage as a turn of a conversation, to be read among the others.

        Examples:
            >>> Stage(name="retrieval", latency_s=0.25, values={"documents": ["d7@2"]}).turn().text
            'ok, 0.25 s\ndocuments: ["d7@2"]'
        """
        took = None if self.latency_s is None else f"{self.latency_s:.3g} s"
        first = ", ".join(filter(None, (self.status, took, self.reason)))
        told = (f"{name}: {text}" for name, text in bounded_fields(self.values).items())
        return Turn(f"{ROLE} {self.name}", "\n".join((first, *told)))


def layer_of(stage: str) -> str:
    """Return the layer a stage belongs to; a name that is none of theirs is its own.

    Examples:
        >>> layer_of("Reranker"), layer_of("generation"), layer_of("billing")
        ('retrieval', 'generation', 'billing')
    """
    name = stage.casefold()
    return next((layer for layer, parts in LAYERS.items() if any(part in name for part in parts)), stage)


def documents_of(values: Mapping[str, object]) -> tuple[str, ...] | None:
    """Return the ids that a stage's values list, in their order; None when they list none of the kind.

    Examples:
        >>> documents_of({"documents": ["d7@2", {"id": "d9", "score": 0.5}]}), documents_of({"query": "x"})
        (('d7', 'd9'), None)
    """
    name = next((name for name in DOCUMENTS if isinstance(values.get(name), list)), None)
    return None if name is None else tuple(ids_of(cast("list[object]", values[name])))


def ids_of(listed: Iterable[object]) -> Iterable[str]:
    """Yield ids without the version behind ``@``; an entry may be an object with an ``id``."""
    for one in listed:
        name = cast("Mapping[str, Any]", one).get("id") if isinstance(one, Mapping) else one
        yield str(name).partition("@")[0]


def retrieved_texts(stages: Iterable[Stage]) -> tuple[str, ...]:
    """Return the texts that a pipeline put before its model: of its last stage that tells any, of context first.

    Examples:
        >>> found = Stage(name="search", values={"documents": [{"id": "d7", "text": "Emma, by Austen"}, "d9"]})
        >>> kept = Stage(name="context", values={"context": "By Jane Austen."})
        >>> retrieved_texts([found]), retrieved_texts([found, kept]), retrieved_texts([])
        (('Emma, by Austen',), ('By Jane Austen.',), ())
    """
    told = [(layer_of(one.name), texts) for one in stages if (texts := _texts_of(one.values))]
    own = [texts for layer, texts in told if layer == "context"] or [texts for _, texts in told]
    return own[-1] if own else ()


def _texts_of(values: Mapping[str, object]) -> tuple[str, ...]:
    """Return the texts that a stage's values hold; ids are none."""
    for name in (*TEXTS, *DOCUMENTS):
        value = values.get(name)
        listed = cast("list[object]", value) if isinstance(value, list) else [value]
        texts = [_text_of(one, plain=name in TEXTS) for one in listed]
        if found := tuple(text for text in texts if text.strip()):
            return found
    return ()


def _text_of(entry: object, *, plain: bool) -> str:
    if isinstance(entry, Mapping):
        fields = cast("Mapping[str, object]", entry)
        return next((text for name in TEXT if isinstance(text := fields.get(name), str)), "")
    return entry if plain and isinstance(entry, str) else ""


def golden_ids(listed: object) -> frozenset[str]:
    """Return the ids of what answers an item, by its field: a list, or a mapping whose grades are above 0.

    Examples:
        >>> sorted(golden_ids(["d7@2", "d9"])), sorted(golden_ids({"d7": 2, "d9": 0})), golden_ids("d7")
        (['d7', 'd9'], ['d7'], frozenset())
    """
    if isinstance(listed, Mapping):
        graded = cast("Mapping[object, object]", listed)
        return frozenset(
            ids_of(one for one, grade in graded.items() if isinstance(grade, int | float) and grade > 0)
        )
    return frozenset(ids_of(cast("list[object]", listed))) if isinstance(listed, list) else frozenset()
