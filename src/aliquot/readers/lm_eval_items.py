"""Which rows of a samples file are one item: filters told apart, copies numbered, repeated rows settled."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.tables import Note
from aliquot.readers.lm_eval_rows import Rows
from aliquot.readers.lm_eval_values import NO_FILTER
from aliquot.readers.options import Duplicates

_KEY = ["item", "filter"]


def name_filters(rows: Rows, filters: Sequence[str]) -> None:
    """Fill in the filter of rows that do not name theirs, as in logs before 0.4.7.

    Such a log holds a document's line again for each filter, in the order of the filters.

    Args:
        rows: changed in place.
        filters: the task's filters in order, as its configuration names them.
    """
    frame = rows.frame
    if not frame["filter"].null_count():
        return
    unnamed = rows.metrics.pop(None)
    place = pl.int_range(pl.len()).over("hash", "doc_id", order_by="row")
    frame = frame.with_columns(place=pl.when(pl.col("filter").is_null()).then(place).otherwise(0))
    passes = int(frame["place"].cast(pl.Int64).max() or 0) + 1  # type: ignore[arg-type]
    names = list(filters) if len(filters) == passes else [f"filter {k + 1}" for k in range(passes)]
    if passes == 1:
        names = [NO_FILTER]
    named = pl.col("place").replace_strict(dict(enumerate(names)), return_dtype=pl.String)
    rows.frame = frame.with_columns(filter=pl.coalesce("filter", named)).drop("place")
    for name in names:
        known = rows.metrics.setdefault(name, [])
        known += [metric for metric in unnamed if metric not in known]


def name_items(
    frame: pl.DataFrame, key: str | None, *, filters: int, duplicates: Duplicates, file: str
) -> tuple[pl.DataFrame, list[Note]]:
    """Return the rows with their item and attempt.

    An item is its document's hash, or what the user's key says. A document that the data set holds several
    times is several items of one content (``<hash>#2`` is the second): which is which does not matter, as
    they are equal. The doc_id is never part of the id, as the harness mislabels it for unsorted ``--samples``.

    Args:
        frame: row, hash, doc_id, filter and perhaps ``field.<key>``.
        key: the field that names the items, when the user said one.
        filters: how many filters the rows are of.
        duplicates: what to do with rows of one item, filter and doc_id.
        file: for messages.

    Raises:
        InputError: a row without an id, two documents under one key, or rows that are there twice.
    """
    source = "hash" if key is None else f"field.{key}"
    frame = frame.with_columns(item=pl.col(source), attempt=pl.lit(1, dtype=pl.Int64))
    unnamed = frame["item"].is_null() | (frame["item"] == "")
    if unnamed.any():
        what = f"no {key}" if key else "neither doc_hash nor doc, so nothing names its item"
        row = int(unnamed.arg_true()[0]) + 1
        raise InputError(f"has {what}", file=file, row=row, remedy="Name a field: --item doc.id")
    if key is not None:
        _refuse_two_documents(frame, key, file=file)
    if filters == 1 and frame["item"].hash().n_unique() == frame.height:  # different hashes, different ids
        return frame, _doubtful_ids(frame, documents=frame.height)
    notes = _doubtful_ids(frame, documents=frame["hash"].n_unique())
    if not frame.select(_KEY).is_duplicated().any():
        return frame, notes
    if key is None:
        frame = _number_copies(frame)
        copies = frame.filter(pl.col("item") != pl.col("hash"))["item"].n_unique()
        if copies:
            text = f"{copies} items have a document that another item has too; each is an item (hash#2, …)"
            notes.append(Note("copies", text))
    return _settle_repeated(frame, duplicates=duplicates, file=file, notes=notes), notes


def _refuse_two_documents(frame: pl.DataFrame, key: str, *, file: str) -> None:
    several = (
        frame.group_by("item", maintain_order=True).agg(n=pl.col("hash").n_unique()).filter(pl.col("n") > 1)
    )
    if several.height:
        raise InputError(
            f"{several.height} ids name several documents, the first {several['item'][0]!r}",
            file=file,
            field=key,
            remedy="Choose a field that names one document, or leave --item out (the document's hash)",
        )


def _doubtful_ids(frame: pl.DataFrame, *, documents: int) -> list[Note]:
    """Return a note when one doc_id names several documents."""
    ids = frame["doc_id"].drop_nulls()
    if not len(ids) or ids.n_unique() >= documents:
        return []
    text = "one doc_id names several documents (a fault of the harness); items are matched by document"
    return [Note("doc_ids_unreliable", text)]


def _number_copies(frame: pl.DataFrame) -> pl.DataFrame:
    rank = pl.col("doc_id").rank("dense").over("hash").fill_null(1).cast(pl.Int64)
    numbered = pl.format("{}#{}", "hash", rank)
    return frame.with_columns(item=pl.when(rank > 1).then(numbered).otherwise("hash"))


def _settle_repeated(
    frame: pl.DataFrame, *, duplicates: Duplicates, file: str, notes: list[Note]
) -> pl.DataFrame:
    """Return a row for each item, filter and attempt."""
    if not frame.select(_KEY).is_duplicated().any():
        return frame
    if duplicates == "attempts":
        return frame.with_columns(attempt=pl.int_range(1, pl.len() + 1).over(_KEY, order_by="row"))
    if duplicates == "drop":
        told = [name for name in frame.columns if name not in {"row", "doc_id"}]
        kept = frame.filter(frame.select(told).hash_rows().is_first_distinct())
        if not kept.select(_KEY).is_duplicated().any():
            text = f"{frame.height - kept.height} exact copies of rows were dropped"
            notes.append(Note("duplicates_dropped", text))
            return kept
    again = frame.filter(frame.select(_KEY).is_duplicated())
    first = again.filter(pl.col("item") == again["item"][0], pl.col("filter") == again["filter"][0])["row"]
    raise InputError(
        f"rows {first[0] + 1} and {first[1] + 1} hold the same document and filter ({again['item'].n_unique()} "
        "documents are there more than once), as when a run wrote into the file of another",
        file=file,
        remedy="Take them as attempts (--duplicates attempts), or drop exact copies (--duplicates drop)",
    )
