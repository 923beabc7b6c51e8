"""Sheets for raters elsewhere: filled in with a spreadsheet, read back once however often, and no cell a formula."""

from __future__ import annotations

import csv
import os
import re
import zipfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from aliquot.errors import InputError, MachineError, UsageError
from aliquot.labelling.form import form_of, read_value
from aliquot.labelling.project import MAIN
from aliquot.labelling.sheets import KEY
from aliquot.labelling.typed_choices import PAIR_KEYS, choice_typed
from aliquot.scorers.judge_files import read_judge
from tests.labelling.projects import answers, event, project, served

HOSTILE = [
    "=cmd|'/c calc'!A1",
    "+1+1",
    "-2",
    "@SUM(A1)",
    "\t=1",
    "\u202egnp.exe\x07",
    "'=already",
    "a" * 40_000,
]


def filled_csv(path: Path, fill: Callable[[dict[str, str]], None]) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        read = csv.DictReader(file)
        rows, names = list(read), list(read.fieldnames or ())
    for row in rows:
        fill(row)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)


def label(row: dict[str, str], said: str = "pass") -> None:
    row["label"] = said


def test_csv_goes_out_and_comes_back_once_however_often(tmp_path):
    made = project(tmp_path, n=20, overlap=10)
    paths = made.write_sheets(tmp_path / "raters", form="csv")
    assert [path.name for path in paths] == ["ana.csv", "ben.csv"]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert "gpt-secret" not in text
        assert "item-00" not in text
        filled_csv(path, label)
    assert made.collect(tmp_path / "raters") == {"ana.csv": 15, "ben.csv": 15}
    assert made.collect(tmp_path / "raters") == {"ana.csv": 0, "ben.csv": 0}
    assert made.labels().frame.height == 30
    rows: list[str] = []
    filled_csv(
        paths[0],
        lambda row: (label(row, "Fail") if row["number"] == "3" else None, rows.append(row["number"]))[1],
    )
    os.utime(paths[0], (paths[0].stat().st_mtime + 5,) * 2)
    assert made.collect(paths[0]) == {"ana.csv": 1}  # one cell was changed
    assert made.labels().frame["label"].value_counts().sort("count")["count"].to_list() == [1, 29]
    assert {told.event.origin for told in made.store.live()} == {"sheet"}


def test_what_was_said_on_the_page_stands_in_the_sheet_and_stays_when_nothing_changes(tmp_path):
    made = project(tmp_path, n=10, overlap=0, raters=("ana",))
    with served(made) as (_, clients):
        clients["ana"].tell(
            event(MAIN, "fail", id="on-the-page", rubric=made.form.rubric, note="off by one", unsure=True)
        )
    [path] = made.write_sheets(tmp_path / "raters", form="csv")
    with path.open(encoding="utf-8", newline="") as file:
        first = next(csv.DictReader(file))
    assert (first["label"], first["note"], first["unsure (x)"]) == ("fail", "off by one", "x")
    assert made.collect(path) == {"ana.csv": 0}
    with served(made) as (_, clients):  # said anew on the page while the sheet was away: it stands
        clients["ana"].tell(event(MAIN, "pass", id="said-anew-1", rubric=made.form.rubric))
    filled_csv(path, lambda row: label(row) if row["number"] == "2" else None)
    os.utime(path, (path.stat().st_mtime + 60,) * 2)
    assert made.collect(path) == {"ana.csv": 1}
    assert made.labels().frame["label"].to_list() == ["pass", "pass"]


def test_no_text_of_a_log_is_a_formula_and_all_come_back_as_they_were(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="needs openpyxl (extra xlsx)")
    n = len(HOSTILE)
    evidence = answers(n, input=HOSTILE, output=HOSTILE, target=HOSTILE)
    made = project(tmp_path, evidence=evidence, n=n, overlap=0, raters=("ana",))
    [path] = made.write_sheets(tmp_path / "raters")
    sheet = openpyxl.load_workbook(path).active
    for row in sheet.iter_rows(min_row=2):
        for cell in row:
            assert cell.data_type in {"s", "n"}
            assert cell.data_type == "s" or cell.value is None
            assert not cell.is_date
    with zipfile.ZipFile(path) as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")
    texts = {row[3].value for row in sheet.iter_rows(min_row=2)}
    assert {"=cmd|'/c calc'!A1", "+1+1", "-2", "@SUM(A1)", "'=already"} <= texts
    assert any(text.endswith("(10,000 more characters)") for text in texts)
    assert not any(set("\u202e\x07") & set(text) for text in texts)
    [plain] = made.write_sheets(tmp_path / "plain", form="csv")
    with plain.open(encoding="utf-8", newline="") as file:
        assert not any(cell[:1] in {"=", "+", "-", "@", "\t"} for row in csv.reader(file) for cell in row)


