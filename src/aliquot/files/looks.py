"""How many variants were tried on one item set: the runs that lie beside each other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aliquot.errors import AliquotError
from aliquot.files.manifest import Manifest, read_manifest
from aliquot.files.run_directory import MANIFEST

MAX_RUNS: Final = 10_000
"""Run directories looked at."""

_VARIANT: Final = ("mode", "instructions", "prompt", "decoding", "components")
"""What makes a system another variant; its name does not."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What was tried on one item set.

    Attributes:
        runs: run directories with these items.
        variants: systems in them that differ in more than their name.
    """

    runs: int
    variants: int


def count_tried(run: Path) -> Tried | None:
    """Return what was tried on the items of a run, over the runs beside it; None when it is no run.

    A neighbour that cannot be read is passed over: it is not what was asked about.
    """
    own = _manifest(run)
    if own is None or not own.item_set.get("hash"):
        return None
    beside = [other for other in _neighbours(run.parent) if _items(other) == _items(own)]
    variants = {_variant(system) for manifest in beside for system in manifest.systems.values()}
    return Tried(runs=len(beside), variants=len(variants))


def _neighbours(folder: Path) -> Iterator[Manifest]:
    for count, path in enumerate(sorted(folder.iterdir())):
        if count >= MAX_RUNS:
            return
        manifest = _manifest(path) if path.is_dir() else None
        if manifest is not None:
            yield manifest


def _manifest(run: Path) -> Manifest | None:
    path = run if run.name == MANIFEST else run / MANIFEST
    if not path.is_file():
        return None
    try:
        return read_manifest(path)
    except AliquotError:
        return None


def _items(manifest: Manifest) -> tuple[str, Any]:
    return manifest.task, manifest.item_set.get("hash")


def _variant(system: dict[str, Any]) -> str:
    return json.dumps({name: system.get(name) for name in _VARIANT}, sort_keys=True, default=str)
