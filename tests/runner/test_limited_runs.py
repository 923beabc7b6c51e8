"""A limited run is a seeded part of the set, counted or as a share, and all that is made from it says so."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from aliquot.cli.main import group
from aliquot.errors import InputError, UsageError
from aliquot.item_sets.samples import amount_of, count_of
from aliquot.runner.evaluation import SampleSpec
from aliquot.runner.evaluation_file import parse_evaluation
from aliquot.runner.plan import make_plan
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run
from tests.runner.evaluations import TEMPLATE, evaluation, right, write_items
from tests.shared import shared

CASE = "69-first-rows-are-not-a-sample"


def sorted_items(folder: Path) -> Path:
    """Write the case's items, sorted by subject, with something to ask."""
    rows = [
        json.loads(line)
        for line in shared("cases", CASE, "items.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    path = folder / "sorted.jsonl"
    asked = [{**row, "question": f"q{row['id']}.", "reference": f"a{row['id']}"} for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in asked), encoding="utf-8")
    return path


def test_public_case_69_a_limit_is_no_first_rows_and_the_report_says_6_of_18(tmp_path: Path) -> None:
    case = json.loads(shared("cases", CASE, "case.json").read_text(encoding="utf-8"))["input"]["params"]
    given = evaluation(sorted_items(tmp_path), seed=case["seed"], segments=("subject",))
    ids: list[list[str]] = []
    for folder in ("one", "two"):
        found = run(
            given, directory=tmp_path / folder, models={"fake": FakeSystem(right)}, limit=case["limit"]
        )
        assert found.evidence.items.height == 6
        assert found.evidence.items["segment.subject"].n_unique() == 3
        ids.append(found.evidence.items["item"].to_list())
    assert ids[0] == ids[1]
    said = CliRunner().invoke(group, ["summarize", str(tmp_path / "one" / "trial")]).output
    assert "6 of 18" in " ".join(said.split())


def test_public_case_69_a_share_is_worked_out_for_each_task_and_rounded_up(tmp_path: Path) -> None:
    case = json.loads(shared("cases", CASE, "case.json").read_text(encoding="utf-8"))
    expected = case["expected"]["fraction"]
    share = f"{100 * case['input']['params']['fraction_limit']:g}%"
    with shared("cases", CASE, "task_sizes.csv").open(encoding="utf-8", newline="") as file:
        sizes = {row["task"]: int(row["n"]) for row in csv.DictReader(file)}
    for task, size in sizes.items():
        (tmp_path / task).mkdir()
        plan = make_plan(evaluation(write_items(tmp_path / task, size)), limit=share)
        assert len(plan.items) == expected[task]
        assert plan.selection.asked == expected[task]


@pytest.mark.parametrize(
    ("said", "of", "count"),
    [("10%", 30, 3), ("10%", 31, 4), ("0.1%", 1000, 1), ("33.4%", 1000, 334), ("100%", 7, 7), ("7", 9, 7)],
)
def test_a_share_is_exact_and_never_less_than_asked(said: str, of: int, count: int) -> None:
    assert count_of(amount_of(said), of=of) == count


@pytest.mark.parametrize("said", [0, -1, True, "0%", "101%", "half", "", "1e2", "50", "-5%", "٣"])
def test_what_is_no_amount_is_refused(said: int | str) -> None:
    if said == "50":
        assert amount_of(said) == 50
        return
    with pytest.raises(UsageError, match="neither a number of items from 1 nor a share like 50%"):
        amount_of(said)


def test_a_file_may_say_a_share(tmp_path: Path) -> None:
    write_items(tmp_path, 10)
    text = TEMPLATE.format(items="made.jsonl")
    file = str(tmp_path / "trial.yaml")
    read = parse_evaluation(text + "sample: {items: 45%, by: kind}\n", file=file)
    assert read.sample == SampleSpec("45%", by="kind")
    assert len(make_plan(read).items) == 5
    with pytest.raises(InputError, match=r"row 9.*'0%' is neither a number"):
        parse_evaluation(text + "sample: {items: 0%}\n", file=file)
    with pytest.raises(InputError, match="neither a number"):
        parse_evaluation(text + "sample: {items: [5]}\n", file=file)
