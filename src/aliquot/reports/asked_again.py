"""How items came out that were asked again: stable or flaky, as plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from aliquot.findings.numbers import write_count
from aliquot.reports.plain import neutralise, wrap
from aliquot.reports.sheet import Grid
from aliquot.reports.sheet_terminal import blocks_lines

_WORDS: Final[Mapping[str, str]] = {
    "stable": "came out as before in every attempt",
    "flaky": "flaky: attempts of one system disagree",
    "gone": "the difference is gone",
    "unanswered": "got no answer",
}


class Again(Protocol):
    """One item that was asked again; see ``runner.only.ItemAgain``."""

    @property
    def item(self) -> str: ...  # noqa: D102 - as in ItemAgain
    @property
    def right(self) -> tuple[int, int]: ...  # noqa: D102 - as in ItemAgain
    @property
    def of(self) -> tuple[int, int]: ...  # noqa: D102 - as in ItemAgain
    @property
    def came(self) -> str: ...  # noqa: D102 - as in ItemAgain


def render_again(systems: Sequence[str], items: Sequence[Again]) -> str:
    """Return how the items came out.

    Args:
        systems: the two systems, the baseline first.
        items: each item.
    """
    counts = Counter(one.came for one in items)
    told = "; ".join(f"{counts[came]} {words}" for came, words in _WORDS.items() if counts[came])
    lines = wrap(f"ASKED AGAIN: {write_count(len(items), 'item')}: {neutralise(told)}.", indent="")
    rows = tuple(
        (one.item, *(f"{right} of {of}" for right, of in zip(one.right, one.of, strict=True)), one.came)
        for one in items
    )
    lines += blocks_lines([Grid("", ("item", *(f"{name} right" for name in systems), ""), rows)], most=None)
    lines.append("")
    lines += wrap(
        "These items were chosen because they differ, so they say nothing of the whole; the run is as it was."
    )
    return "\n".join(lines) + "\n"