def test_a_workbook_is_filled_in_sorted_and_read_back(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="needs openpyxl (extra xlsx)")
    made = project(tmp_path, n=12, overlap=12, rubric=["correctness"], codes=True)
    for path in made.write_sheets(tmp_path / "raters"):
        book = openpyxl.load_workbook(path)
        sheet = book.active
        head = {cell.value: at for at, cell in enumerate(sheet[1])}
        rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)]
        for at, row in enumerate(rows):
            if at == 0:
                row[head["skip, because"]] = "cut off"
                continue
            if at == 1:
                continue  # left for later
            row[head["correctness"]] = "Partly Correct" if at % 2 else "correct"
            row[head["failures"]] = "wrong sum, off by one" if at == 2 else None
        rows.reverse()
        for at, row in enumerate(rows, 2):
            for column, value in enumerate(row, 1):
                sheet.cell(row=at, column=column).value = value
        book.save(path)
    assert made.collect(tmp_path / "raters") == {"ana.xlsx": 11, "ben.xlsx": 11}
    written = made.export()
    assert (written["labels.csv"], written["grades.csv"], written["codes.csv"]) == (20, 20, 20)
    assert [one.skipped for one in made.state().raters] == [1, 1, 0]
    assert ("off by one", "") in made.store.kinds()


def test_a_checklist_has_a_column_for_each_point(tmp_path):
    rubric = tmp_path / "points.yaml"
    rubric.write_text(
        "name: points\nasks: '?'\nchecklist:\n"
        "- {says: names the sum, points: 2}\n- {says: is polite, required: true}\n",
        encoding="utf-8",
    )
    made = project(tmp_path, n=4, overlap=0, raters=("ana",), rubric=[rubric])
    [path] = made.write_sheets(tmp_path / "raters", form="csv")
    filled_csv(
        path, lambda row: row.update({"points 1": "x", "points 2": "yes" if row["number"] < "3" else ""})
    )
    made.collect(path)
    assert sorted(made.labels().frame["label"].to_list()) == ["0", "0", "1", "1"]
    bad = tmp_path / "bad.csv"
    bad.write_text(
        path.read_text(encoding="utf-8").replace('"yes"', '"perhaps"').replace(",yes,", ",perhaps,"),
        encoding="utf-8",
    )
    with pytest.raises(InputError, match=r"row 1, field 'points 2': 'perhaps' is neither yes nor no"):
        made.collect(bad)


def test_a_cell_that_is_no_answer_is_named_and_nothing_of_its_file_is_kept(tmp_path):
    made = project(tmp_path, n=10, overlap=0, raters=("ana",))
    [path] = made.write_sheets(tmp_path / "raters", form="csv")
    filled_csv(path, lambda row: label(row, "maybe" if row["number"] == "7" else "pass"))
    with pytest.raises(
        InputError,
        match=r"ana\.csv, row 7, field 'label': 'maybe' is no answer to 'label'\. Say one of pass, fail",
    ):
        made.collect(tmp_path / "raters")
    assert made.store.steps == 0


RUBRICS = {
    "graded": "labels: {correct: '', partly correct: '', incorrect: ''}\npasses: [correct]\n",
    "reversed": "labels: {fail: '', pass: ''}\npasses: [pass]\n",
    "numbered": "labels: {'2': good, '1': bad}\npasses: ['2']\n",
    "toxic": "labels: {toxic: '', clean: ''}\npasses: [clean]\n",
    "scaled": "scale: {0: none, 1: few, 2: most, 3: all}\n",
    "pair": "pairwise: true\n",
}


