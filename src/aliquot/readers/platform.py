"""Exports of evaluation platforms, read by a mapping that comes with the package and that the user names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aliquot.errors import NoRowsError
from aliquot.evidence.tables import Evidence, Note, Source
from aliquot.files.compressed import plain_suffix
from aliquot.files.tables import read_table
from aliquot.readers.json_records import SUFFIXES, JsonRecords, read_json_records
from aliquot.readers.options import ReadOptions
from aliquot.readers.platform_mapping import PlatformMapping, shipped_mapping, shipped_mappings
from aliquot.readers.platform_rows import PlatformRows


@dataclass(frozen=True, slots=True)
class PlatformReader:
    """Reads one platform's export; asked only when it is named, as such tables tell nothing of their maker.

    Attributes:
        name: the platform's name.
    """

    name: str

    @property
    def mapping(self) -> PlatformMapping:
        """Where the export holds what."""
        return shipped_mapping(self.name)

    @property
    def reads(self) -> str:
        """What it reads, in a few words."""
        return self.mapping.reads

    def sniff(self, path: Path) -> bool | str:  # noqa: ARG002 - a reader's part
        """Claim nothing: the user names the platform."""
        return False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read an export.

        Raises:
            UsageError: no item has the field the user named.
            InputError: it holds no score, or nothing that names its items.
            MachineError: the machine refuses to read it.
        """
        found = _records(path, self.mapping, options)
        rows = PlatformRows(self.mapping, options, file=str(path), stem=path.stem)
        rows.take(found)
        source = Source(str(path), self.mapping.tool, "export", found.sha256)
        return rows.evidence(source=source, notes=(Note("item_key", rows.key), *found.notes))


def platform_readers() -> tuple[PlatformReader, ...]:
    """Return a reader for each mapping that comes with the package."""
    return tuple(map(PlatformReader, shipped_mappings()))


def _records(path: Path, mapping: PlatformMapping, options: ReadOptions) -> JsonRecords:
    """Return the records of a JSON file, or the rows of a table as such."""
    if plain_suffix(path) in SUFFIXES:
        return read_json_records(path, encoding=options.encoding, members=mapping.members)
    table = read_table(path, delimiter=options.delimiter, encoding=options.encoding)
    if not table.height:
        raise NoRowsError("has no rows", file=str(path))
    rows: tuple[Mapping[str, Any], ...] = tuple(
        {name: cells[index] for name, cells in table.columns.items()} for index in range(table.height)
    )
    return JsonRecords(rows, tuple(table.lines), {}, str(path), "", table.notes)
