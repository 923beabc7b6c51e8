"""Estimates, intervals and tests on numpy arrays, as frozen records; nothing here sees a row, a path or a frame.

The page of public names lists what each is for, ``docs/methods`` has a page a family. A module is imported when
one of its names is first used, so that a command loads the statistics it needs and no others; the stub beside this
file says which module that is, for type checkers and at run time (as in SPEC 1 of Scientific Python).
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

_NAMED = re.compile(r"^from (?P<module>[\w.]+) import (?:\(\s*)?(?P<name>\w+) as ", re.MULTILINE)
_STUB = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
_HOMES = dict(sorted((found["name"], found["module"]) for found in _NAMED.finditer(_STUB)))

__all__ = list(_HOMES)  # pyright: ignore[reportUnsupportedDunderAll] - the names of the stub


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'aliquot.stats' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
