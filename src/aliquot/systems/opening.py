"""Opening the models that an evaluation names by where they are."""

from __future__ import annotations

from collections.abc import Iterable

from aliquot.errors import MachineError
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.keys import read_key
from aliquot.systems.pace import Pace
from aliquot.systems.system import System


def open_endpoints(endpoints: Iterable[Endpoint]) -> dict[Endpoint, System]:
    """Return a system for each endpoint; those of one server and key share its gate and limit.

    Raises:
        MachineError: the extra ``http`` is not installed.
        UsageError: the variable of a key is not set.
    """
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
    for endpoint in dict.fromkeys(endpoints):
        key = None if endpoint.api_key_env is None else read_key(endpoint.api_key_env)
        pace = paces.setdefault((endpoint.base_url.rstrip("/"), endpoint.api_key_env), Pace())
        opened[endpoint] = OpenAIModel(endpoint, key=key, pace=pace)
    return opened
