"""The page of a report: how soon a browser shows it, how large it is, and what writing it takes."""

from __future__ import annotations

import json
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from aliquot import report
from benchmarks.measure import Measured, call_cpu

BROWSERS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
REPEATS = 5
PAINT = "() => performance.getEntriesByType('paint').find((one) => one.name === 'first-contentful-paint')?.startTime"
LIST = "() => document.querySelector('ol.items a') && performance.now()"


@dataclass(frozen=True, slots=True)
class Size:
    """What a report is made of: items of two systems, and the characters of an answer."""

    work: str
    items: int
    characters: int


SIZES = (
    Size("10,000 items, answers of 500 characters", 10_000, 500),
    Size("60 items, answers of 5 MB", 60, 5_000_000),
)


@dataclass(frozen=True, slots=True)
class Written:
    """What writing took: CPU seconds, seconds and bytes of memory at the peak; and the bytes of the page."""

    cpu: float
    wall: float
    memory: int
    size: int


def measure() -> list[Measured]:
    rows: list[Measured] = []
    with _browser() as browser:
        for size in SIZES:
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                write_log(folder / "log.jsonl", size)
                written = write_report(folder)
                loads = [load(browser, folder / "report.html") for _ in range(REPEATS)]
            paint, usable = (statistics.median(one) for one in zip(*loads, strict=True))
            print(f"{size.work}: {written}, paint {paint:.2f} s, list {usable:.2f} s", file=sys.stderr)
            made = (
                f"page of {written.size / 1e6:.1f} MB, written in {written.wall:.1f} s "
                f"({written.cpu:.1f} s of CPU, peak {written.memory / 1e6:.0f} MB)"
            )
            rows += [
                Measured(f"report of {size.work}: first paint; {made}", paint, "1 s, by the clock", 1.0, 1.0),
                Measured(
                    f"report of {size.work}: the list of items is there",
                    usable,
                    "2 s, by the clock",
                    2.0,
                    1.0,
                ),
            ]
    return rows


@contextmanager
def _browser() -> Generator[Browser]:
    path = next(name for name in BROWSERS if Path(name).exists())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def load(browser: Browser, path: Path) -> tuple[float, float]:
    """Return the seconds after which something is painted, and those after which the items are listed."""
    page = browser.new_page()
    try:
        page.goto(path.as_uri(), wait_until="commit")
        paint = usable = None
        while paint is None or not usable:
            time.sleep(0.01)
            usable = usable or page.evaluate(LIST)
            paint = page.evaluate(PAINT)
        return paint / 1000, usable / 1000
    finally:
        page.close()


def write_report(folder: Path) -> Written:
    """Write the report in a process of its own."""

    def run() -> None:
        began = time.perf_counter()
        report(folder / "log.jsonl", output=folder / "report.html")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        (folder / "taken").write_text(json.dumps((time.perf_counter() - began, peak)))

    cpu = call_cpu(run)()
    wall, peak = json.loads((folder / "taken").read_text())
    return Written(cpu=cpu, wall=wall, memory=peak, size=(folder / "report.html").stat().st_size)


def write_log(path: Path, size: Size) -> None:
    """Two systems, right on 70% and 74% of the items, with answers of random words."""
    draw = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(draw.choices(letters, k=draw.randint(2, 9))) for _ in range(5000)]
    asked = [" ".join(draw.choices(words, k=12)) for _ in range(size.items)]
    with path.open("w", encoding="utf-8") as file:
        for system, rate in (("main", 0.70), ("pr", 0.74)):
            for number in range(size.items):
                answer = " ".join(draw.choices(words, k=size.characters // 5))[: size.characters]
                row = {
                    "system": system,
                    "item": f"q-{number:05}",
                    "value": int(draw.random() < rate),
                    "segment.topic": ("sums", "dates", "names")[number % 3],
                    "input": asked[number],
                    "target": words[number % len(words)],
                    "output": answer,
                }
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    for row in measure():
        print(row)
