"""Observed and expected agreement from totals over items: one mechanism behind every chance-corrected coefficient.

An item becomes a row of numbers whose totals are all that a coefficient needs: agreement within the item, which
labels it was given, how many ratings it has. Totals of resampled items, of clusters or of imagined tables then give
the coefficient of each at once, and its derivative gives the large-sample error. Gwet (2014), Handbook of Inter-Rater
Reliability, chapters 2 to 5, with his rules for ratings that are missing; Krippendorff (2004), chapter 11.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aliquot.stats.agreement_scales import Nearness, Scale, nearness, ranks
from aliquot.stats.inputs import Floats
from aliquot.stats.rater_tables import MISSING, RatingTable

CoefficientName: TypeAlias = Literal[
    "cohen_kappa",
    "conger_kappa",
    "scott_pi",
    "fleiss_kappa",
    "krippendorff_alpha",
    "gwet_ac",
    "brennan_prediger",
]
Numbers: TypeAlias = NDArray[Any]
"""Floats, or complex numbers whose imaginary part carries a derivative."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a coefficient takes chance into account.

    Attributes:
        margins: whose labels chance draws from: each ``rater``'s own, each ``item``'s shares averaged, all
            ``rating``s together, or ``none``.
        by_rating: whether items count by their ratings (Krippendorff) or equally.
        full: whether the number of labels is in the formula.
        pairs: whether it is of two raters and the rows both rated only.
    """

    margins: Literal["rater", "item", "rating", "none"]
    by_rating: bool = False
    full: bool = False
    pairs: bool = False


FORMS: Mapping[str, Form] = {
    "cohen_kappa": Form("rater", pairs=True),
    "conger_kappa": Form("rater"),
    "scott_pi": Form("item", pairs=True),
    "fleiss_kappa": Form("item"),
    "krippendorff_alpha": Form("rating", by_rating=True),
    "gwet_ac": Form("item", full=True),
    "brennan_prediger": Form("none", full=True),
}


@dataclass(frozen=True, slots=True)
class Units:
    """Items as rows of numbers to be added up, and how to read the totals.

    Attributes:
        values: items × columns.
        form: the coefficient.
        near: the weights.
        raters: raters that a coefficient with margins by rater tells apart; else 1.
    """

    values: Floats
    form: Form
    near: Nearness
    raters: int


def units_of(table: RatingTable, coefficient: str, scale: Scale) -> Units:
    """Rows of the items with at least one rating; for coefficients of two raters, those that both rated."""
    form = FORMS[coefficient]
    near = nearness(table, scale, full=form.full)
    held = table.present.sum(axis=1)
    least = 2 if form.pairs or form.margins == "rating" else 1
    codes = np.where((held >= least)[:, None], table.codes, MISSING)[:, table.present.any(axis=0)]
    there = codes != MISSING
    by_label = _sum_basis(codes, there, near.basis)
    m = there.sum(axis=1).astype(np.float64)
    usable = m >= 2
    weight = np.divide(1.0, m - 1 if form.by_rating else m * (m - 1), out=np.zeros_like(m), where=usable)
    within = _within(codes, there, by_label, near) * weight[:, None]
    if form.margins == "rater":
        margins = np.where(there[:, :, None], near.basis[np.where(there, codes, 0)], 0.0).reshape(
            m.size, codes.shape[1] * near.basis.shape[1]
        )
    elif form.margins == "none":
        margins = np.zeros((m.size, 0))
    else:
        margins = by_label if form.by_rating else by_label / np.maximum(m, 1.0)[:, None]
    counted = np.stack([m * usable, m] if form.by_rating else [usable, m > 0], axis=1).astype(np.float64)
    seen = there.astype(np.float64) if form.margins == "rater" else np.zeros((m.size, 0))
    raters = codes.shape[1] if form.margins == "rater" else 1
    return Units(np.concatenate([counted, within, margins, seen], axis=1), form, near, raters)


def _sum_basis(codes: Numbers, there: Numbers, basis: Floats) -> Floats:
    """Items × b: the basis summed over the ratings of each item."""
    found = np.zeros((codes.shape[0], basis.shape[1]))
    for column, held in zip(codes.T, there.T, strict=True):
        found[held] += basis[column[held]]
    return found


def _within(codes: Numbers, there: Numbers, by_label: Floats, near: Nearness) -> Floats:
    """Σ of weights over ordered pairs of different ratings of an item; by pair of labels when ranks are to follow."""
    if near.form is None:
        k = near.labels
        left, right = np.triu_indices(k)
        pairs = by_label[:, left] * by_label[:, right]
        same = left == right
        pairs[:, same] -= by_label
        pairs[:, ~same] *= 2
        return pairs
    own = np.zeros(codes.shape[0])
    itself = np.einsum("ki,ij,kj->k", near.basis, near.form, near.basis)
    for column, held in zip(codes.T, there.T, strict=True):
        own[held] += itself[column[held]]
    return (np.einsum("ni,ij,nj->n", by_label, near.form, by_label) - own)[:, None]


def observed_expected(units: Units, totals: Numbers) -> tuple[Numbers, Numbers]:
    """Observed and expected agreement for each row of totals (…, columns); nan where there is nothing to divide."""
    near, form = units.near, units.form
    b = near.basis.shape[1]
    wide = b * (b + 1) // 2 if near.form is None else 1
    count, items = totals[..., 0], totals[..., 1]
    within, rest = totals[..., 2 : 2 + wide], totals[..., 2 + wide :]
    margins = rest[..., : rest.shape[-1] - (units.raters if form.margins == "rater" else 0)]
    margins = margins.reshape(*totals.shape[:-1], -1, b) if margins.shape[-1] else margins[..., None]
    seen = rest[..., rest.shape[-1] - units.raters :] if form.margins == "rater" else items[..., None]
    weights = near.form if near.form is not None else _ranked(margins.sum(axis=-2))
    with np.errstate(divide="ignore", invalid="ignore"):
        if near.form is None:
            left, right = np.triu_indices(b)
            within = (within * weights[..., left, right]).sum(axis=-1)
        else:
            within = within[..., 0]
        observed = within / count
        expected = _expected(units, margins, seen, items, weights)
    return observed, expected


def _expected(units: Units, margins: Numbers, seen: Numbers, items: Numbers, weights: Numbers) -> Numbers:
    form, k = units.form, units.near.labels
    if form.margins == "none":
        return np.full(items.shape, weights.sum() / k**2, dtype=items.dtype)
    if form.margins == "rating":
        n = margins[..., 0, :]
        return (_form(n, weights, n) - items) / (items * (items - 1))
    if form.margins == "item":
        p = margins[..., 0, :] / items[..., None]
        if form.full:
            return (
                weights.sum() * (p * (1 - p)).sum(axis=-1) / (k * (k - 1))
                if k > 1
                else np.full_like(items, np.nan)
            )
        return _form(p, weights, p)
    p = margins / seen[..., None]
    pooled = p.sum(axis=-2)
    apart = _form(pooled, weights, pooled) - sum(
        _form(p[..., g, :], weights, p[..., g, :]) for g in range(units.raters)
    )
    return apart / (units.raters * (units.raters - 1))


def _form(left: Numbers, weights: Numbers, right: Numbers) -> Numbers:
    return ((left[..., None, :] @ weights)[..., 0, :] * right).sum(axis=-1)


def _ranked(counts: Numbers) -> Numbers:
    """Weights of an ordinal scale, 1 − (ρ_k − ρ_l)²/max, for each row of counts of labels."""
    place = ranks(counts)
    apart = (place[..., :, None] - place[..., None, :]) ** 2
    span = (place[..., -1] - place[..., 0])[..., None, None] ** 2
    return 1 - np.divide(apart, span, out=np.zeros_like(apart), where=span != 0)


def values_of(units: Units, totals: Numbers) -> Numbers:
    """The coefficient (p_o − p_e)/(1 − p_e) for each row of totals; nan where p_e is 1."""
    observed, expected = observed_expected(units, totals)
    gap = 1 - expected
    empty = ~(np.abs(gap) > 1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(empty, np.nan, (observed - expected) / np.where(empty, 1.0, gap))


def influence(units: Units) -> Floats:
    """How much each item moves the coefficient, n times its derivative: the infinitesimal jackknife.

    The derivative by totals is exact: a step in the imaginary direction has no rounding error of differences.
    For alpha the factor 1 − 1/N of small samples is left out of the error, as Gwet and irrCAC do: it is the larger.
    """
    totals = units.values.sum(axis=0)
    step = 1e-30 * max(1.0, float(np.abs(totals).max(initial=0.0)))
    slopes = np.imag(values_of(units, totals + 1j * step * np.eye(totals.size))) / step
    moved = units.values @ slopes * units.values.shape[0]
    if units.form.by_rating:
        moved *= totals[0] / (totals[0] - 1)
    return moved - moved.mean()
