"""A year of merges under a policy: how often it stops what did not change, and passes what got worse.

Each merge is simulated on this suite: as many items, as much disagreement. Three kinds are simulated: nothing changed,
every blocking condition worse by exactly its margin, and worse by twice that. Conditions are drawn independently; where
metrics move together more of the unchanged merges pass.

An item-level e-process carried on from merge to merge is not used: the items are the same in every merge, so the luck
that each item had on the day the baseline was run is carried on too, and such a process alarms in 41% of quiet years.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import special

from aliquot.findings.gate import Year
from aliquot.gates.held import Held
from aliquot.gates.policy import Policy
from aliquot.stats.distributions import two_sided_t, two_sided_z
from aliquot.stats.inputs import DEFAULT_SEED, Floats
from aliquot.stats.paired_score import tango_limits
from aliquot.stats.results import Estimate

SIMULATED: Final = 20_000
"""Merges of each kind."""

METHOD: Final = "simulated, conditions independent"


@dataclass(frozen=True, slots=True)
class Design:
    """How one blocking condition comes out from merge to merge.

    Attributes:
        n: items.
        margin: largest loss that passes.
        psi: share of items on which two runs differ; None where the difference is drawn from its error.
        se: standard error of the difference; used where ψ is not known.
        df: of its t; infinite for the normal.
    """

    n: int
    margin: float
    psi: float | None = None
    se: float = 0.0
    df: float = np.inf


def year_of(
    held: Sequence[Held], policy: Policy, *, alpha: float, moves: float = 0.0, seed: int = DEFAULT_SEED
) -> Year | None:
    """Return what the policy does in a year on a suite like this one; None without a year, or a loss to simulate.

    Args:
        held: the conditions, as the data show them.
        policy: with its merges.
        alpha: level of the tests of one merge together.
        moves: share of the items that flip between two runs of one system, where that was measured; the candidate
            may happen to move less.
        seed: of the draws.
    """
    blocking = [one for one in held if one.shown.blocks]
    designs = {one.name: design for one in blocking if (design := _design(one, moves=moves)) is not None}
    if policy.merges is None or not designs:
        return None
    left_out = tuple(
        f"{one.name} floor" if one.of == "floor" else one.name
        for one in blocking
        if one.of == "floor" or one.name not in designs
    )
    if policy.critical:
        left_out = (*left_out, "critical items")
    return simulate_year(
        list(designs.values()),
        merges=policy.merges.a_year,
        error=policy.merges.false_fails_a_year,
        alpha=alpha,
        level=policy.level,
        seed=seed,
        left_out=left_out,
    )


def simulate_year(
    designs: Sequence[Design],
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
        designs: the blocking conditions.
        merges: a year.
        error: expected false fails a year that are allowed; told, and not computed with.
        alpha: level of a merge's tests together.
        level: of the intervals.
        seed: of the draws.
        n_simulated: merges of each kind.
        left_out: names of conditions that are no part of it.
    """
    rng = np.random.default_rng(seed)
    kinds = [
        _shares(designs, times=times, alpha=alpha, level=level, rng=rng, size=n_simulated)
        for times in (0.0, 1.0, 2.0)
    ]
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


def _design(held: Held, *, moves: float) -> Design | None:
    found, margin = held.shown.estimate, held.shown.margin
    if held.of != "difference" or not isinstance(found, Estimate) or not margin:
        return None
    table = held.comparison.table if held.comparison is not None else None
    if table is not None and held.comparison is not None and held.comparison.n_clusters is None:
        return Design(held.n, margin, psi=max(moves, max(1, table.broke + table.fixed) / held.n))
    if not found.se:
        return None
    return Design(held.n, margin, se=found.se, df=found.df or np.inf)


def _shares(
    designs: Sequence[Design],
    *,
    times: float,
    alpha: float,
    level: float,
    rng: np.random.Generator,
    size: int,
) -> tuple[float, float, float]:
    """Return the shares of merges that pass, stay open and fail when each condition loses ``times`` its margin."""
    drawn = [_draw(one, loss=times * one.margin, level=level, rng=rng, size=size) for one in designs]
    passed = np.all([one[0] for one in drawn], axis=0)
    adjusted = _holm(np.array([one[2] for one in drawn]))
    failed = np.any(np.array([one[1] for one in drawn]) & (adjusted <= alpha + 1e-12), axis=0)
    shares = float(passed.mean()), float(failed.mean())
    return shares[0], max(0.0, 1 - sum(shares)), shares[1]


def _draw(
    design: Design, *, loss: float, level: float, rng: np.random.Generator, size: int
) -> tuple[np.ndarray, np.ndarray, Floats]:
    """Return whether each merge passes, whether it could fail, and the p of its test."""
    if design.psi is None:
        d = rng.normal(-loss, design.se, size)
        reach = design.se * (two_sided_t(level, design.df) if np.isfinite(design.df) else two_sided_z(level))
        away = -np.abs(d) / design.se
        tail = special.stdtr(design.df, away) if np.isfinite(design.df) else special.ndtr(away)
        low, high, p = d - reach, d + reach, 2 * tail
    else:
        low, high, p = _pairs(design, design.psi, loss=loss, level=level, rng=rng, size=size)
    lost = (high < 0) & (low <= -design.margin)
    return low > -design.margin, lost, p


def _pairs(
    design: Design, psi: float, *, loss: float, level: float, rng: np.random.Generator, size: int
) -> tuple[Floats, Floats, Floats]:
    """Return Tango's limits, held by the exact test, and its p for drawn numbers of fixed and broken items."""
    apart = max(psi, loss)
    chances = ((apart - loss) / 2, (apart + loss) / 2, 1 - apart)
    counts = rng.multinomial(design.n, chances, size=size)[:, :2]
    tables, place = np.unique(counts, axis=0, return_inverse=True)
    fixed, broke = tables[:, 0], tables[:, 1]
    low, high = tango_limits(fixed, broke, design.n, z=two_sided_z(level))
    differing = fixed + broke
    p = np.minimum(1.0, 2 * special.bdtr(np.minimum(fixed, broke), differing, 0.5))
    held = p > 1 - level + 1e-12
    low, high = np.where(held, np.minimum(low, 0.0), low), np.where(held, np.maximum(high, 0.0), high)
    back = place.reshape(-1)
    return low[back], high[back], p[back]


def _holm(p: Floats) -> Floats:
    """Return p by Holm down each column."""
    order = np.argsort(p, axis=0, kind="stable")
    steps = np.take_along_axis(p, order, axis=0) * np.arange(p.shape[0], 0, -1)[:, None]
    ranked = np.minimum(1.0, np.maximum.accumulate(steps, axis=0))
    found = np.empty_like(ranked)
    np.put_along_axis(found, order, ranked, axis=0)
    return found
