"""A finding in a notebook: an inert, well-formed fragment with the verdict, every table and every warning."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from aliquot.reports.plain import neutralise
from aliquot.reports.render import render
from aliquot.reports.sheet import Grid
from aliquot.reports.sheets import sheet_of
from tests.reports.every_kind import HOSTILE, KINDS, every_kind

PLAIN = {
    "div",
    "p",
    "strong",
    "table",
    "caption",
    "tr",
    "th",
    "td",
    "ul",
    "li",
    "details",
    "summary",
    "small",
    "code",
}


class Read(HTMLParser):
    """Tags, attributes and texts of a fragment; an end that closes no open tag is an error."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(html: str) -> Read:
    parser = Read()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser


@pytest.mark.parametrize("name", ["main", HOSTILE])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_inert_and_whole(kind: str, name: str):
    found = every_kind(name)[kind]
    html = found._repr_html_()  # pyright: ignore[reportAttributeAccessIssue] - what Jupyter calls
    shown = read(html)
    assert set(shown.tags) <= PLAIN
    assert shown.attributes == []
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", html)
    sheet = sheet_of(found)
    text = "\n".join(shown.texts)
    assert shown.texts[0] == neutralise(sheet.headline, limit=2000)
    assert all(neutralise(warning, limit=2000) in text for warning in sheet.warnings)
    grids = [block for block in (*sheet.blocks, *sheet.details) if isinstance(block, Grid)]
    assert shown.tags.count("table") == len(grids)
    assert shown.tags.count("tr") == sum(1 + len(grid.rows) for grid in grids)


@pytest.mark.parametrize("kind", KINDS)
def test_its_markdown_is_that_of_a_pull_request(kind: str):
    found = every_kind()[kind]
    markdown = found._repr_markdown_()  # pyright: ignore[reportAttributeAccessIssue] - what Jupyter calls
    assert markdown == render(found, form="markdown")


CELLS = (
    """\
import polars as pl
from aliquot import compare, from_frame
rows = [{"system": s, "item": f"q{i}", "value": int((i + k) % 3 > 0)} for k, s in enumerate("ab") for i in range(30)]
found = compare(from_frame(pl.DataFrame(rows)), noise=None)
found
""",
    "found.to_frame().filter(pl.col('part') == 'difference')",
    "found.plot()",
)


@pytest.mark.filterwarnings("default")  # of the notebook tools themselves
def test_a_live_notebook_shows_a_finding(tmp_path: Path):
    nbclient = pytest.importorskip("nbclient", reason="the extra dev is not installed")
    nbformat = pytest.importorskip("nbformat", reason="the extra dev is not installed")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(
        notebook,
        timeout=None,
        startup_timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    ).execute()
    first, frame, picture = (cell["outputs"][-1]["data"] for cell in notebook.cells)
    assert first["text/html"].startswith("<div><p><strong>UNDECIDED: ")
    assert first["text/markdown"].startswith("**UNDECIDED: ")
    assert first["text/plain"].startswith("<Comparison: UNDECIDED: ")
    assert "difference" in frame["text/html"]
    assert "vega" in picture["text/html"]
