"""A model on a server, as an evaluation names it: where it is, what it is called, how it is asked."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec

from aliquot.errors import UsageError, excerpt
from aliquot.files.manifest import refuse_secrets

Api: TypeAlias = Literal["chat", "completions", "responses"]

PATHS: Final[Mapping[Api, str]] = {
    "chat": "/chat/completions",
    "completions": "/completions",
    "responses": "/responses",
}
"""Where each API answers, below the base URL."""

OWN: Final = frozenset({"input", "messages", "model", "n", "prompt", "stream", "stream_options"})
"""Body fields that follow from the request itself."""

DRAWN: Final = frozenset(
    {
        "logprobs",
        "max_completion_tokens",
        "max_output_tokens",
        "max_tokens",
        "seed",
        "stop",
        "temperature",
        "top_logprobs",
        "top_p",
    }
)
"""Body fields that ``decoding`` says; ``extra`` may only leave them out."""

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model behind an OpenAI-compatible API.

    Attributes:
        base_url: what stands before ``/chat/completions``; without a key or a password.
        model: the server's name of the model.
        api: which API is asked; None for the one that goes with the mode (chat, or completions).
        api_key_env: the variable of the environment that holds the key; None where none is needed.
        api_version: Azure's ``api-version``; the key is then sent as Azure wants it.
        stream: ask for the answer token by token, which tells the time to the first one.
        concurrency: requests in flight at most; fewer while the server says it is too many.
        tries: requests made for one answer before it counts as lost.
        timeout_s: seconds for one whole answer.
        connect_timeout_s: seconds for a connection.
        first_token_timeout_s: seconds until the answer begins; None for ``timeout_s``.
        json_schema: JSON Schema that the answer has to follow.
        extra: further fields of the request's body; None leaves a field out.
    """

    base_url: str
    model: str
    api: Api | None = None
    api_key_env: str | None = None
    api_version: str | None = None
    stream: bool = False
    concurrency: int = 16
    tries: int = 8
    timeout_s: float = 600.0
    connect_timeout_s: float = 10.0
    first_token_timeout_s: float | None = None
    json_schema: Mapping[str, Any] | None = field(default=None, hash=False)
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)

    def __post_init__(self) -> None:
        _check_url(self.base_url)
        if not self.model:
            raise UsageError("model is empty; name the model as the server does")
        if self.api is not None and self.api not in PATHS:
            raise UsageError(f"api is {excerpt(self.api)}; it is one of {', '.join(PATHS)}")
        if self.api_key_env is not None and not _VARIABLE.fullmatch(self.api_key_env):
            raise UsageError(
                "api_key_env does not name a variable of the environment; it holds a name such as "
                "OPENAI_API_KEY, never the key itself"
            )
        for name in ("concurrency", "tries"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; it must be 1 or more")
        for name in ("timeout_s", "connect_timeout_s", "first_token_timeout_s"):
            seconds = getattr(self, name)
            if seconds is not None and not 0 < seconds < math.inf:
                raise UsageError(f"{name} is {seconds}; it must be more than 0 seconds")
        if self.json_schema is not None and self.api == "completions":
            raise UsageError("json_schema needs the API chat or responses; completions know no such field")
        _check_extra(self.extra)

    def require_mode(self, mode: str) -> None:
        """Refuse a mode that the API or the schema does not go with.

        Raises:
            UsageError: they do not fit.
        """
        if self.api is not None and (self.api == "completions") != (mode != "chat"):
            fitting = "completion, likelihood or perplexity" if self.api == "completions" else "chat"
            raise UsageError(f"api: {self.api} needs mode: {fitting}")
        if self.json_schema is not None and mode != "chat":
            raise UsageError("json_schema needs mode: chat; completions know no such field")

    @property
    def components(self) -> Mapping[str, str]:
        """All of this that shapes an answer, as a manifest records it."""
        said = {"model": self.model, "base_url": self.base_url.rstrip("/")}
        if self.api is not None:
            said["api"] = self.api
        if self.api_version is not None:
            said["api_version"] = self.api_version
        if self.stream:
            said["stream"] = "true"
        if self.json_schema is not None:
            said["json_schema"] = _sorted_json(self.json_schema)
        if self.extra:
            said["extra"] = _sorted_json(self.extra)
        return said


def _sorted_json(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        whole = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise UsageError("base_url is not a URL; write it like http://127.0.0.1:8000/v1") from None
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(
            "base_url holds a user, a password or a query; put the key into a variable of the environment "
            "and name that as api_key_env (Azure's version is api_version)"
        )
    if not whole:
        raise UsageError(f"base_url is {excerpt(url)}; write it like http://127.0.0.1:8000/v1")
    for path in PATHS.values():
        if parts.path.rstrip("/").endswith(path):
            raise UsageError(f"base_url ends with {path}, which is added by itself; leave it out")


def _check_extra(extra: Mapping[str, Any]) -> None:
    refuse_secrets(extra)
    for name, value in extra.items():
        if name in OWN:
            raise UsageError(f"extra cannot hold {name!r}: the request says it")
        if name in DRAWN and value is not None:
            raise UsageError(
                f"extra cannot set {name!r}: say it under decoding (extra may only leave it out)"
            )
    try:
        json.dumps(extra, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise UsageError(f"extra cannot be written as JSON ({error})") from error
