"""How the user says what the columns of a table mean, and what a reader may assume."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from aliquot.evidence.tables import Better, Kind

Duplicates: TypeAlias = Literal["error", "drop", "attempts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """What reading a source may be told; every field may be left out.

    Attributes:
        reader: the name of the reader, when the file does not tell.
        name: the system's name, for a source that holds one system and does not name it.
        item: the column of the items' ids.
        system: the column of the systems' names.
        value: the column of the values.
        wide: columns that each hold the values of one system, named by the column.
        task: the column of the tasks' names.
        attempt: the column that counts repeated attempts.
        try_: the column that counts requests for one attempt; the last complete one counts.
        metric: the column of the metrics' names; a text that is no column names the metric itself.
        scorer: the column of the scorers' names.
        status: the column of the responses' status.
        note: the column of what scorers said of each outcome, such as a judge's reason.
        cluster: the column that names each item's cluster.
        stratum: the column that names each item's stratum.
        weight: the column of the items' weights.
        segments: columns that are reporting slices.
        missing: texts that mean "no value", besides the empty cell.
        delimiter: between cells of delimited text.
        decimal: the decimal mark of numbers in text.
        encoding: of text.
        duplicates: ``error`` refuses a row that is there twice, ``drop`` keeps one of exact copies,
            ``attempts`` takes rows of one item as its attempts in their order.
        kind: what kind of number the metric is.
        low: its smallest possible value.
        high: its largest possible value.
        better: which direction is good.
        items: a file that lists every item there was (ids one a line, or a table with a column of them), for
            result lists that name only some of them.
    """

    reader: str | None = None
    name: str | None = None
    item: str | None = None
    system: str | None = None
    value: str | None = None
    wide: tuple[str, ...] = ()
    task: str | None = None
    attempt: str | None = None
    try_: str | None = None
    metric: str | None = None
    scorer: str | None = None
    status: str | None = None
    note: str | None = None
    cluster: str | None = None
    stratum: str | None = None
    weight: str | None = None
    segments: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    delimiter: str | None = None
    decimal: Literal[".", ","] | None = None
    encoding: str | None = None
    duplicates: Duplicates = "error"
    kind: Kind | None = None
    low: float | None = None
    high: float | None = None
    better: Better | None = None
    items: str | None = None
