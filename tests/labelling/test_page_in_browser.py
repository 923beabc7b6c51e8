"""The page of raters in a real browser: two raters by keyboard, a lost network, a killed server, and no label lost."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import polars as pl
import pytest

from aliquot import agree, labels_from
from aliquot.labelling.events import Event
from aliquot.labelling.label_project import LabelProject
from tests.labelling.projects import answers, project, served
from tests.reports.browser import browser, until

pytestmark = pytest.mark.heavy

__all__ = ["browser"]


def own_port() -> int:
    """Return a free port below those that the system gives away, so that it is still free after a restart."""
    for port in random.SystemRandom().sample(range(20_000, 32_000), 50):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")


def start(folder: Path, port: int) -> subprocess.Popen[str]:
    """Start the command on a project, and return it once it listens."""
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
        if json.loads(line)["event"] == "owner":
            return running
    raise AssertionError("it did not start")


def end(running: subprocess.Popen[str]) -> None:
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()


def text_of(page) -> str:
    return page.locator("#task").inner_text()


def until_waiting(page, n: int) -> None:
    """Wait until this many answers are kept in the browser alone, and it says so."""
    until(lambda: page.locator("body").get_attribute("data-waiting") == str(n))
    assert n == 0 or f"{n} answers are kept in this browser" in page.locator("#status").inner_text()


def test_two_raters_lose_nothing_whatever_breaks(browser, tmp_path):
    made = project(tmp_path, raters=("ana", "ben"), n=30, overlap=30)
    tokens = {one.name: one.token for one in made.raters()}
    made.close()
    folder = tmp_path / "p"
    port = own_port()
    running = start(folder, port)
    contexts = {name: browser.new_context() for name in tokens}
    pages = {name: context.new_page() for name, context in contexts.items()}
    said: dict[str, dict[str, str]] = {"ana": {}, "ben": {}}
    try:
        for name, page in pages.items():
            page.goto(f"http://127.0.0.1:{port}/r/{tokens[name]}")
        for at in range(30):
            if at in {8, 11}:
                until_waiting(pages["ben"], 0 if at == 8 else 3)  # a slow disk acknowledges late
                contexts["ben"].set_offline(at == 8)
            if at == 15:
                end(running)
            if at == 17:
                running = start(folder, port)
            for name, page in pages.items():
                until(lambda page=page: "What is" in text_of(page))
                item, label = judged(text_of(page), strict=name == "ana" or at % 7 > 0)
                said[name][item] = label
                press(page, label, last=at == 29)
        for page in pages.values():
            until_waiting(page, 0)
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


@contextmanager
def at(browser, made, name: str = "ana", **context):
    """A rater's page; errors of its script, and what its policy refuses, fail the test."""
    with served(made) as (server, _):
        rater = next(one for one in made.store.raters() if one.name == name)
        holder = browser.new_context(**context)
        page = holder.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.on("dialog", lambda dialog: errors.append(f"dialog {dialog.message}"))
        page.goto(server.link(rater))
        until(lambda: page.locator("#task h2").count() > 0)
        try:
            yield page, server
        finally:
            holder.close()
    assert errors == [] or "bypass_csp" in context  # without the policy a browser asks for an icon too


def kept(made, name: str = "ana") -> list[tuple[str, str]]:
    return [
        (told.event.kind, str(told.event.said.get("label", "")))
        for told in made.store.history()
        if told.rater == name
    ]


def test_undo_note_unsure_and_skip_by_keyboard_alone(browser, tmp_path):
    made = project(tmp_path, n=6, overlap=6)
    with at(browser, made) as (page, _):
        press(page, "pass", last=False)
        until(lambda: len(kept(made)) == 1)
        page.keyboard.press("z")
        until(lambda: "Taken back" in page.locator("#status").inner_text())
        page.keyboard.press("n")
        page.keyboard.type("1 pass skip z")  # letters of a note are no keys
        page.keyboard.press("Escape")
        page.keyboard.press("u")
        press(page, "fail", last=False)
        page.keyboard.press("s")
        page.keyboard.press("2")
        until(lambda: len(kept(made)) == 4)
        page.keyboard.press("k")
        until(lambda: "Skipped before: The text is broken or cut" in page.locator("#status").inner_text())
        page.keyboard.press("k")
        until(lambda: page.locator("#note").input_value() == "1 pass skip z")
        page.keyboard.press("p")  # a change of mind is a new version
        until(lambda: len(kept(made)) == 5)
        until(lambda: page.locator("#count").inner_text().startswith("2 of 6"))
    assert kept(made) == [("label", "pass"), ("undo", ""), ("label", "fail"), ("skip", ""), ("label", "pass")]
    [first, second] = list(made.store.live(rater="ana"))
    assert (first.event.said["label"], first.event.note, first.event.unsure) == (
        "pass",
        "1 pass skip z",
        True,
    )
    assert second.event.reason == "The text is broken or cut"


