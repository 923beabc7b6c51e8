"""What a reader of logs is: it tells whether a path is its own, and reads it. It never imports the tool."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from aliquot.evidence.tables import Evidence
from aliquot.readers.options import ReadOptions


class Reader(Protocol):
    """Reads the logs of one harness. Third parties add one under the entry point group ``aliquot.readers``.

    Attributes:
        name: what ``--reader`` calls it.
        reads: what it reads, in a few words.
    """

    @property
    def name(self) -> str:
        """What ``--reader`` calls it."""
        ...

    @property
    def reads(self) -> str:
        """What it reads, in a few words."""
        ...

    def sniff(self, path: Path) -> bool | str:
        """Tell whether a path is this reader's, from its name and first bytes; a text says which version."""
        ...

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read a path.

        Raises:
            UsageError: the options do not fit.
            InputError: it cannot be used as it stands.
        """
        ...
