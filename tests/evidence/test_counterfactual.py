"""Counterfactual pairs: versions of one question as systems, and what they share as the item."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from aliquot import compare, from_frame
from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.counterfactual import counterfactual
from aliquot.evidence.tables import Evidence
from aliquot.evidence.texts import HeldTexts
from aliquot.stats.results import Estimate

RIGHT = {"f": [1, 1, 0, 0, 1, 0, 1, 0, 0, 1], "m": [1, 1, 1, 1, 1, 0, 1, 0, 1, 1]}


def pairs(**changes: object) -> Evidence:
    names = [f"{place}{version}" for place in range(10) for version in "fm"]
    rows = pl.DataFrame(
        {"system": "bot", "item": names, "value": [RIGHT[name[-1]][int(name[0])] for name in names]}
    )
    items = pl.DataFrame({
        "item": names, "content": names, "segment.gender": [name[-1] for name in names],
        "segment.question": [f"q{name[0]}" for name in names], "segment.job": ["a"] * 10 + ["b"] * 10,
    })  # fmt: skip
    texts = HeldTexts(
        items={("task", name): (f"asked {name}", "yes") for name in names},
        responses={("bot", "task", name, 1): f"said {name}" for name in names},
    )
    return assemble(rows, items=items.with_columns(**changes) if changes else items, texts=texts)


def test_versions_are_compared_within_pairs_as_two_systems_are_within_items() -> None:
    found = compare(pairs(), between="gender", pair="question")
    rows = [
        {"system": f"bot: {version}", "item": f"q{place}", "value": value}
        for version, values in RIGHT.items()
        for place, value in enumerate(values)
    ]
    plain = compare(from_frame(pl.DataFrame(rows)))
    assert (found.baseline.system, found.candidate.system) == ("bot: f", "bot: m")
    assert isinstance(found.difference, Estimate)
    assert isinstance(plain.difference, Estimate)
    assert (found.difference.point, found.difference.low) == (plain.difference.point, plain.difference.low)
    assert [(one.test.name, one.test.p) for one in found.tests] == [
        (one.test.name, one.test.p) for one in plain.tests
    ]
    assert (found.fixed, found.broke, found.n_items) == (("q2", "q3", "q8"), (), 10)


def test_texts_follow_their_answers_and_an_item_shows_what_each_version_asks() -> None:
    texts = counterfactual(pairs(), by="gender", pair="question").texts
    assert texts is not None
    assert texts.response("bot: m", "task", "q3", 1) == "said 3m"
    assert texts.response("bot", "task", "3m", 1) is None
    assert texts.inputs("task", "q3") == "asked 3f\n---\nasked 3m"
    assert texts.reference("task", "q3") == "yes"


def test_what_versions_share_stays_with_the_pair_and_what_they_do_not_is_left_out() -> None:
    items = counterfactual(pairs(), by="gender", pair="question").items
    assert items.columns[-1] == "segment.job"
    assert items.filter(item="q7")["segment.job"].to_list() == ["b"]
    assert items["content"].null_count() == items.height == 10


def test_several_versions_of_one_level_are_averaged_as_attempts_are() -> None:
    names = ["1a", "1b", "1c", "2a", "2c"]
    rows = pl.DataFrame({"system": "bot", "item": names, "value": [1.0, 0.0, 1.0, 1.0, 0.0]})
    told = {"segment.group": ["x", "x", "y", "x", "y"], "segment.q": ["1", "1", "1", "2", "2"]}
    made = counterfactual(assemble(rows, items=pl.DataFrame({"item": names, **told})), by="group", pair="q")
    assert made.outcomes.select("system", "item", "attempt", "value").rows() == [
        ("bot: x", "1", 1, 1.0), ("bot: x", "1", 2, 0.0), ("bot: x", "2", 1, 1.0),
        ("bot: y", "1", 1, 1.0), ("bot: y", "2", 1, 0.0),
    ]  # fmt: skip


def test_items_without_a_version_are_left_out_and_counted() -> None:
    gender = (
        pl.when(pl.col("item") == "4m").then(None).otherwise(pl.col("segment.gender")).alias("segment.gender")
    )
    found = compare(pairs(**{"segment.gender": gender}), between="gender", pair="question")
    assert found.n_items == 9
    assert any(
        note.code == "unpaired_items" and note.text.startswith("1 items lack") for note in found.warnings
    )


def test_what_makes_no_pairs_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no field 'gendr'\. Did you mean 'gender'"):
        counterfactual(pairs(), by="gendr", pair="question")
    with pytest.raises(InputError, match="has one value here"):
        counterfactual(pairs(**{"segment.gender": pl.lit("f")}), by="gender", pair="question")
    ids = [str(i) for i in range(30)]
    many = pl.DataFrame({"system": "b", "item": ids, "value": [1.0] * 30})
    told = pl.DataFrame({"item": ids, "segment.g": ids, "segment.q": ["1"] * 30})
    with pytest.raises(InputError, match="has 30 values here"):
        counterfactual(assemble(many, items=told), by="g", pair="q")
    with pytest.raises(UsageError, match="--between"):
        compare(pairs(), between="gender")


def test_a_table_with_a_column_for_what_versions_share_is_compared(tmp_path: Path) -> None:
    lines = [
        f"{place}{version},{RIGHT[version][place]},{version},q{place}"
        for place in range(10)
        for version in "fm"
    ]
    path = tmp_path / "hiring.csv"
    path.write_text("item,value,segment.gender,question\n" + "\n".join(lines) + "\n")
    found = compare(path, between="gender", pair="question")
    assert found.fixed == ("q2", "q3", "q8")
    assert "--between gender --pair question" in found.command
    assert str(path) in found.command
