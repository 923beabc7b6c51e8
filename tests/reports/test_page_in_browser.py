"""The page of a report in a real browser: filters, links, keys, notes, paper, and nothing from a log that acts."""

from __future__ import annotations

import csv
import json
import zlib
from pathlib import Path

import pytest

from aliquot import report
from tests.reports.browser import answers, browser, opened, until, written
from tests.shared import shared

pytestmark = pytest.mark.heavy

__all__ = ["browser"]

N = 240


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    rows = answers("main", n=N, right=180, step=7) + answers("pr", n=N, right=200, step=11)
    path, _ = report(written(folder / "log.jsonl", rows), output=folder / "report.html")
    return path


def test_it_opens_with_the_verdict_the_table_and_the_pictures(browser, page_file):
    with opened(browser, page_file) as page:
        assert page.locator("h1").inner_text().split(":")[0] in {"BETTER", "UNDECIDED"}
        assert page.locator("main table").first.is_visible()
        assert page.locator("svg[role=img]").count() >= 4
        assert page.locator("svg[role=img]").first.get_attribute("aria-label")


def test_items_are_filtered_by_change_segment_and_words(browser, page_file):
    with opened(browser, page_file) as page:
        said = page.locator("[role=status]")
        assert said.inner_text() == f"{N} of {N} items"
        page.get_by_label("newly failing").check()
        broke = int(said.inner_text().split()[0])
        assert 0 < broke < N
        assert all(text == "newly failing" for text in page.locator("ol.items .change").all_inner_texts())
        page.locator("label", has_text="topic").locator("select").select_option("dates")
        assert 0 < int(said.inner_text().split()[0]) < broke
        page.get_by_label("newly failing").uncheck()
        page.locator("label", has_text="topic").locator("select").select_option("")
        page.get_by_label("search").fill("what is 17 plus")
        until(lambda: said.inner_text().startswith("1 of"))
        assert page.locator("ol.items .id").all_inner_texts() == ["q-00017"]


def test_a_link_leads_to_an_item_and_both_answers_are_marked(browser, page_file):
    with opened(browser, page_file, fragment="#item=q-00120") as page:
        detail = page.locator("article.detail")
        assert "q-00120" in detail.locator("h3").inner_text()
        assert "What is 120 plus 121?" in detail.inner_text()
        assert detail.locator(".pane").count() == 2
        assert "main" in detail.locator(".pane mark").all_inner_texts()
        assert "says" not in " ".join(detail.locator(".pane mark").all_inner_texts())


def test_it_works_by_keyboard(browser, page_file):
    with opened(browser, page_file) as page:
        page.locator("ol.items a").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("article.detail h3")
        first = page.locator("article.detail h3 .id").inner_text()
        page.keyboard.press("j")
        until(lambda: page.locator("article.detail h3 .id").inner_text() != first)
        page.keyboard.press("k")
        until(lambda: page.locator("article.detail h3 .id").inner_text() == first)
        page.keyboard.press("Escape")
        page.wait_for_selector("ol.items", state="visible")
        assert page.locator("article.detail").is_hidden()


def test_failures_are_read_one_after_another_and_notes_are_exported_safely(browser, page_file, tmp_path):
    with opened(browser, page_file) as page:
        page.get_by_role("button", name="Read the failures").click()
        page.wait_for_selector("article.detail textarea")
        assert "failures, in random order" in page.locator("article.detail nav").inner_text()
        first = page.locator("article.detail h3 .id").inner_text()
        page.locator("textarea").fill('=HYPERLINK("x")')
        page.get_by_role("link", name="Next").click()
        until(lambda: page.locator("article.detail h3 .id").inner_text() != first)
        assert page.locator("article.detail .change").inner_text() in {"newly failing", "still failing"}
        page.get_by_role("link", name="Back to the list").click()
        with page.expect_download() as download:
            page.get_by_role("button", name="Export notes (1)").click()
        download.value.save_as(tmp_path / "notes.csv")
    with (tmp_path / "notes.csv").open(encoding="utf-8", newline="") as file:
        head, row = csv.reader(file)
    assert head == ["item", "change", "note"]
    assert row[0] == first
    assert row[2] == '\'=HYPERLINK("x")'


def test_axe_finds_no_fault_on_any_view(browser, page_file):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="needs axe-playwright-python"
    ).Axe()
    for scheme in ("light", "dark"):
        for fragment in ("", "#item=q-00003"):
            with opened(browser, page_file, fragment=fragment, color_scheme=scheme) as page:
                found = axe.run(page).response["violations"]
                assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []


def test_without_scripts_the_failures_can_be_read(browser, page_file):
    with opened(browser, page_file, java_script_enabled=False) as page:
        items = page.locator("noscript details.item")
        assert items.count() == 100
        items.first.locator("summary").click()
        assert "plus" in items.first.inner_text()
        assert "140 more items are in this page" in page.locator("#items").inner_text()


