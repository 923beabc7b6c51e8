"""A result close to the line is called so, with the test that owns the verdict."""

from __future__ import annotations

from collections.abc import Sequence

from aliquot.evidence.tables import Note
from aliquot.findings.comparison import NamedTest
from aliquot.findings.numbers import write_p
from aliquot.stats.decision import rejects
from aliquot.stats.results import Estimate, Undefined

NEAR = 0.5
"""A deciding p within this share of 1 − level is near it: from .025 to .075 at 95%."""

_IGNORE_DESIGN = "mcnemar"
"""Beside a sign flip (clusters, weights, attempts) these tests ignore the design; that they differ is no doubt."""


def find_borderline(
    tests: Sequence[NamedTest], difference: Estimate | Undefined, *, level: float
) -> Note | None:
    """Return a note when the tests made disagree at the level, the interval disagrees with them, or p is near it.

    Args:
        tests: the tests made, the deciding one marked.
        difference: the difference, already reconciled with the deciding test.
        level: confidence level.
    """
    deciding = next((named.test for named in tests if named.decides), None)
    if deciding is None or isinstance(difference, Undefined):
        return None
    alpha, rejected = round(1 - level, 12), rejects(deciding, level=level)
    fitting = _IGNORE_DESIGN in deciding.name
    others = [
        named.test
        for named in tests
        if not named.decides
        and (fitting or _IGNORE_DESIGN not in named.test.name)
        and rejects(named.test, level=level) != rejected
    ]
    held = "held at 0" in difference.method or (rejected and difference.low <= 0 <= difference.high)
    near = abs(deciding.p - alpha) <= NEAR * alpha
    if not (others or held or near):
        return None
    against = [f"{_words(test.name)} ({write_p(test)})" for test in others]
    if held:
        against.append("the interval by itself")
    owner = f"{_words(deciding.name)} ({write_p(deciding)}) owns the verdict, by a rule fixed in advance"
    if against:
        listed = " and ".join(filter(None, (", ".join(against[:-1]), against[-1])))
        return Note("borderline", f"borderline: {listed} would say otherwise; {owner}")
    return Note("borderline", f"borderline: p is close to {alpha:g}; {owner}")


def _words(name: str) -> str:
    return name.replace("_", " ").replace("mcnemar", "McNemar").replace("midp", "mid-p")
