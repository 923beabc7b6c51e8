from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.evidence import reduction
from aliquot.evidence.assembly import assemble
from aliquot.evidence.merging import merge
from aliquot.evidence.reduction import units
from aliquot.evidence.status import STATUSES, resolve_value
from tests.evidence.rows import scored

ATTEMPTS = st.dictionaries(
    st.tuples(st.sampled_from(["a", "b", "c", "é", "é", " "]), st.integers(1, 3)),
    st.fixed_dictionaries(
        {
            "response": st.sampled_from(STATUSES),
            "by": st.sampled_from(["rule", "judge"]),
            "scores": st.lists(
                st.tuples(st.sampled_from([0.0, 1.0, 0.25, None]), st.sampled_from(STATUSES)), max_size=3
            ),
        }
    ),
    min_size=1,
    max_size=12,
)


def _by_hand(attempts: dict[tuple[str, int], dict[str, Any]]) -> dict[str, tuple[float | None, int, int]]:
    """Return mean, k and missing of each item: a plain second implementation."""
    scored_items = {item for (item, _), row in attempts.items() if row["scores"]}
    values: dict[str, list[float | None]] = {}
    for (item, _), row in sorted(attempts.items()):
        outcomes = row["scores"] or [(None, "missing")]
        by = row["by"] if row["scores"] else "rule"
        resolved = [
            resolve_value(value, status=status, by=by, response_status=row["response"], on_failure=0.0)
            for value, status in outcomes
        ]
        present = [value for value in resolved if value is not None]
        values.setdefault(item, []).append(sum(present) / len(present) if present else None)
    assert scored_items <= set(values)
    means = {}
    for item, found in values.items():
        present = [value for value in found if value is not None]
        means[item] = (
            sum(present) / len(present) if present else None,
            len(present),
            len(found) - len(present),
        )
    return means


@settings(max_examples=60, deadline=None)
@given(ATTEMPTS)
def test_the_reduction_agrees_with_a_plain_dictionary(
    attempts: dict[tuple[str, int], dict[str, Any]],
) -> None:
    outcomes = [
        {
            "system": "s",
            "item": item,
            "attempt": attempt,
            "repeat": repeat,
            "value": value,
            "status": status,
            "by": row["by"],
        }
        for (item, attempt), row in attempts.items()
        for repeat, (value, status) in enumerate(row["scores"])
    ]
    if not outcomes:
        return
    responses = [
        {"system": "s", "item": item, "attempt": attempt, "status": row["response"]}
        for (item, attempt), row in attempts.items()
    ]
    evidence = assemble(
        pl.DataFrame(outcomes, schema_overrides={"value": pl.Float64}),
        responses=pl.DataFrame(responses),
        metrics=pl.DataFrame({"metric": ["value"], "kind": ["bounded"], "on_failure": [0.0]}),
    )
    found = units(evidence, "s", task="task", metric="value")
    expected = _by_hand(attempts)
    assert found.frame["item"].to_list() == sorted(expected)
    for item, mean, k, missing in found.frame.select("item", "mean", "k", "missing").iter_rows():
        assert (k, missing) == expected[item][1:]
        assert mean == (
            expected[item][0] if expected[item][0] is None else pytest.approx(expected[item][0], abs=1e-12)
        )
    assert found.rows == len(attempts)
    assert sum(found.statuses.values()) == len(attempts)
    assert found.answered == sum(row["response"] == "ok" for row in attempts.values()) / len(attempts)


def test_an_attempt_without_an_outcome_counts_only_where_the_metric_applies() -> None:
    outcomes = pl.DataFrame(
        {
            "system": ["s", "s", "s"],
            "item": ["1", "2", "3"],
            "metric": ["json", "other", "json"],
            "value": [1.0, 1.0, 0.0],
        }
    )
    responses = pl.DataFrame(
        {"system": ["s"] * 5, "item": ["1", "1", "2", "3", "4"], "attempt": [1, 2, 1, 1, 1],
         "status": ["ok", "timeout", "ok", "ok", "failed"]}
    )  # fmt: skip
    found = units(assemble(outcomes, responses=responses), "s", task="task", metric="json").frame
    # item 1: (1 + 0 for the timeout)/2; item 2 is not of this metric; item 4 was never scored and failed: 0
    assert found.select("item", "mean", "k", "missing").rows() == [
        ("1", 0.5, 2, 0),
        ("3", 0.0, 1, 0),
        ("4", 0.0, 1, 0),
    ]


