"""Debian's Chromium under Playwright, and pages with items to open in it."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright (extra dev)")
    if CHROMIUM is None:
        pytest.skip("needs Chromium (apt install chromium)")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


@contextmanager
def opened(browser: Browser, path: Path, *, fragment: str = "", **context: Any) -> Iterator[Page]:
    """Open a file; every request but that of the file itself, and every error of a script, fails the test."""
    page = browser.new_page(**context)
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("dialog", lambda dialog: errors.append(f"dialog {dialog.message}"))
    page.goto(f"{path.as_uri()}{fragment}")
    try:
        yield page
        assert errors == []
        assert [url for url in asked if not url.startswith((path.as_uri(), "blob:"))] == []
    finally:
        page.close()


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds; Playwright's own waiting evaluates text, which the policy of the page forbids."""
    for _ in range(1200):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to hold within a minute")


def written(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def answers(system: str, *, n: int, right: int, step: int, **more: Any) -> list[dict[str, Any]]:
    """Return rows of a table with questions and answers: item i is right when ``i * step % n < right``."""
    return [
        {
            "system": system,
            "item": f"q-{i:05d}",
            "value": int(i * step % n < right),
            "segment.topic": ("sums", "dates", "names")[i % 3],
            "input": f"What is {i} plus {i + 1}?",
            "target": str(2 * i + 1),
            "output": f"The sum of both is {2 * i + 1 + int(i * step % n >= right)}, says {system}.",
            **more,
        }
        for i in range(n)
    ]
