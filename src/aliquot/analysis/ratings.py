"""Labels become arrays: a row an answer, a column a rater, gaps where a rater did not label it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from aliquot.errors import InputError, UsageError, excerpt, nearest
from aliquot.evidence.labels import ANSWER, Labels
from aliquot.findings.agreement import Measured

MOST_LABELS: Final = 200
"""Different labels of one question, at most, where they are names."""

MOST_RATERS: Final = 1000
"""Raters of one question, at most."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """What raters said of answers.

    Attributes:
        answers: system, task, item and attempt of each answer, sorted; None where the labels do not say.
        raters: who labelled, in the order of the source.
        labels: the labels, in order.
        worth: what each label is worth: its number, or its place.
        codes: answers × raters, the place of the label in ``labels``; −1 where there is none.
        repeats: of each rater the answers labelled more than once, and how many of those got the same label again.
        clusters: number of the cluster of each answer; None when nothing names one.
        measured: what distances between labels mean.
    """

    answers: tuple[tuple[str | int | None, ...], ...]
    raters: tuple[str, ...]
    labels: tuple[str, ...]
    worth: tuple[float, ...]
    codes: NDArray[np.int64]
    repeats: tuple[tuple[int, int], ...]
    clusters: NDArray[np.int64] | None
    measured: Measured

    @property
    def shared(self) -> int:
        """Answers with labels of two raters or more."""
        return int(((self.codes >= 0).sum(axis=1) >= 2).sum())

    @property
    def values(self) -> NDArray[np.float64]:
        """Answers × raters, what each label is worth; NaN where there is none."""
        return np.where(self.codes >= 0, np.asarray(self.worth, dtype=float)[self.codes], np.nan)

    @property
    def kinds(self) -> tuple[float | str, ...]:
        """What the labels are to the estimators: numbers where differences count, else their names."""
        return self.worth if self.measured in {"interval", "ratio"} else self.labels

    @property
    def given(self) -> NDArray[np.object_]:
        """Answers × raters, the label as in ``kinds``; None where there is none."""
        return np.array([*self.kinds, None], dtype=object)[self.codes]

    def name(self, place: int) -> str:
        """Return what an answer is called: its item, with the system or attempt where they tell answers apart."""
        system, _, item, attempt = self.answers[place]
        told = [str(item)]
        told += [] if system is None or self._one("system") else [f"of {system}"]
        told += [] if attempt is None or self._one("attempt") else [f"attempt {attempt}"]
        return ", ".join(told) if len(told) == 1 or told[1].startswith("attempt") else " ".join(told)

    def _one(self, column: str) -> bool:
        place = ANSWER.index(column)
        return len({answer[place] for answer in self.answers}) == 1


def ratings_of(labels: Labels, *, levels: Sequence[str] = (), measured: Measured | None = None) -> Ratings:
    """Return labels of one question as arrays.

    Args:
        labels: of one question.
        levels: all labels there are, in order, used or not; by default those that occur.
        measured: what distances mean; by default nothing for names and for two labels, and the order for numbers and
            for named levels.

    Raises:
        UsageError: a label is not among the levels, or distances are asked of names.
        InputError: there are too many raters or labels.
    """
    frame = labels.frame.filter(pl.col("label").is_not_null())
    file = labels.sources[0].path if labels.sources else ""
    if frame["rater"].n_unique() > MOST_RATERS:
        raise InputError(f"{frame['rater'].n_unique()} raters; {MOST_RATERS} are compared at most", file=file)
    frame, names, worth, measured = _coded(frame, levels, measured, numeric=labels.numeric, file=file)
    answers = frame.select(*ANSWER).unique().sort(*ANSWER, nulls_last=True).with_row_index("answer")
    raters = frame["rater"].unique(maintain_order=True).to_list()
    placed = frame.join(answers, on=list(ANSWER), how="left", nulls_equal=True)
    again = _repeats(placed, raters)
    placed = placed.unique(["answer", "rater"], keep="first", maintain_order=True)
    rows = placed["answer"].to_numpy()
    columns = placed["rater"].replace_strict(dict(zip(raters, range(len(raters)), strict=True))).to_numpy()
    codes = np.full((answers.height, len(raters)), -1, dtype=np.int64)
    codes[rows, columns] = placed["code"].to_numpy()
    return Ratings(
        answers=tuple(answers.select(*ANSWER).iter_rows()),
        raters=tuple(raters),
        labels=tuple(names),
        worth=tuple(worth),
        codes=codes,
        repeats=again,
        clusters=_clusters(placed, answers.height),
        measured=measured,
    )


def _coded(
    frame: pl.DataFrame, levels: Sequence[str], measured: Measured | None, *, numeric: bool, file: str
) -> tuple[pl.DataFrame, list[str], list[float], Measured]:
    """Return the frame with each label's place, the labels' names, what they are worth, and what distances mean."""
    if levels:
        known = {level: place for place, level in enumerate(levels)}
        strange = next((text for text in frame["label"] if text not in known), None)
        if strange is not None:
            raise UsageError(f"the label {excerpt(strange)} is none of the levels. {nearest(strange, known)}")
        worth = [
            float(level) if numeric and _is_number(level) else float(place)
            for place, level in enumerate(levels)
        ]
        code = pl.col("label").replace_strict(known, return_dtype=pl.Int64)
        return frame.with_columns(code=code), list(levels), worth, measured or "ordinal"
    if numeric:
        told = frame.group_by("value").agg(pl.col("label").unique()).sort("value")
        values: list[float] = told["value"].to_list()
        names = [texts[0] if len(texts) == 1 else f"{value:g}" for value, texts in told.iter_rows()]
        code = pl.col("value").replace_strict(values, list(range(len(values))), return_dtype=pl.Int64)
        return (
            frame.with_columns(code=code),
            names,
            values,
            measured or ("ordinal" if len(values) > 2 else "nominal"),
        )
    if measured is not None and measured != "nominal":
        raise UsageError("labels that are names have no distances. Give their order: --levels A,B,C")
    names = sorted(frame["label"].unique())
    if len(names) > MOST_LABELS:
        raise InputError(
            f"{len(names)} different labels; {MOST_LABELS} are compared at most",
            file=file,
            remedy="Name the column that holds the labels: --value-column NAME",
        )
    code = pl.col("label").replace_strict(names, list(range(len(names))), return_dtype=pl.Int64)
    return frame.with_columns(code=code), names, [float(place) for place in range(len(names))], "nominal"


def _is_number(text: str) -> bool:
    try:
        return np.isfinite(float(text))
    except ValueError:
        return False


def _clusters(placed: pl.DataFrame, answers: int) -> NDArray[np.int64] | None:
    """Return the cluster of each answer by number; an answer without one is its own."""
    told = placed.filter(pl.col("cluster").is_not_null()).unique("answer", keep="first", maintain_order=True)
    if told.is_empty():
        return None
    found = np.arange(answers, dtype=np.int64) + told.height + 1
    found[told["answer"].to_numpy()] = told["cluster"].rank("dense").to_numpy().astype(np.int64)
    return found


def _repeats(placed: pl.DataFrame, raters: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Return of each rater how many answers were labelled more than once, and how many of those the same each time."""
    told = placed.group_by("rater", "answer").agg(times=pl.len(), kinds=pl.col("code").n_unique())
    again = told.filter(pl.col("times") > 1)
    found = {
        rater: (count, same)
        for rater, count, same in again.group_by("rater")
        .agg(pl.len(), same=(pl.col("kinds") == 1).sum())
        .iter_rows()
    }
    return tuple(found.get(rater, (0, 0)) for rater in raters)
