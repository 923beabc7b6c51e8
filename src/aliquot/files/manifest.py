"""The manifest of a run: everything a reader needs to know what was run, and no key ever."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from aliquot.errors import InputError, UsageError
from aliquot.files.plan_file import KeptCriteria
from aliquot.files.writing import machine_errors, write_whole

SCHEMA: Final = "aliquot.run/1"

SECRET_NAMES: Final = frozenset(
    {"access_token", "api_key", "apikey", "authorization", "password", "secret", "x-api-key"}
)
"""Names under which a value would be a secret; a manifest that holds one is refused."""


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """One time that a run was worked on.

    Attributes:
        started: ISO 8601 time at which asking began.
        finished: when it ended, finished or stopped; empty when the process was killed, or is still at work.
        concurrency: requests in flight that were asked for; None for what each system says it can take.
        interleave: whether the systems took turns.
        load: system → what was seen: ``asked`` questions, ``most_at_once``, and of a model over HTTP what its server's
            pace counted: ``most_in_flight``, ``complaints`` (too many requests, or no answer in time), ``lowered``
            (how often the limit was), ``retries``.
        beside: other runs of the same folder that asked at the same time.
    """

    started: str
    finished: str = ""
    concurrency: int | None = None
    interleave: bool = False
    load: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)
    beside: tuple[str, ...] = ()


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is made of.

    Attributes:
        name: the run's name.
        task: the task's name.
        item_set: name, version, hash, licence, number of items; how they were selected.
        systems: for each system its model, prompt template hash, decoding and every component's version; the
            first is the baseline.
        scorers: for each scorer its metric, version and normalisation.
        alternatives: for each further metric of the same answers its scorers, likewise.
        judges: for each judge among those its template, hash and models with their components and prices.
        attempts: repeated answers for each item.
        seed: the seed of the run.
        cluster: the field of the items that names the cluster.
        segments: the fields of the items that are reporting slices.
        started: ISO 8601 time of the first request.
        finished: ISO 8601 time of the last answer; empty while some are owed.
        versions: package → version.
        warnings: what the run had to say.
        settings: everything else, by name.
        sessions: each time that it was worked on.
        stopping: of a run that may stop early: its rule, unit and level, the units and items counted so far, and
            whether the rule is settled; empty where everything is asked.
        criteria: what counts as success, every version of it; the last one holds.
        schema: name and version of this layout.
    """

    name: str
    task: str = ""
    item_set: dict[str, Any] = msgspec.field(default_factory=dict)
    systems: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    scorers: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    alternatives: dict[str, dict[str, dict[str, Any]]] = msgspec.field(default_factory=dict)
    judges: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    attempts: int = 1
    seed: int | None = None
    cluster: str | None = None
    segments: tuple[str, ...] = ()
    started: str = ""
    finished: str = ""
    versions: dict[str, str] = msgspec.field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    settings: dict[str, Any] = msgspec.field(default_factory=dict)
    sessions: tuple[Session, ...] = ()
    stopping: dict[str, Any] = msgspec.field(default_factory=dict)
    criteria: tuple[KeptCriteria, ...] = ()
    schema: str = SCHEMA

    @property
    def beside(self) -> tuple[str, ...]:
        """Other runs of the folder that asked at the same time in any session, sorted."""
        return tuple(sorted({name for session in self.sessions for name in session.beside}))


def read_manifest(path: Path) -> Manifest:
    """Read a manifest.

    Raises:
        InputError: not a manifest, or one of a version this package does not know.
        MachineError: the file cannot be read.
    """
    with machine_errors(path):
        data = path.read_bytes()
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise InputError(f"not a run's manifest: {error}", file=str(path)) from error
    if manifest.schema != SCHEMA:
        raise InputError(
            f"its schema is {manifest.schema!r}", file=str(path), remedy=f"This version reads {SCHEMA}"
        )
    return manifest


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write a manifest whole.

    Raises:
        UsageError: it would hold a secret.
        MachineError: the machine refuses.
    """
    refuse_secrets(msgspec.to_builtins(manifest))
    write_whole(path, msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")


def refuse_secrets(value: object, *, name: str = "") -> None:
    """Raise UsageError when a nested value has a field whose name says that it is a secret.

    Raises:
        UsageError: such a field exists and is not empty.
    """
    if isinstance(value, Mapping):
        for key, part in value.items():
            refuse_secrets(part, name=str(key))
    elif isinstance(value, list | tuple):
        for part in value:
            refuse_secrets(part, name=name)
    elif value and name.lower() in SECRET_NAMES:
        raise UsageError(
            f"{name!r} would put a secret into the run's manifest. Name the environment variable instead."
        )
