"""What a server says of how it drew an answer, held against what was sent: a parameter may be dropped in silence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from aliquot.errors import excerpt

MOST_TOLD: Final = 5
"""Differences and warnings of one server that are kept."""

_ROUNDED: Final = 1e-4
"""Relative difference that a number in 32 bits may show."""

_NAMES: Final = {"max_completion_tokens": "max_tokens"}
"""Names under which a server tells what was sent under another one."""


def settings_used(verbose: object) -> Mapping[str, Any] | None:
    """Return the settings in what llama.cpp adds to an answer when it is started with ``--verbose``."""
    if not isinstance(verbose, Mapping):
        return None
    settings = cast("Mapping[str, Any]", verbose).get("generation_settings")
    return cast("Mapping[str, Any]", settings) if isinstance(settings, Mapping) else None


def overruled(sent: Mapping[str, Any], used: object) -> Iterator[str]:
    """Yield each parameter that was sent and drawn with another value, as far as the server tells.

    Args:
        sent: the body of the request.
        used: what the server says it used; anything but a mapping says nothing.

    Examples:
        >>> list(overruled({"temperature": 0.0, "top_k": 40, "seed": 7}, {"temperature": 1.0, "top_k": 40}))
        ['temperature (sent 0.0, used 1.0)']
        >>> list(overruled({"top_p": 0.9}, {"top_p": 0.8999999761581421}))
        []
    """
    if not isinstance(used, Mapping):
        return
    told = cast("Mapping[str, Any]", used)
    for name, value in sent.items():
        other = told.get(_NAMES.get(name, name))
        numbers = (value, other) if _number(value) and _number(other) else None
        if numbers is not None and not math.isclose(*cast("tuple[float, float]", numbers), rel_tol=_ROUNDED):
            yield f"{name} (sent {value!r}, used {other!r})"


def warnings_told(found: object) -> Iterator[str]:
    """Yield what a server warns of beside an answer: texts, or objects with a message."""
    for one in cast("list[object]", found) if isinstance(found, list) else []:
        said = cast("Mapping[str, Any]", one).get("message") if isinstance(one, Mapping) else one
        if isinstance(said, str) and said.strip():
            yield excerpt(" ".join(said.split()))


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
