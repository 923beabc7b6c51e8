"""What it costs to start: ``--help``, and a comparison of two small files."""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import Measured, alternate, command_cpu

PYTHON = sys.executable
ALIQUOT = str(Path(PYTHON).with_name("aliquot"))
PARTS = "import click, numpy, scipy.special, polars, msgspec, narwhals"


def measure() -> list[Measured]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_outcomes(folder)
        cpu = alternate(
            {
                "pass": command_cpu([PYTHON, "-c", "pass"], folder=folder),
                "help": command_cpu([ALIQUOT, "--help"], folder=folder),
                "parts": command_cpu([PYTHON, "-c", PARTS], folder=folder),
                "compare": command_cpu([ALIQUOT, "compare", "a.csv", "b.csv"], folder=folder),
            },
            repeats=7,
            warm_up=True,
        )
    return [
        Measured("`aliquot --help`", cpu["help"], "`python -c pass`", cpu["pass"], 5.0),
        Measured(
            "`aliquot compare`, two CSV files of 200 rows",
            cpu["compare"],
            f"`python -c '{PARTS}'`",
            cpu["parts"],
            1.4,
        ),
    ]


def write_outcomes(folder: Path) -> None:
    """Two systems on the same 200 items, right on 70% and 76%."""
    for name, rate, seed in (("a", 0.70, 1), ("b", 0.76, 2)):
        draw = random.Random(seed)
        rows = "".join(f"q{number:03},{int(draw.random() < rate)}\n" for number in range(200))
        (folder / f"{name}.csv").write_text(f"item,value\n{rows}", encoding="utf-8")
