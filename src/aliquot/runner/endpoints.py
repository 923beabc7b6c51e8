"""Reading the mapping of an evaluation file that says where a model is asked over HTTP."""

from __future__ import annotations

from typing import Any, Final

from aliquot.errors import UsageError
from aliquot.files.documents import Node
from aliquot.systems.endpoint import PATHS, Endpoint

MODEL_KEYS: Final = (
    "base_url", "model", "api", "api_key_env", "api_version", "stream", "concurrency", "tries", "timeout_s",
    "connect_timeout_s", "first_token_timeout_s", "json_schema", "extra",
)  # fmt: skip
MODEL_REQUIRED: Final = ("base_url", "model")


def read_endpoint(node: Node) -> Endpoint:
    """Return the endpoint that a mapping describes.

    Raises:
        InputError: a key or value that cannot be used, with its line.
    """
    keys = node.mapping(MODEL_KEYS)
    for name in (name for name in MODEL_REQUIRED if name not in keys):
        node.refuse(f"the key {name!r} is missing")
    said: dict[str, Any] = {name: keys[name].text() for name in MODEL_REQUIRED}
    if "api" in keys:
        said["api"] = keys["api"].one_of(PATHS)
    said |= {name: keys[name].text() for name in ("api_key_env", "api_version") if name in keys}
    said |= {name: keys[name].whole(low=1) for name in ("concurrency", "tries") if name in keys}
    said |= {
        name: keys[name].number()
        for name in ("timeout_s", "connect_timeout_s", "first_token_timeout_s")
        if name in keys
    }
    if "stream" in keys:
        said["stream"] = keys["stream"].flag()
    for name in ("json_schema", "extra"):
        if name in keys:
            keys[name].mapping()
            said[name] = keys[name].plain()
    try:
        return Endpoint(**said)
    except UsageError as error:
        named = next((name for name in keys if str(error).startswith(f"{name} ")), None)
        (keys[named] if named else node).refuse(str(error))
