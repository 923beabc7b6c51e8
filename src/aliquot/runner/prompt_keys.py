"""Reading what a system's prompt takes beside the item: values, the order of options, and shots."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from aliquot.errors import excerpt
from aliquot.files.documents import Node
from aliquot.item_sets.items import NOT_INPUTS
from aliquot.item_sets.option_order import OptionOrder
from aliquot.item_sets.sources import ENDINGS
from aliquot.runner.shots import SHOTS, ShotsSpec

SHOT_KEYS: Final = ("from", "n", "seed")
PLAIN_ORDERS: Final = ("as_given", "reversed", "shuffled")
"""Orders of options that a word says."""
ORDER_KEYS: Final = ("rotated", "shuffled")
"""Orders of options that take a number."""


def read_values(node: Node) -> dict[str, object]:
    """Return further variables of the template: texts, numbers, true or false, or lists of these.

    Raises:
        InputError: a name no template can use, or a value of another type.
    """
    found: dict[str, object] = {}
    for name, value in node.mapping().items():
        if not name.isidentifier() or name in NOT_INPUTS or name == SHOTS:
            value.refuse(
                f"{excerpt(name)} cannot name a value", remedy="Use another name, of letters and digits"
            )
        plain = value.plain()
        parts = plain if isinstance(plain, list) else [plain]  # pyright: ignore[reportUnknownVariableType] - checked below
        if any(not isinstance(part, str | int | float | bool) for part in parts):  # pyright: ignore[reportUnknownVariableType] - what YAML holds
            value.refuse(f"the value {name!r} is neither text nor number, nor a list of them")
        found[name] = plain
    return found


def read_option_order(node: Node, *, seed: int) -> OptionOrder:
    """Return an order of options: a word, ``{rotated: K}`` or ``{shuffled: SEED}``.

    Raises:
        InputError: another word, or no whole number.
    """
    if not isinstance(node.value, dict):
        how = node.one_of(PLAIN_ORDERS)
        return (
            OptionOrder("shuffled", seed)
            if how == "shuffled"
            else OptionOrder("reversed" if how == "reversed" else "as_given")
        )
    keys = node.mapping(ORDER_KEYS)
    if len(keys) != 1:
        node.refuse("an order of options is one of rotated and shuffled", remedy="Write {rotated: 1}")
    if "rotated" in keys:
        return OptionOrder("rotated", keys["rotated"].whole(low=1))
    return OptionOrder("shuffled", keys["shuffled"].whole())


def read_shots(node: Node, *, folder: Path, seed: int) -> ShotsSpec:
    """Return which examples are shown; a path is taken relative to ``folder``.

    Raises:
        InputError: a key or value that cannot be used.
    """
    keys = node.mapping(SHOT_KEYS)
    if "n" not in keys:
        node.refuse("the key 'n' is missing", remedy="Say how many: shots: {from: examples.jsonl, n: 3}")
    n, source, field = keys["n"].whole(), None, None
    if "from" in keys and isinstance(keys["from"].value, dict):
        named = keys["from"].mapping(("field",))
        if "field" not in named:
            keys["from"].refuse("the key 'field' is missing", remedy="Write from: {field: examples}")
        field = named["field"].text()
    elif "from" in keys:
        path = Path(keys["from"].text())
        own_path = path.suffix in ENDINGS and not path.is_absolute()
        source = str(folder / path) if own_path else str(path)
    if n and source is None and field is None:
        node.refuse(
            "the key 'from' is missing", remedy="Say where examples stand: from: examples.jsonl, or items"
        )
    return ShotsSpec(source=source, field=field, n=n, seed=keys["seed"].whole() if "seed" in keys else seed)
