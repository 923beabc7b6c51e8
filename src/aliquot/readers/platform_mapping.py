"""Column mappings that come with the package: where a platform's export holds what, as data and nothing else."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

import msgspec
from msgspec import Struct, field

from aliquot.files.yaml_documents import parse_yaml

_FOLDER: Final = "mappings"


class Joined(Struct, forbid_unknown_fields=True):
    """Scores that stand in a list of their own and name the record they belong to."""

    list: str
    key: str
    to: str


class Scores(Struct, forbid_unknown_fields=True):
    """Where the scores are.

    Attributes:
        columns: names of columns, with ``{name}`` where the metric's name stands.
        errors: the name of the column with a metric's error.
        explanations: the name of the column with a metric's explanation, which a model wrote.
        objects: paths to objects whose members are metrics.
        lists: paths to lists of scores.
        joined: a list of scores beside the records.
        rows: whether a record without such a list is itself a score.
        name: where a score holds its metric's name.
        value: where it holds its value.
        label: where it holds its label.
        explained: where it holds an explanation.
        by: where it says who gave it.
        error: where it holds its error.
    """

    columns: list[str] = field(default_factory=list[str])
    errors: str | None = None
    explanations: str | None = None
    objects: list[str] = field(default_factory=list[str])
    lists: list[str] = field(default_factory=list[str])
    joined: Joined | None = None
    rows: bool = False
    name: list[str] = field(default_factory=list[str])
    value: list[str] = field(default_factory=list[str])
    label: list[str] = field(default_factory=list[str])
    explained: list[str] = field(default_factory=list[str])
    by: list[str] = field(default_factory=list[str])
    error: list[str] = field(default_factory=list[str])


class PlatformMapping(Struct, forbid_unknown_fields=True):
    """Where an export holds what; of several places the first that is there is taken.

    Attributes:
        tool: the platform.
        reads: what is read, in a few words.
        scores: where the scores are.
        members: names of the list of records in a document.
        item: the item's id.
        system: the system's name.
        task: the task's name.
        attempt: which attempt it is.
        error: what stopped the answer.
        latency_s: seconds it took.
        latency_ms: milliseconds it took.
        started: when it was asked.
        ended: when it was answered.
        cost: what it cost.
        tokens_in: tokens of the request.
        tokens_out: tokens of the answer.
        inputs: what the item asks.
        reference: the right answer.
        response: the answer.
        fields: objects whose members may part the items.
    """

    tool: str
    reads: str
    scores: Scores
    members: list[str] = field(default_factory=list[str])
    item: list[str] = field(default_factory=list[str])
    system: list[str] = field(default_factory=list[str])
    task: list[str] = field(default_factory=list[str])
    attempt: list[str] = field(default_factory=list[str])
    error: list[str] = field(default_factory=list[str])
    latency_s: list[str] = field(default_factory=list[str])
    latency_ms: list[str] = field(default_factory=list[str])
    started: list[str] = field(default_factory=list[str])
    ended: list[str] = field(default_factory=list[str])
    cost: list[str] = field(default_factory=list[str])
    tokens_in: list[str] = field(default_factory=list[str])
    tokens_out: list[str] = field(default_factory=list[str])
    inputs: list[str] = field(default_factory=list[str])
    reference: list[str] = field(default_factory=list[str])
    response: list[str] = field(default_factory=list[str])
    fields: list[str] = field(default_factory=list[str])


@cache
def shipped_mappings() -> tuple[str, ...]:
    """Return the names of the mappings that come with the package.

    Examples:
        >>> "langfuse" in shipped_mappings()
        True
    """
    folder = files("aliquot.readers").joinpath(_FOLDER)
    return tuple(
        sorted(one.name.removesuffix(".yaml") for one in folder.iterdir() if one.name.endswith(".yaml"))
    )


@cache
def shipped_mapping(name: str) -> PlatformMapping:
    """Return a mapping that comes with the package.

    Examples:
        >>> shipped_mapping("mlflow").scores.columns
        ['{name}/value']
    """
    place = files("aliquot.readers").joinpath(_FOLDER, f"{name}.yaml")
    return msgspec.convert(parse_yaml(place.read_text(encoding="utf-8"), file=place.name), PlatformMapping)
