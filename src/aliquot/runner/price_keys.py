"""Reading what an evaluation file says of prices."""

from __future__ import annotations

from typing import Final, Literal

from aliquot.files.documents import Node
from aliquot.runner.money import Prices

PRICE_KEYS: Final = ("input", "output", "cached", "per", "currency", "source")


def read_prices(node: Node) -> Prices | Literal["none"]:
    """Return stated prices, or that none are to be taken, not even from the shipped list.

    Raises:
        InputError: a key or value that cannot be used, with its line.
    """
    if node.value in (None, False, "none"):
        return "none"
    keys = node.mapping(PRICE_KEYS)
    for name in ("input", "output"):
        if name not in keys:
            node.refuse(f"the key {name!r} is missing", remedy="Say what a million tokens of each cost")
    return Prices(
        input=keys["input"].number(low=0),
        output=keys["output"].number(low=0),
        cached=keys["cached"].number(low=0) if "cached" in keys else None,
        per=keys["per"].whole(low=1) if "per" in keys else 1_000_000,
        currency=keys["currency"].text() if "currency" in keys else "USD",
        source=keys["source"].text() if "source" in keys else "",
    )
