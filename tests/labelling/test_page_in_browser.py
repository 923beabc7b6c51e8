"""The page of raters in a real browser: two raters by keyboard, a lost network, a killed server, and no label lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from aliquot import agree
from aliquot.labelling.label_project import LabelProject
from tests.labelling.projects import project
from tests.reports.browser import browser, until

pytestmark = pytest.mark.heavy

__all__ = ["browser"]


def start(folder: Path, port: int) -> tuple[subprocess.Popen[str], int]:
    """Start the command on a project, and return it with its port once it listens."""
    command = [sys.executable, "-m", "aliquot", "label", str(folder), "--json", "--port", str(port)]
    running = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert running.stdout is not None
    for line in running.stdout:
        told = json.loads(line)
        if told["event"] == "owner":
            return running, int(told["link"].split(":")[2].split("/")[0])
    raise AssertionError("it did not start")


def end(running: subprocess.Popen[str]) -> None:
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()


def text_of(page) -> str:
    return page.locator("#task").inner_text()


def test_two_raters_lose_nothing_whatever_breaks(browser, tmp_path):
    made = project(tmp_path, raters=("ana", "ben"), n=30, overlap=30)
    tokens = {one.name: one.token for one in made.raters()}
    made.close()
    folder = tmp_path / "p"
    running, port = start(folder, 0)
    contexts = {name: browser.new_context() for name in tokens}
    pages = {name: context.new_page() for name, context in contexts.items()}
    said: dict[str, dict[str, str]] = {"ana": {}, "ben": {}}
    try:
        for name, page in pages.items():
            page.goto(f"http://127.0.0.1:{port}/r/{tokens[name]}")
        for at in range(30):
            if at in {8, 11}:
                contexts["ben"].set_offline(at == 8)
            if at == 15:
                end(running)
            if at == 17:
                running, port = start(folder, port)
            for name, page in pages.items():
                until(lambda page=page: "What is" in text_of(page))
                item, label = judged(text_of(page), strict=name == "ana" or at % 7 > 0)
                said[name][item] = label
                press(page, label, last=at == 29)
            if at == 10:
                assert "3 answers are kept in this browser" in pages["ben"].locator("#status").inner_text()
        for page in pages.values():
            until(lambda page=page: page.locator("body").get_attribute("data-waiting") == "0")
            until(lambda page=page: "All done" in text_of(page))
    finally:
        end(running)
        for context in contexts.values():
            context.close()
    again = LabelProject(folder)
    again.export(folder)
    frame = again.labels().frame
    assert frame.height == 60
    kept = {name: dict(frame.filter(rater=name).select("item", "label").iter_rows()) for name in said}
    assert kept == said
    shown, exported = again.state().agreement["label"], agree(folder / "labels.csv")
    assert shown.coefficients[0].name == "cohen_kappa"
    assert shown.coefficients[0] == exported.coefficients[0]
    assert shown.confusion == exported.confusion


def judged(text: str, *, strict: bool) -> tuple[str, str]:
    """The item that is shown, and what a rater says of it who looks, or does not."""
    asked = int(text.split("What is ")[1].split(" plus", maxsplit=1)[0])
    right = f"It is {2 * asked}." in text
    return f"item-{asked:04}", "pass" if right or not strict else "fail"


def press(page, label: str, *, last: bool) -> None:
    """Say it by key, by letter or by number, and wait for the next answer."""
    before = text_of(page)
    page.keyboard.press("p" if label == "pass" else "2")
    if not last:
        until(lambda: text_of(page) != before)