def test_a_double_click_is_one_label_of_one_answer(browser, tmp_path):
    made = project(tmp_path, n=6, overlap=6)
    with at(browser, made) as (page, _):
        for done in (1, 2):
            page.get_by_role("button", name="pass").dblclick()
            until(lambda done=done: len(kept(made)) == done)
            until(lambda done=done: page.locator("#count").inner_text().startswith(f"{done} of 6"))
    assert made.labels().frame.height == 2


def test_what_is_begun_is_there_after_a_reload_and_in_two_windows_nothing_is_doubled(browser, tmp_path):
    made = project(tmp_path, n=6, overlap=6)
    with at(browser, made) as (page, _):
        page.keyboard.press("n")
        page.keyboard.type("half a thought")
        page.reload()
        until(
            lambda: (
                page.locator("#note").count() == 1 and page.locator("#note").input_value() == "half a thought"
            )
        )
        other = page.context.new_page()
        other.goto(page.url)
        until(lambda: "What is" in text_of(other))
        assert text_of(other) == text_of(page)
        press(other, "pass", last=False)
        press(page, "fail", last=False)  # the same answer, said again
        until(lambda: len(kept(made)) == 2)
    assert made.labels().frame["label"].to_list() == ["fail"]


def test_labels_wait_in_the_browser_when_it_is_closed_while_the_server_is_away(browser, tmp_path):
    made = project(tmp_path, n=6, overlap=6)
    holder = browser.new_context()
    link = ""
    with served(made) as (server, clients):
        port, link = server.port, f"{server.root}{clients['ana'].path}"
        page = holder.new_page()
        page.goto(link)
        until(lambda: "What is" in text_of(page))
    press(page, "pass", last=False)
    press(page, "pass", last=False)
    page.close()
    assert kept(made) == []
    with made.serve(port=port):
        again = holder.new_page()
        again.goto(link)
        until(lambda: len(kept(made)) == 2)
        until(lambda: again.locator("#count").inner_text().startswith("2 of 6"))
    holder.close()


def test_hostile_texts_do_nothing(browser, tmp_path):
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    hostile += "<a href='javascript:alert(3)'>x</a>\u202e```\n<b>"
    evidence = answers(8, input=[hostile] * 8, output=[hostile] * 8, target=[hostile] * 8)
    made = project(tmp_path, evidence=evidence, n=6, overlap=6, codes=True)
    with at(browser, made) as (page, server):
        assert "<img src=x onerror=alert(2)>" in text_of(page)
        assert page.locator("#task img, #task script, #task a, #task b").count() == 0
        page.locator("#kind").fill("<img src=x onerror=alert(4)>")
        page.keyboard.press("Enter")
        page.locator("#note").fill("<script>alert(5)</script>")
        page.locator("#send").click()
        until(lambda: len(kept(made)) == 1)
        page.goto(server.owner_link)
        assert page.locator("img").count() == 0


def test_the_training_shows_what_was_meant(browser, tmp_path):
    known = labels_from(
        pl.DataFrame({"item": ["item-0001", "item-0002", "item-0003"], "label": ["pass"] * 3})
    )
    made = project(tmp_path, n=6, overlap=6, known=known, train=3, pass_mark=1.0)
    with at(browser, made) as (page, _):
        for key, meant in (("2", "Meant was: pass"), ("1", "As it was meant."), ("1", "As it was meant.")):
            until(lambda: page.locator("button.choice").count() == 2)
            page.keyboard.press(key)
            until(lambda meant=meant: meant in page.locator(".panel").inner_text())
            if page.locator(".panel").inner_text().count("needed"):
                assert (
                    "2 of 3 as meant; 3 are needed. Another round follows."
                    in page.locator(".panel").inner_text()
                )
            page.keyboard.press("Enter")
            until(lambda: page.locator("#go").count() == 0)
        until(lambda: "round 2" in text_of(page))


