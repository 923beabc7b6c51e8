"""Rubrics to start from: judge files to be copied and edited. None of them is calibrated to anybody's labels."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from aliquot.errors import UsageError, nearest

UNCALIBRATED = (
    "is uncalibrated: how often it is right about your answers is not known. Label some and run aliquot calibrate "
    "(docs/judges.md)"
)
"""What is said of every judge until labels are joined."""


@cache
def rubric_names() -> tuple[str, ...]:
    """Return the names of the rubrics, sorted.

    Examples:
        >>> rubric_names()[:3]
        ('answer_relevance', 'context_precision', 'context_recall')
    """
    found = (one.name for one in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in found if name.endswith(".yaml")))


def rubric_text(name: str) -> str:
    """Return a rubric as it is written, comments included.

    Raises:
        UsageError: there is none of this name.
    """
    if name not in rubric_names():
        raise UsageError(f"there is no rubric {name!r}. {nearest(name, rubric_names())}")
    return files(__name__).joinpath(f"{name}.yaml").read_text(encoding="utf-8")
