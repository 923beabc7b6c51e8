"""Progress of a run in a notebook: one output of plain text that is written anew."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias, cast

from aliquot.runner.progress import Observer, Progress, Silent
from aliquot.runner.progress_line import progress_line, started_line

EVERY_S: Final = 0.5
"""Seconds between two updates."""


class Handle(Protocol):
    """An output that is on the page."""

    def update(self, data: object, **options: Any) -> object:
        """Write another in its place."""
        ...


Display: TypeAlias = Callable[..., Handle]
"""``IPython.display.display``, asked for a handle."""


def own_observer() -> Observer:
    """Return who shows progress where nobody else was named: a line in a notebook, and nobody elsewhere."""
    display = kernel_display()
    return Silent() if display is None else NotebookLine(display)


def kernel_display() -> Display | None:
    """Return what shows an output in the notebook that runs this process; None where none does.

    IPython is not imported for it: a kernel has done so.
    """
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if getattr(shell, "kernel", None) is None:
        return None
    return cast("Display | None", getattr(sys.modules.get("IPython.display"), "display", None))


class NotebookLine:
    """Shows what a run has to say and where it stands in one output of plain text.

    Args:
        display: shows an output.
        clock: seconds of a clock that never goes back.
    """

    def __init__(self, display: Display, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._display, self._clock = display, clock
        self._handle: Handle | None = None
        self._last = 0.0
        self._notes: list[str] = []
        self._line = ""

    def started(self, progress: Progress) -> None:
        """Show how much there is to ask."""
        self._line = started_line(progress)
        self._show()

    def answered(self, progress: Progress) -> None:
        """Show where the run stands when it is time, and at its end."""
        self._line = progress_line(progress)
        if progress.done == progress.total or self._clock() - self._last >= EVERY_S:
            self._show()

    def noted(self, text: str) -> None:
        """Show a sentence above the line."""
        self._notes.append(text)
        self._show()

    def _show(self) -> None:
        self._last = self._clock()
        output = {"text/plain": "\n".join(filter(None, (*self._notes, self._line)))}
        if self._handle is None:
            self._handle = self._display(output, raw=True, display_id=True)
        else:
            self._handle.update(output, raw=True)