def test_several_questions_are_answered_by_keyboard_and_sent_with_enter(browser, tmp_path):
    tone = tmp_path / "tone.yaml"
    tone.write_text("name: tone\nasks: How kind?\nscale: {1: rude, 2: plain, 3: warm}\n", encoding="utf-8")
    points = tmp_path / "points.yaml"
    points.write_text("name: points\nasks: '?'\nchecklist: [names the sum, is polite]\n", encoding="utf-8")
    made = project(tmp_path, n=6, overlap=6, rubric=["correctness", tone, points], reference=True, codes=True)
    with at(browser, made) as (page, _):
        assert "It is" not in text_of(page)
        page.locator("#reference").fill("I would say 4")
        page.get_by_role("button", name="Show the answer").click()
        until(lambda: "It is" in text_of(page))
        page.keyboard.press("Enter")
        assert "Not answered yet" in page.locator("#status").inner_text()
        page.keyboard.press("1")
        page.keyboard.press("3")
        page.locator("fieldset").nth(2).locator("input").first.focus()
        page.keyboard.press("2")
        page.locator("#kind").fill("too long")
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        page.keyboard.press("Enter")
        until(lambda: len(kept(made)) == 2)
    [told] = list(made.store.live(rater="ana"))
    assert told.event.said == {
        "correctness": "correct",
        "tone": 3.0,
        "points": [False, True],
        "failures": ["too long"],
    }


def test_a_number_of_a_scale_is_its_own_key(browser, tmp_path):
    """On a scale from 0 the key 2 is the number 2, and not the second choice."""
    rubric = tmp_path / "use.yaml"
    rubric.write_text("name: use\nasks: '?'\nscale: {0: none, 1: some, 2: full}\n", encoding="utf-8")
    made = project(tmp_path, n=6, overlap=6, rubric=[rubric])
    with at(browser, made) as (page, _):
        for done, pressed in enumerate("201", start=1):
            assert page.locator(".choice kbd").all_inner_texts() == ["0", "1", "2"]
            page.keyboard.press(pressed)
            until(lambda done=done: page.locator("#count").inner_text().startswith(f"{done} of 6"))
        page.keyboard.press("3")  # none of its keys
        until(lambda: len(kept(made)) == 3)
    assert [told.event.said["use"] for told in made.store.history()] == [2.0, 0.0, 1.0]


def test_references_are_written_shown_and_skipped_by_keyboard_alone(browser, tmp_path):
    made = project(tmp_path, n=6, overlap=6, rubric=["correctness"], reference=True)
    with at(browser, made) as (page, _):
        page.keyboard.type("skip 1, I say 4")  # the field has the focus: letters are no keys
        page.keyboard.press("Control+Enter")
        until(lambda: "You wrote" in text_of(page))
        assert "skip 1, I say 4" in text_of(page)
        page.keyboard.press("1")
        until(lambda: "You wrote" not in text_of(page))
        page.keyboard.press("Escape")
        page.keyboard.press("s")
        page.keyboard.press("1")
        until(lambda: len(kept(made)) == 3)
    assert kept(made) == [("reference", ""), ("label", ""), ("skip", "")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1000, 800), (390, 800)])
def test_pages_meet_wcag_aa(browser, tmp_path, scheme, size):
    axe_core = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="needs axe-playwright-python"
    )
    made = project(tmp_path, n=10, overlap=10, rubric=["correctness"], codes=True)
    shape = {"viewport": {"width": size[0], "height": size[1]}, "color_scheme": scheme, "bypass_csp": True}
    with at(browser, made, **shape) as (page, server):
        page.keyboard.press("?")
        page.keyboard.press("s")
        assert violations(axe_core, page) == []
        assert page.locator("html").evaluate("one => one.scrollWidth <= one.clientWidth")
        for name in ("ana", "ben"):
            for told in made.store.places(name):
                step = Event(
                    id=f"{name}-{told.place}",
                    place=told.place,
                    kind="label",
                    said={"correctness": ["correct", "incorrect"][told.place % 2], "failures": []},
                    rubric=made.form.rubric,
                )
                made.store.record(name, [step], now=made.clock())
        page.goto(server.owner_link)
        assert violations(axe_core, page) == []
        assert page.locator("html").evaluate("one => one.scrollWidth <= one.clientWidth")


def violations(axe_core, page) -> list[str]:
    options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
    found = axe_core.Axe().run(page, options=options).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]
