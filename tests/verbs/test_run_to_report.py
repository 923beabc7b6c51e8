"""From an evaluation file to a report, and the same numbers in every place they stand."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from aliquot.reports.render import render
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.compare import compare
from aliquot.verbs.read import description_of, read
from aliquot.verbs.report import report
from aliquot.verbs.run import run
from aliquot.verbs.show import show
from tests.runner.evaluations import right, write_evaluation


def answer(prompt: str) -> str:
    """The first prompt fails on every third question, the second on every fifth."""
    number = int(prompt.rsplit("q", maxsplit=1)[-1].rstrip("."))
    return "no idea" if number % (3 if prompt.startswith("first") else 5) == 0 else right(prompt)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    return run(
        write_evaluation(folder, n=60), directory=folder / "runs", models={"fake": FakeSystem(answer)}
    ).path


FIRST = sum(k % 3 != 0 for k in range(60))
SECOND = sum(k % 5 != 0 for k in range(60))
FIXED = sum(k % 3 == 0 and k % 5 != 0 for k in range(60))
BROKE = sum(k % 3 != 0 and k % 5 == 0 for k in range(60))


def test_the_same_numbers_stand_in_parquet_json_terminal_and_page(finished):
    outcomes = pl.read_parquet(finished / "evidence" / "outcomes.parquet")
    passed = dict(outcomes.group_by("system").agg(pl.col("value").sum()).iter_rows())
    assert passed == {"first": FIRST, "second": SECOND}
    found = compare(finished)
    document = json.loads(render(found, form="json"))
    assert document["estimates"]["baseline"]["total"] == FIRST
    assert document["estimates"]["candidate"]["point"] == pytest.approx(SECOND / 60)
    assert (document["table"]["fixed"], document["table"]["broke"]) == (FIXED, BROKE)
    for form in ("text", "html", "markdown"):
        shown = render(found, form=form)
        assert f"{FIRST} of 60" in shown
        assert f"{SECOND} of 60" in shown
        assert f"{FIXED} fixed, {BROKE} broke" in shown


def test_a_finding_on_a_run_fills_the_checklist(finished):
    points = {point.name: point.value for point in compare(finished).checklist}
    for name in (
        "Item set",
        "How items were selected",
        "Model",
        "Snapshot",
        "Prompt",
        "Decoding",
        "Asked on",
    ):
        assert points[name] != "not recorded", name
    assert "words" in points["Scoring rule and normalisation"]


def test_what_differs_between_two_prompts_is_the_prompt(finished):
    found = compare(finished)
    assert found.differs == ("prompt",)
    assert "model" in found.same


def test_read_and_show_work_on_a_run(finished):
    description = description_of(read(finished))
    assert description.systems == ("first", "second")
    assert description.has_responses
    row = show(finished, changes=("fixed",)).rows[0]
    assert row.baseline.text == "no idea"
    assert row.inputs is not None
    assert row.reference is not None


def test_a_run_stopped_before_its_tables_were_written_reads_from_its_journal(finished, tmp_path):
    import shutil

    copy = tmp_path / "stopped"
    shutil.copytree(finished, copy)
    shutil.rmtree(copy / "evidence")
    assert compare(copy).difference == compare(finished).difference


def test_report_writes_where_it_is_told(finished, tmp_path):
    path, found = report(finished, output=tmp_path / "deep" / "report.html")
    assert found.verdict.text.split(":")[0] in path.read_text(encoding="utf-8")
