"""What a log tells of its items besides what they ask: short fields that may part them into segments or clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from aliquot.errors import UsageError, nearest
from aliquot.evidence.identity import text_of

LONGEST: Final = 120
"""Characters of a text that may name a group; longer ones are content."""

MAX_FIELDS: Final = 40


def item_fields(
    items: Mapping[str, Mapping[str, Any]], *, cluster: str | None = None
) -> dict[str, dict[str, str]]:
    """Return for each item its cluster and its segments, as columns of the table of items.

    A field becomes a segment when its values are short and some items share one.

    Args:
        items: item → what the log tells of it.
        cluster: the field that names the cluster; ``cluster`` itself when it is there and none is named.

    Raises:
        UsageError: no item has the named field.

    Examples:
        >>> item_fields({"1": {"topic": "law", "n": 1}, "2": {"topic": "law", "n": 2}})["1"]
        {'segment.topic': 'law'}
    """
    columns: dict[str, dict[str, str]] = {}
    for item, told in items.items():
        for name, value in told.items():
            if isinstance(value, str | bool | int) and 0 < len(text := text_of(value) or "") <= LONGEST:
                columns.setdefault(name, {})[item] = text
    if cluster is not None and cluster not in columns:
        raise UsageError(f"the items have no field {cluster!r}. {nearest(cluster, columns)}")
    chosen = cluster or ("cluster" if "cluster" in columns else None)
    shared = [name for name, cells in columns.items() if _parts(cells.values()) and name != chosen]
    found: dict[str, dict[str, str]] = {item: {} for item in items}
    for name in shared[:MAX_FIELDS]:
        for item, text in columns[name].items():
            found[item][f"segment.{name}"] = text
    for item, text in columns.get(chosen or "", {}).items():
        found[item]["cluster"] = text
    return found


def _parts(values: Sequence[str] | Any) -> bool:
    cells = list(values)
    return 0 < len(set(cells)) < len(cells)
