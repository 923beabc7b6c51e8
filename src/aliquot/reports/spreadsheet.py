"""A finding as CSV: its frame, with numbers as numbers and texts that no spreadsheet takes for a formula."""

from __future__ import annotations

import re

import polars as pl

from aliquot.findings.frame import frame_of
from aliquot.reports.plain import neutralise

_LONGEST_CELL = 10_000
"""Characters of a text in one cell; spreadsheets hold 32,767."""

_FORMULA = re.compile(r"(^|;)(\s*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
"""Where a cell could begin as a formula: at its start, and behind a semicolon, at which spreadsheets of many countries
split a line. Their full-width forms count."""


def render_csv(finding: object) -> str:
    """Return the finding's frame as CSV: UTF-8, texts in quotes, a missing value empty."""
    frame = frame_of(finding)
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    safe = frame.with_columns(pl.col(texts).map_elements(safe_cell, return_dtype=pl.String))
    return safe.write_csv(quote_style="non_numeric")


def safe_cell(text: str) -> str:
    r"""Return a text that a spreadsheet shows and does not run; control characters are written out.

    Examples:
        >>> safe_cell("=cmd|' /c'!A1"), safe_cell("a - b"), safe_cell("\t=1+1")
        ("'=cmd|' /c'!A1", 'a - b', '\\t=1+1')
    """
    return _FORMULA.sub(r"\1'\2", neutralise(text, limit=_LONGEST_CELL))
