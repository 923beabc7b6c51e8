"""What a format's reader hands on: cells by column, the line of each row, and notes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from aliquot.errors import InputError
from aliquot.evidence.tables import Note

Cell: TypeAlias = str | int | float | bool | None

MAX_COLUMNS: Final = 10_000
"""Columns a table may have."""


@dataclass(slots=True)
class Rows:
    """Rows as they are read; each row may bring new columns.

    Attributes:
        file: the file, for messages.
        columns: name → cells.
        lines: the line each row starts on.
        delimiter: between cells, for delimited text.
        notes: what reading has to say.
    """

    file: str
    columns: dict[str, list[Cell]] = field(default_factory=dict[str, list[Cell]])
    lines: list[int] = field(default_factory=list[int])
    delimiter: str = ""
    notes: list[Note] = field(default_factory=list[Note])

    def add(self, row: dict[str, Cell], *, line: int) -> None:
        """Add a row; a column it lacks is missing in it, one it brings is missing in all before.

        Raises:
            InputError: the table would have too many columns.
        """
        height = len(self.lines)
        self.lines.append(line)
        for name, cell in row.items():
            column = self.columns.get(name)
            if column is None:
                if len(self.columns) >= MAX_COLUMNS:
                    raise InputError(f"has more than {MAX_COLUMNS:,} columns (line {line})", file=self.file)
                column = self.columns[name] = [None] * height
            column.append(cell)
        if len(row) < len(self.columns):
            for column in self.columns.values():
                if len(column) == height:
                    column.append(None)
