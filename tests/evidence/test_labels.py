"""Labels find the answers they are about, and are refused where that cannot be known."""

from __future__ import annotations

import polars as pl
import pytest

from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.labels import joined, labels_in
from aliquot.evidence.tables import Evidence
from aliquot.readers.frame import labels_from


def _evidence(attempts: int = 1) -> Evidence:
    rows = [
        {"system": system, "item": item, "attempt": k, "value": 1.0, "metric": "judged", "by": "judge"}
        for system in ("a", "b")
        for item in ("1", "2")
        for k in range(1, attempts + 1)
    ]
    items = pl.DataFrame({"item": ["1", "2"], "cluster": ["x", None]})
    return assemble(pl.DataFrame(rows), items=items)


def test_the_key_is_completed_and_the_cluster_comes_along() -> None:
    labels = labels_from(pl.DataFrame({"item": ["2", "1"], "system": ["a", "b"], "label": [1, 0]}))
    found = joined(labels, _evidence()).frame
    assert found.select("system", "task", "item", "attempt", "cluster").rows() == [
        ("a", "task", "2", 1, None),
        ("b", "task", "1", 1, "x"),
    ]


def test_rows_that_lack_different_columns_are_each_found() -> None:
    frame = pl.DataFrame({"item": ["1", "1"], "system": ["a", "b"], "attempt": [1, None], "label": [1, 0]})
    assert joined(labels_from(frame), _evidence()).frame["attempt"].to_list() == [1, 1]


@pytest.mark.parametrize(
    ("columns", "said", "remedy"),
    [
        ({"item": ["3"], "system": ["a"]}, "there is no item '3' (row 1)", "Known: 1, 2"),
        ({"item": ["1"], "system": ["c"]}, "there is no system 'c'", "Known: a, b"),
        ({"item": ["1"]}, "which answer to '1' was labelled cannot be known: there are 2", "column system"),
    ],
)
def test_a_label_of_no_one_answer_is_refused(columns: dict[str, list[str]], said: str, remedy: str) -> None:
    labels = labels_from(pl.DataFrame({**columns, "label": [1]}))
    with pytest.raises(InputError) as caught:
        joined(labels, _evidence())
    assert said in str(caught.value)
    assert remedy in str(caught.value)


def test_attempts_must_be_named_where_there_are_several() -> None:
    labels = labels_from(pl.DataFrame({"item": ["1"], "system": ["a"], "label": [1]}))
    with pytest.raises(InputError, match="column attempt"):
        joined(labels, _evidence(attempts=2))


def test_what_persons_and_judges_gave_in_a_log_are_labels() -> None:
    rows = [
        {"system": "a", "item": "1", "metric": "human", "scorer": "ana", "by": "person", "value": 1.0},
        {"system": "a", "item": "1", "metric": "judged", "scorer": "m", "by": "judge", "value": 0.5},
    ]
    evidence = assemble(pl.DataFrame(rows))
    assert labels_in(evidence).frame.select("rater", "label", "value").rows() == [("ana", "1", 1.0)]
    assert labels_in(evidence, metric="judged").frame.select("rater", "label").rows() == [("m", "0.5")]


def test_questions_and_raters_are_chosen_by_name() -> None:
    frame = pl.DataFrame(
        {"item": ["1", "1"], "metric": ["tone", "truth"], "rater": ["a", "b"], "label": [1, 0]}
    )
    labels = labels_from(frame)
    assert labels.about("tone").raters == ["a"]
    assert labels.by(["b", "a"]).raters == ["b", "a"]
    with pytest.raises(UsageError, match="tone, truth"):
        labels.about(None)
    with pytest.raises(UsageError, match="tone"):
        labels.about("tonne")
    with pytest.raises(UsageError, match="nobody called 'c'"):
        labels.by(["c"])
