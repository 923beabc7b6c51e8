"""Files of labels: a row a label, or a column a rater; and the logs in which people rated answers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

import polars as pl

from aliquot.errors import InputError, UsageError, excerpt, nearest
from aliquot.evidence.identity import text_of
from aliquot.evidence.labels import LABELS, Labels, labels_in
from aliquot.evidence.tables import Evidence, Note, Source
from aliquot.files.rows import Cell
from aliquot.files.tables import Table, read_table
from aliquot.readers.cells import decimal_mark, holds_values, ids, values
from aliquot.readers.columns import ALIASES as OUTCOME_ALIASES
from aliquot.readers.columns import SEGMENT
from aliquot.readers.label_tools import tool_table
from aliquot.readers.options import ReadOptions

ALIASES: Final = {
    "item": ("item", *OUTCOME_ALIASES["item"]),
    "system": ("system", *OUTCOME_ALIASES["system"]),
    "task": ("task", *OUTCOME_ALIASES["task"]),
    "attempt": ("attempt", "epoch", "trial"),
    "rater": (
        "rater", "rater_id", "annotator", "annotator_id", "labeler", "labeller", "reviewer", "worker", "worker_id",
    ),
    "label": ("label", "human_label", "human", "rating", "verdict", "grade", "value", *OUTCOME_ALIASES["value"]),
    "metric": ("metric", "question", "criterion"),
    "repeat": ("repeat",),
    "at": ("at", "labelled_at", "labeled_at", "timestamp", "created_at", "date", "end", "submitted_at", "updated_at"),
    "rubric": ("rubric", "rubric_version"),
    "probability": ("probability", "inclusion_probability", "sampling_probability"),
    "split": ("split",),
    "cluster": ("cluster", *OUTCOME_ALIASES["cluster"]),
}  # fmt: skip
"""Names under which the columns of labels are known; the first of each row is the design's own."""

NO_RATERS: Final = frozenset(
    {"stratum", "weight", "inputs", "input", "reference", "target", "expected", "response", "output", "completion",
     "note", "notes", "comment", "explanation", "status", "reason"}
)  # fmt: skip
"""Columns of a table with a column a rater that are none."""

SOMEBODY: Final = "people"
"""The rater where the source does not name any."""

LONGEST_LABEL = 60
"""Characters of a label at most, where a column is not named as a rater's: what is longer is a remark or an answer."""


def read_labels(path: Path, options: ReadOptions | None = None, *, every: bool = False) -> Labels:
    """Read the labels of a file.

    A table has a row a label (columns ``item`` and ``label``, and where they are there ``system``, ``task``,
    ``attempt``, ``rater``, ``metric``, ``repeat``, ``at``, ``rubric``, ``probability``, ``split``, ``cluster``), or a
    row an answer and a column a rater. Of a log it is what people said of the answers, of an export of Label Studio or
    Argilla what they chose. An empty cell is no label.

    Args:
        path: the file or log.
        options: what the columns mean; ``value`` names the column of labels, ``wide`` the columns of raters.
        every: also labels that a rater gave an answer again, in their order.

    Raises:
        UsageError: a named column does not exist.
        InputError: there are no labels, or a row cannot be used as it stands.
        MachineError: the machine refuses to read it.
    """
    from aliquot.readers.registry import TABLE, find_reader  # noqa: PLC0415 - it imports what reads every log

    options = options or ReadOptions()
    told = tool_table(path) if options.reader is None else None
    if told is not None:
        return labels_of(told, options, file=str(path), every=every)
    reader = find_reader(path, name=options.reader)
    if reader is not TABLE:
        return _of_log(reader.read(path, options), file=str(path))
    table = read_table(path, delimiter=options.delimiter, encoding=options.encoding)
    return labels_of(table, options, file=str(path), every=every)


def _of_log(evidence: Evidence, *, file: str) -> Labels:
    labels = labels_in(evidence)
    if labels.frame["label"].null_count() == labels.frame.height:
        raise InputError(
            "nobody labelled anything in it",
            file=file,
            remedy="Labels are a table with item and label, or a log in which people rated answers",
        )
    return labels


