"""Classes as a system tells them apart: the confusion table, its measures, and when there are no classes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aliquot import summarize
from aliquot.findings.redaction import shareable
from aliquot.findings.summary import Summary
from aliquot.reports.sheet import Grid
from aliquot.reports.summary_sheet import sheet_of
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run

TRUTH = ["Ham"] * 12 + ["spam"] * 6 + ["phish"] * 2
GIVEN = ["ham"] * 9 + ["spam"] * 2 + ["no idea"] + ["spam"] * 4 + ["ham"] * 2 + ["PHISH"] * 2
OPTIONS = ["ham", "spam", "phish"]


def summarised(
    folder: Path, truth: list[str], given: list[str], *, scorer: str = "choice", attempts: int = 1
) -> Summary:
    rows = [
        {"id": f"i{k:02}", "question": f"{k}.", "reference": one, "options": OPTIONS, "source": f"s{k // 2}"}
        for k, one in enumerate(truth)
    ]
    (folder / "mail.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (folder / "mail.yaml").write_text(
        f"name: mail\nitems: mail.jsonl\nscorer: {scorer}\nattempts: {attempts}\nguards: off\n"
        "systems: {a: {model: a, prompt: '{{ question }}'}}\n",
        encoding="utf-8",
    )
    fake = FakeSystem(lambda asked: given[int(asked[:-1])])
    return summarize(run(folder / "mail.yaml", directory=folder / "runs", models={"a": fake}).path)


def test_what_was_given_for_what(tmp_path: Path) -> None:
    found = summarised(tmp_path, TRUTH, GIVEN).lines[0].classes
    assert found is not None
    assert [one.label for one in found.classes] == ["ham", "spam", "phish"]
    assert found.counts == ((9, 2, 0, 1), (2, 4, 0, 0), (0, 0, 2, 0))
    ham, spam, _ = found.classes
    assert (ham.precision.point, ham.recall.point) == pytest.approx((9 / 11, 9 / 12))  # type: ignore[union-attr]
    assert (spam.precision.point, spam.recall.point) == pytest.approx((4 / 6, 4 / 6))  # type: ignore[union-attr]
    macro = (2 * 9 / (11 + 12) + 2 * 4 / (6 + 6) + 1) / 3
    assert found.macro.f1.point == pytest.approx(macro)  # type: ignore[union-attr]
    assert (found.micro.precision.point, found.micro.recall.point) == pytest.approx((15 / 19, 15 / 20))  # type: ignore[union-attr]


def test_attempts_are_rows_and_their_items_carry_the_error(tmp_path: Path) -> None:
    once = summarised(tmp_path, TRUTH, GIVEN).lines[0].classes
    again = summarised(tmp_path.joinpath("again").mkdir() or tmp_path / "again", TRUTH, GIVEN, attempts=3)
    found = again.lines[0].classes
    assert once is not None
    assert found is not None
    assert found.counts == tuple(tuple(3 * one for one in row) for row in once.counts)
    one, three = once.micro.recall, found.micro.recall
    assert (three.low, three.high) == pytest.approx((one.low, one.high), abs=0.06)  # type: ignore[union-attr]


def test_it_is_shown_in_full_and_its_names_are_not_shared(tmp_path: Path) -> None:
    finding = summarised(tmp_path, TRUTH, GIVEN)
    grids = {block.title: block for block in sheet_of(finding).details if isinstance(block, Grid)}
    assert grids["What a gave on mail, by the right answer"].rows[0] == ("ham", "9", "2", "0", "1")
    assert grids["Classes as a tells them apart"].rows[-1][:2] == ("micro", "20")
    hidden = shareable(finding).lines[0].classes
    assert hidden is not None
    assert [one.label for one in hidden.classes] == ["class 1", "class 2", "class 3"]


@pytest.mark.parametrize(
    ("truth", "given", "scorer"),
    [
        ([f"city {k}" for k in range(20)], ["x"] * 20, "words"),  # right answers that nothing shares
        (["ham"] * 20, ["ham"] * 19 + ["spam"], "choice"),  # one class
        (["ham"] * 18 + ["spam", "phish"], ["ham"] * 20, "choice"),  # a class of one item
        (TRUTH, ["I think it is something else"] * 20, "words"),  # wrong answers name no class
    ],
)
def test_without_classes_there_is_no_table(
    tmp_path: Path, truth: list[str], given: list[str], scorer: str
) -> None:
    assert summarised(tmp_path, truth, given, scorer=scorer).lines[0].classes is None
