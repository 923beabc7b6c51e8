"""A seeded sample of mutants of the statistics, each against its tests; exit 1 when too many live."""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from benchmarks.mutants.mutations import Mutant, mutants_of
from benchmarks.mutants.report import write_report
from benchmarks.mutants.trial import ROOT, STATS, Outcome, copy_tree, seconds_unchanged, try_mutant

ENOUGH = 0.85


def main() -> int:
    options = parse()
    modules = sorted(path for path in (ROOT / STATS).glob("*.py") if path.stem != "__init__")
    every = [
        mutant
        for path in modules
        if not options.only or path.stem in options.only
        for mutant in mutants_of(path)
    ]
    sample = random.Random(options.seed).sample(every, min(options.number, len(every)))
    with tempfile.TemporaryDirectory() as folder:
        outcomes, untested = run(
            sorted(sample, key=lambda m: (m.module, m.start)), Path(folder), workers=options.workers
        )
    share = write_report(outcomes, sites=len(every), seed=options.seed, untested=untested, page=options.page)
    print(f"{share:.1%} of {len(outcomes)} mutants noticed; {options.page}")
    return 0 if share > ENOUGH and not untested else 1


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--number", type=int, default=400)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--only", nargs="*", default=[], metavar="MODULE", help="modules of stats, by name")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "mutants.md")
    return parser.parse_args()


def run(sample: list[Mutant], folder: Path, *, workers: int) -> tuple[list[Outcome], list[str]]:
    """Try every mutant, ``workers`` at a time, each worker in a copy of its own."""
    trees: SimpleQueue[Path] = SimpleQueue()
    for number in range(workers):
        trees.put(copy_tree(folder / str(number)))
    limits = unchanged(sorted({mutant.module for mutant in sample}), trees)
    tried = [mutant for mutant in sample if limits[mutant.module] is not None]

    def attempt(mutant: Mutant) -> Outcome:
        tree = trees.get()
        try:
            outcome = try_mutant(tree, mutant, seconds=30 + 5 * (limits[mutant.module] or 0))
        finally:
            trees.put(tree)
        print(f"{outcome.word:9} {mutant.name[:100]}", file=sys.stderr, flush=True)
        return outcome

    with ThreadPoolExecutor(workers) as pool:
        outcomes = list(pool.map(attempt, tried))
    return outcomes, [module for module, seconds in limits.items() if seconds is None]


def unchanged(modules: list[str], trees: SimpleQueue[Path]) -> dict[str, float | None]:
    tree = trees.get()
    limits = {module: seconds_unchanged(tree, module) for module in modules}
    trees.put(tree)
    return limits


if __name__ == "__main__":
    sys.exit(main())
