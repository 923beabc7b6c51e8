from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import assemble, rename, select
from aliquot.evidence.merging import merge
from aliquot.evidence.tables import OUTCOMES, VOTES, Evidence
from aliquot.evidence.votes import voted_systems
from aliquot.files.run_directory import RunDirectory
from aliquot.readers.describe import describe
from aliquot.reports.description import render_description
from aliquot.verbs.read import convert

NOBODY_SCORED = pl.DataFrame(schema=dict(OUTCOMES))


def _votes(*rows: tuple[str, str, str, str | None], **more: Any) -> pl.DataFrame:
    names = ("item", "system_a", "system_b", "verdict")
    return pl.DataFrame([dict(zip(names, row, strict=True)) | more for row in rows], infer_schema_length=None)


def _judged(system: str, verdicts: list[str]) -> Evidence:
    """Return a system's outcomes against the fixed baseline ``base``, with the votes they were made of."""
    items = [str(place) for place in range(len(verdicts))]
    rows = {"system": system, "item": items, "value": [float(verdict == "b") for verdict in verdicts]}
    pairs = [(item, "base", system, verdict) for item, verdict in zip(items, verdicts, strict=True)]
    return assemble(pl.DataFrame(rows), votes=_votes(*pairs, rater="gpt-4", by="judge"))


def test_there_are_no_votes_unless_a_reader_says_so() -> None:
    evidence = assemble(pl.DataFrame({"system": ["a"], "item": ["1"], "value": [1.0]}))
    assert evidence.votes.is_empty()
    assert evidence.votes.schema == pl.Schema(dict(VOTES))
    assert describe(evidence).votes == ()


def test_votes_are_typed_and_their_items_known_but_no_response_is_made_of_them() -> None:
    evidence = assemble(NOBODY_SCORED, votes=_votes(("1", "x", "y", "a"), ("2", "x", "y", None)))
    assert evidence.items["item"].to_list() == ["1", "2"]
    assert evidence.responses.is_empty()
    assert evidence.votes.select("task", "rater", "repeat", "status").rows() == [
        ("task", "recorded", 1, "ok"),
        ("task", "recorded", 1, "missing"),
    ]
    assert voted_systems(evidence.votes) == ("x", "y")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"verdict": "left"}, r"no verdict 'left'.*Known: a, b, tie, both_bad"),
        ({"shown_first": "x"}, r"no shown first 'x'.*Known: a, b"),
        ({"status": "odd"}, "no status 'odd'"),
        ({"system_b": None}, "row without system_b"),
    ],
)
def test_a_vote_that_cannot_be_one_is_refused(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        assemble(
            NOBODY_SCORED, votes=pl.DataFrame([{"item": "1", "system_a": "x", "system_b": "y"} | change])
        )


def test_the_same_vote_twice_needs_its_repeat() -> None:
    twice = _votes(("1", "x", "y", "a"), ("1", "x", "y", "b"))
    with pytest.raises(InputError, match="more than once"):
        assemble(NOBODY_SCORED, votes=twice)
    repeated = twice.with_columns(repeat=pl.Series([1, 2]))
    assert assemble(NOBODY_SCORED, votes=repeated).votes.height == 2


def test_two_systems_judged_against_one_baseline_merge_with_all_their_votes() -> None:
    evidence = merge(_judged("x", ["a", "b"]), _judged("y", ["b", "b"]))
    assert evidence.votes.select("system_b", "verdict").rows() == [
        ("x", "a"),
        ("x", "b"),
        ("y", "b"),
        ("y", "b"),
    ]
    assert select(evidence, systems=["y"]).votes["system_b"].to_list() == ["y", "y"]
    assert rename(evidence, {"y": "z"}).votes["system_b"].to_list() == ["x", "x", "z", "z"]
    again = merge(evidence, _judged("x", ["a", "b"]))
    assert again.votes.equals(evidence.votes)


def test_among_systems_only_voted_on_both_must_be_chosen() -> None:
    evidence = assemble(
        NOBODY_SCORED, votes=_votes(("1", "x", "y", "a"), ("2", "x", "z", "tie"), ("3", "y", "z", "both_bad"))
    )
    assert select(evidence, systems=["x", "z"]).votes["item"].to_list() == ["2"]
    with pytest.raises(UsageError, match="no system 'w'"):
        select(evidence, systems=["w"])


def test_votes_that_contradict_each_other_across_sources_are_refused() -> None:
    one, two = (assemble(NOBODY_SCORED, votes=_votes(("1", "x", "y", verdict))) for verdict in "ab")
    with pytest.raises(InputError, match=r"different votes of 'recorded' on 'x' against 'y', item '1'"):
        merge(one, two)


def test_a_run_keeps_its_votes_and_a_run_without_the_table_reads(tmp_path: Path) -> None:
    run = RunDirectory.create_or_open(tmp_path / "one")
    evidence = _judged("x", ["a", "b", "tie"])
    run.write_evidence(evidence)
    assert run.read_evidence().votes.equals(evidence.votes)
    (run.path / "evidence" / "votes.parquet").unlink()
    assert run.read_evidence().votes.is_empty()


def test_read_says_what_votes_there_are_and_that_a_table_does_not_hold_them(tmp_path: Path) -> None:
    evidence = assemble(
        NOBODY_SCORED,
        votes=pl.concat(
            [
                _votes(
                    ("1", "x", "y", "a"),
                    ("2", "y", "x", "both_bad"),
                    rater="ann",
                    by="person",
                    shown_first="a",
                ),
                _votes(("3", "x", "z", None), rater="gpt-4", by="judge", status="unparsed"),
            ],
            how="diagonal",
        ),
    )
    found = describe(evidence).votes[0]
    assert (found.votes, found.systems, found.pairs, found.raters, found.order_known) == (3, 3, 2, 2, 2)
    assert found.verdicts == {"a": 1, "both_bad": 1, "unparsed": 1}
    text = render_description(describe(evidence))
    assert "Votes on task: 3 (1 by a model judge, 2 by people) on 3 items" in text
    assert "Systems: 3 (x y z)" in text
    scored = _judged("x", ["a", "b"])
    assert "votes" in convert(scored, tmp_path / "out.csv").left_out
