"""How far two raters agree beyond chance: Cohen's kappa, weighted or not, and Scott's π."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from aliquot.stats.agreement_records import (
    Agreement,
    AgreementMethod,
    asked,
    coefficient_of,
    constant_rater,
)
from aliquot.stats.agreement_scales import Scale, nearness
from aliquot.stats.distributions import normal_two_sided, p_value
from aliquot.stats.inputs import RandomSource
from aliquot.stats.rater_tables import Ratings, RatingTable, paired_table_of
from aliquot.stats.results import HypothesisTest, Undefined


def cohen_kappa(
    a: Ratings,
    b: Ratings,
    *,
    labels: Sequence[Hashable] | None = None,
    scale: Scale = "nominal",
    clusters: ArrayLike | None = None,
    method: AgreementMethod = "default",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Agreement | Undefined:
    """Cohen's kappa of two raters, weighted on a scale: each rater's own labels are what chance draws from.

    When one rater gives one label only, the coefficient is exactly 0 whatever the raters agree on, and has no
    interval. Where one label is nearly always given, kappa is low although the raters hardly differ: read it
    beside ``observed`` and ``constant``.

    Args:
        a: labels of the first rater, one a row; None and NaN are missing, and such rows are left out and counted.
        b: labels of the second rater of the same rows in the same order.
        labels: all labels there are, from low to high, used or not; by default those that occur, sorted.
        scale: ``nominal`` (names); ``linear`` or ``quadratic`` by place among the labels; ``ordinal`` by how many
            ratings lie between; ``interval`` or ``ratio`` by value; or K × K weights, 1 for the same label.
        clusters: one label a row; whole clusters are drawn.
        method: ``default``: ``dirichlet`` for two labels and independent rows, else ``bootstrap``; or ``normal``,
            the large-sample interval cut at −1 and 1.
        level: confidence level.
        n_resamples: tables imagined or resamples drawn.
        rng: seed or generator; None for the fixed default seed.

    Returns:
        The coefficient; Undefined when no row has both labels, or when both raters give the same label throughout
        (0/0).

    Raises:
        UsageError: different lengths, labels of mixed types, a label that is not among ``labels``, a scale the
            labels do not have.

    References:
        Cohen (1960) Educational and Psychological Measurement 20:37, eq. 1; (1968) Psychological Bulletin 70:213;
        Fleiss, Cohen & Everitt (1969) Psychological Bulletin 72:323, the large-sample variance.

    Examples:
        >>> a = ["yes"] * 27 + ["no"] * 53
        >>> b = ["yes"] * 19 + ["no"] * 8 + ["yes"] * 8 + ["no"] * 45
        >>> print(cohen_kappa(a, b))
        0.5528 [0.3376, 0.7117] 95% cohen_kappa_dirichlet, n = 80
        >>> print(cohen_kappa(a, b, method="normal"))
        0.5528 [0.3594, 0.7462] 95% cohen_kappa_normal, n = 80
        >>> print(cohen_kappa(["yes"] * 9, ["yes"] * 9))
        undefined: both raters gave one label only ('yes'), so chance alone explains all 9 agreements
    """
    table = paired_table_of(a, b, labels=labels)
    draws = asked(table, clusters, level=level, n_resamples=n_resamples, rng=rng)
    found = coefficient_of(table, "cohen_kappa", scale, draws, method)
    if isinstance(found, Undefined):
        return found
    if constant_rater(table):
        nothing = Undefined("one rater gave one label only, so chance explains everything")
        return replace(found, point=0.0, interval=nothing)
    return found if clusters is not None else replace(found, chance_test=_chance_test(table, scale, found))


def scott_pi(
    a: Ratings,
    b: Ratings,
    *,
    labels: Sequence[Hashable] | None = None,
    scale: Scale = "nominal",
    clusters: ArrayLike | None = None,
    method: AgreementMethod = "default",
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Agreement | Undefined:
    """Scott's π of two raters: chance draws from the labels of both together. Arguments as for Cohen's kappa.

    References:
        Scott (1955) Public Opinion Quarterly 19:321.

    Examples:
        >>> print(round(scott_pi([1, 1, 2, 2], [1, 2, 2, 2]).point, 3))
        0.467
    """
    table = paired_table_of(a, b, labels=labels)
    return coefficient_of(
        table,
        "scott_pi",
        scale,
        asked(table, clusters, level=level, n_resamples=n_resamples, rng=rng),
        method,
    )


def _chance_test(table: RatingTable, scale: Scale, found: Agreement) -> HypothesisTest | None:
    """Z of kappa over its error when agreement is by chance: Fleiss, Cohen & Everitt (1969), eq. 9 for weights."""
    both = table.codes[table.present.all(axis=1)]
    k, n = len(table.labels), both.shape[0]
    near = nearness(table, scale, full=True)
    if near.form is None or k > 200:
        return None
    rows, columns = (np.bincount(both[:, side], minlength=k) / n for side in (0, 1))
    by_row, by_column = near.form @ columns, rows @ near.form
    spread = (near.form - by_row[:, None] - by_column[None, :]) ** 2
    variance = float(rows @ spread @ columns) - found.expected**2
    if not variance > 1e-15:
        return None
    z = found.point * (1 - found.expected) / (variance / n) ** 0.5
    return HypothesisTest(
        "kappa_z", p_value(normal_two_sided(z)), statistic=z, null="agreement is what chance gives"
    )
