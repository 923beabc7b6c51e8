"""The leaderboard that AlpacaEval writes beside its annotations: what it printed of these models."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.tables import REPORTED
from aliquot.files.tables import read_table

FILE: Final = "leaderboard.csv"

PERCENT: Final = (
    "win_rate", "standard_error", "discrete_win_rate", "length_controlled_winrate", "lc_standard_error",
)  # fmt: skip
"""Statistics printed in percent; they are kept as shares."""

COUNTS: Final = ("n_wins", "n_wins_base", "n_draws", "n_total")


def read_leaderboard(folder: Path, outcomes: pl.DataFrame, renamed: Mapping[str, str]) -> pl.DataFrame:
    """Return what the leaderboard beside the annotations says of their models; nothing when there is none.

    Args:
        folder: where the annotations lie.
        outcomes: of the annotations; system, task and metric are used.
        renamed: names of models that were replaced.

    Raises:
        InputError: it is no table.
        MachineError: the machine refuses to read it.
    """
    path = folder / FILE
    if not path.is_file():
        return pl.DataFrame(schema=dict(REPORTED))
    table = read_table(path)
    first = next(iter(table.columns))
    wanted = {row[0]: row for row in outcomes.select("system", "task", "metric").unique().iter_rows()}
    rows: list[tuple[str, str, str, str, float]] = []
    for index, name in enumerate(table.columns[first]):
        key = wanted.get(renamed.get(str(name), str(name)))
        if key is None:
            continue
        for statistic in (*PERCENT, *COUNTS):
            cell = table.columns.get(statistic, [None] * table.height)[index]
            if (value := _number(cell, file=str(path), field=statistic)) is not None:
                rows.append((*key, statistic, value / 100 if statistic in PERCENT else value))
    return pl.DataFrame(rows, schema=dict(REPORTED), orient="row").unique(
        ("system", "task", "metric", "statistic"), keep="first", maintain_order=True
    )


def _number(cell: object, *, file: str, field: str) -> float | None:
    if cell is None or str(cell).strip().lower() in {"", "nan"}:
        return None
    try:
        return float(str(cell))
    except ValueError as error:
        raise InputError(f"{cell!r} is no number", file=file, field=field) from error
