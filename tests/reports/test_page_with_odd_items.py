"""Items that a page could mistake for something of its own: odd field names, ids alike, long ids and texts, notes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from aliquot import report
from tests.reports.browser import browser, opened, until, written

pytestmark = pytest.mark.heavy

__all__ = ["browser"]


def page_of(folder: Path, ids: list[str], **more: Any) -> Path:
    """Write the page of two systems, of which the second breaks every item."""
    rows = [
        {"system": system, "item": item, "value": int(system == "a"), "output": f"said of {place}"}
        | {name: value[place] for name, value in more.items()}
        for system in "ab"
        for place, item in enumerate(ids)
    ]
    return report(written(folder / "log.jsonl", rows), output=folder / "report.html")[0]


NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty"]


def test_fields_and_ids_may_be_called_as_parts_of_every_object(browser, tmp_path):
    values = {f"segment.{name}": ["x", "y", "x", "y"] for name in NAMES}
    path = page_of(tmp_path, NAMES, **values)
    with opened(browser, path, fragment="#item=__proto__") as page:
        assert page.locator("article.detail h3 .id").inner_text() == "__proto__"
        page.get_by_role("link", name="Back to the list").click()
        for name in NAMES:
            box = page.locator(".controls label", has_text=name).locator("select")
            box.select_option("x")
            assert page.locator("[role=status]").inner_text() == "2 of 4 items"
            box.select_option("")


def test_ids_that_look_alike_are_items_of_their_own(browser, tmp_path):
    path = page_of(tmp_path, ["a\u200bb", "a\\u200bb", "plain"])
    with opened(browser, path) as page:
        links = page.locator("ol.items a")
        found = []
        for place in range(links.count()):
            links.nth(place).click()
            until(page.locator("article.detail").is_visible)
            found.append(page.locator(".pane pre").first.inner_text())
            page.get_by_role("link", name="Back to the list").click()
        assert sorted(found) == ["said of 0", "said of 1", "said of 2"]


def test_the_link_to_a_long_id_is_whole(browser, tmp_path):
    name = "\u6570" * 700
    path = page_of(tmp_path, [name, "other"])
    with opened(browser, path) as page:
        page.locator(".ids a").last.click()
        until(page.locator("article.detail").is_visible)
        assert page.locator("article.detail h3 .id").inner_text() == name


def test_search_reads_long_texts_to_their_end(browser, tmp_path):
    path = page_of(tmp_path, ["long", "short"], input=["word " * 2000 + "NEEDLE", "none"])
    with opened(browser, path) as page:
        said = page.locator("[role=status]")
        page.get_by_label("search").fill("needle")
        until(lambda: said.inner_text() == "1 of 2 items")
        page.get_by_label("search").fill("word needle")
        until(lambda: said.inner_text() == "1 of 2 items")
        page.get_by_label("search").fill("r0")
        until(lambda: said.inner_text() == "0 of 2 items")


def test_notes_on_items_that_a_later_page_lacks_are_kept(browser, tmp_path):
    context = browser.new_context()
    try:
        page = context.new_page()
        for ids, wanted in (
            (["kept", "gone"], ["kept", "gone"]),
            (["kept"], ["kept"]),
            (["kept", "gone"], []),
        ):
            path = page_of(tmp_path, ids)
            for item in wanted:
                page.goto(f"{path.as_uri()}#item={item}")
                page.reload()
                page.locator("textarea").fill(f"note on {item}, {len(ids)}")
        page.goto(f"{path.as_uri()}#item=gone")
        page.reload()
        assert page.locator("textarea").input_value() == "note on gone, 2"
        assert page.get_by_text("Export notes (2)").count() == 1
    finally:
        context.close()
