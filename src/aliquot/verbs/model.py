"""``model``: install, find and check the embedded model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aliquot.errors import MachineError
from aliquot.systems import weights
from aliquot.systems.embedded import cache_folder, named_file

if TYPE_CHECKING:
    from aliquot.systems.embedded import EmbeddedModel


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """The embedded model on this machine.

    Attributes:
        path: the GGUF file.
        sha256: of its bytes.
        standard: whether it is the model this package installs; False when ``ALIQUOT_MODEL`` names another.
        name: what to call it.
    """

    path: Path
    sha256: str
    standard: bool
    name: str


def model(
    *, install: bool = True, force: bool = False, say: Callable[[str], None] | None = None
) -> InstalledModel:
    """Find the embedded model, install it where it is missing, and check its bytes.

    Args:
        install: fetch it when it is missing or damaged; otherwise that is an error.
        force: fetch it even when it is there and right.
        say: receives one line before a download.

    Raises:
        MachineError: it is missing or damaged and may or can not be fetched.
    """
    named = named_file()
    if named is not None:
        found = weights.digest(named)
        return InstalledModel(
            named, found, standard=found == weights.SHA256, name=named.name.removesuffix(".gguf")
        )
    cache = cache_folder()
    path = weights.install(cache, say=say, force=force) if install else weights.find(cache)
    return InstalledModel(path, weights.check(path), standard=True, name=weights.NAME)


def serve(*, port: int, threads: int | None = None, slots: int = 4) -> EmbeddedModel:
    """Load the embedded model and let it answer OpenAI-style requests on a loopback port until it is closed.

    Args:
        port: the port on 127.0.0.1.
        threads: computing threads; None for the cores available.
        slots: answers worked on at once.

    Raises:
        MachineError: the port is in use, or the model or its engine is missing.
    """
    from aliquot.systems.embedded import EmbeddedModel

    if not 1 <= port <= 65535:
        raise MachineError(f"port {port} does not exist; choose one from 1024 to 65535")
    return EmbeddedModel(port=port, threads=threads, slots=slots)
