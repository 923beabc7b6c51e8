"""Answers of a journal read whole, one at a time: what a record leaves out stays on disk until somebody asks."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import msgspec

from aliquot.files.journal import JournalContents
from aliquot.files.records import Response, ToldResponse, settle
from aliquot.files.writing import machine_errors


class WholeRecords:
    """The answers that count of a journal, with how each came about.

    Args:
        journal: the journal's file.
        contents: what was read of it.
    """

    def __init__(self, journal: Path, contents: JournalContents) -> None:
        self._journal, self._contents = journal, contents

    def __call__(self, response: Response) -> Response:
        """Return an answer whole; as it is when none stands on record for its attempt.

        Raises:
            MachineError: the file cannot be read.
        """
        return self.read(response.key) or response

    def read(self, key: tuple[str, str, str, int]) -> ToldResponse | None:
        """Return the answer to an attempt; None when there is none on record.

        Args:
            key: system, task, item and attempt.

        Raises:
            MachineError: the file cannot be read.
        """
        span = self._spans.get(key)
        if span is None:
            return None
        with machine_errors(self._journal), self._journal.open("rb") as file:
            file.seek(span[0])
            return msgspec.json.decode(file.read(span[1]), type=ToldResponse)

    @cached_property
    def _spans(self) -> dict[tuple[str, str, str, int], tuple[int, int]]:
        """Where the answer that counts stands, for each attempt; most evidence is made without asking."""
        records = self._contents.records
        places = {id(one): span for one, span in zip(records, self._contents.spans, strict=True)}
        return {one.key: places[id(one)] for one in settle(records)}
