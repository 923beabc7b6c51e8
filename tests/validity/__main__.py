"""Run the grid, or parts of it, and write the page: ``python -m tests.validity [section …] [--reps N]``."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from tests.validity.cells import Result
from tests.validity.grid import SECTIONS
from tests.validity.page import failures, written

ROOT = Path(__file__).resolve().parents[2]
STORE = ROOT / "build" / "validity.json"
PAGE = ROOT / "docs" / "validity.md"


def main() -> None:
    """Run the sections named (all when none is), keep what earlier runs found of the others, write the page."""
    known = [section.name for section in SECTIONS]
    parser = argparse.ArgumentParser(prog="python -m tests.validity", description=main.__doc__)
    parser.add_argument("sections", nargs="*", metavar="section", help=f"any of: {', '.join(known)}")
    parser.add_argument("--reps", type=int, default=1000, help="data sets in a simulated cell (1000)")
    parser.add_argument("--page-only", action="store_true", help="write the page from what is stored")
    chosen = parser.parse_args()
    unknown = set(chosen.sections) - set(known)
    if unknown:
        parser.error(f"unknown section {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    results = stored()
    if not chosen.page_only:
        run(chosen.sections or known, reps=chosen.reps, results=results)
    PAGE.write_text(written(results), encoding="utf-8")
    for section in SECTIONS:
        for failure in failures(section, results):
            print(f"not met: {section.name}: {failure}")  # noqa: T201 - a command says how far it is
    print(PAGE.relative_to(ROOT))  # noqa: T201 - a command says how far it is


def run(names: list[str], *, reps: int, results: dict[str, Result]) -> None:
    """Run whole sections; what is found is stored after each, so that a stopped run loses little."""
    for section in SECTIONS:
        if section.name not in names:
            continue
        began = time.perf_counter()
        for cell in section.cells():
            results[cell.key] = cell.run(max(1, round(reps * section.share)), cell.seed)
        STORE.parent.mkdir(exist_ok=True)
        STORE.write_text(
            json.dumps({key: found.stored() for key, found in results.items()}), encoding="utf-8"
        )
        print(f"{section.name}: {time.perf_counter() - began:.0f} s", flush=True)  # noqa: T201 - a command says how far it is


def stored() -> dict[str, Result]:
    """Results of earlier runs, of the cells that the grid still has."""
    if not STORE.exists():
        return {}
    keys = {cell.key for section in SECTIONS for cell in section.cells()}
    found = json.loads(STORE.read_text(encoding="utf-8"))
    return {key: Result(**values) for key, values in found.items() if key in keys}


if __name__ == "__main__":
    main()
