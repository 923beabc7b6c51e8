"""Which readers there are, and which one a path belongs to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from aliquot.errors import InputError, UsageError, nearest
from aliquot.evidence.assembly import rename
from aliquot.evidence.contents import systems
from aliquot.evidence.merging import merge
from aliquot.evidence.tables import Evidence
from aliquot.files.writing import machine_errors
from aliquot.readers.collection import collection_paused
from aliquot.readers.options import ReadOptions
from aliquot.readers.reader import Reader
from aliquot.readers.run import RunReader
from aliquot.readers.table import TableReader

GROUP: Final = "aliquot.readers"
"""The entry point group under which third parties add readers."""

_LOGS: Final = {
    "inspect_log": "InspectReader",
    "lm_eval": "LmEvalReader",
    "promptfoo": "PromptfooReader",
    "helm": "HelmReader",
    "lighteval": "LightevalReader",
    "deepeval": "DeepEvalReader",
    "ragas": "RagasReader",
    "swe_bench": "SweBenchReader",
    "tau_bench": "TauBenchReader",
    "alpaca_eval": "AlpacaEvalReader",
    "arena_hard": "ArenaHardReader",
    "mt_bench": "MtBenchReader",
    "arena": "ArenaReader",
    "judged_pairs": "JudgedPairsReader",
    "openai_evals": "OpenAIEvalsReader",
    "azure_evaluation": "AzureEvaluationReader",
    "pydantic_evals": "PydanticEvalsReader",
    "otel": "OtelReader",
    "every_eval_ever": "EveryEvalEverReader",
}
"""Readers of logs that tell what they are, by module, in the order in which they are asked.

Imported when they are asked, because a comparison of two small tables must not pay for them.
"""

_WRITES_CSV: Final = {
    "promptfoo": (b"Status", b'raw"'),
    "lighteval": (b"model_response", b"num_effective_few_shots"),
    "ragas": (b"user_input", b"question"),
    "arena": (b"winner",),
    "judged_pairs": (b"verdict_order1", b"preference", b"system_a"),
}
"""Of these, the readers of tools that also write plain tables, and what one of their heads must hold."""

TABLE: Final[Reader] = TableReader()
"""The reader of plain tables, asked last: it takes any file whose name ends like a table's."""

_PLAIN: Final = (".csv", ".tsv", ".tab", ".parquet", ".pq")
_HEAD_BYTES: Final = 1 << 20
_TAIL_BYTES: Final = 1 << 16


def own_readers(path: Path | None = None) -> tuple[Reader, ...]:
    """Return the package's readers, for a plain table only those that could be its reader."""
    if path is None or path.suffix.lower() not in _PLAIN:
        modules = list(_LOGS)
    else:
        modules = [name for name in _WRITES_CSV if _may_have_written(name, path)]
    logs = [getattr(import_module(f"aliquot.readers.{name}"), _LOGS[name])() for name in modules]
    return (RunReader(), *logs)


def _may_have_written(name: str, path: Path) -> bool:
    """Tell whether the ends of a plain table could be those of a tool's, before its reader is imported."""
    if not path.is_file():
        return False
    with machine_errors(path), path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        file.seek(max(len(head), path.stat().st_size - _TAIL_BYTES))
        head += file.read(_TAIL_BYTES)  # Parquet names its columns at the end
    return any(mark in head for mark in _WRITES_CSV[name])


def third_party() -> tuple[Reader, ...]:
    """Return the readers that installed packages add."""
    return tuple(point.load()() for point in entry_points(group=GROUP))


def find_reader(path: Path, *, name: str | None = None) -> Reader:
    """Return the reader of a path.

    Args:
        path: the file or folder.
        name: the reader's name, when the path does not tell.

    Raises:
        UsageError: there is no reader of that name.
        InputError: the path does not exist, or no reader knows it.
    """
    if name is not None:
        platforms: tuple[Reader, ...] = import_module("aliquot.readers.platform").platform_readers()
        known = {reader.name: reader for reader in (*platforms, *own_readers(), *third_party(), TABLE)}
        if name not in known:
            raise UsageError(f"there is no reader {name!r}. {nearest(name, known)}")
        return known[name]
    if not path.exists():
        raise InputError("there is no such file or folder", file=str(path))
    others = () if path.suffix.lower() in _PLAIN else third_party()
    for reader in (*own_readers(path), *others, TABLE):
        if reader.sniff(path):
            return reader
    listed = "; ".join(f"{reader.name} ({reader.reads})" for reader in (*own_readers(), *others, TABLE))
    raise InputError(
        "no reader knows it",
        file=str(path),
        remedy=f"Known: {listed}. Name the columns of a table with --item-column, --value-column, "
        "--system-column, --metric, --cluster",
    )


def read_one(path: str | os.PathLike[str], options: ReadOptions | None = None) -> Evidence:
    """Read one file or folder.

    Raises:
        UsageError: the options do not fit.
        InputError: it cannot be used as it stands.
        MachineError: the machine refuses to read it.
    """
    options = options or ReadOptions()
    with collection_paused():
        return find_reader(Path(path), name=options.reader).read(Path(path), options)


def read_evidence(
    paths: Sequence[str | os.PathLike[str]],
    options: ReadOptions | None = None,
    *,
    names: Sequence[str] | None = None,
) -> Evidence:
    """Read several files and folders as one evidence.

    A name that two sources use for different systems gets the source's label in front (``new.csv:gpt``), or
    becomes the label when the source holds one system only; so the same system run twice can be compared.

    Args:
        paths: at least one.
        options: what the columns mean, for every path.
        names: a name for each path that holds one system.

    Raises:
        UsageError: no path, or as many names as paths are not given.
        InputError: one of them cannot be used as it stands.
        MachineError: the machine refuses to read one.
    """
    options = options or ReadOptions()
    if not paths:
        raise UsageError("there is nothing to read. Name at least one file or folder.")
    if names is not None and len(names) != len(paths):
        raise UsageError(f"{len(names)} names for {len(paths)} paths. Give one name for each path.")
    given = names or [None] * len(paths)
    sources = [
        read_one(path, replace(options, name=name or options.name))
        for path, name in zip(paths, given, strict=True)
    ]
    try:
        return merge(*sources)
    except InputError:
        if names is not None or len({os.fspath(path) for path in paths}) < len(paths):
            raise
    return merge(*_told_apart(sources, [Path(path) for path in paths]))


def _told_apart(sources: Sequence[Evidence], paths: Sequence[Path]) -> list[Evidence]:
    """Return the sources with the systems renamed that several of them hold."""
    held = [set(systems(source)) for source in sources]
    labels = source_labels(paths)
    renamed: list[Evidence] = []
    for place, source in enumerate(sources):
        shared = held[place] & set[str]().union(
            *(names for other, names in enumerate(held) if other != place)
        )
        alone = len(held[place]) == 1
        names = {name: labels[place] if alone else f"{labels[place]}:{name}" for name in sorted(shared)}
        renamed.append(rename(source, names))
    return renamed


def source_labels(paths: Sequence[Path]) -> list[str]:
    """Return the shortest ends of the paths that tell them apart."""
    parts = [path.absolute().parts for path in paths]
    length = 1
    while length < max(map(len, parts)) and len({part[-length:] for part in parts}) < len(parts):
        length += 1
    return ["/".join(part[-length:]) for part in parts]
