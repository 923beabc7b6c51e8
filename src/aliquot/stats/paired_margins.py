"""What two printed rates on the same items leave open: the tables they allow and the range of p."""

from __future__ import annotations

from dataclasses import dataclass

from aliquot.errors import UsageError
from aliquot.stats.paired_tests import McnemarMethod, PairedTable, as_whole, mcnemar
from aliquot.stats.results import Alternative, Record


@dataclass(frozen=True, slots=True)
class MarginRange(Record):
    """The tables that two margins allow, at the two ends of the p-value.

    Attributes:
        p_low: smallest p over the feasible tables.
        p_high: largest p.
        table_low: the table with the smallest p, ``((both, broke), (fixed, neither))``.
        table_high: the table with the largest.
        feasible: how many tables the margins allow.
        difference: candidate minus baseline, the same for all of them.
        test: name of the test.
    """

    p_low: float
    p_high: float
    table_low: PairedTable
    table_high: PairedTable
    feasible: int
    difference: float
    test: str


def feasible_tables(x_a: int, x_b: int, n: int) -> tuple[PairedTable, ...]:
    """All 2×2 tables with the given numbers right of ``n`` shared items, from least to most discordant.

    Args:
        x_a: items the baseline gets right.
        x_b: items the candidate gets right.
        n: shared items.

    Returns:
        Tables ``((both, broke), (fixed, neither))``.

    Raises:
        UsageError: counts that are not whole, or more right than items.

    Examples:
        >>> feasible_tables(1, 2, 3)
        (((1, 0), (1, 1)), ((0, 1), (2, 0)))
    """
    a, b, size = as_whole(x_a, name="x_a"), as_whole(x_b, name="x_b"), as_whole(n, name="n")
    if size == 0 or max(a, b) > size:
        raise UsageError(f"x_a and x_b must not exceed n, and n must be positive; got {a} and {b} of {size}")
    most, least = min(a, b), max(0, a + b - size)
    return tuple(((both, a - both), (b - both, size - a - b + both)) for both in range(most, least - 1, -1))


def mcnemar_range(
    x_a: int, x_b: int, n: int, *, method: McnemarMethod = "exact", alternative: Alternative = "two-sided"
) -> MarginRange:
    """Range of McNemar's p over the tables that two printed rates on the same items allow.

    Args:
        x_a: items the baseline gets right.
        x_b: items the candidate gets right.
        n: shared items.
        method: form of the test, as in :func:`mcnemar`.
        alternative: as in :func:`mcnemar`.

    Returns:
        Both ends with their tables. For equal ps at an end, the less discordant table.

    Raises:
        UsageError: counts that are not whole, or more right than items.

    References:
        McNemar (1947), Psychometrika 12:153.

    Examples:
        >>> found = mcnemar_range(37, 51, 60)
        >>> found.table_low, found.table_high, round(found.p_high, 3)
        (((37, 0), (14, 9)), ((28, 9), (23, 0)), 0.02)
    """
    tables = feasible_tables(x_a, x_b, n)
    tests = [mcnemar(table[1][0], table[0][1], method=method, alternative=alternative) for table in tables]
    ps = [test.p for test in tests]
    low, high = ps.index(min(ps)), ps.index(max(ps))
    return MarginRange(
        p_low=ps[low],
        p_high=ps[high],
        table_low=tables[low],
        table_high=tables[high],
        feasible=len(tables),
        difference=(x_b - x_a) / n,
        test=tests[0].name,
    )
