"""``-o FILE``: every verb that makes a finding writes it in every form, chosen by the ending."""

from __future__ import annotations

import csv
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from aliquot.verbs.report import FORMS
from tests.cli.called import call as aliquot
from tests.workshop.page_logs import write_logs

VERBS = (
    ("compare", "main.csv", "pr.csv"),
    ("summarize", "main.csv"),
    ("table", "tasks.csv", "--baseline", "base"),
    ("noise", "main.csv", "main-again.csv", "--forget"),
    ("variants", "prompts.csv"),
    ("failures", "last-week.csv", "this-week.csv"),
    ("plan", "main.csv", "pr.csv", "--detect", "5pt"),
    ("gate", "main.csv", "pr.csv", "--no-worse-than", "2pt"),
    ("verify", "--n", "124", "22.4"),
    ("explain", "tango"),
)


@pytest.mark.parametrize("words", VERBS, ids=lambda words: words[0])
def test_every_verb_writes_every_form(words: tuple[str, ...], tmp_path: Path):
    write_logs(tmp_path)
    printed = aliquot(*words, folder=tmp_path)
    for ending in FORMS:
        name = f"finding{ending}"
        done = aliquot(*words, "-o", name, folder=tmp_path)
        assert (done.code, done.out) == (printed.code, printed.out), done.err
        assert (tmp_path / name).stat().st_size > 0
    with (tmp_path / "finding.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) > 0
    assert ET.parse(tmp_path / "finding.xml").getroot().tag == "testsuite"
    assert (tmp_path / "finding.tex").read_text(encoding="ascii").startswith("% Needs")


def test_the_table_of_a_paper_and_the_file_are_one_mechanism(tmp_path: Path):
    write_logs(tmp_path)
    words = ("table", "tasks.csv", "--latex", "table.tex", "-o", "all.tex")
    assert aliquot(*words, folder=tmp_path).code == 0
    table, whole = ((tmp_path / name).read_text(encoding="ascii") for name in ("table.tex", "all.tex"))
    assert whole.startswith(table)
    assert len(whole) > len(table)


def test_an_unknown_ending_names_the_known_ones(tmp_path: Path):
    write_logs(tmp_path)
    done = aliquot("compare", "main.csv", "pr.csv", "-o", "finding.tx", folder=tmp_path)
    assert done.code == 2
    assert "Did you mean '.txt'?" in done.err
    assert all(ending in done.err for ending in FORMS)
    assert done.out == ""
