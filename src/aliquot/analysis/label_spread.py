"""What labels differ by: answers, systems, raters, and what is left; and what more of each would buy."""

from __future__ import annotations

from typing import Final

import polars as pl

from aliquot.evidence.labels import Labels
from aliquot.findings.agreement import BuyNext, LabelSpread, Source
from aliquot.stats.facets import decision_study
from aliquot.stats.repeats import variance_components
from aliquot.stats.results import Undefined

FACTORS: Final = ("item", "system", "rater")
"""What labels may differ by, where there are several of each."""

LEFT: Final = "within"
"""What one rater's labels of one answer still differ by, and what is put down to nothing else."""


def spread_of(labels: Labels) -> LabelSpread | None:
    """Return the variance of one label by its sources; None where labels are names or one source alone is there.

    Args:
        labels: of one question.
    """
    rows = labels.frame.filter(pl.col("value").is_not_null())
    if not labels.numeric or rows["value"].n_unique() < 2:
        return None
    factors = {name: rows[name].fill_null("").to_list() for name in FACTORS if rows[name].n_unique() > 1}
    if "item" not in factors or len(factors) < 2:
        return None
    found = variance_components(rows["value"].to_numpy(), factors=factors)
    if isinstance(found, Undefined):
        return None
    answers = rows.select("item", "system", "attempt").n_unique()
    levels = {"item": rows["item"].n_unique()}
    if "rater" in factors:
        levels["rater"] = max(1, round(rows.height / answers))
    target = "system" if "system" in factors else None
    study = decision_study(found, levels=levels, costs={":".join(levels): 1.0}, target=target)
    return LabelSpread(
        sources=tuple(
            Source(name, max(0.0, value), found.shares[name]) for name, value in found.components.items()
        ),
        target="the mean of one system" if target else "the mean",
        se=study.se,
        steps=tuple(
            BuyNext(facet=step.facet, levels=step.levels, se=step.se, labels=int(step.cost))
            for step in study.steps
        ),
    )
