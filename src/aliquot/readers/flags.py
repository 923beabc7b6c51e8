"""Which reading options have a flag on the command line; no imports, as every command starts with these names."""

from __future__ import annotations

COLUMNS = ("item", "system", "value", "attempt", "status", "note")
"""Columns of a table that ``--<name>-column`` can name."""

PLAIN = (
    "reader",
    "wide",
    "missing",
    "encoding",
    "delimiter",
    "decimal",
    "duplicates",
    "kind",
    "low",
    "high",
    "better",
)
"""Reading options that go by their own name."""
