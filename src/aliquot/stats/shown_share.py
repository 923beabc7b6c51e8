"""Which share n rows could show to lie above a limit, and which gap n pairs with a winner."""

from __future__ import annotations

from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.discordance import as_power
from aliquot.stats.inputs import as_count, as_level
from aliquot.stats.paired_tests import mcnemar
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Undefined
from aliquot.stats.roots import bisect


def fewest_above(n: int, limit: float, *, level: float = 0.95) -> int | None:
    """Return the fewest of n whose Wilson interval lies above a limit; None when not even all of them do.

    Args:
        n: rows.
        limit: a share.
        level: confidence level.

    Examples:
        >>> fewest_above(30, 0.1), fewest_above(30, 0.5)
        (7, 21)
    """
    found = (count for count in range(int(n) + 1) if wilson(count, n, level=level).low > limit)
    return next(found, None)


def smallest_shown_share(
    n: int, limit: float, *, power: float = 0.8, level: float = 0.95
) -> float | Undefined:
    """Return the smallest true share that n independent rows would show to lie above a limit, with some power.

    Args:
        n: rows.
        limit: a share.
        power: wanted chance of showing it.
        level: confidence level of the Wilson interval that has to lie above the limit.

    Raises:
        UsageError: no rows, or a limit, power or level outside (0, 1).

    Examples:
        >>> round(smallest_shown_share(30, 0.1), 3), round(smallest_shown_share(60, 0.1), 3)
        (0.287, 0.22)
    """
    n, level, power = int(as_count(n, name="n")), as_level(level), as_power(power)
    if n < 1 or not 0 < limit < 1:
        raise UsageError(f"n must be at least 1 and the limit between 0 and 1; got {n} and {limit!r}")
    fewest = fewest_above(n, limit, level=level)
    if fewest is None:
        return Undefined(f"{n} rows could show no share to lie above {limit:g}")
    return _share_that_reaches(fewest, n, power)


def smallest_shown_gap(n: int, *, power: float = 0.8, level: float = 0.95) -> float | Undefined:
    """Return the smallest true gap that n pairs with a winner would show, with some power.

    The gap is the share of the pairs that one side wins less the share that the other wins, and it is shown when
    McNemar's exact test, which decides between two systems, rejects.

    Args:
        n: pairs that one side or the other wins.
        power: wanted chance of showing it.
        level: confidence level; the test rejects at one minus it.

    Raises:
        UsageError: no pairs, or a power or level outside (0, 1).

    Examples:
        >>> smallest_shown_gap(5)
        Undefined(reason='no gap shows in so few pairs (5)')
        >>> round(smallest_shown_gap(30), 3), round(smallest_shown_gap(100), 3)
        (0.498, 0.29)
    """
    n, alpha, power = int(as_count(n, name="n")), 1 - as_level(level), as_power(power)
    if n < 1:
        raise UsageError(f"n must be at least 1; got {n}")
    fewest = next((won for won in range((n + 1) // 2, n + 1) if mcnemar(won, n - won).p <= alpha), None)
    if fewest is None:
        return Undefined(f"no gap shows in so few pairs ({n})")
    return 2 * _share_that_reaches(fewest, n, power) - 1


def _share_that_reaches(fewest: int, n: int, power: float) -> float:
    """Return the share of which n rows hold the fewest with that power."""
    return bisect(lambda share: float(special.betainc(fewest, n - fewest + 1, share)) - power, 0.0, 1.0)
