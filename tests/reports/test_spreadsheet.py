"""CSV: numbers stay numbers, and no text of it is a formula in any spreadsheet."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.findings.frame import COLUMNS
from aliquot.reports.render import render
from aliquot.reports.spreadsheet import safe_cell
from tests.reports.every_kind import FORMULA, HOSTILE, KINDS, every_kind

STARTS = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
NUMBERS = [name for name, kind in COLUMNS.items() if kind.is_numeric()]


def rows(text: str, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(text), delimiter=delimiter, strict=False))


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_of_the_frame_is_a_number_of_the_file(kind: str):
    found = every_kind()[kind]
    head, *body = rows(render(found, form="csv"))
    assert head == list(COLUMNS)
    for name in NUMBERS:
        cells = [row[head.index(name)] for row in body]
        assert [float(cell) if cell else None for cell in cells] == found.to_frame()[name].to_list()


@pytest.mark.parametrize("name", [HOSTILE, FORMULA, "\t=1"])
def test_no_name_is_a_formula_however_the_file_is_split(name: str):
    texts = 0
    for kind in KINDS:
        text = render(every_kind(name)[kind], form="csv")
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
        for delimiter in (",", ";"):
            for row in rows(text, delimiter)[1:]:
                for cell in row:
                    number = re.fullmatch(r"-?[\d.]+(e-?\d+)?", cell)
                    # split at semicolons the numbers of a line stand in one cell with its first text
                    assert number or not cell.lstrip(' "').startswith(tuple(STARTS)), cell
                    texts += "'" in cell
    assert texts > 0 or name.startswith("\t")  # a tab that is written out begins no formula


@given(st.text(max_size=40) | st.text(st.sampled_from(STARTS + " ;,\"'a1"), max_size=12))
def test_no_cell_begins_as_a_formula_does(text: str):
    shown = safe_cell(text)
    assert not shown.lstrip().startswith(tuple(STARTS))
    assert not any(part.lstrip().startswith(tuple(STARTS)) for part in shown.split(";"))
    assert shown.isprintable() or not shown.isascii()


@pytest.mark.parametrize("text", ["a - b", "caf\u00e9", "it's", "x=1", "1e-5", "a, -b"])
def test_an_ordinary_text_is_left_as_it_is(text: str):
    assert safe_cell(text) == text