def labels_of(table: Table, options: ReadOptions, *, file: str, every: bool = False) -> Labels:
    """Return the labels in a table.

    Args:
        table: the table.
        options: what the columns mean.
        file: for messages.
        every: also labels that a rater gave an answer again, in their order.

    Raises:
        UsageError: a named column does not exist.
        InputError: it holds no labels, or a row cannot be used as it stands.
    """
    columns = _columns(table, options, file=file)
    places = [table.place(row) for row in range(table.height)]
    key: dict[str, Sequence[object]] = {"place": places, "row": range(table.height)}
    key |= {name: _texts(table, column) for name, column in columns.items() if name != "label"}
    key["item"] = ids(table.columns[columns["item"]], place=table.place, file=file, column=columns["item"])
    given = [columns["label"]] if "label" in columns else _raters(table, columns, options, file=file)
    texts = {name: pl.String() for name in LABELS}
    parts: list[pl.DataFrame] = []
    for column in given:
        rater = {} if "label" in columns else {"rater": [column] * table.height}
        labels = [_label(text, options.missing) for text in _texts(table, column)]
        parts.append(pl.DataFrame({**key, **rater, "label": labels}, schema_overrides=texts))
    frame = pl.concat(parts)
    decimal = options.decimal or decimal_mark(
        frame["label"].to_list(), delimiter=table.delimiter, file=file, column=given[0]
    )
    frame = _typed(frame, decimal=decimal, file=file)
    if frame["label"].null_count() == frame.height:
        raise InputError("every label is missing", file=file, field=given[0])
    frame = frame.filter(pl.col("label").is_not_null()) if every else _told_once(frame, options, file=file)
    frame, undated = _dated(frame)
    source = Source(path=file, format=table.stored)
    notes = (*table.notes, *_left_out(table, columns, given), *undated)
    return Labels(frame.select(*LABELS), (source,), notes)


def _columns(table: Table, options: ReadOptions, *, file: str) -> dict[str, str]:
    """Return which column holds what: as the user said, else by the first name that is there."""
    said = {
        "item": options.item, "system": options.system, "task": options.task, "attempt": options.attempt,
        "rater": options.scorer, "label": options.value, "metric": options.metric, "cluster": options.cluster,
    }  # fmt: skip
    for column in (*filter(None, said.values()), *options.wide):
        if column not in table.columns:
            raise UsageError(f"{file}: there is no column {column!r}. {nearest(column, table.columns)}")
    found = {meaning: column for meaning, column in said.items() if column is not None}
    free = [name for name in table.columns if name not in {*found.values(), *options.wide}]
    for meaning, aliases in ALIASES.items():
        known = next((name for name in aliases if name in free), None)
        if meaning not in found and known is not None and not (meaning == "label" and options.wide):
            found[meaning] = known
    if "item" not in found:
        listed = ", ".join(map(repr, table.columns))
        raise InputError(
            f"no column names the item that was labelled; there are {listed}",
            file=file,
            remedy="Name it: --item-column NAME",
        )
    return found


def _raters(table: Table, columns: dict[str, str], options: ReadOptions, *, file: str) -> list[str]:
    """Return the columns that each hold what one rater said."""
    used = {*columns.values(), *NO_RATERS}
    found = list(options.wide) or [
        name
        for name in table.columns
        if name not in used
        and not name.startswith(SEGMENT)
        and not any(isinstance(cell, str) and len(cell) > LONGEST_LABEL for cell in table.columns[name])
    ]
    if not found:
        raise InputError(
            "no column holds labels",
            file=file,
            remedy="Give it a column label, or one for each rater (--wide NAME)",
        )
    return found


def _texts(table: Table, column: str) -> list[str | None]:
    """Return cells as text, a whole number without its point; an empty cell is None."""
    return [_text(cell) for cell in table.columns[column]]


def _text(cell: Cell) -> str | None:
    whole = isinstance(cell, float) and cell.is_integer()
    text = text_of(int(cell) if isinstance(cell, float) and whole else cell)
    return None if not text or (text.lower() == "nan" and isinstance(cell, float)) else text


def _label(text: str | None, missing: Collection[str]) -> str | None:
    """Return a label without the white space around it; a text that the user lists is none."""
    label = (text or "").strip()
    return None if not label or label in missing else label


