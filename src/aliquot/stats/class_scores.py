"""Precision, recall and F1 from labels, with intervals and paired differences by resampling items or clusters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.bootstrap_intervals import percentile_interval
from aliquot.stats.inputs import Floats, Integers, RandomSource, as_array, as_codes, as_count, as_level
from aliquot.stats.resampling import Cells, collapse, draw_totals
from aliquot.stats.results import Estimate, Undefined

if TYPE_CHECKING:
    import polars as pl

Measures: TypeAlias = dict[str, Estimate | Undefined]

MEASURES = ("precision", "recall", "f1")


@dataclass(frozen=True, slots=True)
class Classification:
    """Precision, recall and F1, or their differences, each with an interval or the reason why there is none.

    Attributes:
        classes: by class, then by measure.
        macro: by measure: the plain mean over the classes.
        micro: by measure: from the counts of all classes together.
        n: items.
        clusters: clusters resampled, or None when the items were.
    """

    classes: dict[Hashable, Measures]
    macro: Measures
    micro: Measures
    n: int
    clusters: int | None = None

    def to_frame(self) -> pl.DataFrame:
        """Return one row a class and measure: of, measure, point, low, high, undefined (the reason)."""
        import polars as pl  # noqa: PLC0415 - an output format; importing stats loads numpy and scipy.special only

        blocks = [*((str(label), found) for label, found in self.classes.items())]
        blocks += [("(macro)", self.macro), ("(micro)", self.micro)]
        rows = [
            (of, measure, None, None, None, value.reason)
            if isinstance(value, Undefined)
            else (of, measure, value.point, value.low, value.high, None)
            for of, found in blocks
            for measure, value in found.items()
        ]
        columns = {"of": pl.String, "measure": pl.String, "point": pl.Float64, "low": pl.Float64}
        return pl.DataFrame(
            rows, schema={**columns, "high": pl.Float64, "undefined": pl.String}, orient="row"
        )


def classification(
    truth: ArrayLike,
    prediction: ArrayLike,
    *,
    labels: Sequence[Hashable] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Classification:
    """Precision, recall and F1 for each class, macro and micro, with percentile bootstrap intervals.

    Args:
        truth: true labels, one an item, of any type.
        prediction: predicted labels of the same items in the same order.
        labels: classes to report and to average over; by default all that occur.
        clusters: a label an item; whole clusters are resampled.
        level: confidence level.
        n_resamples: resamples.
        rng: seed or generator; a fixed seed by default.

    Returns:
        The measures. One is Undefined where its denominator is empty (a class never predicted has no
        precision, one never present no recall), where too many resamples leave it empty, or where no resample
        differs.

    Raises:
        UsageError: different lengths, missing labels, labels of mixed types.

    References:
        Davison & Hinkley (1997), eq. 5.18, for the intervals.

    Examples:
        >>> found = classification(list("aaaabbbbcc") * 9, list("aaabbbbacc") * 9, n_resamples=999)
        >>> print(found.classes["a"]["recall"].point, found.micro["f1"].point)
        0.75 0.8
        >>> print(found.classes["c"]["recall"])
        undefined: no resample differs from 1, so there is no interval; for a rate see clopper_pearson
    """
    data = _count(truth, [prediction], labels, clusters)
    return _report(data, lambda found: found[0], level=level, n_resamples=n_resamples, rng=rng)


def classification_difference(
    truth: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    labels: Sequence[Hashable] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Classification:
    """Candidate minus baseline in precision, recall and F1 on the same items; items keep both predictions.

    Args:
        truth: true labels, one an item, of any type.
        a: labels predicted by the baseline.
        b: labels predicted by the candidate.
        labels: classes to report and to average over; by default all that occur.
        clusters: a label an item; whole clusters are resampled.
        level: confidence level.
        n_resamples: resamples.
        rng: seed or generator; a fixed seed by default.

    Returns:
        The differences; Undefined where either system has no value, as in :func:`classification`.

    Raises:
        UsageError: different lengths, missing labels, labels of mixed types.

    References:
        Davison & Hinkley (1997), eq. 5.18, for the intervals.

    Examples:
        >>> truth, a, b = list("aaaabbbb") * 5, list("aabbbbba") * 5, list("aaabbbba") * 5
        >>> found = classification_difference(truth, a, b, n_resamples=999)
        >>> round(found.macro["recall"].point, 3)
        0.125
    """
    data = _count(truth, [a, b], labels, clusters)
    return _report(data, lambda found: found[1] - found[0], level=level, n_resamples=n_resamples, rng=rng)


@dataclass(frozen=True, slots=True)
class _Counts:
    """What is resampled: columns are, by class, the true ones, then for each system the predicted ones and hits."""

    names: list[Hashable]
    cells: Cells
    systems: int
    n: int
    clusters: int | None


def _count(
    truth: ArrayLike,
    predictions: Sequence[ArrayLike],
    labels: Sequence[Hashable] | None,
    clusters: ArrayLike | None,
) -> _Counts:
    """Code the labels and count each distinct combination of truth and predictions, or each cluster."""
    names, columns, reported = _coded([truth, *predictions], labels)
    n = columns.shape[1]
    kinds, counts = np.unique(columns, axis=1, return_counts=True)
    if clusters is None:
        cells = Cells(_indicators(kinds, reported), counts.astype(np.int64))
        return _Counts(names, cells, len(predictions), n, None)
    codes = as_codes(clusters, n, name="clusters")
    groups = int(codes.max()) + 1
    sums = np.zeros((groups, reported.size * (1 + 2 * len(predictions))))
    np.add.at(sums, codes, _indicators(columns, reported))
    return _Counts(names, collapse(sums), len(predictions), n, groups)


def _coded(
    arrays: Sequence[ArrayLike], labels: Sequence[Hashable] | None
) -> tuple[list[Hashable], Integers, Integers]:
    """Names of the reported classes, codes of all labels (a row an array), and the codes of those classes."""
    given = [as_array(array, name="truth and predictions", wanted="lists of labels") for array in arrays]
    n = given[0].size
    if n == 0 or any(array.shape != (n,) for array in given):
        raise UsageError(
            "truth and predictions must be one-dimensional and hold the same items in the same order; "
            f"got shapes {', '.join(str(array.shape) for array in given)}"
        )
    extra = np.asarray([] if labels is None else list(labels), dtype=None if labels else given[0].dtype)
    if len({array.dtype.kind in "US" for array in (*given, extra) if array.dtype.kind != "O"}) > 1:
        raise UsageError("labels must be of one type; got text and numbers, and 1 is not '1'")
    joined = np.concatenate([*given, extra])
    codes = as_codes(joined, joined.size, name="truth and predictions")
    first = np.unique(codes, return_index=True)[1]
    reported = np.arange(first.size) if labels is None else codes[n * len(given) :]
    if reported.size == 0 or np.unique(reported).size != reported.size:
        raise UsageError("labels must name at least one class, and each once")
    names: list[Hashable] = joined[first[reported]].tolist()
    return names, codes[: n * len(given)].reshape(len(given), n), reported


def _indicators(columns: Integers, reported: Integers) -> Floats:
    """One row an item (or kind): its class, then for each system the class predicted, and that class if right."""
    truth, *predicted = columns[:, :, None] == reported
    blocks = [truth]
    for system in predicted:
        blocks += [system, system & truth]
    return np.concatenate(blocks, axis=1).astype(np.float64)


def _measures(totals: Floats, classes: int, systems: int) -> list[dict[str, Floats]]:
    """For each system, by measure, the values of each class, then macro and micro; nan where there is none."""
    blocks = totals.reshape(*totals.shape[:-1], 1 + 2 * systems, classes)
    present, found = blocks[..., 0, :], []
    for system in range(systems):
        predicted, hits = blocks[..., 1 + 2 * system, :], blocks[..., 2 + 2 * system, :]
        parts = {
            "precision": (hits, predicted),
            "recall": (hits, present),
            "f1": (2 * hits, predicted + present),
        }
        found.append({measure: _averaged(*part) for measure, part in parts.items()})
    return found


def _averaged(top: Floats, bottom: Floats) -> Floats:
    """Ratio by class, its mean over the classes that have one, and the ratio of the sums."""
    ratio = _divide(top, bottom)
    held = bottom > 0
    macro = _divide(np.where(held, ratio, 0.0).sum(axis=-1), held.sum(axis=-1).astype(np.float64))
    micro = _divide(top.sum(axis=-1), bottom.sum(axis=-1))
    return np.concatenate([ratio, macro[..., None], micro[..., None]], axis=-1)


def _divide(top: Floats, bottom: Floats) -> Floats:
    return np.divide(top, bottom, out=np.full(np.shape(top), np.nan), where=bottom > 0)


def _report(
    data: _Counts,
    combine: Callable[[list[Floats]], Floats],
    *,
    level: float,
    n_resamples: int,
    rng: RandomSource,
) -> Classification:
    level, size = as_level(level), int(as_count(n_resamples, name="n_resamples", at_least=99))
    classes = len(data.names)
    observed = _measures(data.cells.counts @ data.cells.values, classes, data.systems)
    drawn = _measures(draw_totals(data.cells, n_resamples=size, rng=rng), classes, data.systems)
    columns: list[Measures] = [{} for _ in range(classes + 2)]
    for measure in MEASURES:
        points = [system[measure] for system in observed]
        draws = combine([system[measure] for system in drawn])
        for j, value in enumerate(combine(points)):
            reason = _missing(points, j, measure, data.names)
            found = Undefined(reason) if reason else _interval(float(value), draws[:, j], level)
            if isinstance(found, Estimate):
                settings = {**found.settings, "n_resamples": size}
                found = replace(found, n=data.n, clusters=data.clusters, settings=settings)
            columns[j][measure] = found
    return Classification(
        classes=dict(zip(data.names, columns[:classes], strict=True)),
        macro=columns[classes],
        micro=columns[classes + 1],
        n=data.n,
        clusters=data.clusters,
    )


def _missing(points: list[Floats], j: int, measure: str, names: list[Hashable]) -> str:
    """Why column j (a class, macro, micro) has no value in some system; empty when it has."""
    what = {
        "precision": "was never predicted",
        "recall": "is never present",
        "f1": "is never present nor predicted",
    }[measure]
    wanted = range(len(names)) if j >= len(names) else [j]
    whose = [""] if len(points) == 1 else [" by the baseline", " by the candidate"]
    for system, values in enumerate(points):
        empty = [names[k] for k in wanted if np.isnan(values[k])]
        if empty and (j <= len(names) or np.isnan(values[j])):
            return f"class {empty[0]!r} {what}{whose[system] if measure != 'recall' else ''}"
    return ""


def _interval(point: float, draws: Floats, level: float) -> Estimate | Undefined:
    """Percentile interval over the resamples that have a value, unless too few do or none differs."""
    kept = draws[~np.isnan(draws)]
    lacking = 1 - kept.size / draws.size
    if lacking > (1 - level) / 2:
        return Undefined(
            f"the class is too rare: {lacking:.0%} of the resamples leave the measure without a value"
        )
    found = percentile_interval(kept, point, level=level)
    if not found.low < found.high:
        return Undefined(
            f"no resample differs from {point:g}, so there is no interval; for a rate see clopper_pearson"
            if kept.min() == kept.max()
            else f"too few resamples differ from {point:g} for an interval; for a rate see clopper_pearson"
        )
    return replace(found, settings={**found.settings, "without_value": draws.size - kept.size})
