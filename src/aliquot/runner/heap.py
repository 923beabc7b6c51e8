"""What is in memory before a run asks, left alone by the garbage collector while it asks."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def heap_at_rest() -> Generator[None]:
    """Take what is in memory now out of the collector's sight for a while.

    Each answer adds a few objects that stay, and after some thousands of them the collector looks at everything
    again: all modules, all items. Nothing of it is garbage; looking took a tenth of what an answer costs. What is made
    in the meantime is collected as ever. A process that has frozen its memory itself is left as it is.

    Examples:
        >>> with heap_at_rest():
        ...     gc.get_freeze_count() > 0
        True
        >>> gc.get_freeze_count()
        0
    """
    if gc.get_freeze_count():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
