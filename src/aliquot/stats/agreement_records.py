"""The engine behind the coefficients of agreement: from coded ratings to a record with its interval."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.agreement_forms import FORMS, Units, influence, observed_expected, units_of, values_of
from aliquot.stats.agreement_intervals import (
    Draws,
    imagined,
    imagined_interval,
    interval_from,
    normal_interval_of,
    resampled,
    standard_error,
    two_labels,
)
from aliquot.stats.agreement_scales import Scale, nearness
from aliquot.stats.inputs import RandomSource, as_choice, as_codes, as_count, as_level
from aliquot.stats.rater_tables import MISSING, RatingTable
from aliquot.stats.results import Estimate, HypothesisTest, Record, Undefined

AgreementMethod: TypeAlias = Literal["default", "dirichlet", "bootstrap", "normal"]


@dataclass(frozen=True, slots=True)
class Agreement(Record):
    """Agreement of raters beyond chance.

    Attributes:
        point: the coefficient, at most 1; 0 is what chance gives.
        interval: the same with its interval, or why there is none.
        observed: agreement over pairs of ratings of an item (the share of rows that agree, for two raters).
        expected: what chance would give.
        labels: the labels, in order.
        n: items with two ratings or more.
        left_out: items with fewer.
        coefficient: which one (``cohen_kappa`` …).
        scale: how near two labels are (``nominal`` …, ``own`` for weights of the caller).
        raters: raters with a rating.
        ratings: ratings of the n items.
        constant_label: the most frequent label: of the first rater where there are two, else of all ratings.
        constant: agreement that always giving this label would reach with them.
        chance_test: for Cohen's kappa of independent rows, the test that agreement is what chance gives.
    """

    point: float
    interval: Estimate | Undefined
    observed: float
    expected: float
    labels: tuple[Hashable, ...]
    n: int
    left_out: int
    coefficient: str
    scale: str
    raters: int
    ratings: int
    constant_label: Hashable
    constant: float
    chance_test: HypothesisTest | None = None

    def __str__(self) -> str:
        return str(self.interval) if self.interval else f"{self.point:.4f}, interval {self.interval}"


def asked(
    table: RatingTable, clusters: ArrayLike | None, *, level: float, n_resamples: int, rng: RandomSource
) -> Draws:
    """Check how an interval is to be made."""
    codes = None if clusters is None else as_codes(clusters, table.codes.shape[0], name="clusters")
    size = int(as_count(n_resamples, name="n_resamples", at_least=99))
    return Draws(as_level(level), size, rng, codes)


def coefficient_of(
    table: RatingTable, name: str, scale: Scale, draws: Draws, method: str
) -> Agreement | Undefined:
    """One coefficient of a table with its interval, or why there is none."""
    as_choice(method, get_args(AgreementMethod), name="method")
    units, draws = _usable(units_of(table, name, scale), draws)
    if table.n == 0:
        return nothing_to_compare(table, pairs=FORMS[name].pairs)
    if not FORMS[name].pairs:  # a rater without ratings must not make two raters three
        there = np.flatnonzero(table.present.any(axis=0))
        names = tuple(table.raters[int(rater)] for rater in there)
        table = replace(table, codes=table.codes[:, there], raters=names)
    totals = units.values.sum(axis=0)
    only = _only_label(table)
    if only is not None and (len(table.labels) == 1 or not FORMS[name].full):
        return _one_label(table, only, full=FORMS[name].full)
    observed, expected = (float(x) for x in observed_expected(units, totals))
    point = float(values_of(units, totals))
    if not np.isfinite(point):
        return Undefined("chance alone explains all agreement (expected agreement is 1)")
    constant_label, constant = _constant(table, scale, pairs=FORMS[name].pairs)
    used = table.present[table.present.sum(axis=1) >= 2]
    return Agreement(
        point=point,
        interval=_interval(table, units, point, name=name, scale=scale, draws=draws, method=method),
        observed=observed,
        expected=expected,
        labels=table.labels,
        n=table.n,
        left_out=table.codes.shape[0] - table.n,
        coefficient=name,
        scale=units.near.name,
        raters=int(table.present.any(axis=0).sum()),
        ratings=int(used.sum()),
        constant_label=constant_label,
        constant=constant,
    )


def _usable(units: Units, draws: Draws) -> tuple[Units, Draws]:
    """Leave out items that add nothing: an empty row must not change what a seed gives."""
    kept = units.values[:, :2].any(axis=1)
    clusters = (
        None if draws.clusters is None else as_codes(draws.clusters[kept], int(kept.sum()), name="clusters")
    )
    return replace(units, values=units.values[kept]), replace(draws, clusters=clusters)


def _interval(
    table: RatingTable, units: Units, point: float, *, name: str, scale: Scale, draws: Draws, method: str
) -> Estimate | Undefined:
    two = two_labels(table) if draws.clusters is None else None
    chosen = ("bootstrap" if two is None else "dirichlet") if method == "default" else method
    moved = influence(units)
    se = standard_error(moved, draws.clusters)
    if chosen == "dirichlet":
        if two is None:
            raise UsageError("method 'dirichlet' is for two raters, two labels and rows without clusters")
        values = imagined(table, name, scale, two, draws)
        return imagined_interval(values, point, se=se or None, name=name, n=table.n, draws=draws)
    if draws.clusters is not None and int(draws.clusters.max(initial=0)) == 0:
        return Undefined("one cluster only: how clusters differ cannot be seen")
    if not se > 1e-9:
        return Undefined(f"{_unmoved(table)}, so how far it might be otherwise cannot be seen")
    if chosen == "normal":
        return normal_interval_of(point, se, name=name, n=table.n, level=draws.level)
    return interval_from(resampled(units, draws), point, moved=moved, name=name, n=table.n, draws=draws)


def _unmoved(table: RatingTable) -> str:
    """Why a coefficient stays where it is whichever rows are drawn."""
    held = table.codes[table.present.sum(axis=1) >= 2]
    highest = held.max(axis=1)
    if (np.where(held == MISSING, highest[:, None], held) == highest[:, None]).all():
        return "the raters agree on every row"
    if table.codes.shape[1] == 2 and constant_rater(table):
        return "one rater gave one label only"
    return "no row moves it more than another"


def nothing_to_compare(table: RatingTable, *, pairs: bool = False) -> Undefined:
    """Why a table without an item of two ratings has no agreement."""
    if pairs:
        return Undefined("no row was labelled by both raters")
    by_rater = ", ".join(str(count) for count in table.present.sum(axis=0).tolist()[:10])
    more = ", …" if table.codes.shape[1] > 10 else ""
    return Undefined(
        f"no item has two ratings, and agreement needs them (ratings by rater: {by_rater or 'none'}{more})"
    )


def _only_label(table: RatingTable) -> int | None:
    """The one label of all items with two ratings, if there is but one."""
    held = table.codes[table.present.sum(axis=1) >= 2]
    used = np.unique(held[held != MISSING])
    return int(used[0]) if used.size == 1 else None


def _one_label(table: RatingTable, only: int, *, full: bool) -> Undefined:
    said = repr(table.labels[only])
    if full:
        return Undefined(
            f"{said} is the only label there is; name all labels that could be given with labels="
        )
    if table.codes.shape[1] == 2:
        return Undefined(
            f"both raters gave one label only ({said}), so chance alone explains all {table.n} agreements"
        )
    return Undefined(f"all ratings are {said}, so chance alone explains the agreement on all {table.n} items")


def constant_rater(table: RatingTable) -> bool:
    """Whether one of two raters gave one label only, on the rows that both labelled."""
    both = table.codes[table.present.all(axis=1)]
    return bool((both == both[0]).all(axis=0).any())


def _constant(table: RatingTable, scale: Scale, *, pairs: bool) -> tuple[Hashable, float]:
    """The label that agrees most, and how far always giving it would agree."""
    held = table.present.sum(axis=1) >= 2
    if pairs:
        shares = np.bincount(table.codes[held, 0], minlength=len(table.labels)) / int(held.sum())
    else:
        counts = table.counts()[held].astype(np.float64)
        shares = (counts / counts.sum(axis=1, keepdims=True)).mean(axis=0)
    near = nearness(table, scale)
    if near.form is None:
        near = nearness(table, scale, full=True)
    agreeing = near.basis @ (near.form @ (near.basis.T @ shares)) if near.form is not None else shares
    best = int(np.argmax(np.round(agreeing, 12)))
    return table.labels[best], float(agreeing[best])