def test_it_prints_on_paper(browser, page_file):
    with opened(browser, page_file) as page:
        paper = page.pdf(format="A4")
        assert paper.startswith(b"%PDF")
        page.emulate_media(media="print")
        assert page.locator("header nav").is_hidden()
        assert page.locator(".controls").is_hidden()
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= page.viewport_size["width"]


def test_a_phone_needs_no_sideways_scrolling(browser, page_file):
    with opened(browser, page_file, viewport={"width": 360, "height": 740}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


HOSTILE = (
    '" onmouseover="window.__hit=1',
    "<script>window.__hit=2</script>",
    "<img src=x onerror=window.__hit=3>",
    "'><svg/onload=window.__hit=4>",
    "</script><script>window.__hit=5</script>",
    "</noscript><img src=x onerror=window.__hit=6>",
    "</style><style>body{display:none}",
    "javascript:window.__hit=7",
    "{{7*7}} ${7*7} <!-- --> ]]>",
    "\u202egnp.exe\x1b[31m\x00",
    "__proto__",
)


def test_no_markup_in_any_field_acts(browser, tmp_path):
    rows = [
        {
            "system": f"{system} {HOSTILE[2]}",
            "item": f"{text} {place}",
            "value": (place + (system == "b")) % 2,
            "input": text,
            "output": f"{text} {system}",
            "target": text,
            "segment.<b>lang</b>": text,
            "cluster": text,
            "note": text,
        }
        for system in ("a", "b")
        for place in range(4)
        for text in HOSTILE
    ]
    path, _ = report(written(tmp_path / "log.jsonl", rows), output=tmp_path / "report.html")
    _look_everywhere(browser, path)
    with opened(browser, path, java_script_enabled=False) as page:
        for item in page.locator("noscript details.item").all()[:12]:
            item.locator("summary").click()
        shown = page.locator("#items").inner_text()
        assert "<script>window.__hit=2</script>" in shown
        assert "\\u202egnp.exe\\x1b[31m\\x00" in shown


def test_public_case_63_runs_nothing_and_shows_all_of_it(browser, tmp_path):
    path, _ = report(
        shared("cases", "63-markup-in-every-field", "items.jsonl"), output=tmp_path / "report.html"
    )
    shown = _look_everywhere(browser, path)
    for text in ("<script>window.__hit=1</script>", "<img src=x onerror=window.__hit=2>", "{{7*7}} ${7*7} <!-- -->",
                 "[click](javascript:window.__hit=6)", "\\u202egnp.exe"):  # fmt: skip
        assert text in shown


def _look_everywhere(browser, path: Path) -> str:
    """Open every item and hover over everything; return all that was shown."""
    with opened(browser, path) as page:
        shown = [page.locator("body").inner_text()]
        assert page.locator("body").is_visible()
        for link in [one.get_attribute("href") for one in page.locator("ol.items a").all()[:50]]:
            page.evaluate("(hash) => { location.hash = hash }", link)
            page.wait_for_selector("article.detail h3", state="visible")
            page.locator("article.detail h3").hover()
            shown.append(page.locator("article.detail").inner_text())
        for element in page.locator("main th, main li, figure").all()[:60]:
            if element.is_visible():
                element.hover()
        assert page.evaluate("window.__hit") is None
        assert page.locator("main script, main img, main iframe").count() == 0
    return "\n".join(shown)


def test_a_long_answer_is_cut_and_the_rest_comes_on_request(browser, tmp_path):
    long = "".join(f"line {place}: {zlib.crc32(str(place).encode())}\n" for place in range(20_000))
    rows = [
        {
            "system": system,
            "item": f"q{i}",
            "value": int(i < 3 + (system == "b")),
            "output": long if i == 0 else "short",
        }
        for system in ("a", "b")
        for i in range(8)
    ]
    path, _ = report(written(tmp_path / "log.jsonl", rows), output=tmp_path / "report.html")
    with opened(browser, path, fragment="#item=q0") as page:
        pane = page.locator(".pane").first
        assert "line 19999" not in pane.inner_text()
        pane.get_by_role("button", name="more characters").click()
        until(lambda: "line 19999:" in (pane.locator("pre").first.text_content() or ""))
        assert pane.locator("pre").first.text_content() == long


def test_a_report_without_texts_holds_none(browser, tmp_path):
    rows = answers("main", n=40, right=25, step=7) + answers("pr", n=40, right=30, step=11)
    path, _ = report(written(tmp_path / "log.jsonl", rows), output=tmp_path / "report.html", no_text=True)
    source = path.read_text(encoding="utf-8")
    assert "What is" not in source
    assert "The sum of both" not in source
    with opened(browser, path, fragment="#item=q-00003") as page:
        assert "answer not kept" in page.locator("article.detail").inner_text()


def test_index_and_texts_are_json_that_no_parser_leaves(page_file):
    source = page_file.read_text(encoding="utf-8")
    start = source.index('id="index">') + len('id="index">')
    index = json.loads(source[start : source.index("</script>", start)])
    assert len(index["items"]) == N
    failing = {
        place for place, item in enumerate(index["items"]) if item["change"] in {"broke", "still_failing"}
    }
    assert set(index["order"]) == failing
