"""What else than right and wrong moves a judge: length and style, in points of a comparison."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.diagnostics import as_names
from aliquot.stats.distributions import p_value, t_two_sided, two_sided_t
from aliquot.stats.inputs import Floats, as_codes, as_level, as_values
from aliquot.stats.judged_rows import as_labels
from aliquot.stats.least_squares import Fit, least_squares
from aliquot.stats.results import Estimate, HypothesisTest, Record, Undefined

_ROUNDING = 1e-20


@dataclass(frozen=True, slots=True)
class CovariateEffect(Record):
    """How a property of an answer moves the verdict, the label given.

    Attributes:
        name: the property.
        sd: its standard deviation over all rows.
        effect: change of the verdict for one such standard deviation more; in points of the pass rate for 0 and 1.
        test: of no effect.
        by_label: the same among the rows of each label.
    """

    name: str
    sd: float
    effect: Estimate | Undefined
    test: HypothesisTest | Undefined
    by_label: Mapping[str, Estimate | Undefined]


@dataclass(frozen=True, slots=True)
class CovariateBias(Record):
    """Biases of a judge by properties of the answers.

    Attributes:
        effects: one for each property, each with the others held.
        shifts: what all of them together do to the judged difference of two systems, by ``baseline, candidate``:
            candidate minus baseline, of the size that the systems' mean properties differ.
        n: labelled rows with a verdict.
    """

    effects: tuple[CovariateEffect, ...]
    shifts: Mapping[str, Estimate | Undefined]
    n: int


def covariate_bias(
    labels: ArrayLike | Sequence[float | None],
    verdicts: ArrayLike | Sequence[float | None],
    covariates: Mapping[str, ArrayLike],
    *,
    systems: ArrayLike | Sequence[Hashable] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> CovariateBias:
    """Effect of length and style on a judge's verdict among answers with the same label.

    The verdict is fitted on the covariates with an intercept for each label, by least squares: the slope within labels,
    whose score test without clusters is Mantel's. It is in points, so that slope × (difference of two systems' means)
    is what the bias does to their judged difference, and it exists where a logistic fit separates. Errors are robust
    (CR2, by cluster) with Bell–McCaffrey degrees of freedom, as 0/1 values vary unequally.

    Where labels are coarser than what people see (a long pass may be the better pass), part of the effect is merit.

    Args:
        labels: people's labels, of any levels; None or NaN where there is none (such rows count for means only).
        verdicts: the judge's, 0 and 1 or grades; None or NaN is no verdict.
        covariates: values by name, one a row. Take the logarithm of a length: base 2 gives the effect of a doubling.
        systems: the system of each row, for ``shifts``; in their order, baseline first.
        clusters: one label a row; None when rows are independent.
        level: confidence level.

    Returns:
        Effects for a standard deviation, and shifts of judged differences; Undefined where nothing varies.

    Raises:
        UsageError: no covariate, values that are no numbers, or arguments of the wrong shape.

    References:
        Mantel (1963) JASA 58:690, the extension of Mantel–Haenszel to scores; Angrist & Pischke (2009) Mostly Harmless
        Econometrics, 3.4.2, linear models of 0/1 values; Bell & McCaffrey (2002) Survey Methodology 28:169.

    Examples:
        >>> labels = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
        >>> verdicts = [1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 0]
        >>> words = [9, 8, 7, 8, 3, 6, 9, 4, 8, 3, 2, 5]
        >>> print(covariate_bias(labels, verdicts, {"words": words}).effects[0].effect)
        0.4295 [0.2659, 0.5931] 95% slope_within_labels, n = 12
    """
    level = as_level(level)
    truth = as_labels(labels, name="labels", binary=False)
    said = as_labels(verdicts, name="verdicts", binary=False)
    n = truth.size
    if said.size != n:
        raise UsageError(f"labels and verdicts must be of the same rows; got {n} and {said.size}")
    if not covariates:
        raise UsageError("covariates must name at least one property, for instance {'words': counts}")
    columns = [as_values(values, name=name) for name, values in covariates.items()]
    for name, column in zip(covariates, columns, strict=True):
        if column.size != n:
            raise UsageError(f"{name} must have one value for each of the {n} rows; got {column.size}")
    table = np.stack(columns, axis=1)
    groups = None if clusters is None else as_codes(clusters, n, name="clusters")
    kept = ~(np.isnan(truth) | np.isnan(said))
    sd = table.std(axis=0, ddof=1) if n > 1 else np.zeros(table.shape[1])
    rows = _Rows(truth[kept], said[kept], table[kept], None if groups is None else groups[kept], level)
    every = np.ones(int(kept.sum()), dtype=bool)
    fit = rows.fit(every)
    named = [(f"{label:g}", rows.fit(rows.truth == label)) for label in np.unique(rows.truth)]
    effects: list[CovariateEffect] = []
    for place, name in enumerate(covariates):
        pull = np.zeros(len(columns))
        pull[place] = sd[place]
        found, test = rows.estimate(fit, pull)
        by_label = {label: rows.estimate(part, pull)[0] for label, part in named}
        effects.append(CovariateEffect(name, float(sd[place]), found, test, by_label))
    shifts: dict[str, Estimate | Undefined] = {}
    if systems is not None:
        codes, names = as_names(systems, n, name="systems")
        means = [table[codes == place].mean(axis=0) for place in range(len(names))]
        for one in range(len(names)):
            for other in range(one + 1, len(names)):
                shifts[f"{names[one]}, {names[other]}"] = rows.estimate(fit, means[other] - means[one])[0]
    return CovariateBias(tuple(effects), shifts, int(kept.sum()))


@dataclass(frozen=True, slots=True)
class _Rows:
    """Labelled rows with a verdict."""

    truth: Floats
    said: Floats
    table: Floats
    clusters: np.ndarray | None
    level: float

    def fit(self, among: np.ndarray) -> Fit | Undefined:
        """Fit the verdict on the covariates with an intercept for each label."""
        truth = self.truth[among]
        if not truth.size:
            return Undefined("no row has both a label and a verdict")
        if self.said[among].min() == self.said[among].max():
            return Undefined("every verdict is the same, so nothing moves it")
        dummies = (truth[:, None] == np.unique(truth)[None, :]).astype(np.float64)
        table = self.table[among]
        x = np.concatenate([table - table.mean(axis=0), dummies], axis=1)
        groups = (
            np.arange(truth.size)
            if self.clusters is None
            else as_codes(self.clusters[among], truth.size, name="clusters")
        )
        return least_squares(x, self.said[among], clusters=groups)

    def estimate(
        self, fit: Fit | Undefined, pull: Floats
    ) -> tuple[Estimate | Undefined, HypothesisTest | Undefined]:
        """Σ slope × pull with its t interval and test."""
        if isinstance(fit, Undefined):
            return fit, fit
        contrast = np.concatenate([pull, np.zeros(fit.coefficients.size - pull.size)])
        variance = float(contrast @ fit.covariance @ contrast)
        point, spread = float(contrast @ fit.coefficients), float(fit.residual @ fit.residual)
        if not np.any(pull):
            return (none := Undefined("the property does not differ")), none
        if variance <= 0 or spread <= _ROUNDING * fit.residual.size:
            return (
                none := Undefined("label and property explain every verdict, so no error can be seen")
            ), none
        df, se = fit.df(contrast), math.sqrt(variance)
        half = two_sided_t(self.level, df) * se
        found = Estimate(
            point=point,
            low=point - half,
            high=point + half,
            level=self.level,
            method="slope_within_labels",
            n=fit.residual.size,
            se=se,
            df=df,
            clusters=None if self.clusters is None else fit.clusters,
        )
        t = point / se
        test = HypothesisTest(
            "slope_within_labels",
            p_value(t_two_sided(t, df)),
            statistic=t,
            df=df,
            null="the property does not move the verdict of answers with the same label",
        )
        return found, test
