"""Interval and test must agree before a difference is claimed: the interval part of the verdict rule."""

from __future__ import annotations

from dataclasses import replace

from aliquot.errors import UsageError
from aliquot.stats.inputs import as_level
from aliquot.stats.results import Estimate, HypothesisTest, Undefined


def rejects(test: HypothesisTest | Undefined, *, level: float = 0.95) -> bool:
    """Whether a test rejects at 1 − level; a test that could not be made does not.

    Args:
        test: the deciding test.
        level: confidence level of the interval beside it.

    Returns:
        True when p is at most 1 − level.

    Raises:
        UsageError: a level outside (0, 1).

    Examples:
        >>> rejects(HypothesisTest(name="mcnemar_exact", p=0.0625)), rejects(HypothesisTest(name="x", p=0.05))
        (False, True)
    """
    # rounded, because 1 − 0.9 is a little less than 0.1 in floats
    return not isinstance(test, Undefined) and test.p <= round(1 - as_level(level), 12)


def decided_interval(
    estimate: Estimate | Undefined, test: HypothesisTest | Undefined, *, level: float | None = None
) -> Estimate | Undefined:
    """Return the interval that the words of a verdict read.

    A difference is claimed only if the deciding test rejects and the interval excludes 0. When the test does
    not reject (or could not be made) and the interval would exclude 0, its limit nearest to 0 is set to 0 and
    ``method`` says so. An interval that holds 0 is left alone whatever the test says.

    Args:
        estimate: the difference with its interval.
        test: the deciding two-sided test of no difference.
        level: level of the test; by default that of the interval.

    Returns:
        The same estimate, or a copy with one limit at 0. Never of zero width.

    Raises:
        UsageError: a one-sided test, a level outside (0, 1).

    Examples:
        >>> from aliquot.stats.paired_score import tango
        >>> from aliquot.stats.paired_tests import mcnemar
        >>> print(decided_interval(tango(5, 0, 100), mcnemar(5, 0)))
        0.0500 [0.0000, 0.1118] 95% tango, limit held at 0 by mcnemar_exact, n = 100
    """
    if isinstance(estimate, Undefined):
        return estimate
    if not isinstance(test, Undefined) and test.alternative != "two-sided":
        raise UsageError(
            f"the deciding test must be two-sided; got {test.name} with alternative {test.alternative!r}"
        )
    if rejects(test, level=estimate.level if level is None else level) or estimate.low <= 0 <= estimate.high:
        return estimate
    by = "the missing test" if isinstance(test, Undefined) else test.name
    method = f"{estimate.method}, limit held at 0 by {by}"
    if estimate.low > 0:
        return replace(estimate, low=0.0, method=method)
    return replace(estimate, high=0.0, method=method)
