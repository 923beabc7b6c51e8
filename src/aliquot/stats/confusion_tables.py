"""What a judge said of what people said, counted: the table itself, and what it alone tells about a kappa."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aliquot.stats.inputs import Integers, as_codes, as_level
from aliquot.stats.rater_tables import Ratings, paired_table_of
from aliquot.stats.rates import rate
from aliquot.stats.results import Estimate, Record, Undefined


@dataclass(frozen=True, slots=True)
class ClassRates(Record):
    """How one label fared.

    Attributes:
        present: rows that have it by the first.
        predicted: rows that the second gave it.
        hits: both.
        precision: hits of predicted.
        recall: hits of present.
        f1: 2 hits/(present + predicted).
    """

    present: int
    predicted: int
    hits: int
    precision: float | Undefined
    recall: float | Undefined
    f1: float | Undefined


@dataclass(frozen=True, slots=True)
class Confusion(Record):
    """Labels of a judge by those of people.

    Attributes:
        labels: the labels in order, K of them.
        counts: K × K; row i, column j: rows that are ``labels[i]`` by the first and ``labels[j]`` by the second.
        accuracy: share of rows that agree.
        classes: by label.
        macro: means over the labels that have a value, by measure.
        constant_label: the most frequent label of the first.
        constant: share of rows that always giving this label would get right.
        prevalence_index: for two labels, how unequal they are: share both call the first less the second, −1 to 1.
        bias_index: for two labels, how much oftener the second rater gives the first label, −1 to 1.
        pabak: 2 p_o − 1 for two labels, (K p_o − 1)/(K − 1) in general: kappa if labels were equally frequent and
            raters unbiased.
        n: rows with both labels.
        left_out: rows without one of them.
    """

    labels: tuple[Hashable, ...]
    counts: Integers
    accuracy: Estimate | Undefined
    classes: Mapping[Hashable, ClassRates]
    macro: Mapping[str, float | Undefined]
    constant_label: Hashable
    constant: float
    prevalence_index: float | Undefined
    bias_index: float | Undefined
    pabak: float | Undefined
    n: int
    left_out: int

    def __str__(self) -> str:
        names = [str(label) for label in self.labels]
        width = max([len(name) for name in names] + [len(str(int(self.counts.max(initial=0)))), 5])
        lines = [" " * width + "".join(f"  {name:>{width}}" for name in names)]
        for name, row in zip(names, self.counts.tolist(), strict=True):
            lines.append(f"{name:>{width}}" + "".join(f"  {count:>{width}}" for count in row))
        return "\n".join(lines)


def confusion(
    truth: Ratings,
    prediction: Ratings,
    *,
    labels: Sequence[Hashable] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Confusion | Undefined:
    """Count a judge's labels by those of people, with precision, recall and F1 of each label.

    Beside the accuracy stands what always giving the most frequent label would reach; an accuracy that is not above
    it shows no judgement. For intervals of precision, recall and F1 see ``classification``.

    Args:
        truth: labels of the people (or of the first rater), one a row; None and NaN are missing.
        prediction: labels of the judge on the same rows in the same order.
        labels: all labels there are, in order; by default those that occur, sorted.
        clusters: one label a row, for the interval of the accuracy.
        level: confidence level of the accuracy.

    Returns:
        The table; Undefined when no row has both labels.

    Raises:
        UsageError: different lengths, labels of mixed types, a label that is not among ``labels``.

    References:
        Byrt, Bishop & Carlin (1993) Journal of Clinical Epidemiology 46:423 (prevalence and bias index, PABAK).

    Examples:
        >>> people, judge = ["pass"] * 8 + ["fail"] * 2, ["pass"] * 7 + ["fail"] * 2 + ["pass"]
        >>> found = confusion(people, judge, labels=["pass", "fail"])
        >>> print(found)
                pass   fail
         pass      7      1
         fail      1      1
        >>> found.accuracy.point, found.constant, found.classes["fail"].recall
        (0.8, 0.8, 0.5)
    """
    level = as_level(level)
    table = paired_table_of(truth, prediction, labels=labels)
    both = table.present.all(axis=1)
    n, k = int(both.sum()), len(table.labels)
    codes = None if clusters is None else as_codes(clusters, both.size, name="clusters")[both]
    if n == 0:
        return Undefined("no row was labelled by both raters")
    pairs = table.codes[both]
    counts = np.bincount(pairs[:, 0] * k + pairs[:, 1], minlength=k * k).reshape(k, k).astype(np.int64)
    classes = {label: _class(counts, at) for at, label in enumerate(table.labels)}
    present = counts.sum(axis=1)
    agreed = int(np.trace(counts)) / n
    two = Undefined(f"it is of two labels; there are {k}")
    shares = counts / n
    return Confusion(
        labels=table.labels,
        counts=counts,
        accuracy=rate((pairs[:, 0] == pairs[:, 1]).astype(np.float64), clusters=codes, level=level),
        classes=classes,
        macro={
            name: _mean([getattr(one, name) for one in classes.values()])
            for name in ("precision", "recall", "f1")
        },
        constant_label=table.labels[int(present.argmax())],
        constant=int(present.max()) / n,
        prevalence_index=float(shares[0, 0] - shares[1, 1]) if k == 2 else two,
        bias_index=float(shares[1, 0] - shares[0, 1]) if k == 2 else two,
        pabak=(k * agreed - 1) / (k - 1)
        if k > 1
        else Undefined("there is one label only; name all with labels="),
        n=n,
        left_out=both.size - n,
    )


def _class(counts: Integers, at: int) -> ClassRates:
    present, predicted, hits = int(counts[at].sum()), int(counts[:, at].sum()), int(counts[at, at])
    return ClassRates(
        present=present,
        predicted=predicted,
        hits=hits,
        precision=hits / predicted if predicted else Undefined("the label was never predicted"),
        recall=hits / present if present else Undefined("the label is never present"),
        f1=2 * hits / (present + predicted) if present + predicted else Undefined("the label does not occur"),
    )


def _mean(values: list[float | Undefined]) -> float | Undefined:
    known = [value for value in values if not isinstance(value, Undefined)]
    return float(np.mean(known)) if known else Undefined("no label has a value")
