"""Real logs and data outside this repository; a test that needs them skips where they are absent."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "shared"


def shared(*parts: str) -> Path:
    """Return a path in the folder ``shared`` beside the project, or skip the test (at import: the module)."""
    path = FOLDER.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{Path('../shared', *parts)} is not on this machine", allow_module_level=True)
    return path
