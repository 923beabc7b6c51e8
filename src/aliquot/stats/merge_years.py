"""What a gate does over a year of merges: how often it cries wolf, and what it lets through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from aliquot.errors import UsageError
from aliquot.stats.inputs import (
    Floats,
    RandomSource,
    as_choice,
    as_count,
    as_generator,
    as_level,
)
from aliquot.stats.merge_draws import PairedMerges, draw_merges
from aliquot.stats.online_tests import addis_years, alpha_shares, lord_years
from aliquot.stats.results import Record

Sharing: TypeAlias = Literal["none", "equal", "falling", "lord", "addis"]


@dataclass(frozen=True, slots=True)
class YearOfMerges(Record):
    """A gate over simulated years of merges on shared items.

    Attributes:
        quiet_years: share of years without any regression in which the gate failed a merge all the same.
        false_alarms: merges failed without cause in a year, on average.
        missed: share of regressions that the gate did not fail (it passed them or left them undecided).
        passed: share of regressions that it passed.
        undecided: share of all merges left undecided.
        years: years simulated; a share has a standard error of at most 1/(2 √years).
        settings: what was simulated.
    """

    quiet_years: float
    false_alarms: float
    missed: float
    passed: float
    undecided: float
    years: int
    settings: dict[str, object]


def year_of_merges(
    items: int,
    psi: float,
    *,
    merges: int = 250,
    margin: float = 0.0,
    loss: float = 0.05,
    regressions: float = 5,
    sharing: Sharing = "equal",
    level: float = 0.95,
    years: int = 1_000,
    rng: RandomSource = None,
) -> YearOfMerges:
    """Simulate a gate on one binary metric over years: exact McNemar at each merge's share, Tango's limits.

    A merge fails when the lower limit does not clear −margin, the upper one lies below 0 and p is at most its share; it
    passes when the lower limit clears −margin; else it is undecided. Merges are judged on fresh answers, independently.
    The draws are those behind the year that a gate prints (``merge_draws``).

    Args:
        items: shared items at each merge.
        psi: share of items on which candidate and baseline differ, from noise and from what changed.
        merges: merges in a year.
        margin: loss that does not matter, in [0, 1).
        loss: by how much a regression lowers the rate; at most ``psi``.
        regressions: regressions in a year, on average, at random merges.
        sharing: how the year's error is shared: ``none`` gives each merge all of it.
        level: 1 minus the year's error, and the level of the limits.
        years: years simulated, quiet ones and as many with regressions.
        rng: seed or generator.

    Raises:
        UsageError: a number out of range.

    References:
        McNemar (1947), Psychometrika 12:153, and Tango (1998), Statistics in Medicine 17:891-908, simulated.

    Examples:
        >>> found = year_of_merges(200, 0.1, merges=50, sharing="none", years=200, rng=1)
        >>> found.quiet_years > 0.4, year_of_merges(200, 0.1, merges=50, years=200, rng=1).quiet_years < 0.05
        (True, True)
    """
    n, m = (
        int(as_count(value, name=name, at_least=1)) for value, name in ((items, "items"), (merges, "merges"))
    )
    years = int(as_count(years, name="years", at_least=1))
    if not (0 < psi <= 1 and 0 <= loss <= psi and 0 <= margin < 1 and 0 <= regressions <= m):
        raise UsageError(
            "0 < psi ≤ 1, 0 ≤ loss ≤ psi, 0 ≤ margin < 1 and 0 ≤ regressions ≤ merges are needed; "
            f"got {psi}, {loss}, {margin} and {regressions}"
        )
    as_choice(sharing, get_args(Sharing), name="sharing")
    level, generator = as_level(level), as_generator(rng)
    worse = generator.random((years, m)) < regressions / m
    gate = [PairedMerges(n, margin, psi, loss)]
    quiet = draw_merges(gate, np.zeros((years, m)), level=level, rng=generator)
    moved = draw_merges(gate, worse.astype(np.float64), level=level, rng=generator)
    false = quiet.failed(_shares(quiet.told, sharing, level))
    found = moved.failed(_shares(moved.told, sharing, level))
    hit = max(int(worse.sum()), 1)
    return YearOfMerges(
        quiet_years=float(false.any(axis=1).mean()),
        false_alarms=float(false.sum(axis=1).mean()),
        missed=float((worse & ~found).sum()) / hit,
        passed=float((worse & moved.passed).sum()) / hit,
        undecided=float((~found & ~moved.passed).mean()),
        years=years,
        settings={"items": n, "psi": psi, "merges": m, "margin": margin, "loss": loss,
                  "regressions": regressions, "sharing": sharing, "level": level},
    )  # fmt: skip


def _shares(p: Floats, sharing: str, level: float) -> Floats:
    """Error of each merge of each year."""
    alpha = 1 - level
    if sharing == "lord":
        return lord_years(p, alpha=alpha, w0=alpha / 2)[0][:, :-1]
    if sharing == "addis":
        return addis_years(p, alpha=alpha, w0=alpha / 2, candidate=0.25, discard=0.5)[0][:, :-1]
    if sharing == "none":
        return np.full(p.shape, alpha)
    spending = "equal" if sharing == "equal" else "falling"
    return np.broadcast_to(alpha_shares(p.shape[1], level=level, spending=spending), p.shape)