def test_items_bring_cluster_stratum_weight_and_segments() -> None:
    evidence = scored("s", {"b": 1.0, "a": 0.0}, cluster=["x", None], weight=[2.0, None], stratum=["u", "v"],
                      **{"segment.topic": ["law", "art"]})  # fmt: skip
    frame = units(evidence, "s", task="task", metric="value").frame
    assert frame.columns == ["item", "cluster", "stratum", "weight", "segment.topic", "mean", "k", "missing"]
    assert frame.rows() == [
        ("a", "item a", "v", 1.0, "art", 0.0, 1, 0),
        ("b", "x", "u", 2.0, "law", 1.0, 1, 0),
    ]


def test_the_cluster_may_be_a_segment_or_none() -> None:
    evidence = scored("s", {"a": 1.0, "b": 0.0}, cluster=["x", "x"], **{"segment.topic": ["law", "art"]})
    by_topic = units(evidence, "s", task="task", metric="value", cluster="topic").frame["cluster"].to_list()
    alone = units(evidence, "s", task="task", metric="value", cluster="item").frame["cluster"].to_list()
    assert (by_topic, alone) == (["law", "art"], [None, None])
    with pytest.raises(UsageError, match=r"no field 'topik' to cluster by. Did you mean 'topic'"):
        units(evidence, "s", task="task", metric="value", cluster="topik")


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    evidence = scored("s", {"a": 1.0})
    with pytest.raises(UsageError, match=r"no system 't'. Known: s"):
        units(evidence, "t", task="task", metric="value")
    with pytest.raises(UsageError, match=r"no task 'x'. Known: task"):
        units(evidence, "s", task="x", metric="value")
    with pytest.raises(UsageError, match=r"'valeu'. Did you mean 'value'"):
        units(evidence, "s", task="task", metric="valeu")


def test_a_metric_that_only_the_other_system_has_is_refused_and_not_all_missing() -> None:
    one = assemble(pl.DataFrame({"system": ["a"], "item": ["1"], "metric": ["score"], "value": [1.0]}))
    two = assemble(pl.DataFrame({"system": ["b"], "item": ["1"], "metric": ["correct"], "value": [1.0]}))
    with pytest.raises(UsageError, match="no metric of 'b' called 'score'"):
        units(merge(one, two), "b", task="task", metric="score")


def test_several_scorers_are_refused_until_one_is_named() -> None:
    rows = {
        "system": ["s", "s"],
        "item": ["1", "1"],
        "scorer": ["anna", "bert"],
        "by": ["person", "person"],
        "value": [1.0, 0.0],
    }
    evidence = assemble(pl.DataFrame(rows))
    with pytest.raises(UsageError, match=r"several scorers. Name one of: anna, bert"):
        units(evidence, "s", task="task", metric="value")
    assert units(evidence, "s", task="task", metric="value", scorer="bert").frame["mean"].to_list() == [0.0]


SINGLE = st.dictionaries(
    st.sampled_from([f"q{number}" for number in range(12)]),
    st.fixed_dictionaries(
        {
            "value": st.sampled_from([0.0, 1.0, 0.25, -3.5]),
            "status": st.sampled_from(STATUSES),
            "attempt": st.integers(1, 2),
            "place": st.integers(0, 20),
        }
    ),
    min_size=1,
)


@settings(max_examples=60, deadline=None)
@given(SINGLE, st.booleans())
def test_one_scored_attempt_an_item_is_taken_as_the_reduction_takes_it(
    rows: dict[str, dict[str, Any]], shuffled: bool
) -> None:
    given_rows = [{"system": "s", "item": item, **row} for item, row in rows.items()]
    outcomes = pl.DataFrame([{**row, "status": "ok"} for row in given_rows])
    responses = pl.DataFrame(given_rows).sort("place") if shuffled else pl.DataFrame(given_rows)
    evidence = assemble(outcomes, responses=responses.drop("value"))
    names = ("s", "task", "value", "recorded")
    short = reduction._already_one_row(evidence, *names)
    frame, counts = reduction._reduced(evidence, *names)
    if short is None:  # only when the two tables are not in one order
        assert shuffled
    else:
        assert short[0].equals(frame)
        assert list(short[1].items()) == list(counts.items())


@pytest.mark.parametrize(
    "rows",
    [
        {"item": ["1", "2"], "value": [1.0, None]},
        {"item": ["1", "1"], "attempt": [1, 2], "value": [1.0, 0.0]},
    ],
)
def test_gaps_and_several_attempts_are_left_to_the_reduction(rows: dict[str, Any]) -> None:
    evidence = assemble(pl.DataFrame({"system": ["s", "s"], **rows}))
    assert reduction._already_one_row(evidence, "s", "task", "value", "recorded") is None