def _typed(frame: pl.DataFrame, *, decimal: Literal[".", ","], file: str) -> pl.DataFrame:
    """Return the frame with every column of ``LABELS``, numbers read as such."""
    filled = {"metric": "label", "rater": SOMEBODY, "repeat": "1"}
    frame = frame.with_columns(
        (pl.col(name) if name in frame.columns else pl.lit(None, dtype=pl.String())).alias(name)
        for name in LABELS
        if name != "value"
    ).with_columns(pl.col(name).fill_null(text) for name, text in filled.items())
    for name, kind in (("attempt", pl.Int64()), ("repeat", pl.Int64()), ("probability", pl.Float64())):
        read = frame[name].cast(kind, strict=False)
        least = 0 if name == "probability" else 1
        outside = (read < least) | (read > 1) | (read == 0) if name == "probability" else read < least
        wrong = frame.filter((read.is_null() & frame[name].is_not_null()) | outside.fill_null(value=False))
        if wrong.height:
            what = "a probability above 0 and at most 1" if name == "probability" else "a count from 1"
            raise InputError(
                f"{excerpt(wrong[name][0])} is no {name} ({wrong['place'][0]})",
                file=file,
                field=name,
                remedy=f"Write {what}",
            )
        frame = frame.with_columns(read.alias(name))
    numbers = {text: _number(text, decimal) for text in frame["label"].unique().to_list() if text is not None}
    found = pl.col("label").replace_strict(numbers, default=None, return_dtype=pl.Float64())
    return frame.with_columns(value=found)


def _number(text: str, decimal: Literal[".", ","]) -> float | None:
    """Return what a label is worth: a number, or 1 and 0 in the spellings of yes and no; None for a name."""
    if not holds_values([text]) or ("," in text and decimal == "."):
        return None
    return values([text], place=str, file="", column="label", decimal=decimal)[0][0]


def _told_once(frame: pl.DataFrame, options: ReadOptions, *, file: str) -> pl.DataFrame:
    """Return labels of which a rater gave each answer one, and number or refuse the others.

    Raises:
        InputError: a rater labelled an answer twice.
    """
    key = ["system", "task", "item", "attempt", "metric", "rater", "repeat"]
    frame = frame.filter(pl.col("label").is_not_null())
    if options.duplicates == "attempts":
        again = pl.int_range(1, pl.len() + 1).over([name for name in key if name != "repeat"], order_by="row")
        frame = frame.with_columns(repeat=again)
    if options.duplicates == "drop":
        frame = frame.unique([*key, "label"], keep="first", maintain_order=True)
    twice = frame.filter(pl.len().over(key) > 1)
    if twice.height:
        first, second = twice.filter(pl.struct(key) == pl.struct(key).first()).head(2).to_dicts()
        raise InputError(
            f"{first['rater']} labelled {excerpt(first['item'])} twice: {first['label']!r} ({first['place']}) and "
            f"{second['label']!r} ({second['place']})",
            file=file,
            field="rater",
            remedy="Name the rater of each (column rater), drop exact copies (--duplicates drop), or take them as "
            "repeats (--duplicates attempts)",
        )
    return frame


def _dated(frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Note]]:
    """Return the labels with their times as ISO 8601 text, which sorts by time, and what could not be read as one."""
    texts = frame["at"].drop_nulls().unique().sort().to_list()
    times = {text: _time(text) for text in texts}
    wrong = [text for text, time in times.items() if time is None]
    notes = [
        Note(
            "no_date",
            f"{len(wrong)} of {len(texts)} dates of labels are read as none, first {excerpt(wrong[0])}: write them as "
            "2026-11-30. Drift is seen among the rest",
        )
    ] if wrong else []  # fmt: skip
    at = pl.col("at").replace_strict(times, default=None, return_dtype=pl.String())
    return frame.with_columns(at=at), notes


def _time(text: str) -> str | None:
    """Return a date or a time of ISO 8601 in UTC; None for any other text."""
    try:
        time = datetime.fromisoformat(text.strip())
        if len(text.strip()) <= len("2026-11-30"):
            return time.date().isoformat()
        return (time.astimezone(UTC) if time.tzinfo else time).isoformat()
    except (ValueError, OverflowError):
        return None


def _left_out(table: Table, columns: dict[str, str], given: Sequence[str]) -> list[Note]:
    others = [name for name in table.columns if name not in {*columns.values(), *given}]
    if not others:
        return []
    return [Note("columns_left_out", f"columns of the labels not used: {', '.join(others[:8])}")]
