"""``make bench``: every benchmark, and the page ``docs/benchmarks.md``."""

from __future__ import annotations

import os
import platform
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from benchmarks.measure import Measured

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"
MODULES = (
    "startup",
    "inspect_log",
    "lm_eval_log",
    "bootstrap",
    "clusters",
    "planning",
    "all_pairs",
    "max_t",
    "asking",
    "report",
    "labelling",
)

HEAD = """---
orphan: true
---

# Benchmarks

CPU seconds (user and system), each side in a process of its own, the sides in turn, medians. A target is
stated in a reference: Aliquot may take the allowed number of times as long. What a
browser takes is by the clock (Chromium, a page opened from disk). Written by `make bench`.

| work | Aliquot | peer | peer takes | reference | Aliquot takes | allowed | |
|---|---|---|---|---|---|---|---|
"""


def main() -> int:
    rows: list[Measured] = []
    for name in MODULES:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        rows += import_module(f"benchmarks.{name}").measure()
    page = HEAD + "\n".join(map(line, rows)) + f"\n\n{machine()}\n"
    PAGE.write_text(page, encoding="utf-8")
    print(page)
    return 0 if all(row.holds for row in rows) else 1


def line(row: Measured) -> str:
    peer = "–" if row.peer_seconds is None else f"{row.peer_seconds / row.seconds:.3g} × as long"
    taken = f"{row.seconds / row.limit_seconds:.2f} ×"
    word = "holds" if row.holds else "does not hold"
    cells = (row.work, f"{row.seconds:.3g} s", row.peer, peer, row.limit, taken, f"{row.allowed:g} ×", word)
    return f"| {' | '.join(cells)} |"


def machine() -> str:
    named = ("aliquot", "numpy", "scipy", "polars", "msgspec", "click")
    packages = ", ".join(f"{name} {version(name)}" for name in named)
    system = f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}"
    return f"Measured on {system}, Python {platform.python_version()}; {packages}."


if __name__ == "__main__":
    sys.exit(main())
