"""``report``: what is written, what is left out on request, and a bundle from which the same finding comes."""

from __future__ import annotations

import csv
import hashlib
import hmac
import io
import json
import shlex
import stat
import zipfile
from pathlib import Path

import pytest

from aliquot import compare, report
from aliquot.errors import UsageError
from tests.cli.called import call
from tests.reports.browser import answers, written
from tests.shared import shared

WORDS = ("What is", "The sum of both", "because the judge said")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    said = {"note": "because the judge said so", "cluster": "doc-secret"}
    rows = answers("main", n=60, right=40, step=7, **said) + answers("pr", n=60, right=48, step=11, **said)
    for place, row in enumerate(rows):
        row["cluster"] = f"doc-secret-{place % 60 // 3}"
    return written(tmp_path / "log.jsonl", rows)


def test_a_page_holds_every_item_with_both_answers_and_what_the_scorer_said(log, tmp_path):
    path, found = report(log, output=tmp_path / "r.html")
    page = path.read_text(encoding="utf-8")
    assert found.verdict.text in page.replace("&#39;", "'")
    for words in WORDS:
        assert words in page
    assert page.count('type="application/json" id="t') == 60
    assert "tango" in page
    assert "Tango" in page


def test_no_text_leaves_none_in_any_form(log, tmp_path):
    for name in ("r.html", "r.json", "r.md", "r.csv", "r.xml", "r.tex", "r.txt"):
        path, _ = report(log, output=tmp_path / name, no_text=True, bundle=tmp_path / "b.zip")
        text = path.read_text(encoding="utf-8")
        assert not any(words in text for words in WORDS), name
    with zipfile.ZipFile(tmp_path / "b.zip") as bundle:
        for member in bundle.namelist():
            held = bundle.read(member).decode()
            assert not any(words in held for words in (*WORDS, "q-000", "doc-secret")), member


@pytest.mark.parametrize(
    ("field", "gone", "stays"),
    [
        ("input", "What is", "The sum of both"),
        ("answer", "The sum of both", "What is"),
        ("note", "because the judge said", "What is"),
        ("item", "q-000", "What is"),
        ("cluster", "doc-secret", "q-000"),
        ("topic", '"sums"', "q-000"),
    ],
)
def test_a_field_is_left_out_or_salted(log, tmp_path, field, gone, stays):
    path, _ = report(log, output=tmp_path / "r.html", redact=[field])
    page = path.read_text(encoding="utf-8")
    assert gone not in page
    assert stays in page


def test_an_unknown_field_is_refused_with_the_nearest(log, tmp_path):
    with pytest.raises(UsageError, match="answer"):
        report(log, output=tmp_path / "r.html", redact=["answers"])
    assert not (tmp_path / "r.html").exists()


def test_a_bundle_gives_the_same_finding_by_the_command_it_names(log, tmp_path, monkeypatch):
    bundle = tmp_path / "b.zip"
    _, found = report(log, output=tmp_path / "r.html", bundle=bundle, margin="3pt")
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path / "out")
        held = json.loads(archive.read("finding.json"))
        readme = archive.read("README.txt").decode()
    command = next(line.strip() for line in readme.splitlines() if line.strip().startswith("aliquot compare"))
    monkeypatch.chdir(tmp_path / "out")
    done = call(*shlex.split(command)[1:], "--json")
    assert done.code == 0, done.err
    again = json.loads(done.out)
    assert held["command"] == command
    for part in (
        "difference",
        "tests",
        "table",
        "verdict",
        "estimates",
        "margin",
        "n_clusters",
        "detectable",
    ):
        assert again[part] == held[part], part
    assert held["difference"]["point"] == found.difference.point
    assert (held["difference"]["low"], held["difference"]["high"]) == (
        found.difference.low,
        found.difference.high,
    )
    assert held["tests"][0]["p"] == found.tests[0].test.p
    assert str(tmp_path) not in json.dumps(held)


