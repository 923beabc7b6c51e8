"""Opening what an evaluation names: models over HTTP, functions, commands and the embedded model, all in one way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from aliquot.errors import MachineError, UsageError, nearest
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.keys import read_key
from aliquot.systems.own import Command, PythonFunction
from aliquot.systems.pace import Pace
from aliquot.systems.system import System

EMBEDDED: Final = "embedded"
"""The name under which an evaluation asks the embedded model."""

Source: TypeAlias = str | Endpoint | PythonFunction | Command
"""What a system can be opened from."""


async def open_systems(
    wanted: Iterable[Source], given: Mapping[str, System], *, threads: int | None = None
) -> dict[Source, System]:
    """Return a system for all that is wanted and not given; what takes long to load comes last.

    Args:
        wanted: a name, or where a system is.
        given: systems that are there already, by name.
        threads: computing threads of the embedded model; None for the cores available.

    Raises:
        UsageError: a name that nothing was given for, or the variable of a key is not set.
        InputError: a function or command that is not there.
        MachineError: the extra ``http`` or the embedded model is not installed.
    """
    sources = list(dict.fromkeys(wanted))
    names = {source for source in sources if isinstance(source, str)} - given.keys()
    for name in sorted(names - {EMBEDDED}):
        raise UsageError(f"there is no model {name!r}. {nearest(name, {EMBEDDED, *given})}")
    opened: dict[Source, System] = {}
    opened |= {source: source.open() for source in sources if isinstance(source, PythonFunction | Command)}
    endpoints = [source for source in sources if isinstance(source, Endpoint)]
    if endpoints:
        opened |= _open_endpoints(endpoints)
    if EMBEDDED in names:
        from aliquot.systems.embedded import EmbeddedModel  # noqa: PLC0415 - needs the extra ``local``

        opened[EMBEDDED] = await asyncio.to_thread(EmbeddedModel, threads=threads)
    return opened


def _open_endpoints(endpoints: Iterable[Endpoint]) -> dict[Endpoint, System]:
    """Return a system for each endpoint; those of one server and key share its gate and limit."""
    try:
        from aliquot.systems.openai_api import OpenAIModel  # noqa: PLC0415 - needs the extra ``http``
    except ModuleNotFoundError as error:
        if error.name != "aiohttp":
            raise
        raise MachineError(
            "Asking a model over HTTP needs an extra. Run: pip install 'aliquot[http]'"
        ) from error
    opened: dict[Endpoint, System] = {}
    paces: dict[tuple[str, str | None], Pace] = {}
    for endpoint in endpoints:
        key = None if endpoint.api_key_env is None else read_key(endpoint.api_key_env)
        pace = paces.setdefault((endpoint.base_url.rstrip("/"), endpoint.api_key_env), Pace())
        opened[endpoint] = OpenAIModel(endpoint, key=key, pace=pace)
    return opened
