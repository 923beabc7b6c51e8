"""The versions a finding was made with."""

from __future__ import annotations

import platform
from importlib.metadata import version


def versions() -> dict[str, str]:
    """Return the versions of what computes the numbers, by name."""
    return {
        "aliquot": version("aliquot"),
        "numpy": version("numpy"),
        "python": platform.python_version(),
    }
