"""A year of merges under a policy: how often it stops what did not change, and passes what got worse.

Each merge is simulated on this suite: as many items, as much disagreement. Three kinds are simulated: nothing changed,
every blocking condition worse by exactly its margin (a rate on its floor), and worse by twice that. Critical items fail
as often as the baseline's own attempts do. Conditions are drawn independently; where metrics move together more of the
unchanged merges pass.

An item-level e-process carried on from merge to merge is not used: the items are the same in every merge, so the luck
that each item had on the day the baseline was run is carried on too, and such a process alarms in 40% of quiet years.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from aliquot.findings.gate import CriticalItems, Year
from aliquot.gates.held import Held
from aliquot.gates.policy import Policy
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.stats.merge_draws import (
    FloorMerges,
    ItemMerges,
    MergeCondition,
    PairedMerges,
    ShiftedMerges,
    draw_merges,
)
from aliquot.stats.results import Estimate

SIMULATED: Final = 20_000
"""Merges of each kind."""

METHOD: Final = "simulated, conditions independent"


def year_of(
    held: Sequence[Held],
    policy: Policy,
    *,
    alpha: float,
    critical: CriticalItems | None = None,
    moves: float = 0.0,
    seed: int = DEFAULT_SEED,
) -> Year | None:
    """Return what the policy does in a year on a suite like this one; None without a year, or anything to simulate.

    Args:
        held: the conditions, as the data show them.
        policy: with its merges.
        alpha: level of the tests of one merge together.
        critical: the critical items; None for none.
        moves: share of the items that flip between two runs of one system, where that was measured; the candidate
            may happen to move less.
        seed: of the draws.
    """
    if policy.merges is None:
        return None
    blocking = [one for one in held if one.shown.blocks]
    named = [(_name(one), _condition(one, moves=moves)) for one in blocking]
    if critical is not None:
        chance = critical.false_block
        named.append(("critical items", ItemMerges(chance[0]) if isinstance(chance, tuple) else None))
    conditions = [one for _, one in named if one is not None]
    if not conditions:
        return None
    return simulate_year(
        conditions,
        merges=policy.merges.a_year,
        error=policy.merges.false_fails_a_year,
        alpha=alpha,
        level=policy.level,
        seed=seed,
        left_out=tuple(name for name, one in named if one is None),
    )


def simulate_year(
    conditions: Sequence[MergeCondition],
    *,
    merges: int,
    error: float | None,
    alpha: float,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    n_simulated: int = SIMULATED,
    left_out: tuple[str, ...] = (),
) -> Year:
    """Return what a policy of these conditions does in a year.

    Args:
        conditions: the blocking ones.
        merges: a year.
        error: expected false fails a year that are allowed; told, and not computed with.
        alpha: level of a merge's tests together.
        level: of the intervals.
        seed: of the draws.
        n_simulated: merges of each kind.
        left_out: names of conditions that are no part of it.
    """
    rng = np.random.default_rng(seed)
    kinds: list[tuple[float, float, float]] = []
    for times in (0.0, 1.0, 2.0):
        drawn = draw_merges(conditions, np.full(n_simulated, times), level=level, rng=rng)
        passed, failed = float(drawn.passed.mean()), float(drawn.failed(alpha).mean())
        kinds.append((passed, max(0.0, 1 - passed - failed), failed))
    false = kinds[0][2]
    return Year(
        merges=merges,
        error=error,
        alpha=alpha,
        unchanged=kinds[0],
        at_margin=kinds[1],
        beyond=kinds[2],
        false_fails=merges * false,
        any_false=float(-np.expm1(merges * np.log1p(-false))) if false < 1 else 1.0,
        n_simulated=n_simulated,
        method=METHOD,
        left_out=left_out,
    )


def _name(held: Held) -> str:
    return f"{held.name} floor" if held.of == "floor" else held.name


def _condition(held: Held, *, moves: float) -> MergeCondition | None:
    """Return how a condition comes out from merge to merge; None where the data do not say."""
    found, margin = held.shown.estimate, held.shown.margin
    if not isinstance(found, Estimate):
        return None
    if held.shown.asked is not None:
        n = round(float(str(found.settings.get("n_star", found.n))))
        return FloorMerges(max(1, n), found.point, held.shown.asked)
    if not margin:
        return None
    table = held.comparison.table if held.comparison is not None else None
    if table is not None and held.comparison is not None and held.comparison.n_clusters is None:
        psi = max(moves, max(1, table.broke + table.fixed) / held.n)
        return PairedMerges(held.n, margin, psi, loss=margin)
    return ShiftedMerges(margin, found.se, found.df or np.inf, loss=margin) if found.se else None