def test_the_key_beside_a_bundle_finds_a_name_again_and_is_its_owners_alone(log, tmp_path):
    bundle = tmp_path / "b.zip"
    report(log, output=tmp_path / "r.html", bundle=bundle)
    key_file = tmp_path / "b.salt"
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    key = bytes.fromhex(key_file.read_text())
    with zipfile.ZipFile(bundle) as archive:
        items = {row["item"] for row in csv.DictReader(io.StringIO(archive.read("outcomes.csv").decode()))}
        assert key.hex() not in "".join(archive.read(name).decode() for name in archive.namelist())
    name = hmac.new(key, b"item\0q-00007", hashlib.sha256).hexdigest()[:12]
    assert f"08-{name}" in items


@pytest.mark.parametrize(
    "paths",
    [
        ("logs/promptfoo/results_v3_repeat2.json", "logs/promptfoo/results_v3_repeat2_changed_provider.json"),
        ("logs/deepeval/test_run_model-a.json", "logs/deepeval/test_run_model-b.json"),
    ],
)
def test_a_bundle_of_a_real_log_gives_its_finding(paths, tmp_path):
    logs = [shared(path) for path in paths]
    _, found = report(*logs, output=tmp_path / "r.md", bundle=tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        held = json.loads(archive.read("finding.json"))
    again = compare(*logs, noise=None)
    assert held["difference"]["point"] == again.difference.point == found.difference.point
    assert held["difference"]["low"] == again.difference.low
    assert held["verdict"] == json.loads(json.dumps({"word": again.verdict.word, "within_margin":
        again.verdict.within_margin, "text": again.verdict.text}))  # fmt: skip


def test_a_printed_figure_has_no_bundle(log, tmp_path):
    with pytest.raises(UsageError, match="a printed figure has none"):
        report(output=tmp_path / "r.html", counts=["12/20", "17/20"], bundle=tmp_path / "b.zip")


def test_one_system_alone_is_a_summary_with_its_items(tmp_path):
    log = written(tmp_path / "one.jsonl", answers("main", n=30, right=20, step=7))
    path, found = report(log, output=tmp_path / "r.html")
    page = path.read_text(encoding="utf-8")
    assert found.kind == "summary"
    assert "10 failing, 20 passing" in page
    assert "What is 7 plus 8?" in page
    assert found.command == f"aliquot summarize {log}"


def test_systems_without_shared_items_show_each_ones_own(tmp_path):
    other = [{**row, "item": f"x{row['item']}"} for row in answers("pr", n=20, right=12, step=3)]
    log = written(tmp_path / "apart.jsonl", answers("main", n=20, right=12, step=7) + other)
    path, found = report(log, output=tmp_path / "r.html")
    assert not found.paired
    assert path.read_text(encoding="utf-8").count('type="application/json" id="t') == 40


def test_the_page_is_bounded_and_what_changed_comes_first(log, tmp_path):
    path, found = report(log, output=tmp_path / "r.html", items=5)
    page = path.read_text(encoding="utf-8")
    assert page.count('type="application/json" id="t') == 5
    assert "55 of them are not in this page" in page
    assert all(f'"id":"{name}"' in page for name in found.broke[:5])


def test_the_command_writes_page_and_bundle(log, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = call("report", log, "--no-text", "--bundle", "b.zip")
    assert done.code == 0, done.err
    assert "report.html" in done.out
    assert "b.zip" in done.out
    assert call("report", log, "--bundle", "b.tar").code == 2


def test_a_choice_about_two_systems_is_refused_when_there_is_one(tmp_path):
    one = written(tmp_path / "one.jsonl", answers("main", n=30, right=20, step=7))
    with pytest.raises(UsageError, match=r"--margin and --seed compare two systems, and here is one"):
        report(one, output=tmp_path / "r.html", margin="3pt", seed=4)
    assert not (tmp_path / "r.html").exists()


def test_no_form_is_written_over_what_was_read(log):
    before = log.read_bytes()
    plain = log.rename(log.with_suffix(".json"))
    for arguments in (["report", str(plain), "-o", str(plain)], ["compare", str(plain), "-o", str(plain)]):
        done = call(*arguments)
        assert done.code == 2, arguments
        assert "is what was read; write to another file" in " ".join(done.err.split())
    assert plain.read_bytes() == before
