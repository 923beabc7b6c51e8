"""Labels split in two: one part to tune a judge on, the other to measure it by."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from aliquot.analysis.corrected import passed
from aliquot.analysis.judged import Judged, row_clusters
from aliquot.evidence.labels import ANSWER
from aliquot.stats.label_split import development_rows

Part: TypeAlias = Literal["dev", "test"]
"""``dev`` to tune on, ``test`` to report."""


def part_of(judged: Judged, part: Part, *, seed: int) -> Judged:
    """Return the answers with the labels of one half alone; the same seed gives the same halves.

    Halves are alike in verdicts and labels, and keep clusters whole.

    Args:
        judged: the answers.
        part: which half.
        seed: seed of the split.
    """
    rows = judged.frame
    verdicts = passed(judged) if judged.binary else rows["verdict"].round(0)
    labels = rows["label"] if judged.binary else rows["label"].round(0)
    tuning = development_rows(
        labels.fill_null(float("nan")).to_numpy(), verdicts.to_list(), clusters=row_clusters(rows), rng=seed
    )
    kept = tuning if part == "dev" else ~tuning & labels.is_not_null().to_numpy()
    frame = rows.with_columns(label=pl.when(pl.Series(np.asarray(kept))).then(pl.col("label")))
    mine = frame.filter(pl.col("label").is_not_null()).select(*ANSWER)
    own = judged.labels.frame.join(mine, on=list(ANSWER), how="semi")
    return replace(judged, frame=frame, labels=replace(judged.labels, frame=own))
