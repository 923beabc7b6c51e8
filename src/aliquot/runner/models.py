"""Reading what an evaluation file says of a system's model: its name, or a mapping of one of five kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeVar, cast

from aliquot.errors import UsageError
from aliquot.files.documents import Node
from aliquot.runner.evaluation import ModelName
from aliquot.runner.stored import MISSING, StoredRun
from aliquot.systems.baselines import Baseline
from aliquot.systems.endpoint import PATHS, Endpoint
from aliquot.systems.own import Command, PythonFunction

Made = TypeVar("Made", Endpoint, PythonFunction, Command, Baseline)

MODEL_KEYS: Final = (
    "base_url", "model", "api", "api_key_env", "api_version", "stream", "concurrency", "tries", "timeout_s",
    "connect_timeout_s", "first_token_timeout_s", "json_schema", "extra",
)  # fmt: skip
MODEL_REQUIRED: Final = ("base_url", "model")
OWN_KEYS: Final = ("version", "components", "concurrency", "timeout_s")
FUNCTION_KEYS: Final = ("python", *OWN_KEYS)
COMMAND_KEYS: Final = ("command", *OWN_KEYS)
STORED_KEYS: Final = ("run", "system", "missing")
BASELINE_KEYS: Final = ("baseline", "among", "seed")


def read_model(node: Node, *, folder: str) -> ModelName:
    """Return a model's name, or what the mapping of a model describes.

    Args:
        node: the value of ``model``.
        folder: the evaluation file's folder, which paths are relative to.

    Raises:
        InputError: a key or value that cannot be used, with its line.
    """
    if not isinstance(node.value, dict):
        return node.text()
    if "python" in node.value:
        return _function(node, folder=folder)
    if "command" in node.value:
        return _command(node, folder=folder)
    if "baseline" in node.value:
        return _baseline(node)
    return _stored(node, folder=folder) if "run" in node.value else read_endpoint(node)


def read_components(node: Node) -> dict[str, str]:
    """Return versions of components by name.

    Raises:
        InputError: one is no text.
    """
    return {name: part.text() for name, part in node.mapping().items()}


def _function(node: Node, *, folder: str) -> PythonFunction:
    keys = node.mapping(FUNCTION_KEYS)
    said = _own(keys) | {"python": keys["python"].text()}
    return _made(PythonFunction, said, node, folder=folder)


def _command(node: Node, *, folder: str) -> Command:
    keys = node.mapping(COMMAND_KEYS)
    return _made(Command, _own(keys) | {"command": keys["command"].texts()}, node, folder=folder)


def _baseline(node: Node) -> Baseline:
    keys = node.mapping(BASELINE_KEYS)
    said: dict[str, Any] = {name: keys[name].text() for name in ("baseline", "among") if name in keys}
    if "seed" in keys:
        said["seed"] = keys["seed"].whole()
    return _made(Baseline, said, node)


def _own(keys: Mapping[str, Node]) -> dict[str, Any]:
    """Return what functions and commands have in common."""
    said: dict[str, Any] = {}
    if "version" in keys:
        said["version"] = keys["version"].text()
    if "components" in keys:
        said["components"] = read_components(keys["components"])
    if "concurrency" in keys:
        said["concurrency"] = keys["concurrency"].whole(low=1)
    if "timeout_s" in keys:
        said["timeout_s"] = keys["timeout_s"].number()
    return said


def _stored(node: Node, *, folder: str) -> StoredRun:
    keys = node.mapping(STORED_KEYS)
    missing = keys["missing"].one_of(MISSING) if "missing" in keys else "refuse"
    return StoredRun(
        run=keys["run"].text(),
        system=keys["system"].text() if "system" in keys else None,
        missing=cast("Literal['refuse', 'error']", missing),
        folder=folder,
        file=node.file,
        line=node.line,
    )


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
    return _made(Endpoint, said, node)


def _made(kind: type[Made], said: Mapping[str, Any], node: Node, *, folder: str | None = None) -> Made:
    """Return a model of a kind; what it refuses is said with the line of the key it begins with."""
    place: dict[str, Any] = {} if folder is None else {"folder": folder, "file": node.file, "line": node.line}
    try:
        return kind(**said, **place)
    except UsageError as error:
        keys = node.mapping()
        named = next((name for name in keys if str(error).startswith((f"{name} ", f"{name}:"))), None)
        (keys[named] if named else node).refuse(str(error))
