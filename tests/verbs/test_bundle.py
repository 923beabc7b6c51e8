"""A bundle gives the same numbers to those who read it, and no word, name or path to anyone but its owner."""

from __future__ import annotations

import csv
import hashlib
import hmac
import io
import os
import random
import shlex
import zipfile
from pathlib import Path

import pytest

from aliquot.findings.comparison import Comparison
from aliquot.verbs.compare import compare
from aliquot.verbs.report import report
from tests.cli.called import call
from tests.reports.browser import written


def attempts(folder: Path) -> Path:
    """Graded rows of two systems: five attempts an item, out of order, passages as a field of the items."""
    draw = random.Random(9)
    rows = [
        {
            "system": system,
            "item": f"named {i}",
            "attempt": attempt,
            "value": round(draw.random(), 4),
            "latency_s": round(draw.lognormvariate(0, 0.7), 4),
            "segment.passage": f"passage {i // 5}",
            "input": f"asked {i}",
            "output": f"answered {i}",
        }
        for system in "AB"
        for i in range(60)
        for attempt in range(1, 6)
    ]
    draw.shuffle(rows)
    return written(folder / "attempts.jsonl", rows)


def members(bundle: Path) -> dict[str, str]:
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def numbers(finding: Comparison) -> dict[tuple[str, ...], tuple[object, ...]]:
    frame = finding.to_frame().filter(~finding.to_frame()["part"].str.starts_with("segments"))
    return {
        (row["what"], row["part"], row["name"]): (row["point"], row["low"], row["high"], row["se"], row["p"])
        for row in frame.iter_rows(named=True)
    }


@pytest.mark.parametrize("cluster", [None, "passage", "item"])
def test_the_command_of_a_bundle_gives_every_number_to_the_bit(tmp_path, monkeypatch, cluster):
    path = attempts(tmp_path)
    report(path, output=tmp_path / "page.json", bundle=tmp_path / "b.zip", cluster=cluster)
    inside = members(tmp_path / "b.zip")
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "outcomes.csv").write_text(inside["outcomes.csv"])
    command = next(line for line in inside["README.txt"].splitlines() if line.startswith("  aliquot "))
    monkeypatch.chdir(tmp_path / "others")
    again = call(*shlex.split(command)[1:], "--json")
    assert again.code == 0
    assert again.out == inside["finding.json"]
    found = numbers(compare(Path("outcomes.csv"), cluster="cluster" if cluster == "passage" else cluster))
    of_texts = {key for key in numbers(compare(path, cluster=cluster)) if key[2].startswith("answer length")}
    assert {**found, **dict.fromkeys(of_texts)} == {
        **numbers(compare(path, cluster=cluster)),
        **dict.fromkeys(of_texts),
    }


def test_clusters_named_by_a_field_are_not_read_in_a_bundle(tmp_path):
    path = attempts(tmp_path)
    report(path, output=tmp_path / "page.json", bundle=tmp_path / "b.zip", cluster="passage")
    inside = " ".join(members(tmp_path / "b.zip").values())
    assert not any(
        word in inside for word in ("passage 1", "named 1", "asked 1", "answered 1", str(tmp_path))
    )


def test_a_finding_on_graded_attempts_is_the_same_every_time(tmp_path):
    path = attempts(tmp_path)
    first = compare(path)
    assert all(numbers(compare(path)) == numbers(first) for _ in range(4))


def test_ranks_keep_the_order_of_clusters_beside_items_without_one(tmp_path):
    draw = random.Random(3)
    rows = [
        {"system": system, "item": f"i{i}", "attempt": k, "value": draw.random()}
        | ({"cluster": f"zeta{i // 4}"} if i % 3 else {})
        for system in "AB"
        for i in range(40)
        for k in (1, 2, 3)
    ]
    path = written(tmp_path / "rows.jsonl", rows)
    report(path, output=tmp_path / "page.json", bundle=tmp_path / "b.zip")
    (tmp_path / "outcomes.csv").write_text(members(tmp_path / "b.zip")["outcomes.csv"])
    assert numbers(compare(tmp_path / "outcomes.csv")) == numbers(compare(path))


@pytest.mark.parametrize("redact", [[], ["item"], ["item", "passage"]])
def test_the_owner_of_the_key_finds_names_again(tmp_path, redact):
    report(attempts(tmp_path), output=tmp_path / "page.html", bundle=tmp_path / "b.zip", redact=redact)
    salt = bytes.fromhex((tmp_path / "b.salt").read_text())
    rows = list(csv.DictReader(io.StringIO(members(tmp_path / "b.zip")["outcomes.csv"])))

    def salted(field: str, name: str) -> str:
        return hmac.new(salt, f"{field}\0{name}".encode(), hashlib.sha256).hexdigest()[:12]

    assert {row["item"].partition("-")[2] for row in rows} == {
        salted("item", f"named {i}") for i in range(60)
    }
    assert (salted("item", "named 7") in (tmp_path / "page.html").read_text()) == ("item" in redact)
    shown = {row["segment.passage"] for row in rows}
    assert any(name.endswith(salted("passage", "passage 3")) for name in shown) == ("passage" in redact)


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_the_key_is_never_readable_by_others(tmp_path, monkeypatch):
    seen: list[int] = []
    replace = Path.replace

    def watched(self: Path, target: Path) -> Path:
        if str(target).endswith(".salt"):
            seen.append(self.stat().st_mode & 0o777)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", watched)
    report(attempts(tmp_path), output=tmp_path / "page.json", bundle=tmp_path / "b.zip")
    assert seen == [0o600]


FAILED = "refused to answer WHAT IS ASKED"


def failing(folder: Path) -> Path:
    rows = [
        {"system": system, "item": f"i{i}", "value": None, "status": "error", "reason": f"{FAILED} {i}"}
        if i % 9 == 0
        else {"system": system, "item": f"i{i}", "value": i % 2, "status": "ok"}
        for system in "AB"
        for i in range(40)
    ]
    return written(folder / "rows.jsonl", rows)


@pytest.mark.parametrize("form", ["html", "json", "md", "txt", "csv", "tex", "xml"])
def test_without_texts_no_error_message_is_told(tmp_path, form):
    page = tmp_path / f"page.{form}"
    path, found = report(failing(tmp_path), output=page, no_text=True, bundle=tmp_path / "b.zip")
    assert FAILED not in path.read_text()
    assert FAILED not in " ".join(members(tmp_path / "b.zip").values())
    assert isinstance(found, Comparison)
    assert found.side_metrics is not None
    assert [(one.system, one.status, one.rows) for one in found.side_metrics.failures] == [
        ("A", "error", 5),
        ("B", "error", 5),
    ]


def test_with_texts_the_page_tells_them(tmp_path):
    path, _ = report(failing(tmp_path), output=tmp_path / "page.html")
    assert FAILED in path.read_text()


def test_a_label_that_holds_an_error_or_an_answer_is_not_in_a_bundle(tmp_path):
    rows = [
        {"system": system, "item": f"i{i}", "value": i % 2, "outcome.label": f"said {i}"}
        for system in "AB"
        for i in range(20)
    ]
    path = written(tmp_path / "rows.jsonl", rows)
    report(path, output=tmp_path / "page.json", bundle=tmp_path / "b.zip")
    assert "said 1" not in " ".join(members(tmp_path / "b.zip").values())