@pytest.mark.parametrize(
    ("rubric", "cells"),
    [
        ("label", {"1": "pass", "1.0": "pass", " PASS ": "pass", "2": "fail", "0": "fail", "TRUE": "pass",
                   "false": "fail", "no": "fail", "f": "fail", "3": None, "-1": None, "1.5": None, "passes": None}),
        ("graded", {"1": "correct", "2.0": "partly correct", "Partly  Correct": "partly correct", "P": "partly correct",
                    "TRUE": None, "0": None, "4": None}),
        ("reversed", {"1": None, "2": "pass", "0": "fail", "Yes": "pass"}),  # 1 is the key of fail, and true
        ("numbered", {"1": "1", "2.0": "2", "TRUE": None}),
        ("toxic", {"1": "toxic", "TRUE": None, "c": "clean"}),
        ("scaled", {"1": 1.0, "2.0": 2.0, "0": 0.0, "4": None, "TRUE": None}),
        ("pair", {"a": "first", "2": "second", "Both bad": "both_bad", "T": "tie", "TRUE": None}),
    ],
)  # fmt: skip
def test_what_is_typed_is_read_when_it_means_one_choice_and_never_guessed(
    rubric: str, cells: dict[str, str | float | None], tmp_path: Path
):
    """The word in any case, the page's key, true and false of two choices that say so; else a complaint."""
    path = tmp_path / "rubric.yaml"
    path.write_text(f"name: {rubric}\nasks: '?'\n{RUBRICS.get(rubric, '')}", encoding="utf-8")
    form = form_of([read_judge(path)] if rubric in RUBRICS else [])
    [question] = form.questions
    for cell, meant in cells.items():
        said = choice_typed(question, cell)
        if meant is not None:
            assert read_value(question, said, points=0) == meant, cell
            continue
        with pytest.raises(InputError, match=r"is no answer to .* Say one of"):
            read_value(question, said, points=0)


def test_a_sheet_filled_in_with_numbers_is_read(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="needs openpyxl (extra xlsx)")
    made = project(tmp_path, n=6, overlap=0, raters=("ana",))
    [path] = made.write_sheets(tmp_path / "raters")
    book = openpyxl.load_workbook(path)
    sheet = book.active
    column = next(cell.column for cell in sheet[1] if cell.value == "label")
    for row, value in enumerate((1, 1.0, " Pass", True, 2, 0), 2):
        sheet.cell(row=row, column=column).value = value
    book.save(path)
    assert made.collect(path) == {"ana.xlsx": 6}
    assert sorted(made.labels().frame["label"]) == ["fail"] * 2 + ["pass"] * 4
    sheet.cell(row=4, column=column).value = 7
    book.save(path)
    with pytest.raises(
        InputError, match=r"ana\.xlsx, row 3, field 'label': '7' is no answer .* Say one of pass, fail"
    ):
        made.collect(path)


def test_the_letters_for_pairs_are_the_pages():
    script = resources.files("aliquot.labelling").joinpath("templates/label.js").read_text(encoding="utf-8")
    told = re.search(r"LETTERS = \{ (.*?) \}", script)
    assert told is not None
    pairs = (one.split(": ") for one in told[1].split(", "))
    assert {letter.strip('"'): name for name, letter in pairs} == PAIR_KEYS


def test_keys_that_are_not_this_projects_are_refused(tmp_path):
    made = project(tmp_path, n=10, overlap=4)
    other = project(tmp_path / "other", n=10, overlap=4)
    [ana, ben] = made.write_sheets(tmp_path / "raters", form="csv")
    [theirs, _] = other.write_sheets(tmp_path / "theirs", form="csv")
    filled_csv(theirs, label)
    with pytest.raises(InputError, match="is of another project"):
        made.collect(theirs)
    filled_csv(
        ana, lambda row: (label(row), row.update({KEY: row[KEY].replace("-1000000-", "-1000001-")}))[0]
    )
    with pytest.raises(InputError, match="is no key, or was changed"):
        made.collect(ana)
    filled_csv(ben, label)
    mixed = tmp_path / "mixed.csv"
    again, _ = made.write_sheets(tmp_path / "again", form="csv")
    filled_csv(again, label)
    lines = ben.read_text(encoding="utf-8").splitlines()
    mixed.write_text(
        "\n".join([*lines, *again.read_text(encoding="utf-8").splitlines()[1:]]), encoding="utf-8"
    )
    with pytest.raises(InputError, match="rows of 2 raters"):
        made.collect(mixed)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match="no sheet to read back"):
        made.collect(empty)
    assert made.store.steps == 0


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no zip", b"item,label\n1,2\n"])
def test_a_workbook_that_is_none_is_one_error(tmp_path, content):
    pytest.importorskip("openpyxl", reason="needs openpyxl (extra xlsx)")
    made = project(tmp_path, n=10)
    path = tmp_path / "broken.xlsx"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is no workbook that can be read"):
        made.collect(path)


def test_what_a_sheet_cannot_hold_back_is_not_put_into_one(tmp_path):
    with pytest.raises(UsageError, match="use the page"):
        project(tmp_path, n=10, reference=True).write_sheets(tmp_path / "raters")


def test_without_the_extra_the_remedy_is_named(tmp_path, monkeypatch):
    import builtins

    real = builtins.__import__

    def without(name: str, *args: object, **more: object) -> object:
        if name.partition(".")[0] == "openpyxl":
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MachineError, match=r"aliquot\[xlsx\].*--csv raters/"):
        project(tmp_path, n=10).write_sheets(tmp_path / "raters")
