"""Record what `aliquot demo` compares offline: the live demo's two systems over the whole item set.

Run from the repository, on a quiet machine, after `aliquot model`:

    .venv/bin/python benchmarks/make_demo_logs.py [FOLDER]

Asks about 460 questions of the embedded model on one thread (about four minutes when nothing else runs) into a run
directory under FOLDER (default: a temporary one; give one to be able to go on after an interrupt), and writes
src/aliquot/item_sets/bundled/demo_chat.csv and demo_few_shot.csv: one row an item, in the columns of a long table.
A value is 1 or 0; it is empty where the answer could not be scored, and `status` says why.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import polars as pl

from aliquot import item_sets
from aliquot.evidence.tables import Evidence
from aliquot.runner.evaluation_file import read_evaluation
from aliquot.runner.progress import Progress
from aliquot.verbs.run import run

BUNDLED = Path(item_sets.__file__).parent / "bundled"
FILES = {"chat": "demo_chat.csv", "few-shot": "demo_few_shot.csv"}
KEY = ["system", "task", "item", "attempt"]


class Printed:
    """Prints a line every 20 answers."""

    def started(self, progress: Progress) -> None:
        print(f"{progress.total} answers to get, {progress.kept} kept")

    def answered(self, progress: Progress) -> None:
        if progress.done % 20 == 0:
            print(f"{progress.done} of {progress.total}, {progress.rate or 0:.2f} a second", flush=True)

    def noted(self, text: str) -> None:
        print(text)


def table(evidence: Evidence, system: str) -> pl.DataFrame:
    """Return one system's outcomes as a long table, sorted by item."""
    outcomes = evidence.outcomes.filter(pl.col("system") == system)
    items = evidence.items.select("task", "item", "cluster", pl.col("segment.segment").alias("segment.kind"))
    latencies = evidence.responses.select(*KEY, pl.col("latency_s").round(3))
    joined = outcomes.join(items, on=["task", "item"]).join(latencies, on=KEY)
    return joined.select(*KEY, "metric", "value", "status", "cluster", "segment.kind", "latency_s").sort(
        "item"
    )


def main() -> None:
    folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="aliquot-demo-")
    whole = replace(read_evaluation(BUNDLED / "demo.yaml"), sample=None, name="demo-whole")
    finished = run(whole, directory=folder, observer=Printed(), threads=1)
    for system, name in FILES.items():
        rows = table(finished.evidence, system)
        rows.write_csv(BUNDLED / name)
        print(name, rows.height, "rows, mean of the values:", rows["value"].fill_null(0).mean())


if __name__ == "__main__":
    main()
