"""Rows of tables as texts by column, found by what stands in other columns: labels that no reader takes for values."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from aliquot.evidence.identity import text_of
from aliquot.files.rows import Cell
from aliquot.files.tables import Table


class LabelRows:
    """The rows of tables, one after the other; a column that a table lacks is empty there."""

    def __init__(self, tables: Sequence[Table], *, missing: Collection[str] = ()) -> None:
        """Take the tables.

        Args:
            tables: as read.
            missing: texts that mean "no label", besides the empty cell.
        """
        self._tables = tables
        self._missing = frozenset(missing)
        self._texts: dict[str, list[str | None]] = {}
        self._places: dict[tuple[str, ...], dict[tuple[str | None, ...], list[int]]] = {}

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(dict.fromkeys(name for table in self._tables for name in table.columns))

    def column(self, name: str) -> list[str | None]:
        """Return the cells of a column as text; 1, 1.0 and "1" are one label."""
        if name not in self._texts:
            self._texts[name] = [
                self._text(cell)
                for table in self._tables
                for cell in table.columns.get(name, [None] * table.height)
            ]
        return self._texts[name]

    def find(self, wanted: Mapping[str, str]) -> Sequence[int]:
        """Return the places of the rows that hold these texts in these columns."""
        names = tuple(sorted(wanted))
        if not names:
            return range(sum(table.height for table in self._tables))
        if names not in self._places:
            places: dict[tuple[str | None, ...], list[int]] = {}
            for place, cells in enumerate(zip(*map(self.column, names), strict=True)):
                places.setdefault(cells, []).append(place)
            self._places[names] = places
        return self._places[names].get(tuple(wanted[name] for name in names), ())

    def _text(self, cell: Cell) -> str | None:
        text = text_of(int(cell) if isinstance(cell, float) and cell.is_integer() else cell)
        return None if text in self._missing else text
