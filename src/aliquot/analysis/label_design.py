"""How many more labels a judge's rate needs, and which answers to label: by system, segment and verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from aliquot.analysis.corrected import passed
from aliquot.analysis.judged import Judged
from aliquot.errors import UsageError, nearest
from aliquot.findings.planning import JudgeFirst, LabelCell, LabelDesign
from aliquot.stats.distributions import two_sided_z
from aliquot.stats.inputs import Floats
from aliquot.stats.label_plan import LabelPlan, corrected_width, plan_labels, two_phase_design
from aliquot.stats.results import Undefined

VERDICTS: Final = {1.0: "pass", 0.0: "fail", None: "no verdict"}


@dataclass(frozen=True, slots=True)
class LabelWish:
    """What labels are planned for.

    Attributes:
        half_width: half width wanted of each system's corrected rate; None for what the labels at hand give.
        by: field of the items within whose levels labels are drawn; None for none.
        cost_judge: cost of one verdict; None where it is not known.
        cost_label: cost of one label.
        level: confidence level.
    """

    half_width: float | None = None
    by: str | None = None
    cost_judge: float | None = None
    cost_label: float | None = None
    level: float = 0.95


def design_labels(judged: Judged, wish: LabelWish) -> Iterator[LabelDesign]:
    """Yield the labels that each system's corrected rate takes, and where to draw them.

    Args:
        judged: the answers, with labels on some; labels pass or fail.
        wish: what is planned for.

    Raises:
        UsageError: labels that are grades, or an unknown field.
    """
    if not judged.binary:
        raise UsageError("labels are planned for rates: these are grades")
    if wish.by is not None and wish.by not in judged.segments:
        raise UsageError(f"the items have no field {wish.by!r}. {nearest(wish.by, judged.segments)}")
    rows = judged.frame.with_columns(
        passed=passed(judged),
        slice=pl.lit("") if wish.by is None else pl.col(f"segment.{wish.by}").fill_null("none"),
    )
    for system in judged.systems:
        yield _design(rows.filter(pl.col("system") == system), system, wish)


def _design(rows: pl.DataFrame, system: str, wish: LabelWish) -> LabelDesign:
    cells = rows.group_by("slice", "passed").agg(
        rows=pl.len(), labelled=pl.col("label").count(), passes=pl.col("label").sum()
    ).sort("slice", "passed", descending=[False, True], nulls_last=True)  # fmt: skip
    shares = cells["rows"].to_numpy() / rows.height
    guess = (float(rows["label"].sum()) + 0.5) / (rows["label"].count() + 1)
    known = cells["labelled"].to_numpy()
    rates = (cells["passes"].to_numpy() + guess) / (known + 1)
    now = corrected_width(np.maximum(known, 0), shares, rates, judged=rows.height, level=wish.level)
    found: LabelPlan | Undefined = Undefined("no half width was asked for")
    if wish.half_width is not None:
        found = plan_labels(2 * wish.half_width, shares, rates, judged=rows.height, level=wish.level)
    drawn = found.by_cell if isinstance(found, LabelPlan) else (0,) * cells.height
    return LabelDesign(
        system=system,
        judged=rows.height,
        labelled=int(known.sum()),
        half_width_now=now / 2,
        half_width=wish.half_width,
        labels=found.labels if isinstance(found, LabelPlan) else found,
        alone=found.alone if isinstance(found, LabelPlan) else None,
        cells=tuple(
            LabelCell(part, VERDICTS[verdict], count, float(rate), labels)
            for (part, verdict, count), rate, labels in zip(
                cells.select("slice", "passed", "rows").iter_rows(), rates, drawn, strict=True
            )
        ),
        judge_first=_judge_first(shares, rates, wish),
    )


def _judge_first(shares: Floats, rates: Floats, wish: LabelWish) -> JudgeFirst | None:
    """Return the judge on a designed sample, when both costs and a half width are given."""
    if wish.half_width is None or wish.cost_judge is None or wish.cost_label is None:
        return None
    theta = float(shares @ rates)
    found = two_phase_design(
        float((shares @ np.sqrt(rates * (1 - rates))) ** 2),
        float(shares @ (rates - theta) ** 2),
        cost_judge=wish.cost_judge,
        cost_label=wish.cost_label,
        se=wish.half_width / two_sided_z(wish.level),
    )
    return JudgeFirst(found.judged, found.labelled, found.cost, found.alone, found.cost_alone, found.worth_it)
