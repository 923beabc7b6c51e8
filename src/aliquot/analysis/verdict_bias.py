"""What moves a judge's verdict although people see no difference: how long an answer is, and how it is dressed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl

from aliquot.analysis.corrected import passed
from aliquot.analysis.judged import Floats, Judged, row_clusters
from aliquot.evidence.tables import Evidence, Texts
from aliquot.findings.calibration import JudgeBias
from aliquot.stats.judge_bias import covariate_bias
from aliquot.stats.results import Estimate, Undefined

MOST_READ: Final = 20_000
"""Answers whose texts are read."""

FEWEST: Final = 20
"""Labelled answers below which nothing is fitted."""

LENGTH: Final = "length"

_MARKUP: Final = re.compile(r"^\s*(?:[-*+]\s|\d+[.)]\s|#{1,6}\s|\|)|\*\*\w|```", re.MULTILINE)
_WORD: Final = re.compile(r"\S+")

SAYS: Final = {
    LENGTH: "an answer twice as long",
    "formatting": "an answer with lists, headings, bold or tables",
    "figures": "an answer with a number in it",
}


def verdict_biases(evidence: Evidence, judged: Judged, *, level: float) -> Iterator[JudgeBias]:
    """Yield what each trait of an answer does to the judge's passes among answers with the same label.

    Args:
        evidence: for what the answers say.
        judged: the answers; labels pass or fail.
        level: confidence level.
    """
    rows = judged.frame.with_columns(passed=passed(judged))
    if evidence.texts is None or rows.height > MOST_READ or judged.labelled.height < FEWEST:
        return
    traits = _traits(evidence.texts, rows)
    if traits is None:
        return
    told = {name: values for name, values in traits.items() if np.ptp(values) > 0}
    systems = judged.systems
    for name, values in told.items():
        found = covariate_bias(
            rows["label"].fill_null(float("nan")).to_numpy(),
            rows["passed"].fill_null(float("nan")).to_numpy(),
            {name: values},
            systems=[systems.index(name) for name in rows["system"]] if len(systems) == 2 else None,
            clusters=row_clusters(rows),
            level=level,
        )
        effect = found.effects[0]
        yield JudgeBias(
            feature=name,
            says=SAYS[name],
            estimate=_by_one(effect.effect, effect.sd),
            test=effect.test,
            shift=found.shifts.get("0, 1"),
        )


def _by_one(effect: Estimate | Undefined, sd: float) -> Estimate | Undefined:
    """Return an effect of one standard deviation as that of one unit: a doubling, or a trait that is there."""
    if isinstance(effect, Undefined):
        return effect
    point, low, high = (value / sd for value in (effect.point, effect.low, effect.high))
    se = None if effect.se is None else effect.se / sd
    return replace(effect, point=point, low=low, high=high, se=se)


def _traits(texts: Texts, rows: pl.DataFrame) -> dict[str, Floats] | None:
    """Return each trait of each answer; None when an answer is not on record."""
    lengths, marked, figures = [], [], []
    for system, task, item, attempt in rows.select("system", "task", "item", "attempt").iter_rows():
        text = texts.response(system, task, item, attempt)
        if text is None:
            return None
        lengths.append(math.log2(1 + sum(1 for _ in _WORD.finditer(text))))
        marked.append(float(_MARKUP.search(text) is not None))
        figures.append(float(any(letter.isdigit() for letter in text)))
    return {
        LENGTH: np.asarray(lengths),
        "formatting": np.asarray(marked),
        "figures": np.asarray(figures),
    }
