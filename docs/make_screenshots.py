"""Write the pictures of ``docs/report.md`` and ``docs/labelling.md``: ``make screenshots``. Needs Chromium.

The data are an order desk that answers 240 questions: the later prompt is better at dates and forgets the shipping.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from playwright.sync_api import Browser, Page, sync_playwright

from aliquot import LabelDraw, LabelProject, RaterChecks, label, read, report
from aliquot.labelling.events import Event

IMAGES = Path(__file__).parent / "images"
ITEMS = 240
WIDE = 1000
EDGES = "(one) => { const { top, bottom } = one.getBoundingClientRect(); return [top + scrollY, bottom + scrollY]; }"
TOPICS = ("refund", "delivery", "invoice", "account")
PRODUCTS = ("a kettle", "two lamps", "a rain coat", "a desk", "headphones", "a garden hose")


def rows(system: str) -> Iterator[dict[str, Any]]:
    """Yield what a system did: a row an item."""
    draw = random.Random(system)
    newer = system == "prompt-v2"
    for number in range(ITEMS):
        topic = TOPICS[number % 4]
        price, day = 12 + number * 7 % 90, 1 + number % 14
        right = (number * 37 % 100) < (80 if topic == "delivery" and newer else 66 + 7 * newer)
        if newer and number % 29 == 0:
            right = False
        due = price + 4
        yield {
            "system": system,
            "item": f"{topic}-{number:03d}",
            "value": int(right),
            "segment.topic": topic,
            "segment.customer": ("new", "returning")[number // 4 % 2],
            "input": f"I ordered {PRODUCTS[number % 6]} for {price} euros on {day} March, shipping was 4 euros, and I "
            f"sent it back unused on {day + 3} March. How much do I get back, and by when?",
            "target": f"{due} euros, by {day + 17} March",
            "output": _answer(newer=newer, right=right, price=price, day=day),
            "note": "Sum and date are as expected."
            if right
            else "The sum leaves out the shipping, which is refunded.",
            "latency_s": round(draw.lognormvariate(0.7 + 0.15 * newer, 0.45), 2),
            "cost": round(draw.uniform(0.0021, 0.0042) * (0.8 if newer else 1), 5),
            "currency": "EUR",
            "tokens_out": draw.randint(60, 160),
        }


def _answer(*, newer: bool, right: bool, price: int, day: int) -> str:
    start = "Thank you for writing. " if newer else "Hello! "
    total = price + 4 if right else price
    said = "with the shipping" if right else "for the goods"
    return (
        f"{start}You sent it back within 14 days, so you get your money back {said}: {total} euros. "
        f"The refund arrives by {day + 17} March"
        + (", on the card you paid with." if newer else ". Is there anything else?")
    )


def make_report(folder: Path) -> Path:
    """Write the logs and the report of both systems."""
    for system in ("prompt-v1", "prompt-v2"):
        text = "".join(f"{json.dumps(row)}\n" for row in rows(system))
        (folder / f"{system}.jsonl").write_text(text, encoding="utf-8")
    logs = (folder / "prompt-v1.jsonl", folder / "prompt-v2.jsonl")
    path, _ = report(*logs, margin="3pt", output=folder / "report.html")
    return path


def make_project(folder: Path, name: str, **asked: Any) -> LabelProject:
    """Return a project on both prompts' answers."""
    logs = read(folder / "prompt-v1.jsonl", folder / "prompt-v2.jsonl")
    draw, check = LabelDraw(n=80, half_width="8pt"), RaterChecks(overlap=40)
    return label(logs, raters=["ana", "ben"], project=folder / name, draw=draw, check=check, **asked)


def say(project: LabelProject, *, share: float) -> None:
    """Label a share of each list: ben lets pass some of what ana does not."""
    draw = random.Random(5)
    answers = project.store.answers()
    for rater, lax in (("ana", 0.1), ("ben", 0.5)):
        places = project.store.places(rater)
        for number, place in enumerate(places[: round(share * len(places))]):
            right = bool(answers[place.answer].verdict) or draw.random() < lax
            said = Event(
                id=f"{rater}-{number:05}", place=place.place, kind="label", rubric=project.form.rubric,
                said={"label": "pass" if right else "fail"}, seconds=draw.uniform(18, 40), unsure=number % 11 == 3,
            )  # fmt: skip
            made = msgspec.structs.replace(said, age_ms=1000.0 * (len(places) - number))
            project.store.record(rater, [made], now=project.clock())


def take_labelling(browser: Browser, folder: Path) -> None:
    """Write the pictures of a rater's page, of a pair in the dark, and of the owner's page."""
    alone = make_project(folder, "alone")
    say(alone, share=0.85)
    with alone.serve() as server:
        page = browser.new_page(viewport={"width": WIDE, "height": 900}, color_scheme="light")
        page.goto(server.link(alone.raters()[0]))
        page.wait_for_selector("button.choice")
        take(page, "label-answer", first="header", last="#note")
        page.goto(server.owner_link)
        take(
            page,
            "label-owner",
            first="header",
            last="#differ",
        )
    pairs = make_project(folder, "pairs", pairwise=True)
    with pairs.serve() as server:
        page = browser.new_page(viewport={"width": WIDE, "height": 900}, color_scheme="dark")
        page.goto(server.link(pairs.raters()[0]))
        page.wait_for_selector("button.choice")
        take(page, "label-pair", first="header", last="#note")


def take(page: Page, name: str, *, first: str, last: str) -> None:
    """Write the part of a page from one element to the end of another."""
    top, bottom = (page.locator(one).first.evaluate(EDGES)[side] for side, one in enumerate((first, last)))
    page.screenshot(
        path=IMAGES / f"{name}.png",
        clip={"x": 0, "y": max(0, top - 12), "width": WIDE, "height": bottom - top + 24},
        full_page=True,
    )


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        made = make_report(Path(folder)).as_uri()
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDE, "height": 900}, color_scheme="light")
        page.goto(made)
        take(page, "report-top", first="header", last="h1 ~ figure")
        take(page, "report-pictures", first="#pictures", last="#pictures")
        take(page, "report-items", first="#items", last="ol.items li:nth-child(12)")
        page.goto(f"{made}#item=delivery-145")
        take(page, "report-item", first="article.detail", last="article.detail")
        take_labelling(browser, Path(folder))
        browser.close()


if __name__ == "__main__":
    main()
