"""The items of a run as it keeps them, so that it can be read and scored without their source."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class ShownItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An item's texts with its options in another order than its source lists them.

    Attributes:
        inputs: what it asks, as one text.
        reference: the right answer, where that is the letter of an option and moved with it; else None.
        said: of a later turn, what it says beyond what was said before; None where that is all that it asks.
    """

    inputs: str
    reference: str | None = None
    said: str | None = None

    @property
    def text(self) -> str:
        """What is asked, and what is right in this order."""
        right = "" if self.reference is None else f"\n(in this order right: {self.reference})"
        return f"{self.said or self.inputs}{right}"


class StoredItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An item's texts as the run keeps them.

    Attributes:
        task: the task.
        item: the item's id.
        inputs: what it asks, as one text.
        reference: the right answer, as one text.
        content: SHA-256 over inputs and reference.
        conversation: the id of the conversation whose turn it is; the items of a run stand in the order of the turns.
        said: of a later turn, what it says beyond what was said before; None where that is all that it asks.
        shown: the same with its options in other orders, by the order (``order_key``).
    """

    task: str
    item: str
    inputs: str
    reference: str | None = None
    content: str | None = None
    conversation: str | None = None
    said: str | None = None
    shown: Mapping[str, ShownItem] = msgspec.field(default_factory=dict[str, ShownItem])


def order_key(how: str, by: int) -> str:
    """Return under what an item keeps its texts in an order of its options."""
    return f"{how} {by}"
