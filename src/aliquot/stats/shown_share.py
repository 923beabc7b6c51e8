"""Which share n rows could show to lie above a limit."""

from __future__ import annotations

from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.discordance import as_power
from aliquot.stats.inputs import as_count, as_level
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
    return bisect(lambda share: float(special.betainc(fewest, n - fewest + 1, share)) - power, 0.0, 1.0)
