"""Reads diaries: a line an item, ``id: passed`` or ``id: failed``."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.tables import Evidence, Source
from aliquot.readers.options import ReadOptions


class DiaryReader:
    name = "diary"
    reads = "diaries (.diary)"

    def sniff(self, path: Path) -> bool | str:
        return path.suffix == ".diary" and "1"

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        rows = [line.split(": ") for line in path.read_text(encoding="utf-8").splitlines()]
        for number, row in enumerate(rows, start=1):
            if len(row) != 2 or row[1] not in {"passed", "failed"}:
                raise InputError("is not 'id: passed' or 'id: failed'", file=str(path), row=number)
        outcomes = pl.DataFrame(
            {
                "system": options.name or path.stem,
                "item": [item for item, _ in rows],
                "value": [float(word == "passed") for _, word in rows],
            }
        )
        return assemble(outcomes, sources=[Source(path=str(path), format="diary", version="1")])
