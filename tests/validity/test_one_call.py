"""The designs of the one-line table are what the one-line call sees, and its errors stay in bounds."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import aliquot
from tests.validity.cells import Result
from tests.validity.grid import SECTIONS
from tests.validity.one_call import SECTION, Call, Data, ask, calls, cells, pairs_of, peers_reject, run_of
from tests.validity.page import failures, rows_of, written

BY_LABEL = {call.label: call for call in calls()}


def table_of(call: Call, data: Data) -> pl.DataFrame:
    """Return the log of these data, a row an attempt."""
    rows = []
    for system, means, attempts in (("a", data.a, data.rows_a), ("b", data.b, data.rows_b)):
        each = attempts.reshape(means.size, -1) if attempts.size else means[:, None]
        for item, values in enumerate(each.tolist()):
            for attempt, value in enumerate(values, start=1):
                rows.append({"system": system, "item": f"q{item:05}", "attempt": attempt, "value": value})
    table = pl.DataFrame(rows)
    if data.clusters is None:
        return table
    documents = {f"q{item:05}": f"d{code}" for item, code in enumerate(data.clusters.tolist())}
    name = "cluster" if call.named else "segment.document"
    return table.with_columns(pl.col("item").replace_strict(documents).alias(name))


@pytest.mark.parametrize("label", BY_LABEL)
def test_the_simulation_says_what_the_call_says(label: str) -> None:
    call = BY_LABEL[label]
    data = call.draw(np.random.default_rng(11))
    found, warned = ask(call, data)
    asked = aliquot.compare(aliquot.from_frame(table_of(call, data)), systems=("a", "b"))
    assert ("unnamed_clusters" in {note.code for note in asked.warnings}) == warned
    if not warned:
        assert asked.difference == found
    else:
        assert asked.clusters_tried is not None
        assert asked.clusters_tried.found[0].difference == found
    assert asked.n_items == data.a.size


def test_items_of_one_document_that_nobody_named_are_warned_of() -> None:
    call = BY_LABEL["20 clusters of 10, not named"]
    result = run_of(call)(60, 1)
    assert result.warned is not None
    assert result.warned >= 0.9
    assert result.size is not None
    assert result.size <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 60)
    assert result.peers is not None
    assert all(share is not None and share > 0.25 for share in result.peers.values())


def test_peers_count_each_row_as_an_item() -> None:
    a, b = np.array([1.0, 0, 0, 0] * 25), np.array([1.0, 1, 1, 0] * 25)
    assert peers_reject(Data(a, b), kind="binary") == [True] * 4
    assert peers_reject(Data(a, a), kind="binary") == [False] * 4
    # ten attempts each way at one item are twenty rows to them
    few = Data(
        np.array([0.2]), np.array([0.8]), 10, None, np.repeat([1.0, 0], [2, 8]), np.repeat([1.0, 0], [8, 2])
    )
    assert peers_reject(few, kind="binary")[:2] == [True, True]


def test_pairs_hold_the_clusters_only_where_they_are_named() -> None:
    data = Data(np.array([1.0, 0]), np.array([0.0, 0]), clusters=np.array([0, 0]))
    assert pairs_of(data, named=True).frame["cluster"].to_list() == ["d0", "d0"]
    hidden = pairs_of(data, named=False).frame
    assert hidden["cluster"].null_count() == 2
    assert hidden["segment.document"].to_list() == ["d0", "d0"]


def test_the_table_stands_on_the_page_and_a_false_call_is_listed() -> None:
    section = next(section for section in SECTIONS if section.name == SECTION)
    good = {cell.key: Result(0.95, 0.2, size=0.05, reps=1000, peers={}) for cell in cells()}
    assert failures(section, good) == []
    page = written(good)
    assert "| holds the truth | width | calls a difference | warns of clusters |" in page
    assert all(row in page for row in rows_of(section))
    bad = good | {key: Result(0.95, 0.2, size=0.08, reps=1000) for key in list(good)[:1]}
    assert failures(section, bad) == [f"{next(iter(rows_of(section)))}, coverage: size 0.080"]
