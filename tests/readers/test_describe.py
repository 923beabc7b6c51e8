from __future__ import annotations

import polars as pl

from aliquot.evidence.assembly import assemble
from aliquot.evidence.tables import Note
from aliquot.evidence.texts import HeldTexts
from aliquot.readers.describe import describe


def test_a_description_counts_what_is_there() -> None:
    outcomes = pl.DataFrame(
        {
            "system": ["a", "a", "a", "b", "b"],
            "task": ["t", "t", "t", "t", "u"],
            "item": ["1", "1", "2", "1", "1"],
            "attempt": [1, 2, 1, 1, 1],
            "value": [1.0, None, None, 0.0, 1.0],
            "status": ["ok", "timeout", "error", "ok", "ok"],
        }
    )
    items = pl.DataFrame(
        {
            "task": "t",
            "item": ["1", "2", "3"],
            "content": ["x", "x", "y"],
            "cluster": ["c", "c", "d"],
            "segment.topic": ["law"] * 3,
        }
    )
    notes = [Note("item_key", "column 'id'"), Note("torn_line", "line 9 is cut off")]
    found = describe(
        assemble(outcomes, items=items, notes=notes, texts=HeldTexts(responses={("a", "t", "1", 1): "4"}))
    )
    assert (found.systems, found.item_key, found.notes) == (("a", "b"), "column 'id'", (notes[1],))
    assert (found.has_rows, found.has_responses, found.has_clusters) == (True, True, True)
    task = found.tasks[0]
    assert (task.task, task.items, task.attempts, task.responses, task.copies) == ("t", 3, (1, 2), 4, 1)
    assert task.statuses == {"error": 1, "ok": 2, "timeout": 1}
    assert task.clusters == {"cluster": 2}  # one topic for all items names no clusters
    metric = task.metrics[0]
    # of four outcomes, two have values and the timeout counts as 0; the error is missing
    assert (metric.metric, metric.kind, metric.rows, metric.values, metric.scorers) == (
        "value",
        "binary",
        4,
        3,
        ("recorded",),
    )


def test_tasks_that_share_all_their_items_are_named() -> None:
    outcomes = pl.DataFrame(
        {"system": "a", "task": ["t", "u", "v"], "item": ["1", "1", "2"], "value": [1.0, 0.0, 1.0]}
    )
    found = describe(assemble(outcomes))
    assert [task.shares_items_with for task in found.tasks] == [("u",), ("t",), ()]
    assert not found.has_responses
    assert found.item_key == "the log's own id"
