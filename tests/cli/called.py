"""The command line called in this process: what it printed and the code it exits with."""

from __future__ import annotations

import gc
import sys
from contextlib import chdir, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from unittest.mock import patch

from aliquot.cli.main import main


@dataclass(frozen=True)
class Called:
    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """What was printed, with the breaks of its lines and of the tables' padding taken out."""
        return " ".join(self.out.split())


def call(*words: str | Path, folder: Path | None = None) -> Called:
    """Return what ``aliquot words…`` does in a folder; anything it raises but the exit is raised here."""
    out, err, threshold = StringIO(), StringIO(), gc.get_threshold()
    code = None
    with (
        chdir(folder) if folder else nullcontext(),
        patch.object(sys, "argv", ["aliquot", *map(str, words)]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        finally:
            gc.set_threshold(*threshold)
    assert isinstance(code, int)
    return Called(code, out.getvalue(), err.getvalue())
