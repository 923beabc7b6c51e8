"""How far any number of raters agree beyond chance, under the names of the field; ratings may have gaps.

Every coefficient is (p_o − p_e)/(1 − p_e): observed agreement over pairs of ratings of an item, and what chance would
give. They differ only in what chance is. Ratings that are missing are gaps, never a label of their own.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.agreement_forms import FORMS, CoefficientName, units_of
from aliquot.stats.agreement_records import (
    Agreement,
    AgreementMethod,
    asked,
    coefficient_of,
    nothing_to_compare,
)
from aliquot.stats.agreement_scales import Scale
from aliquot.stats.inputs import RandomSource, as_choice, as_codes
from aliquot.stats.means import mean_bounded
from aliquot.stats.rater_tables import Ratings, rating_table
from aliquot.stats.rates import rate
from aliquot.stats.results import Estimate, Undefined


def fleiss_kappa(
    ratings: Ratings,
    *,
    labels: Sequence[Hashable] | None = None,
    scale: Scale = "nominal",
    clusters: ArrayLike | None = None,
    method: AgreementMethod = "default",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Agreement | Undefined:
    """Fleiss' kappa of any number of raters: chance draws from the labels of all, items weighing equally.

    It does not ask who gave a rating, so raters may differ from item to item.

    Args:
        ratings: items × raters with gaps, or a table made by ``ratings_by_item``.
        labels: as for :func:`cohen_kappa`, and so are the arguments that follow.
        scale: how near two labels are.
        clusters: one label an item.
        method: how the interval is made.
        level: confidence level.
        n_resamples: tables imagined or resamples drawn.
        rng: seed or generator.

    Returns:
        The coefficient; Undefined when no item has two ratings or all ratings are the same.

    Raises:
        UsageError: as for :func:`cohen_kappa`.

    References:
        Fleiss (1971) Psychological Bulletin 76:378; with gaps Gwet (2014), chapter 2.

    Examples:
        >>> found = fleiss_kappa([[1, 1, 1], [1, 2, 2], [2, 2, 2], [1, 1, None]], rng=1)
        >>> round(found.point, 3), found.raters, found.ratings
        (0.657, 3, 11)
    """
    how = _How(labels, scale, clusters, method, level, n_resamples, rng)
    return _many("fleiss_kappa", ratings, how)


def conger_kappa(
    ratings: Ratings,
    *,
    labels: Sequence[Hashable] | None = None,
    scale: Scale = "nominal",
    clusters: ArrayLike | None = None,
    method: AgreementMethod = "default",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Agreement | Undefined:
    """Conger's kappa, Cohen's for any number of raters: chance draws from each rater's own labels.

    Arguments and errors are those of :func:`fleiss_kappa`. With gaps a rater's own labels are all that he gave,
    also where nobody else rated; :func:`cohen_kappa` takes the rows that both rated.

    References:
        Conger (1980) Psychological Bulletin 88:322; with gaps Gwet (2014), chapter 2.

    Examples:
        >>> print(round(conger_kappa([[1, 1, 1], [1, 2, 2], [2, 2, 2], [1, 1, 2]]).point, 3))
        0.385
    """
    how = _How(labels, scale, clusters, method, level, n_resamples, rng)
    return _many("conger_kappa", ratings, how)


def krippendorff_alpha(
    ratings: Ratings,
    *,
    labels: Sequence[Hashable] | None = None,
    scale: Scale = "nominal",
    clusters: ArrayLike | None = None,
    method: AgreementMethod = "default",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Agreement | Undefined:
    """Krippendorff's α of any number of raters with gaps, on a nominal, ordinal, interval or ratio scale.

    Items count by their ratings; an item with one rating tells nothing of agreement and is left out. Up to 12
    labels, the ranks of an ordinal scale follow each resample; beyond, they are those of the data.

    Arguments and errors are those of :func:`fleiss_kappa`.

    References:
        Krippendorff (2004) Content Analysis, chapter 11; (2011) Computing Krippendorff's Alpha-Reliability.

    Examples:
        >>> ratings = [[1, 1, None], [2, 2, 3], [3, 3, 3], [3, 3, 3], [2, 2, 2], [1, 2, 3], [4, 4, 4]]
        >>> print(round(krippendorff_alpha(ratings, scale="ordinal").point, 3))
        0.763
    """
    how = _How(labels, scale, clusters, method, level, n_resamples, rng)
    return _many("krippendorff_alpha", ratings, how)


def gwet_ac(
    ratings: Ratings,
    *,
    labels: Sequence[Hashable] | None = None,
    scale: Scale = "nominal",
    clusters: ArrayLike | None = None,
    method: AgreementMethod = "default",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Agreement | Undefined:
    """Gwet's AC1 (nominal) or AC2 (any other scale): chance is what raters who are not sure would give.

    It hardly suffers from one label being frequent. It depends on how many labels there are: name them all.

    Arguments and errors are those of :func:`fleiss_kappa`.

    References:
        Gwet (2008) British Journal of Mathematical and Statistical Psychology 61:29; (2014), chapters 2 and 3.

    Examples:
        >>> table = [["yes", "yes"]] * 118 + [["yes", "no"]] * 5 + [["no", "yes"]] * 2
        >>> print(round(gwet_ac(table).point, 3), round(fleiss_kappa(table).point, 3))
        0.941 -0.029
    """
    how = _How(labels, scale, clusters, method, level, n_resamples, rng)
    return _many("gwet_ac", ratings, how)


def brennan_prediger(
    ratings: Ratings,
    *,
    labels: Sequence[Hashable] | None = None,
    scale: Scale = "nominal",
    clusters: ArrayLike | None = None,
    method: AgreementMethod = "default",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Agreement | Undefined:
    """Brennan and Prediger's coefficient: by chance every label is as likely. PABAK for two labels.

    It depends on how many labels there are: name them all. Arguments and errors are those of
    :func:`fleiss_kappa`.

    References:
        Brennan & Prediger (1981) Educational and Psychological Measurement 41:687; Byrt, Bishop & Carlin (1993)
        Journal of Clinical Epidemiology 46:423 (PABAK); Gwet (2014), chapter 4.

    Examples:
        >>> print(round(brennan_prediger([[1, 1], [1, 2], [2, 2], [2, 2]]).point, 3))
        0.5
    """
    how = _How(labels, scale, clusters, method, level, n_resamples, rng)
    return _many("brennan_prediger", ratings, how)


def raw_agreement(
    ratings: Ratings,
    *,
    labels: Sequence[Hashable] | None = None,
    scale: Scale = "nominal",
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate | Undefined:
    """Share of pairs of ratings of an item that agree, averaged over items; not corrected for chance.

    Two raters and names: a rate, with the interval of ``rate``; otherwise a mean of scores from 0 to 1.

    Args:
        ratings: items × raters with gaps, or a table made by ``ratings_by_item``.
        labels: as for :func:`cohen_kappa`.
        scale: how near two labels are.
        clusters: one label an item.
        level: confidence level.

    Returns:
        The share, or Undefined when no item has two ratings.

    Raises:
        UsageError: as for :func:`cohen_kappa`.

    References:
        Wilson (1927) JASA 22:209, for the interval; effective n: design of this package.

    Examples:
        >>> print(raw_agreement([["a", "a"]] * 8 + [["a", "b"]] * 2))
        0.8000 [0.4902, 0.9433] 95% wilson, n = 10
    """
    table = rating_table(ratings, labels=labels)
    codes = None if clusters is None else as_codes(clusters, table.codes.shape[0], name="clusters")
    if table.n == 0:
        return nothing_to_compare(table)
    units = units_of(table, "fleiss_kappa", scale)
    if units.near.form is None:  # ranks that follow resamples; here those of the data
        units = units_of(table, "brennan_prediger", scale)
    usable = units.values[:, 0] > 0
    share = np.clip(units.values[usable, 2], 0.0, 1.0)
    kept = None if codes is None else codes[usable]
    if np.isin(share, (0.0, 1.0)).all():
        return rate(share, clusters=kept, level=level)
    return mean_bounded(share, clusters=kept, level=level)


def agreement_coefficients(
    ratings: Ratings,
    *,
    coefficients: Sequence[CoefficientName] = (
        "krippendorff_alpha",
        "fleiss_kappa",
        "conger_kappa",
        "gwet_ac",
        "brennan_prediger",
    ),
    labels: Sequence[Hashable] | None = None,
    scale: Scale = "nominal",
    clusters: ArrayLike | None = None,
    method: AgreementMethod = "default",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> dict[str, Agreement | Undefined]:
    """Several coefficients of the same ratings, each by its name. Arguments as for :func:`fleiss_kappa`.

    Args:
        ratings: items × raters with gaps.
        coefficients: which; ``cohen_kappa`` and ``scott_pi`` are for two raters.
        labels: all labels there are.
        scale: how near two labels are.
        clusters: one label an item.
        method: how the interval is made.
        level: confidence level.
        n_resamples: tables imagined or resamples drawn.
        rng: seed or generator.

    Raises:
        UsageError: an unknown coefficient, one of two raters for more, or as for :func:`cohen_kappa`.

    Examples:
        >>> found = agreement_coefficients([[1, 1], [1, 2], [2, 2], [2, 2]], rng=1)
        >>> {name: round(one.point, 2) for name, one in found.items() if "kappa" in name}
        {'fleiss_kappa': 0.47, 'conger_kappa': 0.5}
    """
    table = rating_table(ratings, labels=labels)
    how = _How(None, scale, clusters, method, level, n_resamples, rng)
    found: dict[str, Agreement | Undefined] = {}
    for name in coefficients:
        as_choice(name, list(FORMS), name="coefficient")
        found[name] = _many(name, table, how)
    return found


@dataclass(frozen=True, slots=True)
class _How:
    """What a caller asked for beside the ratings."""

    labels: Sequence[Hashable] | None
    scale: Scale
    clusters: ArrayLike | None
    method: AgreementMethod
    level: float
    n_resamples: int
    rng: RandomSource


def _many(name: str, ratings: Ratings, how: _How) -> Agreement | Undefined:
    table = rating_table(ratings, labels=how.labels)
    if FORMS[name].pairs and table.codes.shape[1] != 2:
        raise UsageError(
            f"{name} is of two raters; got {table.codes.shape[1]}. See conger_kappa, fleiss_kappa"
        )
    draws = asked(table, how.clusters, level=how.level, n_resamples=how.n_resamples, rng=how.rng)
    return coefficient_of(table, name, how.scale, draws, how.method)
